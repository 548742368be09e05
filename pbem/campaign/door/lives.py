"""Letters that may end the server: each is noted as begun before it is read, and one that ended two lives is not read.

A process that is killed for the memory or the time that a letter takes meets it again when it is started, and nobody
behind it is answered. So each letter that is begun is a row, written before anything of it is read, until the poll is
ended; whether the letter was ended its own row in the inbox tells. In the third life it is set aside by its header
alone; if that too was the last of a life, not even by that.
"""

from __future__ import annotations

from pbem.campaign.base.server import Server, Work
from pbem.campaign.door import intake
from pbem.campaign.door.intake import Outcome, Received
from pbem.campaign.people import outbox
from pbem.core.data.messages import msg
from pbem.store import queries, tables
from pbem.store.queries.inbox import Place

__all__ = ["LIVES", "begin", "set_aside"]

LIVES = 2
"""Lives of the server that a letter may end."""


def begin(server: Server, received: Received, *, met: bool) -> int:
    """Note that a letter is begun; in how many lives it was without being ended, this one among them.

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
    """Take a letter by its header alone, and tell its author and the operator; by nothing if that is no use either."""
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
