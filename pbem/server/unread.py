"""What is said of letters that were set aside unread: to those who wrote them, and to the operator.

A letter is set aside where `take` failed on it (intake.py), or where reading it ended two lives of the server
(mailbox_poller.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox, reception
from pbem.letters.reception import Role
from pbem.letters.senders import Claim
from pbem.runtime.transaction import Work
from pbem.store import tables


class Fault(NamedTuple):
    """Why a letter was not taken: what its row says came of it, and what its author and the operator are told."""

    outcome: str
    author: Msg
    operator: Msg


FAULT = Fault(
    "fault",
    msg("A fault of this server kept it from reading your letter. Nothing was changed; the operator knows."),
    msg("A letter could not be taken in (inbox row {row})."),
)
"""`take` failed on it."""
UNREAD = Fault(
    "unread",
    msg(
        "Your letter was begun twice, and each time it ended this server. It was set aside unread and nothing was "
        "changed; the operator knows. What you want, write anew and shorter."
    ),
    msg("A letter that ended this server twice was set aside unread (inbox row {row})."),
)
"""Reading it ended two lives of the server."""
AGAIN = msg(
    "A letter of yours that was set aside before came again, unchanged, and was not read this time either; that is "
    "said once. If it is to be read, change something in it, be it one word, and send it as a new letter."
)
"""One of them came once more, byte for byte."""
AUTOMATIC = msg(
    "A letter with orders or commands came to your address and was not carried out, because it looks as if a program "
    "had sent it ({sign}). Send it again from a mail program of your own, not by a list or a forwarding. You are told "
    "this once a day at most."
)
"""One that says something to do has a sign of a machine."""


def tell_author(work: Work, claim: Claim, role: Role[Any] | None, told: Msg, row: tables.Inbox, cause: str) -> None:
    """Tell whoever wrote a letter that was not read, at the registered address of the seat, or of the role."""
    if role is not None:
        reception.tell_of_trouble(work, row, role, told, cause)
    writer = claim.writer
    if writer is not None and (to := outbox.envelope_for(work, writer.seat, writer.game)) is not None:
        head = outbox.head_of(work.server, writer.game, writer.seat, None)
        outbox.queue(work, content.Letter("fault", head, opening=(told,)).to_json(), to, cause, row)
