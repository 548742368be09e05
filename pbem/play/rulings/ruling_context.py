"""The game on which a moderator's rulings are previewed and made.

A ruling first returns its announcement and changes nothing; only then is it made. So the players read of the ruling
before they get the letters that follow from it, and a moderator sees the announcement before he decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

from pbem.engine.data.messages import msg
from pbem.engine.orders.lex import fold
from pbem.engine.orders.speech import id_of_name
from pbem.letters import content, outbox
from pbem.play.positions import lock_game
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables


@dataclass
class RulingContext(Transaction):
    """The moderator's game: its row, its open phase if any, and the moment."""

    game: tables.Game
    phase: tables.Phase | None


def context_of(tx: Transaction, name: str) -> RulingContext:
    """Return a game's present state; raise UserError if there is none of that name."""
    game, phase = lock_game(tx.session, name), queries.phases.open_phase(tx.session, name)
    return RulingContext(**tx.context_fields, game=game, phase=phase)


def require_open_phase(context: RulingContext) -> tables.Phase:
    """Return the open phase; raise UserError if there is none."""
    if context.phase is None or context.game.state not in ("running", "held"):
        raise UserError(msg("No phase of {game} is open.", game=context.game.id))
    return context.phase


def require_state(context: RulingContext, *states: str) -> None:
    """Raise UserError unless the game is in one of these states."""
    if context.game.state not in states:
        if context.game.state == "held":
            raise UserError(msg("The game {game} is held: write RESUME first.", game=context.game.id))
        raise UserError(msg("The game {game} is not being played.", game=context.game.id))


def find_seat(context: RulingContext, name: str) -> tables.Seat:
    """Return a seat of the game; raise UserError if there is none of that name."""
    seats = queries.games.seats(context.session, context.game.id)
    vocabulary = context.server.rules_of(context.game).telling.called
    for seat in seats:
        if seat.name in (name.casefold(), id_of_name(name, vocabulary)):
            return seat
    names = tuple(seat.name for seat in seats)
    raise UserError(
        msg("There is no seat {seat} in {game}; there are: {seats}.", seat=name, game=context.game.id, seats=names)
    )


def phase_name(phase: tables.Phase) -> str:
    """Return a phase's name as ``T3.spain``, without the number of the attempt."""
    return str(outbox.phase_of(phase)).partition("~")[0]


def parse_moment(text: str, zone: str) -> datetime:
    """Return ``2031-05-04 20:00`` in a zone as a moment in UTC.

    Raise ValueError for anything else.
    """
    day, _, hour = " ".join(text.split()).rpartition(" ")
    readings = content.read_date(fold(day).rstrip(","))
    if len(readings) != 1:
        raise ValueError(f"not one day: {day}")
    wall = datetime.combine(readings[0][0], time.fromisoformat(hour))
    return wall.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
