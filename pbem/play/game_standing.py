"""How a game stands: reckoned in one place, told in the words of each reader.

Players read it in STATUS and in digests, a moderator in STATUS and PREDICT, a juror in what he is asked. The record
holds what all of them may know: whom a phase waits for and until when, never what for. What a seat alone may know,
`of_seat` tells that seat.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.play import deadlines, pauses
from pbem.play.commands.table import ending
from pbem.play.positions import Position, position
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables


class GameStanding(NamedTuple):
    """What everybody may know of a game: its state, and the phase that is open or waits for something.

    `active` are the seats that an open phase asks, `missing` those whose orders it waits for, `undecided` the
    commanders who have not said GO. `closing` is when it closes as things stand, before its `deadline` or at it.
    `waits` is what all are told of a phase that is closed and not resolved, `result` how a game ended.
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


def standing_of(work: Transaction, game: tables.Game, here: Position | None = None) -> GameStanding:
    """Reckon how a game stands now; `here` is its position, where that is known already."""
    if game.state == "over":
        return GameStanding("over", result=tuple(ending.result(game)))
    phase = queries.phases.open_phase(work.session, game.id)
    if phase is None:
        closed = queries.phases.closed_phase(work.session, game.id)
        if closed is None:
            return GameStanding(game.state)
        return GameStanding(game.state, closed.turn, closed.name, waits=pauses.waiting_for(work.session, closed))
    here = here or position(work, game)
    heard = queries.seats.heard(work.session, phase)
    missing = deadlines.not_in(here, heard)
    return GameStanding(
        game.state,
        phase.turn,
        phase.name,
        here.by_letter,
        here.active,
        missing,
        () if missing or here.by_letter else deadlines.undecided(here, heard),
        phase.deadline,
        queries.schedule.closing(work.session, game.id),
    )


_NOT_BEGUN = msg("The game has not begun.")
_OVER = msg("The game is over.")
HELD = msg("The game is held; the moderator has been told and you will hear when it goes on.")


def told(standing: GameStanding, now: datetime, zone: str) -> tuple[Msg, ...]:
    """How a game stands, in the words that everybody is told, moments in a zone."""
    if standing.state == "over":
        return *standing.result, _OVER
    if standing.waits is not None:
        return (standing.waits,)
    return (_open(standing, now, zone),) if standing.deadline is not None else (_NOT_BEGUN,)


def _open(standing: GameStanding, now: datetime, zone: str) -> Msg:
    turn, closing = standing.turn, standing.closing
    when = content.when(standing.deadline or now, zone)
    if standing.by_letter:
        return msg(
            "Turn {turn}. {seats} to move, one letter at a time, until DONE or the deadline: {when}.",
            turn=turn,
            seats=standing.active,
            when=when,
        )
    if standing.missing:
        return msg(
            "Turn {turn}. Orders are awaited from: {seats}. Deadline: {when}.",
            turn=turn,
            seats=standing.missing,
            when=when,
        )
    if standing.undecided:
        return msg(
            "Turn {turn}. All orders are in; commanders who have not said GO: {seats}. Deadline: {when}.",
            turn=turn,
            seats=standing.undecided,
            when=when,
        )
    if closing is None:
        return msg("Turn {turn}. All orders are in. Deadline: {when}.", turn=turn, when=when)
    if closing <= now:
        return msg("Turn {turn}. All orders are in; they are carried out now.", turn=turn)
    return msg(
        "Turn {turn}. All orders are in: they are carried out on {when}, and until then they can be changed.",
        turn=turn,
        when=content.when(closing, zone),
    )


def of_seat(game: tables.Game, seat: tables.Seat) -> list[Msg]:
    """What a seat is told of itself besides: that the game is held, deadlines that it missed, its clock."""
    held = [HELD] if game.state == "held" else []
    missed = msg("Deadlines you have missed so far: {count}.", count=seat.strikes)
    return [*held, missed, *deadlines.time_sentences(game, seat)]
