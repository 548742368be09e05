"""Whether a letter was taken in before: known by its place in the mailbox **and** by what it is.

A place alone says nothing for sure: a mail store that was put back from a backup gives the numbers of letters that it
has lost to others (RFC 9051, 2.3.1.1 forbids it, and it happens). What lies where another letter lay is a new letter;
the older row then gives its place up, and the operator is told.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.lazy import Logger
from pbem.letters import command_lines, content, outbox
from pbem.mail import inbound
from pbem.mail.inbound import IncomingLetter
from pbem.play.commands.answer import SeatAnswer
from pbem.runtime.transaction import Transaction
from pbem.server.catalogue import ANSWERS, FORMS, OF_A_PHASE, QUESTIONS
from pbem.store import hot_statements, queries, tables
from pbem.store.queries.inbox import Earlier, Place

log = Logger(__name__)


class Recognised(NamedTuple):
    """What was taken before: this very message, the same letter from another place, letters under its Message-ID."""

    here: Earlier | None
    original: Earlier | None
    twins: tuple[Earlier, ...]


def recognise(tx: Transaction, place: Place, letter: IncomingLetter, raw: bytes) -> Recognised:
    """Look for a letter among those that were taken; what has its place and is another one is moved out of its way."""
    found = queries.inbox.earlier(tx.session, place, letter.message_id)
    if not found:
        return Recognised(None, None, ())
    # Letters taken before traces were left out are known by all of their bytes.
    digests = (letter.content, hashlib.sha256(raw).hexdigest())
    twins = tuple(one for one in found if not one.here)
    here = next((one for one in found if one.here), None)
    if here is not None and here.message_id != letter.message_id and here.sha256 not in digests:
        _displace(tx, place, here)
        here = None
    return Recognised(here, next((one for one in twins if one.sha256 in digests), None), twins)


def _displace(tx: Transaction, place: Place, older: Earlier) -> None:
    log.warning("a number of the mailbox was given twice", uid=place.uid, folder=place.folder, inbox=older.id)
    row = tx.session.get_one(tables.Inbox, older.id)
    # No mailbox has such a number: what is known of the older letter is its Message-ID and its bytes.
    hot_statements.change(tx.session, row, uid=-older.id)
    what = msg(
        "The mailbox gives numbers to letters that other letters had before: its store was put back from a backup. "
        "What lies there is taken as new; what came between the backup and its return may be lost to the mailbox."
    )
    cause = f"reused {place.account} {place.folder} {tx.now:%Y-%m-%d}"
    _tell(tx, place, cause, what)


def watch_validity(tx: Transaction, place: Place) -> None:
    """Tell the operator, once, if the folder numbers its letters anew, which it does when it was made anew."""
    before = queries.inbox.validity_before(tx.session, place)
    if before is None:
        return
    what = msg(
        "The mailbox was made anew: its UIDVALIDITY is another one. Letters that were taken before and lie there again "
        "are known by their Message-ID and bytes, and get their answers again."
    )
    if _tell(tx, place, f"validity {place.account} {place.folder} {place.uidvalidity}", what):
        log.warning("the mailbox was made anew", folder=place.folder, before=before, now=place.uidvalidity)


def _tell(tx: Transaction, place: Place, cause: str, what: Msg) -> bool:
    title = msg("look at the mailbox")
    detail = f"{place.account} {place.folder}, UIDVALIDITY {place.uidvalidity}"
    return outbox.to_operator_once(tx, outbox.Notice(what, detail, cause=cause, title=title))


# Letters that come again and again and change nothing, as those of vacation programs that do not say what they are.
#
# Without a sign of a machine each is answered. Where nothing was understood a third answer to the same words says that
# it is the last for a week. However the words differ, a seat gets no more answers a day to letters that changed nothing
# than it may get in an hour.


CHANGED_NOTHING = ("help", "refusal", "closed")
"""Kinds of answers to letters in which nothing was understood, that were refused, or too late."""
_SAME = 3
_LOOKED_AT = 5
_WEEK, _DAY = timedelta(days=7), timedelta(days=1)
_LAST = msg("Letters with these words have come several times. For a week I answer no more of them.")


def is_enough(answer: SeatAnswer) -> bool:
    """Tell whether the answer to a letter stays away; the last one that goes out says so."""
    if answer.kind not in CHANGED_NOTHING:
        return False
    session, seat, now = answer.session, answer.seat, answer.now
    if (
        queries.inbox.came_of_since(session, seat, CHANGED_NOTHING, now - _DAY)
        >= 3 * answer.server.settings.letters_an_hour
    ):
        return True
    if not answer.unread:
        return False
    words = _words(answer.letter.text)
    texts = queries.inbox.texts_of(session, seat, CHANGED_NOTHING[:1], now - _WEEK, _LOOKED_AT)
    same = sum(_words(inbound.read(raw, answer.server.own).text) == words for raw in texts)
    if same == _SAME - 1:
        answer.closing.append(_LAST)
    return same >= _SAME


def _words(text: str) -> list[str]:
    return text.casefold().split()


# Letters with neither Message-ID nor Date, as somebody writes into a file and hands in.
#
# Nothing in such a letter tells when it was written: a second one of the same words may be the first once more, or may
# be meant anew. What only asks is answered anew, for that does nothing. What only orders a phase or answers a question
# is read anew if that was opened after the first had come, and this one came after that: then it can be none of before.
# All else is done once, and whoever sends it twice is told so.


_ANEW = msg("The same words came from you before, to an older phase or question; now they count for this one.")


def opening_anew(
    tx: Transaction, seat: tables.Seat, text: str, row: tables.Inbox, first: int
) -> tuple[Msg, ...] | None:
    """What the answer to a letter in the words of the `first` opens with; None if it is that one come again."""
    said = command_lines.read(text, FORMS, tx.server.settings.limits)
    if said.later or said.wrong or said.excess or not (said.block or said.commands):
        return None
    names = {command.name for command in said.commands}
    if said.block is None and names <= QUESTIONS:
        return ()
    answers = bool(names) and said.block is None and names <= ANSWERS
    opened = _opened(tx, seat, asked=answers) if answers or names <= OF_A_PHASE else None
    if opened is None:
        return None
    came = queries.inbox.last_came(tx.session, first)
    return (_ANEW,) if came is not None and came < opened <= row.internaldate else None


def _opened(tx: Transaction, seat: tables.Seat, *, asked: bool) -> datetime | None:
    """When the phase was opened that a letter may order, or else what its seat is asked was; None if nothing is."""
    if not asked:
        phase = queries.phases.open_phase(tx.session, seat.game_id)
        return phase.opened if phase is not None else None
    phase = queries.phases.closed_phase(tx.session, seat.game_id)
    segment = queries.phases.asking(tx.session, phase) if phase is not None else None
    if segment is None or not queries.phases.questions_to(tx.session, segment, seat):
        return None
    return segment.opened


def say_it_came_before(tx: Transaction, row: tables.Inbox, seat: tables.Seat, first: Earlier) -> tuple[str, ...]:
    """Tell the writer that he sent this before, word for word, and what to do; the Message-ID of what he is told."""
    game = tx.session.get_one(tables.Game, seat.game_id)
    to = outbox.envelope_for(tx, seat, game)
    if to is None:
        return ()
    came = content.when(tx.session.get_one(tables.Inbox, first.id).taken, seat.zone)
    told = (
        msg(
            "I have had this letter before, word for word, on {when}. I do not carry it out twice; here is "
            "the answer again.",
            when=came,
        ),
        msg("If you want it again, add something to it, such as a line that begins with #, and send that."),
    )
    head = outbox.head_of(tx.server, game, seat, queries.phases.played_phase(tx.session, game.id))
    letter = content.Letter("refusal", head, opening=told, what=content.NOT_DONE).to_json()
    return (outbox.queue(tx, letter, to, f"{row.message_id} {row.id}", row),)
