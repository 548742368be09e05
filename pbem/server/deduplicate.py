"""Detect letters taken before, by place in the mailbox **and** content.

A place alone proves nothing: a mail store that was restored from a backup gives the numbers of lost letters to
other letters (RFC 9051, 2.3.1.1 forbids that, but it happens). A different letter at a known place is a new letter;
the older row then gives up its place, and the operator is notified.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.lazy import Logger
from pbem.letters import command_lines, content, outbox
from pbem.mail import inbound
from pbem.mail.inbound import IncomingLetter
from pbem.play.commands.answer import SeatAnswer
from pbem.runtime.clock import DAY, WEEK
from pbem.runtime.transaction import Transaction
from pbem.server.catalogue import ANSWER_COMMANDS, CLOSING_COMMANDS, COMMAND_FORMS, QUESTION_COMMANDS
from pbem.store import hot_statements, queries, tables
from pbem.store.queries.inbox import EarlierLetter, MailboxPlace

log = Logger(__name__)


class EarlierCopies(NamedTuple):
    """Earlier copies of a letter: at this place, elsewhere, by Message-ID alone."""

    here: EarlierLetter | None
    original: EarlierLetter | None
    twins: tuple[EarlierLetter, ...]


def find_earlier_copies(tx: Transaction, place: MailboxPlace, letter: IncomingLetter, raw: bytes) -> EarlierCopies:
    """Look for earlier copies of a letter; displace another letter at its place."""
    matches = queries.inbox.earlier_letters(tx.session, place, letter.message_id)
    if not matches:
        return EarlierCopies(None, None, ())
    # Letters taken before traces were removed are identified by all of their bytes.
    digests = (letter.content, hashlib.sha256(raw).hexdigest())
    twins = tuple(match for match in matches if not match.here)
    same_place = next((match for match in matches if match.here), None)
    if same_place is not None and same_place.message_id != letter.message_id and same_place.sha256 not in digests:
        _displace(tx, place, same_place)
        same_place = None
    return EarlierCopies(same_place, next((match for match in twins if match.sha256 in digests), None), twins)


def _displace(tx: Transaction, place: MailboxPlace, older: EarlierLetter) -> None:
    log.warning("a number of the mailbox was given twice", uid=place.uid, folder=place.folder, inbox=older.id)
    row = tx.session.get_one(tables.Inbox, older.id)
    # No mailbox has such a number: the older letter is then identified by its Message-ID and its bytes.
    hot_statements.update_row(tx.session, row, uid=-older.id)
    sentence = msg(
        "The mailbox gives numbers to letters that other letters had before: its store was put back from a backup. "
        "What lies there is taken as new; what came between the backup and its return may be lost to the mailbox."
    )
    cause = f"reused {place.account} {place.folder} {tx.now:%Y-%m-%d}"
    _notify_operator(tx, place, cause, sentence)


def check_uidvalidity(tx: Transaction, place: MailboxPlace) -> None:
    """Notify the operator, once, of a changed UIDVALIDITY of the folder."""
    old_validity = queries.inbox.previous_validity(tx.session, place)
    if old_validity is None:
        return
    sentence = msg(
        "The mailbox was made anew: its UIDVALIDITY is another one. Letters that were taken before and lie there again "
        "are known by their Message-ID and bytes, and get their answers again."
    )
    if _notify_operator(tx, place, f"validity {place.account} {place.folder} {place.uidvalidity}", sentence):
        log.warning("the mailbox was made anew", folder=place.folder, before=old_validity, now=place.uidvalidity)


def _notify_operator(tx: Transaction, place: MailboxPlace, cause: str, sentence: Msg) -> bool:
    title = msg("look at the mailbox")
    detail = f"{place.account} {place.folder}, UIDVALIDITY {place.uidvalidity}"
    return outbox.write_to_operator_once(tx, outbox.OperatorNotice(sentence, detail, cause=cause, title=title))


# Repeated letters that change nothing, as those of vacation programs that do not identify themselves.
#
# Without a sign of a machine each is answered. If nothing was understood, the third answer to the same words says that
# it is the last for a week. Whatever the words, a seat gets no more answers a day to letters that changed nothing
# than it may get in three hours.


ANSWERS_WITHOUT_EFFECT = ("help", "refusal", "closed")
"""Kinds of answers to letters that were not understood, refused, or too late."""
_SAME = 3
"""Letters with the same words that are answered: a person who repeats a wrong letter gets help, and two programs that
answer each other stop."""
_LETTERS_COMPARED = 5
"""The last letters that are compared: two more than `_SAME`, so that another letter between them does not hide a loop.
"""
_LAST = msg("Letters with these words have come several times. For a week I answer no more of them.")


def has_enough_answers(answer: SeatAnswer) -> bool:
    """Return whether a letter stays unanswered; the last answer announces it."""
    if answer.kind not in ANSWERS_WITHOUT_EFFECT:
        return False
    session, seat, now = answer.session, answer.seat, answer.now
    if (
        queries.inbox.count_outcomes(session, seat, ANSWERS_WITHOUT_EFFECT, now - DAY)
        >= 3 * answer.server.settings.letters_an_hour
    ):
        return True
    if not answer.unread:
        return False
    words = _words(answer.letter.text)
    texts = queries.inbox.bytes_with_outcomes(session, seat, ANSWERS_WITHOUT_EFFECT[:1], now - WEEK, _LETTERS_COMPARED)
    repetitions = sum(_words(inbound.read_letter(raw, answer.server.own).text) == words for raw in texts)
    if repetitions == _SAME - 1:
        answer.closing.append(_LAST)
    return repetitions >= _SAME


def _words(text: str) -> list[str]:
    return text.casefold().split()


# Letters with neither Message-ID nor Date, as a person writes into a file and hands in.
#
# Nothing in such a letter tells when it was written: a second one with the same words may be a copy, or may be meant
# anew. A mere question is answered anew, which changes nothing. Orders for a phase or answers to a question are read
# anew if that was opened after the first arrived, and this one arrived after that: then it cannot be an older letter.
# All else is done once, and the sender of a second one is told so.


_ANEW = msg("The same words came from you before, to an older phase or question; now they count for this one.")


def reread_opening(
    tx: Transaction, seat: tables.Seat, text: str, row: tables.Inbox, first: int
) -> tuple[Msg, ...] | None:
    """Return the opening of the answer to a repeated letter; None if it is a copy."""
    parsed = command_lines.parse_letter(text, COMMAND_FORMS, tx.server.settings.limits)
    if parsed.later or parsed.wrong or parsed.excess or not (parsed.block or parsed.commands):
        return None
    names = {command.name for command in parsed.commands}
    if parsed.block is None and names <= QUESTION_COMMANDS:
        return ()
    answers = bool(names) and parsed.block is None and names <= ANSWER_COMMANDS
    opened = _opening_time(tx, seat, of_questions=answers) if answers or names <= CLOSING_COMMANDS else None
    if opened is None:
        return None
    last_arrival = queries.inbox.last_arrival(tx.session, first)
    return (_ANEW,) if last_arrival is not None and last_arrival < opened <= row.internaldate else None


def _opening_time(tx: Transaction, seat: tables.Seat, *, of_questions: bool) -> datetime | None:
    """Return when the open phase, or the seat's open questions, began, or None."""
    if not of_questions:
        phase = queries.phases.open_phase(tx.session, seat.game_id)
        return phase.opened if phase is not None else None
    phase = queries.phases.waiting_phase(tx.session, seat.game_id)
    segment = queries.phases.open_pause(tx.session, phase) if phase is not None else None
    if segment is None or not queries.phases.questions_to(tx.session, segment, seat):
        return None
    return segment.opened


def notify_of_copy(tx: Transaction, row: tables.Inbox, seat: tables.Seat, first: EarlierLetter) -> tuple[str, ...]:
    """Tell the writer of an exact copy how to repeat it; return the Message-IDs."""
    game = tx.session.get_one(tables.Game, seat.game_id)
    envelope = outbox.recipient_of_seat(tx, seat, game)
    if envelope is None:
        return ()
    first_arrival = content.moment_in_words(tx.session.get_one(tables.Inbox, first.id).taken, seat.zone)
    sentences = (
        msg(
            "I have had this letter before, word for word, on {when}. I do not carry it out twice; here is "
            "the answer again.",
            when=first_arrival,
        ),
        msg("If you want it again, add something to it, such as a line that begins with #, and send that."),
    )
    head = outbox.head_of(tx.server, game, seat, queries.phases.present_phase(tx.session, game.id))
    letter = content.Letter("refusal", head, opening=sentences, what=content.NOT_CARRIED_OUT).to_json()
    return (outbox.queue_letter(tx, letter, envelope, f"{row.message_id} {row.id}", row),)
