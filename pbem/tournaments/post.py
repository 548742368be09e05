"""Mail letters about a tournament, headed ``[cup60]``, to entrants and director.

The caller gives the content; addresses are found here.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Report
from pbem.letters import content, outbox
from pbem.letters.content import LetterHead
from pbem.runtime.transaction import DIRECTOR, Transaction
from pbem.store import queries, tables
from pbem.tournaments import leaves, proofs

RECIPIENT_STATES = ("in", "waiting", "offered", "asks")
"""The states of entrants who get the letters that go to all."""


class LetterContent(NamedTuple):
    """The content of a letter: subject, sentences, blocks, last sentences.

    `report` is a report of a game, for a reader without a seat in it.
    """

    about: Msg
    opening: Sequence[Msg] = ()
    blocks: Sequence[Json] = ()
    closing: Sequence[Msg] = ()
    kind: str = "announcement"
    wanted: int = 0
    report: Report | None = None


def letter_head_for(
    tx: Transaction,
    event: tables.Tournament,
    row: tables.Entrant | None = None,
    official: tables.Appointment | None = None,
) -> LetterHead:
    """Return the head of a letter about a tournament to one reader.

    The reader is the entrant `row`; without one, the director, or the co-director `official`.
    """
    if row is None:
        address = tx.server.director_address(event, official)
        return LetterHead(game=event.id, rules=event.system, seat=DIRECTOR, address=address)
    return LetterHead(game=event.id, rules=event.system, seat=f"e{row.number}", address=tx.server.entrant_address(row))


def mail_entrant(
    tx: Transaction, event: tables.Tournament, row: tables.Entrant, letter_content: LetterContent, cause: str
) -> str:
    """Mail a letter to an entrant; return its Message-ID, empty without an address.

    `cause` is unique for this entrant. The letter shows all leaves of the tournament since the one before.
    """
    envelope = _envelope(tx, event, row)
    if envelope is None:
        return ""
    leaf_window = proofs.window_after(tx, leaves.log_name_of(event), row.told)
    if leaf_window is not None:
        row.told = leaf_window.upto
        tx.session.add(row)
    letter = proofs.add_window(_letter(letter_content, letter_head_for(tx, event, row)), leaf_window)
    return outbox.queue_letter(tx, letter, envelope, f"{event.id} {cause}")


def join_or_mail(
    tx: Transaction, event: tables.Tournament, row: tables.Entrant, letter_content: LetterContent, cause: str, game: str
) -> None:
    """Join a letter to its reader's unsent letter of a game, or mail it alone."""
    envelope = _envelope(tx, event, row)
    host = (
        queries.outbox.unsent_letter(tx.session, game, envelope.recipient, _HOSTS, tx.now)
        if envelope is not None and game
        else None
    )
    if host is None or host.language != row.language:
        mail_entrant(tx, event, row, letter_content, cause)
        return
    head = letter_head_for(tx, event, row)
    leaf_window = proofs.window_after(tx, leaves.log_name_of(event), row.told)
    row.told = row.told if leaf_window is None else leaf_window.upto
    host.content.model = dumps(proofs.add_window(loads(host.model), leaf_window, head.seat))
    address = msg("What you write about {event} itself goes to {address}.", event=event.id, address=head.address)
    tx.session.add(row)
    outbox.join_letter(tx, host, (*letter_content.opening, address), letter_content.blocks, letter_content.closing)


_HOSTS = ("report", "over")
"""Letters of a game that another may be joined to: a report, and the game's end."""


def was_mailed(
    tx: Transaction, event: tables.Tournament, row: tables.Entrant, letter_content: LetterContent, cause: str
) -> bool:
    """Return whether an entrant was mailed such a letter for this cause."""
    return outbox.was_queued(tx, _letter(letter_content, letter_head_for(tx, event, row)), [f"{event.id} {cause}"])


def mail_each(
    tx: Transaction,
    event: tables.Tournament,
    rows: Iterable[tables.Entrant],
    content_for: Callable[[tables.Entrant], LetterContent],
    cause: str,
) -> None:
    """Mail each of some entrants his own letter."""
    for row in rows:
        mail_entrant(tx, event, row, content_for(row), cause)


def mail_all(
    tx: Transaction,
    event: tables.Tournament,
    content_for: Callable[[tables.Entrant], LetterContent],
    cause: str,
    games: Mapping[int, str] = MappingProxyType({}),
    also: Container[int] = (),
) -> None:
    """Mail everybody who plays or waits to play, and the numbers `also`.

    Those whose last letter of their game, by number, is not sent yet get one letter of both.
    """
    for row in queries.tournaments.entrants(tx.session, event.id):
        if row.state in RECIPIENT_STATES or row.number in also:
            join_or_mail(tx, event, row, content_for(row), cause, games.get(row.number, ""))


def mail_director(tx: Transaction, event: tables.Tournament, letter_content: LetterContent, cause: str) -> str:
    """Mail the director and the co-directors.

    Returns the Message-ID of the first letter, empty if there is none.
    """
    message_id = mail_official(tx, event, None, letter_content, cause)
    for official in queries.tournaments.appointments(tx.session, event.id, "director"):
        mail_official(tx, event, official, letter_content, cause)
    return message_id


def mail_official(
    tx: Transaction,
    event: tables.Tournament,
    official: tables.Appointment | None,
    letter_content: LetterContent,
    cause: str,
) -> str:
    """Mail the director, or the co-director `official`; return the Message-ID or ""."""
    email = queries.persons.email_of(tx.session, official.person_id if official is not None else event.director_id)
    if email is None:
        return ""
    envelope = outbox.Recipient(email, event.director_language)
    suffix = f" {official.id}" if official is not None else ""
    head = letter_head_for(tx, event, official=official)
    return outbox.queue_letter(tx, _letter(letter_content, head), envelope, f"{event.id} director {cause}{suffix}")


def _envelope(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> outbox.Recipient | None:
    email = queries.persons.email_of(tx.session, row.person_id)
    if email is None:
        return None
    return outbox.Recipient(email, row.language, format=row.format)


def _letter(letter_content: LetterContent, head: LetterHead) -> Json:
    return content.Letter(
        letter_content.kind,
        head,
        opening=letter_content.opening,
        report=letter_content.report,
        blocks=letter_content.blocks,
        closing=letter_content.closing,
        what=letter_content.about,
        wanted=letter_content.wanted,
    ).to_json()
