"""Take a game back: make phases void, go on from another state, keep orders.

Void phases stay stored. The new state has a number of its own in the game (`tables.Basis`), and the next
phase begins from it. Orders for the phase that was open are checked against the new position: they still
stand, or are returned to their player with the mistakes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, dumps
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import speech
from pbem.engine.terms import RejectedLine
from pbem.letters import content, outbox
from pbem.letters.ruling_records import RulingLine
from pbem.play import deadlines, history, log_entries, phase_states, phases, positions
from pbem.play.adjudication import Resolution
from pbem.play.phases import PhaseStart
from pbem.play.positions import Position
from pbem.play.rulings.ruling_context import RulingContext
from pbem.runtime.transaction import UserError
from pbem.store import queries, tables


class Resumption(NamedTuple):
    """The conditions under which play goes on.

    `was` is the phase that was open, if any; its orders may still be valid. `done` is the new resolution of a phase
    that was resolved again, with notes and blocks for each seat. `again` are the ids of the phases whose orders
    still count automatically. `deadline` is that of the phase to be opened, if not a new one.
    """

    was: tables.Phase | None = None
    done: Resolution | None = None
    notes: Mapping[str, Sequence[Msg]] | None = None
    blocks: Mapping[str, Sequence[Json]] | None = None
    again: Collection[int] = ()
    deadline: datetime | None = None


class _Sent(NamedTuple):
    """A seat's orders for the former phase, and their mistakes in the new state."""

    row: tables.QueuedOrders
    wrong: tuple[RejectedLine, ...]


def find_phase(context: RulingContext, order: RulingLine, text: str, *, over: bool = False) -> tables.Phase:
    """Return the phase that a line names, ``T3.spain`` or ``T3.spain~2``.

    Raise UserError if there is none, or it is void. The game must be running; with `over` it may be over.
    """
    if context.game.state not in ("running", "held", *(["over"] if over else [])):
        raise UserError(msg("The game {game} is not being played.", game=context.game.id))
    wanted_name, valid_names, rows = text.casefold(), [], queries.phases.all_phases(context.session, context.game.id)
    for row in rows:
        attempt = str(outbox.phase_of(row)).casefold()
        if row.state != "void" and wanted_name in (attempt, attempt.partition("~")[0]):
            return row
        if row.state != "void":
            valid_names.append(history.phase_label(row))
    if any(str(outbox.phase_of(row)).casefold() == wanted_name for row in rows):
        raise UserError(msg("{phase} is void already; there are: {phases}.", phase=text, phases=tuple(valid_names)))
    raise UserError(
        msg(
            "Name the phase, as in {word} T3.spain; there are: {phases}.",
            word=order.ruling.name,
            phases=tuple(valid_names),
        )
    )


def void_sentences(context: RulingContext, row: tables.Phase, *, but_first: bool = False) -> list[Msg]:
    """Return the sentences that a phase and all later ones become void.

    With `but_first` only the later ones do.
    """
    rows = queries.phases.phases_from(context.session, row)
    names = tuple(msg("{phase}", phase=history.phase_label(row)) for row in rows[but_first:])
    sentences = [msg("Void, and kept: {phases}.", phases=names)] if names else []
    if any(queries.phases.open_pause(context.session, row) is not None for row in rows):
        sentences.append(msg("What was asked by letter is dropped."))
    return [
        *sentences,
        *resume_sentences(context),
        msg("Each of you gets a report, and is told in it what becomes of his orders."),
    ]


def resume_sentences(context: RulingContext) -> Sequence[Msg]:
    """Return the sentence that the game goes on, if it is held; else nothing."""
    return (msg("The game goes on."),) if context.game.state == "held" else ()


def current_ruling(context: RulingContext) -> int:
    """Return the number of the ruling that is being made: the last one stored."""
    return queries.rulings.last_ruling(context.session, context.game.id)


def ruling_sentence(ruling: int, order: RulingLine) -> Msg:
    """Return the first sentence of a report that a ruling caused."""
    return msg("By ruling M{ruling}: {word}.", ruling=ruling, word=order.ruling.name)


def begin_from(context: RulingContext, after: int, events: Sequence[Event], state: object, ruling: int) -> Position:
    """Store the state that play goes on from, and return its position.

    It is the state after `after`, changed by `events`.
    """
    session, game = context.session, context.game
    snapshot = queries.phases.latest_snapshot(session, game.id)
    number = 1 + max(queries.phases.last_number(session, game.id), snapshot.number if snapshot else 0)
    events_text = dumps([event.to_json() for event in events])
    session.add(tables.Basis(game_id=game.id, number=number, ruling=ruling, after=after, events=events_text))
    body = dumps(context.server.rules_of(game).encode(state))
    session.add(tables.Snapshot(game_id=game.id, number=number, body=body))
    if game.state == "held":
        # Missed deadlines in a row are reset, as after RESUME: the moderator has dealt with them.
        for seat in queries.games.seats(session, game.id):
            deadlines.record_presence(context, seat)
            seat.missed = 0
            session.add(seat)
    phase_states.continue_game(session, game)
    session.flush()
    return positions.position_before_phase(context, game)


def open_next_and_report(
    context: RulingContext, position: Position, voided: Sequence[tables.Phase], resumption: Resumption
) -> None:
    """Open the next phase, report to all, and handle the orders that were sent."""
    session = context.session
    next_phase = position.rules.phase(position.state)
    is_same_phase = resumption.was is not None and next_phase == (resumption.was.name, resumption.was.turn)
    checked_orders = (
        _check_orders(session, position, resumption.was) if resumption.was is not None and is_same_phase else {}
    )
    notes: dict[str, list[Msg]] = {}
    blocks: dict[str, list[Json]] = {}
    for seat in queries.games.seats(session, position.game.id):
        notes[seat.name] = [
            *(resumption.notes or {}).get(seat.name, ()),
            *_order_sentences(checked_orders.get(seat.name)),
        ]
        void_blocks = [
            _void_orders(context, row, seat, checked_orders.get(seat.name))
            for row in voided
            if row.id not in resumption.again
        ]
        blocks[seat.name] = [*(resumption.blocks or {}).get(seat.name, ()), *(block for block in void_blocks if block)]

    def bring(phase: tables.Phase) -> None:
        if resumption.was is not None and checked_orders:
            _carry_over_orders(context, position, resumption.was, phase, checked_orders)

    phases.open_next_phase(context, position, resumption.done, PhaseStart(notes, blocks, resumption.deadline, bring))


def _check_orders(session: Session, position: Position, phase_before: tables.Phase) -> dict[str, _Sent]:
    """Check a phase's queued orders against the position in which it is opened anew.

    Orders of bots are left out; they write again.
    """
    queued = queries.orders.queued_by_seat(session, phase_before)
    sent_orders = {}
    for seat in queries.games.seats(session, position.game.id):
        row = queued.get(seat.id or 0)
        if row is not None and row.origin != "bot":
            view = position.rules.view(position.state, seat.name)
            reading = position.rules.parse(row.text, view, seat.name)
            rejected = reading.rejected or position.rules.check(view, seat.name, reading.orders)
            sent_orders[seat.name] = _Sent(row, tuple(rejected))
    return sent_orders


def _order_sentences(sent: _Sent | None) -> Sequence[Msg]:
    if sent is None:
        return ()
    if sent.wrong:
        return (
            msg(
                "Your orders (revision {revision}) cannot be any more and are void; you find them below.",
                revision=sent.row.revision,
            ),
        )
    return (msg("Your orders (revision {revision}) still stand; you may change them.", revision=sent.row.revision),)


def _void_orders(context: RulingContext, row: tables.Phase, seat: tables.Seat, sent: _Sent | None) -> Json | None:
    """Return a seat's orders for a void phase, with mistakes; None if it had none."""
    own_orders = queries.orders.effective_orders(context.session, row, seat)
    speak = context.server.rules_of(context.game).telling.spoken
    if sent is not None and own_orders and own_orders[-1].id == sent.row.id and not sent.wrong:
        return None
    lines: list[Json] = [
        *speech.echo_lines("".join(orders.sealed_text for orders in own_orders).splitlines(), speak, seat.language)
    ]
    if not lines:
        return None
    if sent is not None and own_orders[-1].id == sent.row.id:
        lines += [
            [
                0,
                msg(
                    "{line}: {why}",
                    line=speech.order_text(content.refused_line(rejected, sent.row.text) or rejected.word, speak),
                    why=content.reason_with_rule(rejected),
                ).to_json(),
            ]
            for rejected in sent.wrong
        ]
    title = msg("Your orders for {phase}, which are void", phase=history.phase_label(row))
    return {**content.titled_block(title, ()), "lines": lines}


def _carry_over_orders(
    context: RulingContext,
    position: Position,
    phase_before: tables.Phase,
    phase: tables.Phase,
    checked_orders: Mapping[str, _Sent],
) -> None:
    """Queue the orders still valid in the reopened phase, and copy each WAIT."""
    session, wishes = context.session, queries.seats.phase_status(context.session, phase_before).said
    seats_with_orders = []
    for seat in queries.games.seats(session, position.game.id):
        sent = checked_orders.get(seat.name)
        if sent is not None and not sent.wrong:
            session.add(tables.QueuedOrders(**{**sent.row.model_dump(exclude={"id"}), "phase_id": phase.id}))
            seats_with_orders.append(seat)
        if wishes.get(seat.name) == "wait":
            session.add(tables.Wish(phase_id=phase.id or 0, seat_id=seat.id or 0, word="wait"))
    session.flush()
    if seats_with_orders:
        deadlines.plan_closing(context, position, phase)
        log_entries.record_early_orders(context, position, phase, seats_with_orders)
