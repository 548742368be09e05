"""Counts of rows for whoever watches over a server: short questions over indexes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlmodel import Session, col, func, not_, select

from pbem.store import tables as t

__all__ = ["dues", "failed", "games_by_state", "newest", "queued", "received_by_verdict", "sent_by_kind"]


def games_by_state(session: Session) -> Mapping[str, int]:
    """How many games are in which state."""
    return dict(session.exec(select(t.Game.state, func.count()).group_by(t.Game.state)).all())


def received_by_verdict(session: Session) -> Mapping[str, int]:
    """How many letters came of which verdict."""
    return dict(session.exec(select(t.Inbox.verdict, func.count()).group_by(t.Inbox.verdict)).all())


def sent_by_kind(session: Session) -> Mapping[str, int]:
    """How many letters of which kind were sent."""
    sent = select(t.Outbox.kind, func.count()).where(t.Outbox.state == "sent").group_by(t.Outbox.kind)
    return dict(session.exec(sent).all())


def queued(session: Session) -> tuple[int, datetime | None]:
    """How many letters wait to be sent, and when the oldest of them was written."""
    found = select(func.count(), func.min(t.Outbox.created)).select_from(t.Outbox)
    return session.exec(found.where(t.Outbox.state == "queued")).one()


def failed(session: Session, but: str) -> int:
    """How many letters were given up, without those whose last word begins so."""
    found = select(func.count()).select_from(t.Outbox).where(t.Outbox.state == "failed")
    return session.exec(found.where(not_(col(t.Outbox.last_text).startswith(but)))).one()


def dues(session: Session, by: datetime | None = None, kind: str = "") -> tuple[int, datetime | None]:
    """How many rows are planned, by a moment and of a kind if these are told, and when the first of them is due."""
    found = select(func.count(), func.min(t.Due.at)).select_from(t.Due)
    if by is not None:
        found = found.where(col(t.Due.at) <= by)
    return session.exec(found.where(t.Due.kind == kind) if kind else found).one()


def newest(session: Session) -> datetime | None:
    """When the last thing happened that leaves a moment: a letter came or was written, a poll, a new game."""
    columns = (t.Inbox.taken, t.Outbox.created, t.Poll.begun, t.Game.created)
    moments: list[datetime | None] = [session.exec(select(func.max(column))).one() for column in columns]
    return max((moment for moment in moments if moment is not None), default=None)
