"""Letters about a tournament: to one entrant, to all of them, to its director; each headed ``[cup60]``.

Whoever writes one says what it is about; where it goes and which address it is to be answered to is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg
from pbem.engine.data.report import Report
from pbem.letters import content, outbox
from pbem.letters.content import Head
from pbem.runtime.transaction import DIRECTOR, Work
from pbem.store import queries, tables
from pbem.tournaments import leaves, proofs

THERE = ("in", "waiting", "offered", "asks")
"""The states of those who are written to of what concerns all."""


class Told(NamedTuple):
    """What a letter says: what it is about (its subject), sentences, blocks as in `letters`, sentences below them.

    `report` is what a game looks like to somebody without a seat in it.
    """

    about: Msg
    opening: Sequence[Msg] = ()
    blocks: Sequence[Json] = ()
    closing: Sequence[Msg] = ()
    kind: str = "announcement"
    wanted: int = 0
    report: Report | None = None


def head_for(work: Work, event: tables.Tournament, row: tables.Entrant | None = None) -> Head:
    """What heads a letter to an entrant, or to the director where none is told."""
    if row is None:
        return Head(game=event.id, rules=event.system, seat=DIRECTOR, address=work.server.director_address(event))
    return Head(game=event.id, rules=event.system, seat=f"e{row.number}", address=work.server.entrant_address(row))


def to_entrant(work: Work, event: tables.Tournament, row: tables.Entrant, said: Told, cause: str) -> str:
    """Write to an entrant, and return the Message-ID; nothing if he has no address. `cause` is his own with this.

    The letter shows all that the log says of the tournament since the one before.
    """
    to = _envelope(work, event, row)
    if to is None:
        return ""
    shown = proofs.window(work, leaves.chain_of(event), row.told)
    if shown is not None:
        row.told = shown.upto
        work.session.add(row)
    letter = proofs.showing(_letter(said, head_for(work, event, row)), shown)
    return outbox.queue(work, letter, to, f"{event.id} {cause}")


def to_those(
    work: Work,
    event: tables.Tournament,
    rows: Iterable[tables.Entrant],
    tell: Callable[[tables.Entrant], Told],
    cause: str,
) -> None:
    """Write to some entrants what is told each."""
    for row in rows:
        to_entrant(work, event, row, tell(row), cause)


def to_all(work: Work, event: tables.Tournament, tell: Callable[[tables.Entrant], Told], cause: str) -> None:
    """Write to all who play or wait to play."""
    rows = [row for row in queries.tournaments.entrants(work.session, event.id) if row.state in THERE]
    to_those(work, event, rows, tell, cause)


def to_director(work: Work, event: tables.Tournament, said: Told, cause: str) -> str:
    """Write to the director, and return the Message-ID; nothing if the tournament has none."""
    email = queries.persons.email_of(work.session, event.director_id)
    if email is None:
        return ""
    to = outbox.Envelope(email, event.director_language)
    return outbox.queue(work, _letter(said, head_for(work, event)), to, f"{event.id} director {cause}")


def _envelope(work: Work, event: tables.Tournament, row: tables.Entrant) -> outbox.Envelope | None:
    email = queries.persons.email_of(work.session, row.person_id)
    if email is None:
        return None
    return outbox.Envelope(email, row.language, format=row.format)


def _letter(said: Told, head: Head) -> Json:
    return content.Letter(
        said.kind,
        head,
        opening=said.opening,
        report=said.report,
        blocks=said.blocks,
        closing=said.closing,
        what=said.about,
        wanted=said.wanted,
    ).to_json()
