"""Taking a game back: phases become void, play goes on from another state, and nobody's orders are lost.

What is void stays stored. The state that play goes on from has a number of its own in the game (`tables.Basis`), and
the next phase begins from it. Orders that were sent for the phase that was open are held against the new position: they
still stand, or their writer gets them back with what is wrong now.
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
from pbem.engine.terms import Rejected
from pbem.letters import content, outbox
from pbem.letters.rulings import RulingLine
from pbem.play import deadlines, history, log_entries, phase_states, phases, positions
from pbem.play.adjudication import Resolution
from pbem.play.phases import Beginning
from pbem.play.positions import Position
from pbem.play.rulings.ruling_context import RulingContext
from pbem.runtime.transaction import UserError
from pbem.store import queries, tables


class Start(NamedTuple):
    """What play is to go on from.

    `was` is the phase that was open, whose orders may still stand, if there was one; `done` what happened again on the
    way, with what each seat is told and shown of it; `again` are the ids of the phases whose orders hold without their
    writers doing anything; `deadline` that of the phase that is opened, if not a new one.
    """

    was: tables.Phase | None = None
    done: Resolution | None = None
    notes: Mapping[str, Sequence[Msg]] | None = None
    blocks: Mapping[str, Sequence[Json]] | None = None
    again: Collection[int] = ()
    deadline: datetime | None = None


class _Sent(NamedTuple):
    """Orders of a seat for the phase that was open, and what is wrong with them in the new position."""

    row: tables.QueuedOrders
    wrong: tuple[Rejected, ...]


def phase_named(context: RulingContext, order: RulingLine, written: str, *, over: bool = False) -> tables.Phase:
    """The phase that a line names, ``T3.spain`` or ``T3.spain~2``; Broken if there is none, or it is void.

    The game must be played; with `over` it may be over.
    """
    if context.game.state not in ("running", "held", *(["over"] if over else [])):
        raise UserError(msg("The game {game} is not being played.", game=context.game.id))
    wanted, live, rows = written.casefold(), [], queries.phases.every(context.session, context.game.id)
    for row in rows:
        attempt = str(outbox.phase_of(row)).casefold()
        if row.state != "void" and wanted in (attempt, attempt.partition("~")[0]):
            return row
        if row.state != "void":
            live.append(history.name_of(row))
    if any(str(outbox.phase_of(row)).casefold() == wanted for row in rows):
        raise UserError(msg("{phase} is void already; there are: {phases}.", phase=written, phases=tuple(live)))
    raise UserError(
        msg(
            "Name the phase, as in {word} T3.spain; there are: {phases}.",
            word=order.ruling.name,
            phases=tuple(live),
        )
    )


def void_told(context: RulingContext, row: tables.Phase, *, but_first: bool = False) -> list[Msg]:
    """What is void if a phase and all that came after it is, or only what came after it."""
    rows = queries.phases.from_on(context.session, row)
    names = tuple(msg("{phase}", phase=history.name_of(one)) for one in rows[but_first:])
    told = [msg("Void, and kept: {phases}.", phases=names)] if names else []
    if any(queries.phases.asking(context.session, one) is not None for one in rows):
        told.append(msg("What was asked by letter is dropped."))
    return [*told, *goes_on(context), msg("Each of you gets a report, and is told in it what becomes of his orders.")]


def goes_on(context: RulingContext) -> Sequence[Msg]:
    """Return the sentence that the game goes on, if it is held; else nothing."""
    return (msg("The game goes on."),) if context.game.state == "held" else ()


def number(context: RulingContext) -> int:
    """Return the number of the ruling that is being made, which is the last one stored."""
    return queries.rulings.last_ruling(context.session, context.game.id)


def by(ruling: int, order: RulingLine) -> Msg:
    """Return the sentence that heads a report that a ruling caused."""
    return msg("By ruling M{ruling}: {word}.", ruling=ruling, word=order.ruling.name)


def begin_from(context: RulingContext, after: int, events: Sequence[Event], state: object, ruling: int) -> Position:
    """Keep the state that play goes on from: that after `after`, changed by `events`; the position it makes."""
    session, game = context.session, context.game
    kept = queries.phases.latest_snapshot(session, game.id)
    number = 1 + max(queries.phases.last_number(session, game.id), kept.number if kept else 0)
    told = dumps([happened.to_json() for happened in events])
    session.add(tables.Basis(game_id=game.id, number=number, ruling=ruling, after=after, events=told))
    body = dumps(context.server.rules_of(game).encode(state))
    session.add(tables.Snapshot(game_id=game.id, number=number, body=body))
    if game.state == "held":
        # Who missed deadlines in a row begins anew, as after RESUME: whoever rules has dealt with that.
        for seat in queries.games.seats(session, game.id):
            deadlines.note_presence(context, seat)
            seat.missed = 0
            session.add(seat)
    phase_states.continue_game(session, game)
    session.flush()
    return positions.before(context, game)


def go_on(context: RulingContext, here: Position, voided: Sequence[tables.Phase], start: Start) -> None:
    """Open the phase that the position waits for, report to all, and see to the orders that were sent."""
    session = context.session
    waits_for = here.rules.phase(here.state)
    same = start.was is not None and waits_for == (start.was.name, start.was.turn)
    kept = _check_queued(session, here, start.was) if start.was is not None and same else {}
    notes: dict[str, list[Msg]] = {}
    blocks: dict[str, list[Json]] = {}
    for seat in queries.games.seats(session, here.game.id):
        notes[seat.name] = [*(start.notes or {}).get(seat.name, ()), *_told(kept.get(seat.name))]
        shown = [_void_orders(context, row, seat, kept.get(seat.name)) for row in voided if row.id not in start.again]
        blocks[seat.name] = [*(start.blocks or {}).get(seat.name, ()), *(block for block in shown if block)]

    def bring(phase: tables.Phase) -> None:
        if start.was is not None and kept:
            _bring(context, here, start.was, phase, kept)

    phases.open_next(context, here, start.done, Beginning(notes, blocks, start.deadline, bring))


def _check_queued(session: Session, here: Position, was: tables.Phase) -> dict[str, _Sent]:
    """The orders queued for a phase, held against the position that it is opened in anew; bots write theirs again."""
    queued = queries.orders.queued_by_seat(session, was)
    found = {}
    for seat in queries.games.seats(session, here.game.id):
        row = queued.get(seat.id or 0)
        if row is not None and row.origin != "bot":
            view = here.rules.view(here.state, seat.name)
            reading = here.rules.parse(row.text, view, seat.name)
            wrong = reading.rejected or here.rules.check(view, seat.name, reading.orders)
            found[seat.name] = _Sent(row, tuple(wrong))
    return found


def _told(sent: _Sent | None) -> Sequence[Msg]:
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
    """What a seat had ordered for a phase that is void, in its own words, and why it cannot be; None if nothing."""
    mine = queries.orders.not_replaced(context.session, row, seat)
    speak = context.server.rules_of(context.game).telling.spoken
    if sent is not None and mine and mine[-1].id == sent.row.id and not sent.wrong:
        return None
    lines: list[Json] = [*speech.echoed("".join(one.sealed for one in mine).splitlines(), speak, seat.language)]
    if not lines:
        return None
    if sent is not None and mine[-1].id == sent.row.id:
        lines += [
            [
                0,
                msg(
                    "{line}: {why}",
                    line=speech.told(content.line_of(bad, sent.row.text) or bad.word, speak),
                    why=content.why(bad),
                ).to_json(),
            ]
            for bad in sent.wrong
        ]
    title = msg("Your orders for {phase}, which are void", phase=history.name_of(row))
    return {**content.block(title, ()), "lines": lines}


def _bring(
    context: RulingContext, here: Position, was: tables.Phase, phase: tables.Phase, kept: Mapping[str, _Sent]
) -> None:
    """Queue the orders that still stand for the phase as it is opened anew, and let who said WAIT have said it."""
    session, said = context.session, queries.seats.heard(context.session, was).said
    brought = []
    for seat in queries.games.seats(session, here.game.id):
        sent = kept.get(seat.name)
        if sent is not None and not sent.wrong:
            session.add(tables.QueuedOrders(**{**sent.row.model_dump(exclude={"id"}), "phase_id": phase.id}))
            brought.append(seat)
        if said.get(seat.name) == "wait":
            session.add(tables.Wish(phase_id=phase.id or 0, seat_id=seat.id or 0, word="wait"))
    session.flush()
    if brought:
        deadlines.await_close(context, here, phase)
        log_entries.note_early_orders(context, here, phase, brought)
