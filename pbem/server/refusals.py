"""The breaker of the way out: a mail server that refuses us, whoever a letter is for.

Refused for policy (enhanced status 5.7.x, RFC 3463) or at MAIL FROM, a letter says nothing of its recipient: perhaps
the account may not send as our address, or its domain is not believed, or we are on a list. Such a letter is put off,
not given up; when three were refused and none was taken since, one alone is tried every few minutes, until one is
taken. Then all go on. Only a letter that is refused again while others are taken is refused for itself.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import NamedTuple

import structlog
from sqlmodel import Session

from pbem.engine.data.messages import msg
from pbem.letters import outbox
from pbem.mail.smtp import Reply
from pbem.runtime.transaction import Work
from pbem.store import queries, tables

log = structlog.get_logger(__name__)

PROBE = timedelta(minutes=5)
"""The time between two tries while we are refused."""

_IN_A_ROW = 3
_SENDER = "MAIL FROM: "
_POLICY = re.compile(r"\b5\.7\.\d{1,3}\b")


class Refused(NamedTuple):
    """That a mail server refuses us: since when, its last code and words, and the last try `after` which it began."""

    since: datetime
    code: int
    text: str
    after: int


def of_us(reply: Reply) -> bool:
    """Whether a reply refuses us as the sender, and not the recipient."""
    return _of_us(reply.code, noted(reply))


def noted(reply: Reply) -> str:
    """The server's words as they are written down, with the stage at which they tell of us."""
    return (f"{_SENDER}{reply.text}" if reply.stage == "sender" else reply.text)[:500]


def standing(session: Session) -> Refused | None:
    """Whether we are refused now."""
    taken = queries.outbox.last_taken(session)
    tries = [one for one in queries.outbox.refused_since(session, taken) if _of_us(one.code, one.text)]
    if len(tries) < _IN_A_ROW:
        return None
    return Refused(tries[0].at, tries[-1].code, tries[-1].text, taken)


def rest(session: Session, now: datetime) -> bool:
    """Whether the last try is less than `PROBE` ago, so that none is made now; asked while we are refused."""
    last = queries.outbox.last_tries(session, 1)
    return bool(last) and last[0].at > now - PROBE


def by_itself(session: Session, row: tables.Outbox) -> bool:
    """Whether the fault is in this letter: others were taken since it was first tried."""
    first = queries.outbox.first_try(session, row)
    return first is not None and queries.outbox.last_taken(session) > first


def tell(work: Work, refused: Refused) -> None:
    """Tell the operator, once; the letter waits with all others, and so it is in the log and in `pbem doctor` too."""
    log.error("the mail server refuses us", code=refused.code, reply=refused.text[:200], since=str(refused.since))
    what = msg(
        "The mail server refuses what this server sends, whoever it is for. Letters wait; one is tried every "
        "{minutes} minutes, and when it is taken all others follow.",
        minutes=PROBE // timedelta(minutes=1),
    )
    title = msg("letters are refused")
    said = f"{refused.code} {refused.text}"
    outbox.to_operator_once(work, outbox.Notice(what, said, cause=f"refused after {refused.after}", title=title))


def wake(work: Work) -> None:
    """A letter was taken: those that were put off need not wait any longer."""
    for row in queries.outbox.put_off(work.session):
        row.next_try = work.now
        work.session.add(row)


def _of_us(code: int, text: str) -> bool:
    return 500 <= code <= 599 and (text.startswith(_SENDER) or _POLICY.search(text) is not None)
