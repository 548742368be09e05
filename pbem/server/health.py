"""Count letters in and out, the queue, due jobs and the age of the last poll."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.play import beacons
from pbem.runtime.transaction import Server
from pbem.server import outbox_sender
from pbem.server.outbox_sender import StandingRefusal
from pbem.store import changes, queries


class Health(NamedTuple):
    """The numbers in the tables now.

    `letters_in` counts by verdict, `letters_out` counts delivered letters by kind, `games` by state; `queued`
    letters wait, `failed` letters were given up, the last for the reason `why_failed`; `oldest` is when the oldest
    waiting letter was written; `polled` is when the last complete poll began; `dues` jobs wait, `overdue` jobs
    should have run; `newest` is the latest moment in the database.

    While a mail server refuses our letters, `refused` says since when and why. Dice wait for `rounds` late rounds
    of a beacon, the first of which should have come at `waited`.
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
    refused: StandingRefusal | None = None
    why_failed: str = ""


def update_tallies(server: Server) -> None:
    """Update the tallies of letters if enough are new, so that counting stays cheap."""
    with server.reading() as tx:
        if not queries.counts.tally_ends(tx.session):
            return
    with server.work() as tx:
        for about, end in queries.counts.tally_ends(tx.session).items():
            changes.store_tally(tx.session, about, queries.counts.tally_up_to(tx.session, about, end))


def read_health(session: Session, now: datetime) -> Health:
    """Count letters, games and jobs by short queries over indexes."""
    queued, oldest = queries.counts.count_queued(session)
    rounds, waited = queries.counts.count_due_by(session, now, beacons.ROUND)
    return Health(
        letters_in=queries.counts.received_by_verdict(session),
        letters_out=queries.counts.sent_by_kind(session),
        games=queries.counts.games_by_state(session),
        queued=queued,
        failed=queries.counts.count_failed(session),
        oldest=oldest,
        polled=queries.inbox.last_poll(session),
        dues=queries.counts.count_due(session),
        overdue=queries.counts.count_due_by(session, now)[0],
        rounds=rounds,
        waited=waited,
        refused=outbox_sender.find_standing_refusal(session),
        why_failed=queries.outbox.last_failure_text(session),
        newest=queries.counts.newest_moment(session),
    )
