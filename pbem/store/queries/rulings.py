"""Query moderators: their games, appeals, drafts and rulings."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, func, select

from pbem.store import tables as t


def moderated_by(session: Session, person_id: int | None) -> Sequence[t.Moderator]:
    """Return the games that a person moderates, by name."""
    query = select(t.Moderator).where(t.Moderator.person_id == person_id)
    return session.exec(query.order_by(col(t.Moderator.game_id))).all()


def rulings(session: Session, name: str) -> Sequence[t.Ruling]:
    """Return all rulings on a game, in order."""
    return session.exec(select(t.Ruling).where(t.Ruling.game_id == name).order_by(col(t.Ruling.number))).all()


def ruling(session: Session, name: str, number: int) -> t.Ruling:
    """Return a ruling by its number."""
    return session.exec(select(t.Ruling).where(t.Ruling.game_id == name, t.Ruling.number == number)).one()


def last_ruling(session: Session, name: str) -> int:
    """Return the number of the last ruling on a game, 0 before the first."""
    return session.exec(select(func.max(t.Ruling.number)).where(t.Ruling.game_id == name)).one() or 0


def last_appeal(session: Session, name: str) -> int:
    """Return the number of the last appeal in a game, 0 before the first."""
    return session.exec(select(func.max(t.Appeal.number)).where(t.Appeal.game_id == name)).one() or 0


def open_appeals(session: Session, name: str) -> Sequence[t.Appeal]:
    """Return the appeals of a game that wait for a ruling, in order."""
    query = select(t.Appeal).where(t.Appeal.game_id == name, col(t.Appeal.answer).is_(None))
    return session.exec(query.order_by(col(t.Appeal.number))).all()


def precedents(session: Session, system: str, limit: int) -> Sequence[t.Appeal]:
    """Return the last decided appeals of all games with the same rules, newest first."""
    query = select(t.Appeal).join(t.Game).where(t.Game.system == system, col(t.Appeal.answer).is_not(None))
    return session.exec(query.order_by(col(t.Appeal.id).desc()).limit(limit)).all()


def drafts(session: Session, like: t.Draft, limit: int) -> Sequence[t.Draft]:
    """Return the last drafts of one author, the newest first.

    `like` is a draft of the same moderator or director.
    """
    is_same_author = (
        t.Draft.game_id == like.game_id if like.game_id is not None else t.Draft.tournament_id == like.tournament_id
    )
    query = select(t.Draft).where(is_same_author, t.Draft.generation == like.generation)
    return session.exec(query.order_by(col(t.Draft.id).desc()).limit(limit)).all()
