"""A game before its moderator: what rulings on it are previewed and made on, and what their lines name.

A ruling says first, changing nothing, what everybody is told of it; only then is it made. So the players' letters
about it are written before those that it causes, and a moderator can be shown it before he decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

from pbem.engine.data.messages import msg
from pbem.engine.orders.lex import fold
from pbem.engine.orders.speech import meant
from pbem.letters import content, outbox
from pbem.play.positions import game_named
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables


@dataclass
class RulingContext(Transaction):
    """The game before the moderator: its row, its open phase if one is open, and the moment."""

    game: tables.Game
    phase: tables.Phase | None


def context_of(work: Transaction, name: str) -> RulingContext:
    """A game as it stands; Broken if there is none of that name."""
    game, phase = game_named(work.session, name), queries.phases.open_phase(work.session, name)
    return RulingContext(**work.shared, game=game, phase=phase)


def open_phase(context: RulingContext) -> tables.Phase:
    """The phase that is open; Broken if none is."""
    if context.phase is None or context.game.state not in ("running", "held"):
        raise UserError(msg("No phase of {game} is open.", game=context.game.id))
    return context.phase


def playing(context: RulingContext, *states: str) -> None:
    """Broken unless the game is in one of these states."""
    if context.game.state not in states:
        raise UserError(msg("The game {game} is not being played.", game=context.game.id))


def seat_named(context: RulingContext, name: str) -> tables.Seat:
    """A seat of the game; Broken if it has none of that name."""
    seats = queries.games.seats(context.session, context.game.id)
    called = context.server.rules_of(context.game).telling.called
    for seat in seats:
        if seat.name in (name.casefold(), meant(name, called)):
            return seat
    names = tuple(seat.name for seat in seats)
    raise UserError(
        msg("There is no seat {seat} in {game}; there are: {seats}.", seat=name, game=context.game.id, seats=names)
    )


def name_of(phase: tables.Phase) -> str:
    """``T3.spain``, without the number of the attempt."""
    return str(outbox.phase_of(phase)).partition("~")[0]


def moment(text: str, zone: str) -> datetime:
    """A moment written as ``2031-05-04 20:00`` in a zone, in UTC; ValueError for any other text."""
    day, _, hour = " ".join(text.split()).rpartition(" ")
    found = content.read_date(fold(day).rstrip(","))
    if len(found) != 1:
        raise ValueError(f"not one day: {day}")
    wall = datetime.combine(found[0][0], time.fromisoformat(hour))
    return wall.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
