"""Count rows for the operator's overview, by short queries over indexes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from sqlmodel import Session, col, func, select

from pbem.store import tables as t
from pbem.store.queries.outbox import IS_GIVEN_UP, WAS_TAKEN


def games_by_state(session: Session) -> Mapping[str, int]:
    """Return the number of games by state."""
    return {state: count for state, count in _tally(session, "game").items() if count}


def received_by_verdict(session: Session) -> Mapping[str, int]:
    """Return the number of received letters by verdict."""
    return _full_tally(session, "inbox")


def sent_by_kind(session: Session) -> Mapping[str, int]:
    """Return the number of deliveries to a mail server by kind."""
    return _full_tally(session, "attempt")


def tally_ends(session: Session) -> Mapping[str, int]:
    """Return the row up to which each tally should be updated.

    Tallies with few uncounted rows are left out. The last rows stay uncounted, because a row with a lower number
    may still be in an open transaction.
    """
    last = {"inbox": select(func.max(t.Inbox.id)), "attempt": select(func.max(t.Attempt.id))}
    ends = {about: session.exec(query).one() or 0 for about, query in last.items()}
    return {about: end - _LIVE for about, end in ends.items() if end - _tally(session, about).get("", 0) > 2 * _LIVE}


def tally_up_to(session: Session, about: str, end: int) -> Mapping[str, int]:
    """Return a tally updated up to a row."""
    return {**_full_tally(session, about, end), "": end}


_LIVE = 200
"""Rows at the end that are counted each time, since a lower number may still be in an open transaction: 200 are more
than are open at once. The count of the rows before them is stored whenever twice as many have come."""


def _tally(session: Session, about: str) -> dict[str, int]:
    return dict(session.exec(select(t.Tally.word, t.Tally.count).where(t.Tally.about == about)).all())


def _full_tally(session: Session, about: str, end: int | None = None) -> dict[str, int]:
    """Return a tally including the rows since it was stored, up to `end` if given."""
    totals = Counter(_tally(session, about))
    last_counted = totals.pop("", 0)
    row = t.Inbox.id if about == "inbox" else t.Attempt.id
    # Not the bare column: with its index SQLite would read all rows instead of the last.
    word = func.coalesce(t.Inbox.verdict if about == "inbox" else t.Outbox.kind, "")
    query = select(word, func.count()).where(col(row) > last_counted).group_by(word)
    if about != "inbox":
        query = query.join_from(t.Attempt, t.Outbox).where(WAS_TAKEN)
    totals.update(dict(session.exec(query if end is None else query.where(col(row) <= end)).all()))
    return dict(totals)


def count_queued(session: Session) -> tuple[int, datetime | None]:
    """Return the number of letters to send, and when the oldest was written."""
    query = select(func.count(), func.min(t.Outbox.created)).select_from(t.Outbox)
    return session.exec(query.where(t.Outbox.state == "queued")).one()


def count_failed(session: Session) -> int:
    """Return the number of letters that were given up.

    Letters that a newer one replaced are left out.
    """
    return session.exec(select(func.count()).select_from(t.Outbox).where(IS_GIVEN_UP)).one()


def count_due(session: Session) -> int:
    """Return the number of scheduled jobs."""
    # Alone: then SQLite uses the number of entries of each page, and reads none.
    return session.exec(select(func.count()).select_from(t.Due)).one()


def count_due_by(session: Session, moment: datetime, kind: str = "") -> tuple[int, datetime | None]:
    """Return the number of jobs due by a moment, and the first of their times."""
    query = select(func.count(), func.min(t.Due.at)).select_from(t.Due).where(col(t.Due.at) <= moment)
    return session.exec(query.where(t.Due.kind == kind) if kind else query).one()


def newest_moment(session: Session) -> datetime | None:
    """Return the last moment in the tables: of a letter, a poll, a new game."""
    columns = (t.Inbox.taken, t.Outbox.created, t.Poll.begun, t.Game.created)
    moments: list[datetime | None] = [session.exec(select(func.max(column))).one() for column in columns]
    return max((moment for moment in moments if moment is not None), default=None)
