"""Take letters in from files: one handed in, those refused once more, those that a mailbox has and we do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from pbem.engine.data.messages import msg
from pbem.letters import command_lines
from pbem.mail import inbound
from pbem.play.positions import lock_game, read_position
from pbem.runtime.transaction import Server, Transaction, UserError
from pbem.server import mailbox_poller, outbox_sender
from pbem.server.catalogue import FORMS
from pbem.server.intake import Received
from pbem.store import queries, tables
from pbem.store.queries.inbox import Place

if TYPE_CHECKING:
    from pbem.mail.imap import Fetched

_ACCOUNT = "file"


class Delivered(NamedTuple):
    """What became of a letter handed in by file, and its answers as they will be sent."""

    verdict: str
    outcome: str
    answers: tuple[bytes, ...]


def deliver(server: Server, raw: bytes) -> Delivered:
    """Take one letter in as if the mailbox had held it, received now; its answers wait in the outbox as well."""
    with server.reading() as tx:
        last = queries.inbox.last_uid(tx.session, _ACCOUNT)
    received = Received(_ACCOUNT, "", 0, last + 1, server.clock.now(), raw)
    outcome = mailbox_poller.take_in(server, received)
    return Delivered(outcome.verdict, outcome.outcome, outbox_sender.render(server, outcome.answers))


# Letters read anew, by the game as it stands now.
#
# After a database was put back, letters of several turns come at once, and all but those of the turn that is open are
# refused. Come once more they are copies, which get their old answer again. So that nobody has to write his orders
# twice, those that name the turn which is open by now are read like new ones, in the order in which they came.


ACCOUNT = "again"
"""The mailbox, as the tables name it, of letters that are read anew."""


class Retaken(NamedTuple):
    """A letter that was read anew: its row before, whose it is, and what came of it."""

    number: int
    seat: str
    outcome: str


def retake(server: Server, name: str, seat: str = "") -> tuple[Retaken, ...]:
    """Read anew what was refused of a game, or of one seat, and is for the turn that is open; Broken if none is.

    Each letter is a transaction of its own. Orders older than those that are queued by now are left alone.
    """
    with server.work() as tx:
        game = lock_game(tx.session, name)
        if queries.phases.open_phase(tx.session, name) is None or game.state != "running":
            raise UserError(msg("No phase of {game} is open: there is no turn to read letters for.", game=name))
        if seat and queries.games.seat(tx.session, name, seat) is None:
            raise UserError(msg("There is no seat {seat} in {game}.", seat=seat, game=name))
        rows = list(_due(tx, game, queries.inbox.refused(tx.session, name, seat)))
    done = []
    for row, whose, raw in rows:
        with server.session() as session:
            last = queries.inbox.last_uid(session, ACCOUNT)
        outcome = mailbox_poller.take_in(server, Received(ACCOUNT, "", 0, last + 1, row.internaldate, raw, again=True))
        done.append(Retaken(row.id or 0, whose, outcome.outcome))
    return tuple(done)


def letters_never_taken(server: Server, folder: str, letters: Iterable[Fetched]) -> Iterator[Fetched]:
    """Of letters that lie in a folder, those which the database has never taken from anywhere."""
    own = server.own
    for letter in letters:
        header = inbound.read_header(letter.raw, own)
        with server.session() as session:
            found = queries.inbox.earlier(
                session, Place(ACCOUNT, folder, letter.uidvalidity, letter.uid), header.message_id
            )
        if all(one.sha256 != header.content for one in found):
            yield letter


def _due(
    tx: Transaction, game: tables.Game, rows: Iterable[tuple[tables.Inbox, str, bytes]]
) -> Iterator[tuple[tables.Inbox, str, bytes]]:
    """Those that hold orders for the open phase, by a seat whose turn it is, and newer than what is queued of it."""
    here, phase = read_position(tx, game), queries.phases.open_phase(tx.session, game.id)
    active = here.rules.active(here.state)
    for row, whose, raw in rows:
        if phase is None or whose not in active or not _is_for(tx.server, raw, phase.turn):
            continue
        place = queries.games.seat(tx.session, game.id, whose)
        queued = queries.orders.queued(tx.session, phase, place) if place is not None else None
        if queued is None or queued.received < row.internaldate:
            yield row, whose, raw


def _is_for(server: Server, raw: bytes, turn: int) -> bool:
    letter = inbound.read(raw, server.own)
    if letter.refusal is not None:
        return False
    block = command_lines.read(letter.text, FORMS).block
    return block is not None and not block.verify and block.turn == turn
