"""Questions about wars and the games that they are made of."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from pbem.store import tables as t


def war(session: Session, name: str) -> t.War | None:
    """The war of that name."""
    return session.get(t.War, name)


def every(session: Session) -> Sequence[t.War]:
    """All wars by name."""
    return session.exec(select(t.War).order_by(col(t.War.id))).all()


def of_game(session: Session, game: str) -> tuple[t.War, t.WarGame] | None:
    """The war that a game belongs to, and its place there; None if it belongs to none."""
    place = session.get(t.WarGame, game)
    return None if place is None else (session.get_one(t.War, place.war_id), place)


def games(session: Session, name: str) -> Sequence[t.WarGame]:
    """The games of a war in order, from the first leg to the one that is played."""
    line = select(t.WarGame).where(t.WarGame.war_id == name, col(t.WarGame.place) > 0)
    return session.exec(line.order_by(col(t.WarGame.place))).all()


def void(session: Session, name: str) -> Sequence[t.WarGame]:
    """The games of a war that led to nothing, those first that became so first."""
    left = select(t.WarGame).where(t.WarGame.war_id == name, col(t.WarGame.place) < 0)
    return session.exec(left.order_by(col(t.WarGame.place).desc())).all()
