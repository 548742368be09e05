"""Questions about letters of players to one another."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, func, select

from pbem.store import tables as t


def kept(session: Session, name: str) -> Sequence[t.Press]:
    """The letters of a game that wait for the next report, in order."""
    found = select(t.Press).where(t.Press.game_id == name, col(t.Press.delivered).is_(False))
    return session.exec(found.order_by(col(t.Press.id))).all()


def of_turns(session: Session, name: str, first: int, last: int) -> Sequence[t.Press]:
    """The letters that were written in a game on these turns, in order."""
    found = select(t.Press).where(t.Press.game_id == name, t.Press.turn >= first, t.Press.turn <= last)
    return session.exec(found.order_by(col(t.Press.id))).all()


def of_writers(session: Session, name: str, writers: Sequence[str]) -> Sequence[t.Press]:
    """The letters in a game that seats of these names wrote and that were passed on, in order."""
    found = select(t.Press).join(t.Seat, col(t.Seat.id) == t.Press.seat_id)
    found = found.where(t.Press.game_id == name, col(t.Seat.name).in_(writers), col(t.Press.delivered).is_(True))
    return session.exec(found.order_by(col(t.Press.id))).all()


def written_since(session: Session, seat: t.Seat, since: datetime) -> int:
    """How many letters a seat has written since a moment."""
    return session.exec(select(func.count()).where(t.Press.seat_id == seat.id, col(t.Press.at) > since)).one()
