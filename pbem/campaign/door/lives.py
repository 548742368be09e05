"""Letters that crash the server: each is noted as begun before it is read, and after two crashes it is not read.

A process that is killed for the memory or the time that a letter takes meets it again when it is started, and nobody
behind it is answered. So each letter has a row from before anything of it is read; the transaction that takes the
letter strikes it out, and the end of the poll those of letters that are gone. The row knows the letter by its bytes as
well as by its place, which another may have after a mail store was put back. A life is a run of the server, from start
to end. In its third life a letter is taken by its header alone; if the server ended at that too, it is moved away
unread.
"""

from __future__ import annotations

import hashlib

from pbem.campaign.base.server import Server, Work
from pbem.campaign.door import intake
from pbem.campaign.door.intake import Outcome, Received
from pbem.campaign.people import outbox
from pbem.core.data.messages import msg
from pbem.store import queries, tables, writes

__all__ = ["LIVES", "begin", "end", "set_aside"]

LIVES = 2
"""How many lives of the server a letter may end before it is set aside."""


def begin(server: Server, received: Received, *, met: bool) -> int:
    """Note that a letter is begun; return in how many lives of the server it was begun and not taken, with this one.

    A life that has `met` it before, because the database was away in between, is counted once.
    """
    place, sha256 = received.place, hashlib.sha256(received.raw).hexdigest()
    with server.session() as session:
        row = queries.budgets.begun(session, place)
        if row is None:
            row = tables.Begun(**place._asdict(), lives=0)
        if row.sha256 not in ("", sha256):
            row.lives = 1
        elif not met or not row.lives:
            row.lives += 1
        row.sha256 = sha256
        session.add(row)
        return row.lives


def end(work: Work, received: Received) -> None:
    """Note, in the transaction that takes a letter, that it has ended no life."""
    if received.begun:
        writes.end_begun(work.session, received.place._asdict())


def set_aside(server: Server, received: Received, lives: int) -> Outcome:
    """Take a letter by its header alone, and tell author and operator; if that failed too, tell the operator alone."""
    fault = f"begun {lives - 1} times and never ended: {received.folder} {received.uidvalidity} {received.uid}"
    with server.work() as work:
        if lives > LIVES + 1:
            _tell_of_place(work, received, fault)
            return Outcome(0, "fault", "unread")
        outcome = intake.take_as_fault(work, received, fault, intake.UNREAD)
        end(work, received)
        return outcome


def _tell_of_place(work: Work, received: Received, fault: str) -> None:
    what = msg("A letter has ended this server several times, and lies unread in the folder for what cannot be read.")
    cause = f"unread {received.account} {received.folder} {received.uidvalidity} {received.uid}"
    outbox.to_operator(work, outbox.Notice(what, fault, cause=cause))
