"""How a server is doing, in numbers: letters in and out, the queue, the last look into the mailbox, what is due."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session, col, func, select

from pbem.campaign import beacons, outgoing
from pbem.store import queries, tables

__all__ = ["Health", "health"]


class Health(NamedTuple):
    """What the tables say now.

    `letters_in` counts by verdict, `letters_out` by kind those that a mail server took, `games` by state; `queued`
    letters wait, `failed` ones were given up, `oldest` is when the oldest waiting one was written; `polled` is when the
    last whole poll began; `dues` rows wait, `overdue` ones should have run; `newest` is the latest moment noted at all.
    Dice wait for `rounds` of a beacon that should be out, for the first of them since `waited`.
    """

    letters_in: Mapping[str, int]
    letters_out: Mapping[str, int]
    games: Mapping[str, int]
    queued: int
    failed: int
    oldest: datetime | None
    polled: datetime | None
    dues: int
    overdue: int
    newest: datetime | None
    rounds: int = 0
    waited: datetime | None = None


def health(session: Session, now: datetime) -> Health:
    """Count; some short queries over indexes."""
    box, due = tables.Outbox, tables.Due
    queued, oldest = session.exec(
        select(func.count(), func.min(box.created)).select_from(box).where(box.state == "queued")
    ).one()
    given_up = select(func.count()).select_from(box).where(box.state == "failed")
    failed = session.exec(given_up.where(~col(box.last_text).startswith(outgoing.OVERTAKEN))).one()
    sent = select(box.kind, func.count()).where(box.state == "sent").group_by(box.kind)
    taken = select(tables.Inbox.verdict, func.count()).group_by(tables.Inbox.verdict)
    moments: list[datetime | None] = [
        session.exec(select(func.max(column))).one()
        for column in (tables.Inbox.taken, box.created, tables.Poll.begun, tables.Game.created)
    ]
    late = select(func.count(), func.min(due.at)).where(due.kind == beacons.ROUND, col(due.at) <= now)
    rounds, waited = session.exec(late).one()
    return Health(
        letters_in=dict(session.exec(taken).all()),
        letters_out=dict(session.exec(sent).all()),
        games=dict(session.exec(select(tables.Game.state, func.count()).group_by(tables.Game.state)).all()),
        queued=queued,
        failed=failed,
        oldest=oldest,
        polled=queries.inbox.polled(session),
        dues=session.exec(select(func.count()).select_from(due)).one(),
        overdue=session.exec(select(func.count()).select_from(due).where(col(due.at) <= now)).one(),
        rounds=rounds,
        waited=waited,
        newest=max((moment for moment in moments if moment is not None), default=None),
    )
