"""Questions about whoever moderates: what he moderates, what he is asked, what he drafts, what was ruled."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, func, select

from pbem.store import tables as t


def moderated_by(session: Session, person_id: int | None) -> Sequence[t.Moderator]:
    """The games that a person moderates, by name."""
    found = select(t.Moderator).where(t.Moderator.person_id == person_id)
    return session.exec(found.order_by(col(t.Moderator.game_id))).all()


def rulings(session: Session, name: str) -> Sequence[t.Ruling]:
    """All that was ruled on a game, in order."""
    return session.exec(select(t.Ruling).where(t.Ruling.game_id == name).order_by(col(t.Ruling.number))).all()


def ruling(session: Session, name: str, number: int) -> t.Ruling:
    """A ruling by its number."""
    return session.exec(select(t.Ruling).where(t.Ruling.game_id == name, t.Ruling.number == number)).one()


def last_ruling(session: Session, name: str) -> int:
    """The number of the last ruling on a game, 0 before the first."""
    return session.exec(select(func.max(t.Ruling.number)).where(t.Ruling.game_id == name)).one() or 0


def last_appeal(session: Session, name: str) -> int:
    """The number of the last appeal in a game, 0 before the first."""
    return session.exec(select(func.max(t.Appeal.number)).where(t.Appeal.game_id == name)).one() or 0


def open_appeals(session: Session, name: str) -> Sequence[t.Appeal]:
    """The appeals of a game that wait for a ruling, in order."""
    found = select(t.Appeal).where(t.Appeal.game_id == name, col(t.Appeal.answer).is_(None))
    return session.exec(found.order_by(col(t.Appeal.number))).all()


def precedents(session: Session, system: str, most: int) -> Sequence[t.Appeal]:
    """The last appeals that were ruled on, of all games by the same rules, the newest first."""
    found = select(t.Appeal).join(t.Game).where(t.Game.system == system, col(t.Appeal.answer).is_not(None))
    return session.exec(found.order_by(col(t.Appeal.id).desc()).limit(most)).all()


def drafts(session: Session, like: t.Draft, most: int) -> Sequence[t.Draft]:
    """The last drafts of the moderator or director, as he is now, whose a draft is; the newest first."""
    his = t.Draft.game_id == like.game_id if like.game_id is not None else t.Draft.tournament_id == like.tournament_id
    found = select(t.Draft).where(his, t.Draft.generation == like.generation)
    return session.exec(found.order_by(col(t.Draft.id).desc()).limit(most)).all()
