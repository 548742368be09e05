"""Questions about letters of players to one another."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, func, select

from pbem.store import tables as t

__all__ = ["kept", "of_turns", "written_since"]


def kept(session: Session, name: str) -> Sequence[t.Press]:
    """The letters of a game that wait for the next report, in order."""
    found = select(t.Press).where(t.Press.game_id == name, col(t.Press.delivered).is_(False))
    return session.exec(found.order_by(col(t.Press.id))).all()


def of_turns(session: Session, name: str, first: int, last: int) -> Sequence[t.Press]:
    """The letters that were written in a game on these turns, in order."""
    found = select(t.Press).where(t.Press.game_id == name, t.Press.turn >= first, t.Press.turn <= last)
    return session.exec(found.order_by(col(t.Press.id))).all()


def written_since(session: Session, seat: t.Seat, since: datetime) -> int:
    """How many letters a seat has written since a moment."""
    return session.exec(select(func.count()).where(t.Press.seat_id == seat.id, col(t.Press.at) > since)).one()
