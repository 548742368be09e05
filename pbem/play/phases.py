"""Run a phase: open it with reports, close it, resolve it, open the next.

Everything happens in the caller's transaction. Resolving a phase leaves either the next open phase and its
deadline, or a game that is over. The states of a phase are in phase_states.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, dumps, loads, text_digest
from pbem.engine.data.messages import Msg, msg
from pbem.engine.run.steps import DONE, MORE
from pbem.engine.war import chain
from pbem.letters import outbox
from pbem.letters.content import date_in_words
from pbem.log import closing_times, keyring
from pbem.play import (
    adjudication,
    beacons,
    bot_seats,
    deadlines,
    history,
    log_entries,
    pauses,
    phase_reports,
    phase_states,
    positions,
    revealed_orders,
    scheduled_orders,
)
from pbem.play.adjudication import ClosedOrders, LetterResult, PausedPhase, PhaseInput, Resolution
from pbem.play.phase_reports import PhaseReport
from pbem.play.positions import Position, last_moment
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, ActKind, Transaction
from pbem.store import changes, hot_statements, queries, tables
from pbem.store.queries.seats import PhaseStatus

# Games at the pace of activations: each letter of orders is carried out at once, before the next is written. A letter
# is one segment of the phase's dice. The phase stays open between letters; it ends when all its seats have said DONE,
# or at its deadline. Standing orders are those in force when its first letter came.


def mark_all_done(session: Session, position: Position, phase: tables.Phase) -> None:
    """Note DONE for every seat that moves, so that the phase takes no more letters."""
    for seat in queries.games.seats(session, position.game.id):
        if seat.name in position.active:
            changes.set_wish(session, phase, seat, "done")


def has_last_letter(position: Position, phase: tables.Phase, heard: PhaseStatus, now: datetime) -> bool:
    """Return whether no more letters come: all said DONE, or it is too late."""
    return now >= last_moment(position.game, phase) or deadlines.is_everybody_done(position, heard)


def take_letter_orders(session: Session, position: Position, phase: tables.Phase) -> dict[str, tuple[int, str]]:
    """Return the queued orders by seat with revision; mark them as executed."""
    queued = queries.orders.queued_by_seat(session, phase)
    orders: dict[str, tuple[int, str]] = {}
    for seat in queries.games.seats(session, position.game.id):
        row = queued.get(seat.id or 0)
        if row is not None:
            orders[seat.name] = (row.revision, row.sealed_text)
    mark_orders_executed(session, phase)
    return orders


def mark_orders_executed(session: Session, phase: tables.Phase) -> None:
    """Mark the queued orders as executed, so that they cannot be cancelled any more."""
    for row in queries.orders.queued_by_seat(session, phase).values():
        row.state = "carried"
        session.add(row)
    session.flush()


def store_next_letter(
    session: Session, phase: tables.Phase, orders: Mapping[str, tuple[int, str]] | None, mover: str
) -> None:
    """Store the letter after the last segment; None means that no more come."""
    segment = queries.phases.segments(session, phase)[-1]
    letter = loads(segment.letter or "{}")
    by_seat: Json = {mover: [0, None]} if orders is None else {seat: list(order) for seat, order in orders.items()}
    segment.letter = dumps({**letter, "answer": DONE if orders is None else MORE, "orders": by_seat})
    session.add(segment)
    session.flush()


def store_executed_letter(
    tx: Transaction, position: Position, phase: tables.Phase, outcome: LetterResult
) -> tables.Segment:
    """Store a segment that ended with an executed letter, and the new position."""
    columns = {
        "number": len(outcome.slates),
        "slate": outcome.slates[-1].decode("utf-8"),
        "events": dumps([event.to_json() for event in outcome.events]),
        "letter": dumps({"window": outcome.window}),
        "position": dumps(position.rules.encode(outcome.states[-1])),
        "opened": tx.now,
    }
    return phase_states.end_segment(tx.session, phase, columns)


class PhaseStart(NamedTuple):
    """Extra content for opening a phase: notes, blocks, deadline, early orders.

    Without a deadline it gets a new one. `bring` queues the orders. `resolved` is the phase before, if that was
    resolved now.
    """

    notes: Mapping[str, Sequence[Msg]] = MappingProxyType({})
    blocks: Mapping[str, Sequence[Json]] = MappingProxyType({})
    deadline: datetime | None = None
    bring: Callable[[tables.Phase], None] | None = None
    resolved: tables.Phase | None = None


_AFRESH = PhaseStart()


def open_next_phase(
    tx: Transaction, position: Position, resolution: Resolution | None = None, start: PhaseStart = _AFRESH
) -> tables.Phase | None:
    """Open the next phase and report to all; None if the game is over.

    `position.state` waits for that phase. `resolution` is how the phase before it ended, if there was one.
    """
    game = position.game
    next_phase = position.rules.phase(position.state)
    phase: tables.Phase | None = None
    if next_phase is None:
        phase_states.end_game(tx.session, game)
    else:
        deadline = start.deadline or deadlines.new_deadline(tx, position)
        phase = phase_states.open_phase(tx, game, position.number + 1, next_phase, deadline)
        deadlines.plan_new_phase(tx, position, phase)
        log_entries.record_opening(tx, position, phase)
        if start.bring is not None:
            start.bring(phase)
        bot_seats.plan_bots(tx, position)
    tx.session.add(game)
    early_orders = scheduled_orders.enter_scheduled_orders(tx, position, phase) if phase is not None else {}
    closing = phase_reports.closing_sentences(tx.session, position, resolution, start.resolved)
    for seat in queries.games.seats(tx.session, game.id):
        notes, extra_blocks = start.notes.get(seat.name, ()), start.blocks.get(seat.name, ())
        early_report = early_orders.get(seat.name) or scheduled_orders.drop_past_orders(
            tx.session, position.rules, seat, None
        )
        early_report = early_report._replace(blocks=(*early_report.blocks, *extra_blocks))
        is_new = _is_first(position)
        report = PhaseReport(position, phase, resolution, notes, wrote=early_report, brief=is_new, closing=closing)
        phase_reports.write_report(tx, seat, report)
    if phase is None:
        log_entries.record_disclosure(tx, game)
    events = resolution.events_and_states if resolution else ()
    kind = ActKind.OPENED if phase is not None else ActKind.OVER
    tx.notify_listeners(Act(kind, game, phase, position.state, events, position.number))
    return phase


def _is_first(position: Position) -> bool:
    """Return whether the report introduces the game.

    It does before the first phase, unless the game is a camp.
    """
    return position.number == 0 and position.game.system != chain.CAMP


def close_and_resolve(tx: Transaction, position: Position, phase: tables.Phase) -> None:
    """Close the phase with the queued orders, and resolve it.

    A seat that sent nothing follows only its standing orders, and its missed deadlines are counted up. Any
    exception means a fault in the rules or in this program; the caller rolls back.
    """
    heard = queries.seats.phase_status(tx.session, phase)
    if position.begun:
        position = positions.position_before_phase(tx, position.game)
    if position.by_letter and phase.orders is not None:
        if letter_orders := take_letter_orders(tx.session, position, phase):
            store_next_letter(tx.session, phase, letter_orders, position.active[0])
        elif has_last_letter(position, phase, heard, tx.now):
            store_next_letter(tx.session, phase, None, position.active[0])
        else:
            return
        continue_phase(tx, position, phase, heard=heard)
        return
    closed, notes = _close(tx, position, phase, heard)
    if position.by_letter:
        mark_orders_executed(tx.session, phase)
    log_entries.record_closing(tx, position, phase, closed)
    phase_states.close_phase(tx, phase, adjudication.closed_orders_to_json(closed))
    if not beacons.has_waiting_dice(tx, phase):
        tx.notify_listeners(
            Act(ActKind.CLOSED, position.game, phase, number=position.number, cause=f"phase {phase.id} segment 1")
        )
    continue_phase(tx, position, phase, notes, heard)


def continue_phase(
    tx: Transaction,
    position: Position,
    phase: tables.Phase,
    notes: Mapping[str, Sequence[Msg]] | None = None,
    heard: PhaseStatus | None = None,
) -> None:
    """Resolve a closed phase with its answers, and report; or ask and wait.

    If the dice wait for a beacon, the orders are closed now, and the rest follows after the beacon's round. After a
    pause everything is resolved again from the phase's start; raises Diverged if that differs from the mailed
    events. `heard` is the state of the phase's seats, looked up if not given.
    """
    if position.begun:
        position = positions.position_before_phase(tx, position.game)
    inputs = phase_input_of(tx, position, phase)
    if beacons.has_waiting_dice(tx, phase) and beacons.close_and_await_beacon(tx, position, phase, inputs, notes or {}):
        return
    asks, mailed = pauses.asks_by_letter(tx, position.game, phase), history.mailed_events(tx.session, phase)
    outcome = adjudication.resolve(inputs, asks, mailed)
    log_entries.record_rolls(tx, position, phase, outcome, inputs.values)
    if isinstance(outcome, PausedPhase):
        phase_states.keep_waiting(tx.session, phase)
        pauses.pause_phase(tx, position, phase, outcome, notes or {})
        return
    if isinstance(outcome, LetterResult):
        store_executed_letter(tx, position, phase, outcome)
        if has_last_letter(position, phase, heard or queries.seats.phase_status(tx.session, phase), tx.now):
            store_next_letter(tx.session, phase, None, position.active[0])
            continue_phase(tx, position, phase, notes)
        else:
            _report_letter(tx, position, phase, outcome, notes or {})
        return
    _finish(tx, position, phase, outcome, {**(notes or {}), **_unasked_notes(tx, position.game, outcome, notes or {})})


def phase_input_of(tx: Transaction, position: Position, phase: tables.Phase) -> PhaseInput:
    """Return the input for resolving a phase; `position` is the one before it."""
    closed = adjudication.closed_orders_from_json(phase.orders)
    name, answers = outbox.phase_of(phase), history.answers_of_pauses(tx.session, phase)
    key, (game, rules, edition, state, *_) = keyring.secret_of(tx, position.game), position
    slates = history.closed_orders_of(tx.session, phase) if phase.again_of is not None else ()
    inputs = PhaseInput(key, game.id, rules, edition, state, name, closed, answers, position.by_letter, slates)
    inputs = inputs._replace(text=tx.server.text_of(game, state))
    if not beacons.has_waiting_dice(tx, phase):
        return inputs
    # A phase that is resolved once more has the lists, and so the rounds, that it was closed with.
    lists = beacons.closed_orders_with_beacons(tx, phase, slates)
    dice = closing_times.dice_for(tx, game, str(name)) if not lists.slates else closing_times.OWN
    secret = closing_times.secret_with(tx, key, lists.slates, lists.values)
    return inputs._replace(secret=secret, slates=lists.slates, values=lists.values, dice=dice)


def _report_letter(
    tx: Transaction, position: Position, phase: tables.Phase, outcome: LetterResult, notes: Mapping[str, Sequence[Msg]]
) -> None:
    """Report an executed letter, and wait for the next."""
    phase_states.await_letter(tx.session, phase)
    after = positions.read_position(tx, position.game)
    deadlines.plan_new_phase(tx, after, phase)
    cause = f"phase {phase.number} letter {len(outcome.slates)}"
    closing = phase_reports.closing_sentences(tx.session, after, outcome)
    for seat in queries.games.seats(tx.session, position.game.id):
        report = PhaseReport(after, phase, outcome, notes.get(seat.name, ()), cause, closing=closing)
        phase_reports.write_report(tx, seat, report)
    events = outcome.events_and_states
    tx.notify_listeners(Act(ActKind.RESOLVED, position.game, phase, after.state, events, position.number, cause))


def _unasked_notes(
    tx: Transaction, game: tables.Game, resolution: Resolution, notes: Mapping[str, Sequence[Msg]]
) -> dict[str, list[Msg]]:
    """Return notes for seats whose questions were used up, or who are away."""
    away, limit = pauses.seats_with_stand_in(tx, game), Terms.read(game.terms).asks
    sentences = {
        seat: msg(
            "You are away: {count} {count:|question was|questions were} not put to you, and your standing orders or "
            "the default answered at once.",
            count=count,
        )
        if seat in away
        else msg(
            "You have had all the questions of this turn (letters: {most}); {count} more were not asked.",
            most=limit,
            count=count,
        )
        for seat, count in resolution.unasked.items()
    }
    return {seat: [*notes.get(seat, ()), sentence] for seat, sentence in sentences.items()}


def _finish(
    tx: Transaction,
    position: Position,
    phase: tables.Phase,
    resolution: Resolution,
    notes: Mapping[str, Sequence[Msg]],
) -> None:
    """Store the events and go on to the next phase."""
    after = store_resolution(tx, position, phase, resolution)
    events = resolution.events_and_states
    tx.notify_listeners(Act(ActKind.RESOLVED, position.game, phase, after.state, events, phase.number))
    void_notes = history.voiding_sentences(tx.session, phase)
    seats = queries.games.seats(tx.session, position.game.id)
    notes = {seat.name: [*void_notes, *notes.get(seat.name, ())] for seat in seats}
    open_next_phase(tx, after, resolution, PhaseStart(notes, resolved=phase))


def store_resolution(tx: Transaction, position: Position, phase: tables.Phase, resolution: Resolution) -> Position:
    """Store a phase's events, and return the position after it.

    `position` is the one before it.
    """
    rows = [
        {"phase_id": phase.id, "number": number, "kind": event.kind, "cite": event.cite, "body": dumps(event.to_json())}
        for number, event in enumerate(resolution.events, 1)
    ]
    hot_statements.insert_rows(tx.session, tables.Event, *rows)
    if phase.again_of is None:
        pauses.store_last_segment(tx, phase, resolution.slates)
    after = dumps(position.rules.encode(resolution.states[-1]))
    shown = revealed_orders.reveal_sets(tx, position, phase, resolution).text()
    state = {"game_id": position.game.id, "number": phase.number, "body": after}
    hot_statements.insert_rows(tx.session, tables.Snapshot, state)
    phase_states.resolve(tx.session, phase)
    hot_statements.update_row(
        tx.session,
        phase,
        slate=resolution.slates[0].decode("utf-8"),
        rolls=dumps(resolution.rolls_json),
        events_digest=resolution.events_digest,
        state_digest=text_digest(after),
        shown=shown,
    )
    if phase.again_of is None:
        log_entries.record_result(tx, position, phase, resolution, after)
    # The next phase starts from the state as it is stored, so that a restart cannot make a difference.
    return position._replace(state=tx.server.state_of(tx.session, position.game, after), number=phase.number)


def _close(
    tx: Transaction, position: Position, phase: tables.Phase, heard: PhaseStatus
) -> tuple[dict[str, ClosedOrders], dict[str, list[Msg]]]:
    """Return all seats' closed orders, and notes on them for each seat."""
    queued = queries.orders.queued_by_seat(tx.session, phase)
    active = position.active
    # At letter pace the phase continues after the first letter, and other seats may still write.
    going_on = position.by_letter and not has_last_letter(position, phase, heard, tx.now)
    missing = () if going_on else deadlines.no_show_seats(position, heard)
    closed: dict[str, ClosedOrders] = {}
    notes: dict[str, list[Msg]] = {}
    for seat in queries.games.seats(tx.session, position.game.id):
        queued_orders = queued.get(seat.id or 0)
        standing = queries.orders.standing_texts(tx.session, seat)
        rules, unreadable = adjudication.readable_standing_orders(position.rules, position.state, seat.name, standing)
        closed[seat.name] = (
            ClosedOrders(queued_orders.revision, queued_orders.sealed_text, rules)
            if queued_orders
            else ClosedOrders(0, "", rules)
        )
        scheduled_orders.store_repeats(tx.session, seat, queued_orders)
        seat_notes = notes.setdefault(seat.name, [])
        if seat.name in active:
            sent = queued_orders.received if queued_orders and seat.name not in missing else tx.now
            deadlines.charge_clock(position.game, phase, seat, sent)
            if seat.name in missing:
                seat_notes += deadlines.count_missed(tx, position, seat, queued_orders is not None)
            elif not _is_by_stand_in(seat, queued_orders):
                deadlines.reset_missed(seat)
            tx.session.add(seat)
        seat_notes += [
            msg("This standing order could not be read any more and was left out: {order}", order=order.split("\n")[0])
            for order in unreadable
        ]
    for seat in queries.games.seats(tx.session, position.game.id):
        if _is_by_stand_in(seat, queued.get(seat.id or 0)):
            _note_stand_in(tx, position, phase, seat, notes)
    return closed, notes


def _is_by_stand_in(seat: tables.Seat, queued: tables.QueuedOrders | None) -> bool:
    """Return whether a bot wrote for a player who is away."""
    return queued is not None and queued.origin == "bot" and not seat.bot


def _note_stand_in(
    tx: Transaction, position: Position, phase: tables.Phase, seat: tables.Seat, notes: Mapping[str, list[Msg]]
) -> None:
    """Note for all seats that a bot wrote for a player, and until when he is away."""
    last = deadlines.last_day_away(tx.session, seat, phase.deadline)
    bot, day = Terms.read(position.game.terms).stand_in, date_in_words(last) if last else ""
    for other, seat_notes in notes.items():
        if other == seat.name:
            seat_notes.append(
                msg(
                    "Orders by the bot {bot} for you, since none of yours were in: you are away until {day}. Your next "
                    "letter of orders ends that.",
                    bot=bot,
                    day=day,
                )
            )
        else:
            seat_notes.append(
                msg("Orders by the bot {bot} for {seat}, who is away until {day}.", bot=bot, seat=seat.name, day=day)
            )
