"""Questions about what players of a tournament wrote and ordered, for the facts that its director is told."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session, col, select

from pbem.store import tables as t


class Written(NamedTuple):
    """A letter that came in: whose, when the mail server received it, and the digest of its bytes."""

    sender: str
    at: datetime
    sha256: str


def written(session: Session, senders: Collection[str], since: datetime) -> Sequence[Written]:
    """The letters of some addresses to seats and entrants since a moment, each once, in order."""
    asked = select(t.Inbox.sender, t.Inbox.internaldate, t.Inbox.sha256).where(col(t.Inbox.sender).in_(senders))
    asked = asked.where(col(t.Inbox.verdict).in_(("seat", "entrant")), col(t.Inbox.copy_of).is_(None))
    found = session.exec(asked.where(t.Inbox.taken >= since).order_by(col(t.Inbox.id))).all()
    return [Written(*row) for row in found]


def bodies(session: Session, digests: Collection[str]) -> dict[str, bytes]:
    """The bytes of letters by their digest, of those that are kept."""
    asked = select(t.Raw.sha256, t.Raw.body).where(col(t.Raw.sha256).in_(digests))
    return dict(session.exec(asked).all())


def closed_phases(session: Session, games: Collection[str]) -> Sequence[t.Phase]:
    """The phases of some games that were resolved and that stand, by game and in order."""
    asked = select(t.Phase).where(col(t.Phase.game_id).in_(games), t.Phase.state == "resolved")
    return session.exec(asked.order_by(col(t.Phase.game_id), col(t.Phase.number))).all()
