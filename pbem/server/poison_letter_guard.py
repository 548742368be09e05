"""Letters that crash the server: each is noted as begun before it is read, and after two crashes it is not read.

A process that is killed for the memory or the time that a letter takes meets it again when it is started, and nobody
behind it is answered. So each letter has a row from before anything of it is read; the transaction that takes the
letter strikes it out, and the end of the poll those of letters that are gone. The row knows the letter by its bytes as
well as by its place, which another may have after a mail store was put back. A life is a run of the server, from start
to end. In its third life a letter is taken by its header alone; if the server ended at that too, it is moved away
unread.

The first letter of a batch is noted in a transaction of its own; each other by the one that takes the letter before it,
if that one is told of the letter that follows. Whether the server still goes on is asked there, and not again: what is
noted is begun. A server that is killed between the two has charged a letter with a life that it did not end. It cannot
do so twice: only a letter that has no row is noted in this way, and who has one is counted when it is begun.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlmodel import Session

from pbem.engine.data.messages import msg
from pbem.letters import outbox
from pbem.runtime.transaction import Server, Work
from pbem.server import intake, unread
from pbem.server.intake import Outcome, Received
from pbem.store import queries, writes
from pbem.store.queries.inbox import Place

LIVES = 2
"""How many lives of the server a letter may end before it is set aside."""


class Lives:
    """The letters of a mailbox that this life of the server has begun and not taken yet; `going` while it may begin.

    What it has noted is remembered here once that is committed, and is not counted again: neither for the letter that
    is begun next nor for one that the database, gone away in between, kept from being taken.
    """

    def __init__(self, server: Server, going: Callable[[], bool]) -> None:
        self._server = server
        self._going = going
        self._begun: dict[Place, tuple[bytes, int]] = {}

    def of(self, received: Received) -> int:
        """In how many lives a letter was begun and not taken, with this one; 0 if it is not noted in this one."""
        raw, lives = self._begun.get(received.place, (b"", 0))
        return lives if raw == received.raw else 0

    def begin(self, received: Received) -> None:
        """Note that a letter is begun, in a transaction of its own."""
        with self._server.session() as session:
            lives = 1 if _note_new(session, received) else _note_again(session, received)
        self._begun[received.place] = (received.raw, lives)

    @contextmanager
    def taking(self, received: Received, following: Received | None) -> Iterator[Work]:
        """The transaction that takes a letter: it strikes it out, and notes the one that is begun next, if any is."""
        with self._server.work() as work:
            yield work
            writes.end_begun(work.session, received.place._asdict())
            noted = following is not None and self._going() and _note_new(work.session, following)
        self._begun.pop(received.place, None)
        if following is not None and noted:
            self._begun[following.place] = (following.raw, 1)

    def set_aside(self, received: Received, following: Received | None) -> Outcome:
        """Take a letter by its header alone, and tell author and operator; if that failed too, tell the operator."""
        lives = self.of(received)
        fault = f"begun {lives - 1} times and never ended: {received.folder} {received.uidvalidity} {received.uid}"
        if lives > LIVES + 1:
            with self._server.work() as work:
                _tell_of_place(work, received, fault)
            return Outcome(0, "fault", "unread")
        with self.taking(received, following) as work:
            return intake.take_as_fault(work, received, fault, unread.UNREAD)

    def forget(self) -> None:
        """The poll is over, and with it the rows of its letters."""
        self._begun.clear()


def _note_new(session: Session, received: Received) -> bool:
    """Note that a letter is begun for the first time; False, and nothing is noted, if one of its place has a row."""
    return writes.add_new(session, "begun", **received.place._asdict(), lives=1, sha256=_digest(received))


def _note_again(session: Session, received: Received) -> int:
    """Count this life for the letter that lies where one was begun; in how many that is, if it is the same letter."""
    row, sha256 = queries.inbox.begun(session, received.place), _digest(received)
    row.lives = row.lives + 1 if row.sha256 in ("", sha256) else 1
    row.sha256 = sha256
    session.add(row)
    return row.lives


def _digest(received: Received) -> str:
    return hashlib.sha256(received.raw).hexdigest()


def _tell_of_place(work: Work, received: Received, fault: str) -> None:
    what = msg("A letter has ended this server several times, and lies unread in the folder for what cannot be read.")
    cause = f"unread {received.account} {received.folder} {received.uidvalidity} {received.uid}"
    outbox.to_operator(work, outbox.Notice(what, fault, cause=cause))
