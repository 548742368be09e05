"""Questions about ratings: what is to be rated, how all of a pool are rated, what the log says of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, func, select

from pbem.store import tables as t


def closed_unrated(session: Session, name: str) -> datetime | None:
    """When the first round of a tournament closed that has a board not rated yet; None if none has."""
    asked = select(func.min(t.Round.closed)).join(t.Board, col(t.Board.round_id) == col(t.Round.id))
    asked = asked.where(t.Round.tournament_id == name, t.Round.state == "closed", t.Board.rated == "")
    return session.exec(asked.where(col(t.Board.state).in_(("scored", "final")))).one()


def unrated(session: Session, name: str, before: datetime) -> Sequence[tuple[t.Round, t.Board]]:
    """The decided boards of a tournament's rounds that closed before a moment and that were not rated yet, in order."""
    asked = select(t.Round, t.Board).join(t.Board, col(t.Board.round_id) == col(t.Round.id))
    asked = asked.where(t.Round.tournament_id == name, t.Round.state == "closed", t.Board.rated == "")
    asked = asked.where(col(t.Round.closed) < before, col(t.Board.state).in_(("scored", "final")))
    return session.exec(asked.order_by(col(t.Board.id)).execution_options(populate_existing=True)).all()


def pools(session: Session) -> Sequence[str]:
    """The pools in which anybody is rated, by name."""
    return session.exec(select(t.Rating.pool).distinct().order_by(col(t.Rating.pool))).all()


def last_period(session: Session, pool: str) -> str:
    """The newest period that a pool was rated for; empty if it never was."""
    return session.exec(select(func.coalesce(func.max(t.Rating.period), "")).where(t.Rating.pool == pool)).one()


def of_period(session: Session, pool: str, period: str) -> Sequence[t.Rating]:
    """All ratings of a pool after a period, by name."""
    asked = select(t.Rating).where(t.Rating.pool == pool, t.Rating.period == period)
    return session.exec(asked.order_by(col(t.Rating.name))).all()


def grounds(session: Session, pool: str, period: str) -> Sequence[t.Ground]:
    """The grounds of a pool after a period, by edition."""
    asked = select(t.Ground).where(t.Ground.pool == pool, t.Ground.period == period)
    return session.exec(asked.order_by(col(t.Ground.edition))).all()


def history_of(session: Session, person: int, pool: str, most: int) -> Sequence[t.Rating]:
    """The newest ratings of a person in a pool, the last first."""
    asked = select(t.Rating).where(t.Rating.person_id == person, t.Rating.pool == pool)
    return session.exec(asked.order_by(col(t.Rating.period).desc()).limit(most)).all()


def name_of(session: Session, person: int, pool: str) -> str:
    """What the log calls a person in a pool; empty if he is not rated in it."""
    asked = select(t.Rating.name).where(t.Rating.person_id == person, t.Rating.pool == pool)
    return session.exec(asked.limit(1)).first() or ""


def people_in(session: Session, pool: str, period: str) -> Sequence[tuple[t.Rating, t.Person]]:
    """All ratings of a pool after a period, with whose they are."""
    asked = select(t.Rating, t.Person).join(t.Person, col(t.Person.id) == col(t.Rating.person_id))
    asked = asked.where(t.Rating.pool == pool, t.Rating.period == period)
    return session.exec(asked.order_by(col(t.Rating.id))).all()


def rated_leaves(session: Session) -> Sequence[t.Leaf]:
    """The leaves of all tournaments that tell of ratings, in the order in which they were written."""
    asked = select(t.Leaf).where(t.Leaf.kind == "rated", col(t.Leaf.game).startswith("event/"))
    return session.exec(asked.order_by(col(t.Leaf.id))).all()
