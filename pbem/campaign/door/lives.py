"""Letters that crash the server: each is noted as begun before it is read, and after two crashes it is not read.

A process that is killed for the memory or the time that a letter takes meets it again when it is started, and nobody
behind it is answered. So each letter has a row from before anything of it is read until its poll is over; its row in
the inbox says whether it was taken. A life is a run of the server, from start to end. In its third life a letter is
taken by its header alone; if the server ended at that too, the letter is moved away unread.
"""

from __future__ import annotations

from pbem.campaign.base.server import Server
from pbem.campaign.base.work import Work
from pbem.campaign.door import intake
from pbem.campaign.door.intake import Outcome, Received
from pbem.campaign.people import outbox
from pbem.core.data.messages import msg
from pbem.store import queries, tables
from pbem.store.queries.inbox import Place

__all__ = ["LIVES", "begin", "set_aside"]

LIVES = 2
"""How many lives of the server a letter may end before it is set aside."""


def begin(server: Server, received: Received, *, met: bool) -> int:
    """Note that a letter is begun; return in how many lives of the server it was begun and not taken, with this one.

    A life that has `met` it before, because the database was away in between, is counted once; what was taken is not
    counted any more.
    """
    place = Place(received.account, received.folder, received.uidvalidity, received.uid)
    with server.session() as session:
        row = queries.budgets.begun(session, place)
        if row is None:
            row = tables.Begun(**place._asdict(), lives=1)
        elif not met and not queries.inbox.is_taken(session, place):
            row.lives += 1
        session.add(row)
        return row.lives


def set_aside(server: Server, received: Received, lives: int) -> Outcome:
    """Take a letter by its header alone, and tell author and operator; if that failed too, tell the operator alone."""
    fault = f"begun {lives - 1} times and never ended: {received.folder} {received.uidvalidity} {received.uid}"
    with server.work() as work:
        if lives > LIVES + 1:
            _tell_of_place(work, received, fault)
            return Outcome(0, "fault", "unread")
        return intake.take_as_fault(work, received, fault, intake.UNREAD)


def _tell_of_place(work: Work, received: Received, fault: str) -> None:
    what = msg("A letter has ended this server several times, and lies unread in the folder for what cannot be read.")
    cause = f"unread {received.account} {received.folder} {received.uidvalidity} {received.uid}"
    outbox.to_operator(work, outbox.Notice(what, fault, cause=cause))
