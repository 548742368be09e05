"""Whether a letter was taken in before: known by its place in the mailbox **and** by what it is.

A place alone says nothing for sure: a mail store that was put back from a backup gives the numbers of letters that it
has lost to others (RFC 9051, 2.3.1.1 forbids it, and it happens). What lies where another letter lay is a new letter;
the older row then gives its place up, and the operator is told.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import structlog

from pbem.engine.data.messages import Msg, msg
from pbem.letters import outbox
from pbem.mail.inbound import IncomingLetter
from pbem.runtime.transaction import Work
from pbem.store import queries, tables, writes
from pbem.store.queries.inbox import Earlier, Place

log = structlog.get_logger(__name__)


class Recognised(NamedTuple):
    """What was taken before: this very message, the same letter from another place, letters under its Message-ID."""

    here: Earlier | None
    original: Earlier | None
    twins: tuple[Earlier, ...]


def recognise(work: Work, place: Place, letter: IncomingLetter, raw: bytes) -> Recognised:
    """Look for a letter among those that were taken; what has its place and is another one is moved out of its way."""
    found = queries.inbox.earlier(work.session, place, letter.message_id)
    if not found:
        return Recognised(None, None, ())
    # Letters taken before traces were left out are known by all of their bytes.
    digests = (letter.content, hashlib.sha256(raw).hexdigest())
    twins = tuple(one for one in found if not one.here)
    here = next((one for one in found if one.here), None)
    if here is not None and here.message_id != letter.message_id and here.sha256 not in digests:
        _displace(work, place, here)
        here = None
    return Recognised(here, next((one for one in twins if one.sha256 in digests), None), twins)


def _displace(work: Work, place: Place, older: Earlier) -> None:
    log.warning("a number of the mailbox was given twice", uid=place.uid, folder=place.folder, inbox=older.id)
    row = work.session.get_one(tables.Inbox, older.id)
    # No mailbox has such a number: what is known of the older letter is its Message-ID and its bytes.
    writes.change(work.session, row, uid=-older.id)
    what = msg(
        "The mailbox gives numbers to letters that other letters had before: its store was put back from a backup. "
        "What lies there is taken as new; what came between the backup and its return may be lost to the mailbox."
    )
    cause = f"reused {place.account} {place.folder} {work.now:%Y-%m-%d}"
    _tell(work, place, cause, what)


def watch_validity(work: Work, place: Place) -> None:
    """Tell the operator, once, if the folder numbers its letters anew, which it does when it was made anew."""
    before = queries.inbox.validity_before(work.session, place)
    if before is None:
        return
    what = msg(
        "The mailbox was made anew: its UIDVALIDITY is another one. Letters that were taken before and lie there again "
        "are known by their Message-ID and bytes, and get their answers again."
    )
    if _tell(work, place, f"validity {place.account} {place.folder} {place.uidvalidity}", what):
        log.warning("the mailbox was made anew", folder=place.folder, before=before, now=place.uidvalidity)


def _tell(work: Work, place: Place, cause: str, what: Msg) -> bool:
    title = msg("look at the mailbox")
    detail = f"{place.account} {place.folder}, UIDVALIDITY {place.uidvalidity}"
    return outbox.to_operator_once(work, outbox.Notice(what, detail, cause=cause, title=title))
