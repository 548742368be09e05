"""Questions about games and their seats."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from pbem.store import tables as t

__all__ = ["against_bots", "begun", "every", "game", "seat", "seats", "under_way", "unfinished"]

_GAME = select(t.Game).where(t.Game.id == bindparam("game")).with_for_update()
_SEATS = select(t.Seat).where(t.Seat.game_id == bindparam("game")).order_by(col(t.Seat.id))
_SEAT = select(t.Seat).where(t.Seat.game_id == bindparam("game"), t.Seat.name == bindparam("seat"))


def game(session: Session, name: str) -> t.Game | None:
    """The game, its row locked until the transaction ends where the database locks rows."""
    return session.exec(_GAME, params={"game": name}).one_or_none()


def seats(session: Session, name: str) -> Sequence[t.Seat]:
    """All seats of a game in the order of play."""
    return session.exec(_SEATS, params={"game": name}).all()


def seat(session: Session, name: str, seat_name: str) -> t.Seat | None:
    """One seat of a game."""
    return session.exec(_SEAT, params={"game": name, "seat": seat_name}).one_or_none()


def every(session: Session) -> Sequence[t.Game]:
    """All games by name."""
    return session.exec(select(t.Game).order_by(col(t.Game.id))).all()


def begun(session: Session) -> Sequence[str]:
    """The names of the games that have begun, in order."""
    return session.exec(select(t.Game.id).where(t.Game.state != "forming").order_by(col(t.Game.id))).all()


def unfinished(session: Session) -> Sequence[t.Game]:
    """The games that are not over, those that form among them."""
    return session.exec(select(t.Game).where(t.Game.state != "over")).all()


def under_way(session: Session) -> Sequence[t.Game]:
    """The games that have begun and are not over, those that are held among them."""
    return session.exec(select(t.Game).where(col(t.Game.state).in_(("running", "held")))).all()


def against_bots(session: Session) -> Sequence[t.Game]:
    """The games that somebody had set up by letter to play against a bot, and that go on."""
    found = select(t.Game).where(col(t.Game.asked_by).is_not(None), col(t.Game.state).in_(("running", "held")))
    return session.exec(found.order_by(t.Game.id)).all()
