"""How a server is doing, in numbers: letters in and out, the queue, the last look into the mailbox, what is due."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.play import beacons
from pbem.runtime.transaction import Server
from pbem.server import outbox_sender
from pbem.server.outbox_sender import Refused
from pbem.store import changes, queries


class Health(NamedTuple):
    """What the tables say now.

    `letters_in` counts by verdict, `letters_out` by kind those that a mail server took, `games` by state; `queued`
    letters wait, `failed` ones were given up, the last for the reason `why_failed`, `oldest` is when the oldest waiting
    one was written; `polled` is when the last whole poll began; `dues` rows wait, `overdue` ones should have run;
    `newest` is the latest moment noted at all.
    While a mail server refuses what we send, `refused` says since when and why.
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
    refused: Refused | None = None
    why_failed: str = ""


def count(server: Server) -> None:
    """Bring the tallies of letters up to date if that is worth while: nobody has to count all there ever were."""
    with server.reading() as tx:
        if not queries.counts.uncounted(tx.session):
            return
    with server.work() as tx:
        for about, end in queries.counts.uncounted(tx.session).items():
            changes.put_tally(tx.session, about, queries.counts.counted_to(tx.session, about, end))


def health(session: Session, now: datetime) -> Health:
    """Count; some short queries over indexes."""
    queued, oldest = queries.counts.queued(session)
    rounds, waited = queries.counts.dues(session, now, beacons.ROUND)
    return Health(
        letters_in=queries.counts.received_by_verdict(session),
        letters_out=queries.counts.sent_by_kind(session),
        games=queries.counts.games_by_state(session),
        queued=queued,
        failed=queries.counts.failed(session),
        oldest=oldest,
        polled=queries.inbox.polled(session),
        dues=queries.counts.planned(session),
        overdue=queries.counts.dues(session, now)[0],
        rounds=rounds,
        waited=waited,
        refused=outbox_sender.standing_refusal(session),
        why_failed=queries.outbox.why_failed(session),
        newest=queries.counts.newest(session),
    )
