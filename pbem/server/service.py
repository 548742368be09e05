"""Take letters in from files or from the store.

A single letter is delivered; refused letters are read again; letters that were never taken are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from pbem.engine.data.messages import msg
from pbem.letters import command_lines
from pbem.mail import inbound
from pbem.play.positions import lock_game, read_position
from pbem.runtime.transaction import Server, Transaction, UserError
from pbem.server import mailbox_poller, outbox_sender
from pbem.server.catalogue import COMMAND_FORMS
from pbem.server.intake import ReceivedLetter
from pbem.store import queries, tables
from pbem.store.queries.inbox import MailboxPlace

if TYPE_CHECKING:
    from pbem.mail.imap import FetchedLetter

_ACCOUNT = "file"


class DeliveryResult(NamedTuple):
    """The result of a letter delivered by file, and its answers as they will be sent."""

    verdict: str
    outcome: str
    answers: tuple[bytes, ...]


def deliver(server: Server, raw: bytes) -> DeliveryResult:
    """Take one letter in as if from the mailbox, now; queue its answers too."""
    with server.reading() as tx:
        last_uid = queries.inbox.last_uid(tx.session, _ACCOUNT)
    received = ReceivedLetter(_ACCOUNT, "", 0, last_uid + 1, server.clock.now(), raw)
    outcome = mailbox_poller.take_and_commit(server, received)
    return DeliveryResult(outcome.verdict, outcome.outcome, outbox_sender.render(server, outcome.answers))


# Letters read anew, by the present state of the game.
#
# After a restore of the database, letters of several turns come at once, and all but those of the open turn are
# refused. Sent again they are copies, which get their old answer again. So that no player has to write his orders
# twice, letters for the turn that is open by now are read like new ones, in the order of arrival.


REREAD_ACCOUNT = "again"
"""The account, in the tables, under which letters are read again."""


class RereadLetter(NamedTuple):
    """A letter that was read again: its earlier row, its seat, and its outcome."""

    number: int
    seat: str
    outcome: str


def reread_refused_letters(server: Server, name: str, seat: str = "") -> tuple[RereadLetter, ...]:
    """Read a game's or seat's refused letters for the open turn again.

    Raise UserError if no phase is open. Each letter has a transaction of its own. Orders older than the queued ones
    are skipped.
    """
    with server.work() as tx:
        game = lock_game(tx.session, name)
        if queries.phases.open_phase(tx.session, name) is None or game.state != "running":
            raise UserError(msg("No phase of {game} is open: there is no turn to read letters for.", game=name))
        if seat and queries.games.seat(tx.session, name, seat) is None:
            raise UserError(msg("There is no seat {seat} in {game}.", seat=seat, game=name))
        rows = list(_for_open_phase(tx, game, queries.inbox.refused_letters(tx.session, name, seat)))
    results = []
    for row, seat_name, raw in rows:
        with server.session() as session:
            last_uid = queries.inbox.last_uid(session, REREAD_ACCOUNT)
        outcome = mailbox_poller.take_and_commit(
            server, ReceivedLetter(REREAD_ACCOUNT, "", 0, last_uid + 1, row.internaldate, raw, again=True)
        )
        results.append(RereadLetter(row.id or 0, seat_name, outcome.outcome))
    return tuple(results)


def letters_never_taken(server: Server, folder: str, letters: Iterable[FetchedLetter]) -> Iterator[FetchedLetter]:
    """Yield the letters of a folder that the database has never taken."""
    own = server.own
    for letter in letters:
        header = inbound.read_header(letter.raw, own)
        with server.session() as session:
            earlier = queries.inbox.earlier_letters(
                session, MailboxPlace(REREAD_ACCOUNT, folder, letter.uidvalidity, letter.uid), header.message_id
            )
        if all(entry.sha256 != header.content for entry in earlier):
            yield letter


def _for_open_phase(
    tx: Transaction, game: tables.Game, rows: Iterable[tuple[tables.Inbox, str, bytes]]
) -> Iterator[tuple[tables.Inbox, str, bytes]]:
    """Yield an active seat's letters for the open phase, newer than queued ones."""
    position, phase = read_position(tx, game), queries.phases.open_phase(tx.session, game.id)
    active = position.rules.active(position.state)
    for row, seat_name, raw in rows:
        if phase is None or seat_name not in active or not _is_for_turn(tx.server, raw, phase.turn):
            continue
        seat = queries.games.seat(tx.session, game.id, seat_name)
        queued = queries.orders.queued_orders(tx.session, phase, seat) if seat is not None else None
        if queued is None or queued.received < row.internaldate:
            yield row, seat_name, raw


def _is_for_turn(server: Server, raw: bytes, turn: int) -> bool:
    letter = inbound.read_letter(raw, server.own)
    if letter.refusal is not None:
        return False
    block = command_lines.parse_letter(letter.text, COMMAND_FORMS).block
    return block is not None and not block.is_check_only and block.turn == turn
