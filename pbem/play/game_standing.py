"""Compute a game's state in one place, and word it for each reader.

Players see it in STATUS and in digests, a moderator in STATUS and PREDICT, a juror in his questions. The
record has the public facts: awaited seats and until when, never the subject. `of_seat` has what only that
seat may know.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.play import deadlines, pauses
from pbem.play.commands.table import ending
from pbem.play.positions import Position, read_position
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables


class GameStanding(NamedTuple):
    """The public state of a game, and of the phase that is open or waits.

    `active` are the seats that an open phase asks, `missing` those whose orders it waits for, `undecided` the
    commanders who have not said GO. `closing` is when it closes unless something changes, at its `deadline` or
    before. `waits` is the public sentence on a phase that is closed and not resolved, `result` how a game ended.
    """

    state: str
    turn: int = 0
    phase: str = ""
    by_letter: bool = False
    active: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    deadline: datetime | None = None
    closing: datetime | None = None
    waits: Msg | None = None
    result: tuple[Msg, ...] = ()


def standing_of(tx: Transaction, game: tables.Game, current: Position | None = None) -> GameStanding:
    """Compute a game's state now; `current` is its position, if already known."""
    if game.state == "over":
        return GameStanding("over", result=tuple(ending.stored_result(game)))
    phase = queries.phases.open_phase(tx.session, game.id)
    if phase is None:
        closed = queries.phases.waiting_phase(tx.session, game.id)
        if closed is None:
            return GameStanding(game.state)
        return GameStanding(game.state, closed.turn, closed.name, waits=pauses.waiting_sentence(tx.session, closed))
    current = current or read_position(tx, game)
    heard = queries.seats.phase_status(tx.session, phase)
    missing = deadlines.seats_without_orders(current, heard)
    return GameStanding(
        game.state,
        phase.turn,
        phase.name,
        current.by_letter,
        current.active,
        missing,
        () if missing or current.by_letter else deadlines.commanders_who_have_not_said_go(current, heard),
        phase.deadline,
        queries.schedule.closing_time(tx.session, game.id),
    )


_NOT_BEGUN = msg("The game has not begun.")
_OVER = msg("The game is over.")
HELD = msg("The game is held; the moderator has been told and you will hear when it goes on.")


def standing_sentences(standing: GameStanding, now: datetime, zone: str) -> tuple[Msg, ...]:
    """Return a game's state in the words sent to everybody, with moments in a zone."""
    if standing.state == "over":
        return *standing.result, _OVER
    if standing.waits is not None:
        return (standing.waits,)
    return (_open_phase_sentence(standing, now, zone),) if standing.deadline is not None else (_NOT_BEGUN,)


def _open_phase_sentence(standing: GameStanding, now: datetime, zone: str) -> Msg:
    turn, closing = standing.turn, standing.closing
    deadline_text = content.moment_in_words(standing.deadline or now, zone)
    if standing.by_letter:
        return msg(
            "Turn {turn}. {seats} to move, one letter at a time, until DONE or the deadline: {when}.",
            turn=turn,
            seats=standing.active,
            when=deadline_text,
        )
    if standing.missing:
        return msg(
            "Turn {turn}. Waiting for orders from: {seats}. Deadline: {when}.",
            turn=turn,
            seats=standing.missing,
            when=deadline_text,
        )
    if standing.undecided:
        return msg(
            "Turn {turn}. All orders are in; commanders who have not said GO: {seats}. Deadline: {when}.",
            turn=turn,
            seats=standing.undecided,
            when=deadline_text,
        )
    if closing is None:
        return msg("Turn {turn}. All orders are in. Deadline: {when}.", turn=turn, when=deadline_text)
    if closing <= now:
        return msg("Turn {turn}. All orders are in; they are carried out now.", turn=turn)
    return msg(
        "Turn {turn}. All orders are in: they are carried out on {when}, and until then they can be changed.",
        turn=turn,
        when=content.moment_in_words(closing, zone),
    )


def seat_sentences(game: tables.Game, seat: tables.Seat) -> list[Msg]:
    """Return a seat's own state: holds, missed deadlines, its clock."""
    held_notice = [HELD] if game.state == "held" else []
    missed = msg("Deadlines missed so far: {count}.", count=seat.strikes)
    return [*held_notice, missed, *deadlines.clock_sentences(game, seat)]
