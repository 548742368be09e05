"""The life of a phase: opened with a report to every seat, closed by the clock or by consent, resolved, followed.

Everything happens in the caller's transaction. Whoever resolves a phase leaves behind either the next open phase and
its deadline, or a game that is over. What states a phase can have is in phase_states.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, digest, dumps, loads
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
from pbem.play.adjudication import AfterLetter, ClosedOrders, PhaseInput, Resolution, Waiting
from pbem.play.phase_reports import PhaseReport
from pbem.play.positions import Position, last_moment
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, Kind, Transaction
from pbem.store import changes, queries, tables
from pbem.store.queries.seats import Heard

# Games at the pace of activations: each letter of orders is carried out at once, before the next is written. A letter
# is one segment of the phase's dice. The phase stays open between letters; it ends when all its seats have said DONE,
# or at its deadline. Standing orders are those in force when its first letter came.


def end_letters(session: Session, here: Position, phase: tables.Phase) -> None:
    """End the phase's letters, as if every seat that moves had said DONE."""
    for seat in queries.games.seats(session, here.game.id):
        if seat.name in here.active:
            changes.wish(session, phase, seat, "done")


def has_last_letter(here: Position, phase: tables.Phase, heard: Heard, now: datetime) -> bool:
    """Whether no more letters come: all who move are done, or the deadline is past."""
    return now >= last_moment(here.game, phase) or deadlines.done(here, heard)


def take_letter(session: Session, here: Position, phase: tables.Phase) -> dict[str, tuple[int, str]]:
    """The orders that are queued, by seat with their revision; from now on they are carried out."""
    queued = queries.orders.queued_by_seat(session, phase)
    taken: dict[str, tuple[int, str]] = {}
    for seat in queries.games.seats(session, here.game.id):
        row = queued.get(seat.id or 0)
        if row is not None:
            taken[seat.name] = (row.revision, row.sealed)
    mark_carried(session, phase)
    return taken


def mark_carried(session: Session, phase: tables.Phase) -> None:
    """Mark the queued orders as carried out: nothing takes them back."""
    for row in queries.orders.queued_by_seat(session, phase).values():
        row.state = "carried"
        session.add(row)
    session.flush()


def note_letter(
    session: Session, phase: tables.Phase, orders: Mapping[str, tuple[int, str]] | None, mover: str
) -> None:
    """What came after the last segment: a letter, or with None that there are no more."""
    last = queries.phases.segments(session, phase)[-1]
    held = loads(last.letter or "{}")
    by_seat: Json = {mover: [0, None]} if orders is None else {seat: list(said) for seat, said in orders.items()}
    last.letter = dumps({**held, "answer": DONE if orders is None else MORE, "orders": by_seat})
    session.add(last)
    session.flush()


def store_letter(work: Transaction, here: Position, phase: tables.Phase, found: AfterLetter) -> tables.Segment:
    """Keep a segment that ended with a letter carried out, and the position that the next one is written in."""
    columns = {
        "number": len(found.slates),
        "slate": found.slates[-1].decode("utf-8"),
        "events": dumps([happened.to_json() for happened in found.events]),
        "letter": dumps({"window": found.window}),
        "position": dumps(here.rules.encode(found.states[-1])),
        "opened": work.now,
    }
    return phase_states.end_segment(work.session, phase, columns)


class Beginning(NamedTuple):
    """What a phase is opened with: what each seat is told besides, its deadline, and orders that it begins with.

    Without a deadline it gets one as if nothing had been before. `bring` queues the orders.
    """

    notes: Mapping[str, Sequence[Msg]] = MappingProxyType({})
    blocks: Mapping[str, Sequence[Json]] = MappingProxyType({})
    deadline: datetime | None = None
    bring: Callable[[tables.Phase], None] | None = None


_AFRESH = Beginning()


def open_next(
    work: Transaction, here: Position, done: Resolution | None = None, start: Beginning = _AFRESH
) -> tables.Phase | None:
    """Open the phase that `here.state` waits for and report to all seats and observers; None if the game is over.

    `done` is the resolution that led here, if any.
    """
    game = here.game
    deadlines.forget(work.session, game)
    waits_for = here.rules.phase(here.state)
    phase: tables.Phase | None = None
    if waits_for is None:
        phase_states.end_game(work.session, game)
    else:
        deadline = start.deadline or deadlines.setting(work, here)
        phase = phase_states.open_phase(work, game, here.number + 1, waits_for, deadline)
        deadlines.begin(work, here, phase)
        log_entries.note_opening(work, here, phase)
        if start.bring is not None:
            start.bring(phase)
        bot_seats.plan(work, here)
    work.session.add(game)
    came = scheduled_orders.become(work, here, phase) if phase is not None else {}
    for seat in queries.games.seats(work.session, game.id):
        told, more = start.notes.get(seat.name, ()), start.blocks.get(seat.name, ())
        wrote = came.get(seat.name) or scheduled_orders.drop_unused(work.session, here.rules, seat, None)
        wrote = wrote._replace(blocks=(*wrote.blocks, *more))
        phase_reports.write(work, seat, PhaseReport(here, phase, done, told, wrote=wrote, brief=_is_first(here)))
    if phase is None:
        log_entries.note_disclosure(work, game)
    happened = done.happened if done else ()
    kind = Kind.OPENED if phase is not None else Kind.OVER
    work.tell(Act(kind, game, phase, here.state, happened, here.number))
    work.session.flush()
    return phase


def _is_first(here: Position) -> bool:
    """Whether the reader is told what the game is about: before its first phase, unless it is a camp."""
    return here.number == 0 and here.game.system != chain.CAMP


def close_and_resolve(work: Transaction, here: Position, phase: tables.Phase) -> None:
    """Close the phase with the orders that are queued, and resolve it as `carry_on` does.

    A seat that sent nothing does nothing but what its standing orders say, and gets a strike. Any exception means a
    fault in the rules or in this program; the caller rolls back.
    """
    here = positions.before(work, here.game)
    heard = queries.seats.heard(work.session, phase)
    if here.by_letter and phase.orders is not None:
        if taken := take_letter(work.session, here, phase):
            note_letter(work.session, phase, taken, here.active[0])
        elif has_last_letter(here, phase, heard, work.now):
            note_letter(work.session, phase, None, here.active[0])
        else:
            return
        carry_on(work, here, phase, heard=heard)
        return
    closed, notes = _close(work, here, phase, heard)
    if here.by_letter:
        mark_carried(work.session, phase)
    log_entries.note_closing(work, here, phase, closed)
    phase_states.close_phase(work, phase, adjudication.write_closed(closed))
    if not beacons.waits(work, phase):
        work.tell(Act(Kind.CLOSED, here.game, phase, number=here.number, cause=f"phase {phase.id} segment 1"))
    carry_on(work, here, phase, notes, heard)


def carry_on(
    work: Transaction,
    here: Position,
    phase: tables.Phase,
    notes: Mapping[str, Sequence[Msg]] | None = None,
    heard: Heard | None = None,
) -> None:
    """Roll and adjudicate a closed phase with the answers that came; report, and open what follows, or ask and wait.

    Where the dice wait for a beacon the list is closed now, and the rest follows once its round has come.
    After a pause all is resolved again from the phase's start; Diverged if that gives not what was mailed. `heard` is
    what the phase heard of its seats, if the caller knows.
    """
    here = positions.before(work, here.game)
    inputs = input_of(work, here, phase)
    if beacons.waits(work, phase) and beacons.close_lists(work, here, phase, inputs, notes or {}):
        return
    asks, sent = pauses.asks_of(work, here.game, phase), history.mailed_events(work.session, phase)
    found = adjudication.resolve(inputs, asks, sent)
    log_entries.note_rolls(work, here, phase, found, inputs.values)
    if isinstance(found, Waiting):
        phase_states.keep_waiting(work.session, phase)
        pauses.pause(work, here, phase, found, notes or {})
        return
    if isinstance(found, AfterLetter):
        store_letter(work, here, phase, found)
        if has_last_letter(here, phase, heard or queries.seats.heard(work.session, phase), work.now):
            note_letter(work.session, phase, None, here.active[0])
            carry_on(work, here, phase, notes)
        else:
            _await_next_letter(work, here, phase, found, notes or {})
        return
    _finish(work, here, phase, found, {**(notes or {}), **_left_unasked(work, here.game, found, notes or {})})


def input_of(work: Transaction, here: Position, phase: tables.Phase) -> PhaseInput:
    """What a closed or resolved phase is resolved from; `here` is the position before it."""
    closed = adjudication.read_closed(phase.orders)
    name, came = outbox.phase_of(phase), history.pauses(work.session, phase)
    key, (game, rules, edition, state, *_) = keyring.secret_of(work, here.game), here
    slates = history.slates(work.session, phase) if phase.again_of is not None else ()
    inputs = PhaseInput(key, game.id, rules, edition, state, name, closed, came, here.by_letter, slates)
    if not beacons.waits(work, phase):
        return inputs
    # A phase that is resolved once more has the lists, and so the rounds, that it was closed with.
    held = beacons.so_far(work, phase, slates)
    dice = closing_times.dice_for(work, game, str(name)) if not held.slates else closing_times.OWN
    secret = closing_times.secret_with(work, key, held.slates, held.values)
    return inputs._replace(secret=secret, slates=held.slates, values=held.values, dice=dice)


def _await_next_letter(
    work: Transaction, here: Position, phase: tables.Phase, found: AfterLetter, notes: Mapping[str, Sequence[Msg]]
) -> None:
    """A letter is carried out, and others may come: report it and wait for the next."""
    phase_states.await_letter(work.session, phase)
    after = positions.position(work, here.game)
    deadlines.begin(work, after, phase)
    cause = f"phase {phase.number} letter {len(found.slates)}"
    for seat in queries.games.seats(work.session, here.game.id):
        phase_reports.write(work, seat, PhaseReport(after, phase, found, notes.get(seat.name, ()), cause))
    happened = found.happened
    work.tell(Act(Kind.RESOLVED, here.game, phase, after.state, happened, here.number, cause))


def _left_unasked(
    work: Transaction, game: tables.Game, done: Resolution, notes: Mapping[str, Sequence[Msg]]
) -> dict[str, list[Msg]]:
    """What those are told who were to be asked when their questions were used up, or who are away."""
    away, most = pauses.not_waited_for(work, game), Terms.read(game.terms).asks
    said = {
        seat: msg(
            "You are away: {count} {count:|question was|questions were} not put to you, and your standing orders or "
            "the default answered at once.",
            count=count,
        )
        if seat in away
        else msg(
            "Your questions of this turn are used up (letters: {most}): {count} more were left to silence.",
            most=most,
            count=count,
        )
        for seat, count in done.unasked.items()
    }
    return {seat: [*notes.get(seat, ()), told] for seat, told in said.items()}


def _finish(
    work: Transaction, here: Position, phase: tables.Phase, done: Resolution, notes: Mapping[str, Sequence[Msg]]
) -> None:
    """Store what happened and go on to the next phase."""
    after = keep(work, here, phase, done)
    happened = done.happened
    work.tell(Act(Kind.RESOLVED, here.game, phase, after.state, happened, phase.number))
    told = history.voided_by(work.session, phase)
    seats = queries.games.seats(work.session, here.game.id)
    open_next(work, after, done, Beginning({seat.name: [*told, *notes.get(seat.name, ())] for seat in seats}))


def keep(work: Transaction, here: Position, phase: tables.Phase, done: Resolution) -> Position:
    """Store what happened in a phase, and return the position after it; `here` is that before it."""
    rows = [
        {"phase_id": phase.id, "number": number, "kind": one.kind, "cite": one.cite, "body": dumps(one.to_json())}
        for number, one in enumerate(done.events, 1)
    ]
    changes.add_all(work.session, tables.Event, rows)
    if phase.again_of is None:
        pauses.finish(work, phase, done.slates)
    after = dumps(here.rules.encode(done.states[-1]))
    work.session.add(tables.Snapshot(game_id=here.game.id, number=phase.number, body=after))
    phase_states.resolve(work.session, phase)
    phase.slate = done.slates[0].decode("utf-8")
    phase.rolls = dumps(done.rolls_json)
    phase.events_digest = done.events_digest
    phase.state_digest = digest(loads(after))
    phase.shown = revealed_orders.openings_of(work, here, phase, done).text()
    work.session.flush()
    if phase.again_of is None:
        log_entries.note_result(work, here, phase, done, after)
    # The next phase starts from the state as it is stored, so that a restart cannot make a difference.
    return here._replace(state=here.rules.decode(loads(after), here.edition), number=phase.number)


def _close(
    work: Transaction, here: Position, phase: tables.Phase, heard: Heard
) -> tuple[dict[str, ClosedOrders], dict[str, list[Msg]]]:
    """What every seat's orders are, and what each is to be told about that."""
    queued = queries.orders.queued_by_seat(work.session, phase)
    active = here.active
    # Where letters come one by one the phase goes on after the first, and whoever has not written yet still may.
    going_on = here.by_letter and not has_last_letter(here, phase, heard, work.now)
    missing = () if going_on else deadlines.absent(here, heard)
    closed: dict[str, ClosedOrders] = {}
    notes: dict[str, list[Msg]] = {}
    for seat in queries.games.seats(work.session, here.game.id):
        found = queued.get(seat.id or 0)
        standing = queries.orders.standing_texts(work.session, seat)
        rules, lost = adjudication.in_force(here.rules, here.state, seat.name, standing)
        closed[seat.name] = ClosedOrders(found.revision, found.sealed, rules) if found else ClosedOrders(0, "", rules)
        scheduled_orders.settle(work.session, seat, found)
        told = notes.setdefault(seat.name, [])
        if seat.name in active:
            deadlines.count_time(phase, seat, found.received if found and seat.name not in missing else work.now)
            if seat.name in missing:
                told += deadlines.count_missed(work, here, seat, found is not None)
            elif not _stood_in(seat, found):
                deadlines.forget_missed(seat)
            work.session.add(seat)
        told += [
            msg("This standing order could not be read any more and was left out: {order}", order=order.split("\n")[0])
            for order in lost
        ]
    for seat in queries.games.seats(work.session, here.game.id):
        if _stood_in(seat, queued.get(seat.id or 0)):
            _tell_of_stand_in(work, here, phase, seat, notes)
    return closed, notes


def _stood_in(seat: tables.Seat, found: tables.QueuedOrders | None) -> bool:
    """Whether a bot wrote for a player who is away."""
    return found is not None and found.origin == "bot" and not seat.bot


def _tell_of_stand_in(
    work: Transaction, here: Position, phase: tables.Phase, seat: tables.Seat, notes: Mapping[str, list[Msg]]
) -> None:
    """Tell all that a bot wrote for somebody, and until when he is away."""
    last = deadlines.away_until(work.session, seat, phase.deadline)
    bot, day = Terms.read(here.game.terms).stand_in, date_in_words(last) if last else ""
    for other, told in notes.items():
        if other == seat.name:
            told.append(
                msg(
                    "Orders by the bot {bot} for you, since none of yours were in: you are away until {day}. Your next "
                    "letter of orders ends that.",
                    bot=bot,
                    day=day,
                )
            )
        else:
            told.append(
                msg("Orders by the bot {bot} for {seat}, who is away until {day}.", bot=bot, seat=seat.name, day=day)
            )
