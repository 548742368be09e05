"""When the open phase of a game closes: at its deadline, or before it when all orders are in.

What is planned is a row of `due`; nothing else makes a phase close. A game has at most one such row a cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, func, select

from pbem.campaign.positions import Position
from pbem.store import queries, tables, writes

__all__ = ["ALL_IN", "DEADLINE", "await_close", "begin", "closing", "forget", "waiting"]

DEADLINE = "deadline"
ALL_IN = "all-in"


def waiting(session: Session, here: Position, phase: tables.Phase) -> tuple[str, ...]:
    """The seats whose orders the open phase still waits for."""
    queued = queries.active_sets(session, phase)
    inside = {seat.name for seat in queries.seats(session, here.game.id) if seat.id in queued}
    return tuple(seat for seat in here.active if seat not in inside)


def begin(session: Session, here: Position, phase: tables.Phase, now: datetime) -> None:
    """Plan the closing of a phase that was opened just now; one that nobody is asked in closes at once."""
    session.add(tables.Due(at=phase.deadline, kind="close", game_id=here.game.id, cause=DEADLINE))
    if not here.active:
        session.add(tables.Due(at=now, kind="close", game_id=here.game.id, cause=ALL_IN))
    session.flush()


def await_close(
    session: Session, here: Position, phase: tables.Phase, now: datetime, missing: Sequence[str] | None = None
) -> datetime:
    """Plan the closing anew after a change of the queued orders, and return when it will be.

    When all are in, the phase closes after the undo window, which begins again with every change and never passes the
    deadline; else at the deadline. `missing` is what `waiting` says, if the caller knows.
    """
    writes.forget_due(session, here.game.id, ALL_IN)
    at = now + timedelta(minutes=here.game.undo_minutes)
    if at >= phase.deadline or (waiting(session, here, phase) if missing is None else missing):
        return phase.deadline
    writes.add(session, "due", at=at, kind="close", game_id=here.game.id, cause=ALL_IN)
    return at


def closing(session: Session, game: tables.Game) -> datetime | None:
    """When the open phase closes as things stand; None if nothing is planned, as while the game is held."""
    found = select(func.min(tables.Due.at)).where(tables.Due.game_id == game.id, tables.Due.kind == "close")
    return session.exec(found).one()


def forget(session: Session, game: tables.Game) -> None:
    """Strike out every closing that was planned."""
    for cause in (DEADLINE, ALL_IN):
        writes.forget_due(session, game.id, cause)
