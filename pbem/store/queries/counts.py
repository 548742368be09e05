"""Counts of rows for whoever watches over a server: short questions over indexes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from sqlmodel import Session, col, func, select

from pbem.store import tables as t
from pbem.store.queries.outbox import GIVEN_UP, WAS_TAKEN


def games_by_state(session: Session) -> Mapping[str, int]:
    """How many games are in which state."""
    return {state: count for state, count in _tally(session, "game").items() if count}


def received_by_verdict(session: Session) -> Mapping[str, int]:
    """How many letters came of which verdict."""
    return _told(session, "inbox")


def sent_by_kind(session: Session) -> Mapping[str, int]:
    """How often a mail server took a letter of which kind."""
    return _told(session, "attempt")


def uncounted(session: Session) -> Mapping[str, int]:
    """Up to which row a tally should be brought, by what it is about; nothing where few are uncounted.

    The last rows stay uncounted: one with a lower number may still be on its way in another transaction.
    """
    last = {"inbox": select(func.max(t.Inbox.id)), "attempt": select(func.max(t.Attempt.id))}
    ends = {about: session.exec(found).one() or 0 for about, found in last.items()}
    return {about: end - _LIVE for about, end in ends.items() if end - _tally(session, about).get("", 0) > 2 * _LIVE}


def counted_to(session: Session, about: str, end: int) -> Mapping[str, int]:
    """What a tally is once it is brought up to a row."""
    return {**_told(session, about, end), "": end}


_LIVE = 200
"""Rows that are counted anew each time."""


def _tally(session: Session, about: str) -> dict[str, int]:
    return dict(session.exec(select(t.Tally.word, t.Tally.count).where(t.Tally.about == about)).all())


def _told(session: Session, about: str, end: int | None = None) -> dict[str, int]:
    """A tally with the rows that came since, up to one if it is told."""
    told = Counter(_tally(session, about))
    since = told.pop("", 0)
    row = t.Inbox.id if about == "inbox" else t.Attempt.id
    # Not the bare column: by an index over it SQLite would go through all rows instead of the last.
    word = func.coalesce(t.Inbox.verdict if about == "inbox" else t.Outbox.kind, "")
    new = select(word, func.count()).where(col(row) > since).group_by(word)
    if about != "inbox":
        new = new.join_from(t.Attempt, t.Outbox).where(WAS_TAKEN)
    told.update(dict(session.exec(new if end is None else new.where(col(row) <= end)).all()))
    return dict(told)


def queued(session: Session) -> tuple[int, datetime | None]:
    """How many letters wait to be sent, and when the oldest of them was written."""
    found = select(func.count(), func.min(t.Outbox.created)).select_from(t.Outbox)
    return session.exec(found.where(t.Outbox.state == "queued")).one()


def failed(session: Session) -> int:
    """How many letters were given up, without those that were overtaken."""
    return session.exec(select(func.count()).select_from(t.Outbox).where(GIVEN_UP)).one()


def planned(session: Session) -> int:
    """How many rows are planned."""
    # Alone: SQLite then goes by how many entries a page has, and looks at none.
    return session.exec(select(func.count()).select_from(t.Due)).one()


def dues(session: Session, by: datetime, kind: str = "") -> tuple[int, datetime | None]:
    """How many rows are due by a moment, of a kind if it is told, and since when the first of them is."""
    found = select(func.count(), func.min(t.Due.at)).select_from(t.Due).where(col(t.Due.at) <= by)
    return session.exec(found.where(t.Due.kind == kind) if kind else found).one()


def newest(session: Session) -> datetime | None:
    """When the last thing happened that leaves a moment: a letter came or was written, a poll, a new game."""
    columns = (t.Inbox.taken, t.Outbox.created, t.Poll.begun, t.Game.created)
    moments: list[datetime | None] = [session.exec(select(func.max(column))).one() for column in columns]
    return max((moment for moment in moments if moment is not None), default=None)
