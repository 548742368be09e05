"""Take in one letter in one transaction: row, bytes, effects and answer.

Every letter passes the gates of `GATES` in order. A letter that no gate stops is carried out by the role of
its address and answered at the registered address only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import count_effort
from pbem.letters import content, outbox, reception, senders
from pbem.letters.reception import AddressState, IncomingFromRole, Role, RoleFinder
from pbem.log import witnesses
from pbem.mail import inbound, mime
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.play.rulings import moderator_letter
from pbem.runtime import limits
from pbem.runtime.clock import DAY
from pbem.runtime.limits import CostMeter, ExceededLimit
from pbem.runtime.transaction import WITNESS, Server, Transaction
from pbem.server import anonymous, bounces, deduplicate, player_letter
from pbem.server.deduplicate import EarlierCopies, find_earlier_copies
from pbem.store import hot_statements, queries, tables
from pbem.store.queries.inbox import EarlierLetter, MailboxPlace
from pbem.tournaments import director_letter
from pbem.tournaments.commands import entrant_letter

ROLE_FINDERS: Sequence[RoleFinder] = (
    moderator_letter.find_role_of_address,
    player_letter.find_seat_of_address,
    director_letter.find_role_of_address,
    entrant_letter.find_role_of_address,
)
"""The roles, by the functions that find the role of an address; any other letter is anonymous."""

_TOLD = ("cosigned", "refused-fork", "refused-smaller", "refused-gap")
"""Outcomes of witnesses' letters that are stored whole, because each is a proof."""
_MACHINES = ("auto", "bounce", "list", "loop")
_SENT_ON = ("auto", "bounce", "list")
"""Refusals that a person's letter may get when a mailing list or a forwarding sent it on."""
_NEVER_READ = ("unauthentic", "over-budget")
"""Outcomes of letters that were not read, so that a later one with the same words is no copy."""
_TWINS = 3
"""Letters with one Message-ID whose words are compared: a program that reuses it sends a few, and each is read."""
_TWIN = msg("Another letter with the same Message-ID but another content came before; this one counts by itself.")
_AGAIN = msg("This is a letter of yours that came before and could not be carried out then; it was read once more.")


class ReceivedLetter(NamedTuple):
    """A letter as it was in a mailbox.

    `whole` is False if it was too big and `raw` is only its header. `evidence` is the result of `examine`. `again`
    is True for an earlier letter that is to be read again in the present state of the game (service.py).
    """

    account: str
    folder: str
    uidvalidity: int
    uid: int
    internaldate: datetime
    raw: bytes
    whole: bool = True
    evidence: Evidence | None = None
    again: bool = False

    @property
    def mailbox_place(self) -> MailboxPlace:
        """Return the letter's place in the mailbox."""
        return MailboxPlace(self.account, self.folder, self.uidvalidity, self.uid)


class LetterOutcome(NamedTuple):
    """The result of a letter.

    `verdict` is the name of a role, ``copy``, ``known`` (this very message was taken before) or a refusal;
    `outcome` is the kind of the answer, or the reason for having none. `answers` are the Message-IDs of the letters
    it led to. `noted` is for the operator's log: the game and seat that it was `to`, parts `unread` and why.
    """

    inbox_id: int
    verdict: str
    outcome: str
    answers: tuple[str, ...] = ()
    noted: tuple[tuple[str, str], ...] = ()


class Fault(NamedTuple):
    """The reason for setting a letter aside: outcome, texts for author and operator."""

    outcome: str
    author: Msg
    operator: Msg


OWN_FAULT = Fault(
    "fault",
    msg("A fault of this server kept it from reading your letter. Nothing has changed; the operator has been told."),
    msg("A letter could not be taken in (inbox row {row})."),
)
"""The fault of a letter on which `take_letter` failed."""
ENDED_RUNS_FAULT = Fault(
    "unread",
    msg(
        "Your letter was begun twice, and each time it ended this server. It was set aside unread and nothing was "
        "changed; the operator knows. What you want, write anew and shorter."
    ),
    msg("A letter that ended this server twice was set aside unread (inbox row {row})."),
)
"""The fault of a letter during which two runs of the server ended (mailbox_poller.py)."""
_AGAIN_UNREAD = msg(
    "A letter of yours that was set aside before came again, unchanged, and was not read this time either; that is "
    "said once. If it is to be read, change something in it, be it one word, and send it as a new letter."
)
"""The answer to an exact copy of a letter that was set aside."""
_AUTOMATIC = msg(
    "A letter with orders or commands came to your address and was not carried out, because it looks as if a program "
    "had sent it ({sign}). Send it again from a mail program of your own, not by a list or a forwarding. You are told "
    "this once a day at most."
)
"""The answer to a letter with commands that has the signs of an automatic letter."""


def check_signatures(server: Server, received: ReceivedLetter) -> ReceivedLetter:
    """Check a letter's signatures before the transaction, as the DNS may be slow."""
    if server.plugins.txt is None:
        return received
    author = inbound.read_header(received.raw, server.own).sender
    return received._replace(evidence=senders.evidence_of_sender(server, received.raw, author))


def take_letter(tx: Transaction, received: ReceivedLetter, excess: ExceededLimit | None = None) -> LetterOutcome:
    """Take a letter in; the caller commits.

    An error means a fault of this program: the caller rolls back. TooMuch is no error: the letter exceeds a limit,
    and the caller takes it again with that `excess`; the answer then only says so.
    """
    tx.meter = CostMeter(tx.server.settings.limits, tx.server.plugins.cpu, excess)
    with count_effort(tx.meter):
        return pass_gates(tx, received)


@dataclass
class ArrivingLetter:
    """A letter on its way through the gates: parts, unstored row, answer's opening."""

    work: Transaction
    received: ReceivedLetter
    letter: IncomingLetter
    before: EarlierCopies
    row: tables.Inbox
    claim: AddressState = field(default_factory=lambda: AddressState("none"))
    opening: tuple[Msg, ...] = ()

    @property
    def role(self) -> Role[Any] | None:
        """Return the author's role; None while it is unknown."""
        return self.claim.role

    @property
    def author(self) -> Role[Any]:
        """Return the author's role; raise LookupError while it is unknown."""
        if self.claim.role is None:
            raise LookupError("nobody has been found yet who wrote this letter")
        return self.claim.role

    @property
    def excess(self) -> ExceededLimit | None:
        """Return the limit that it exceeded before, so that the answer only says so."""
        return self.work.meter.excess if self.work.meter is not None else None

    @cached_property
    def evidence(self) -> Evidence:
        """Return the evidence for the From."""
        examined = self.received.evidence
        return examined or senders.evidence_of_sender(self.work.server, self.received.raw, self.letter.sender)

    @property
    def cause(self) -> str:
        """Return the cause of its answers; a letter read again has a different one."""
        suffix = f" {self.row.id}" if self.row.copy_of is not None else ""
        return f"{self.letter.message_id} {self.row.sha256}{suffix}"

    def keep(self, raw: bytes) -> None:
        """Store the row, and these bytes of the letter."""
        hot_statements.insert_if_new(self.work.session, tables.Raw, sha256=self.row.sha256, body=raw)
        self.row.id = hot_statements.insert_object(self.work.session, self.row)

    def keep_header(self) -> None:
        """Store the row and only the header."""
        self.keep(mime.raw_header(self.received.raw))

    def keep_for(self, role: Role[Any]) -> None:
        """Store the row and, if the role knows its author, the whole letter."""
        self.keep(self.received.raw if role.KNOWN else mime.raw_header(self.received.raw))

    def end(self, *answers: str) -> LetterOutcome:
        """Return the outcome, as in the row, with the Message-IDs of the answers."""
        row, seat = self.row, self.letter.seat
        noted = ("to", " ".join(seat[1:3]) if seat else ""), ("unread", self.letter.why_unread)
        return LetterOutcome(row.id or 0, row.verdict, row.outcome, answers, noted)

    def end_unread(self, sentence: Msg) -> LetterOutcome:
        """Notify a known author that the letter was not read; return the outcome."""
        if self.role is None:
            return self.end()
        letter = content.Letter("fault", self.role.head(), opening=(sentence,)).to_json()
        return self.end(outbox.queue_letter(self.work, letter, self.role.envelope(), self.cause, self.row))


def pass_gates(tx: Transaction, received: ReceivedLetter) -> LetterOutcome:
    """Pass a letter through the gates; carry out and answer it if none stops it."""
    letter = inbound.read_header(received.raw, tx.server.own)
    if letter.date is not None and letter.date > received.internaldate:
        # With a clock that runs ahead all later letters of the author would look older.
        letter = replace(letter, date=received.internaldate)
    earlier = find_earlier_copies(tx, received.mailbox_place, letter, received.raw)
    arriving = ArrivingLetter(tx, received, letter, earlier, _new_row(received, letter, tx.now))
    for gate in GATES:
        if (outcome := gate(arriving)) is not None:
            return outcome
    return _carry_out(arriving)


def _stop_taken(arriving: ArrivingLetter) -> LetterOutcome | None:
    """Stop a letter that was taken before at this place, as after a crash."""
    earlier = arriving.before.here
    return None if earlier is None else LetterOutcome(earlier.id, "known", earlier.outcome)


def _stop_copy(arriving: ArrivingLetter) -> LetterOutcome | None:
    """Answer an exact copy as before, unless it is to be read again."""
    original = arriving.before.original
    if original is None:
        return None
    opening = _opening_anew(arriving, original)
    if opening is None:
        return _answer_copy(arriving, original)
    arriving.row.copy_of, arriving.opening = original.id, opening
    return None


def _stop_blocked(arriving: ArrivingLetter) -> LetterOutcome | None:
    """Stop a letter whose From is on the operator's blocklist."""
    blocklist = arriving.work.server.plugins.blocked
    if blocklist is None or not blocklist.has(arriving.letter.sender):
        return None
    arriving.row.verdict, arriving.row.outcome = "stranger", "blocked"
    arriving.keep_header()
    return arriving.end()


def _take_statement(arriving: ArrivingLetter) -> LetterOutcome | None:
    """Take in a letter to the address of a witness of the log."""
    address, row = arriving.letter.seat, arriving.row
    if address is None or address.seat != WITNESS:
        return None
    row.verdict = "witness"
    row.outcome = witnesses.receive_statement(arriving.work, address, arriving.received.raw, row)
    arriving.keep(arriving.received.raw if row.outcome in _TOLD else mime.raw_header(arriving.received.raw))
    return LetterOutcome(row.id or 0, row.verdict, row.outcome)


def _read_text(arriving: ArrivingLetter) -> None:
    """Read the text, without our own words that it quotes; stop no letter."""
    arriving.letter, arriving.claim = _text_and_claim(arriving)


def _take_unsubscription(arriving: ArrivingLetter) -> LetterOutcome | None:
    """Take in a letter that the unsubscribe button of our letters sends."""
    tx, row = arriving.work, arriving.row
    if arriving.claim.kind != "wrong" or arriving.letter.refusal == "loop":
        return None
    button = bounces.find_subscription(tx, arriving.letter.seat)
    if button is None:
        return None
    row.verdict = row.outcome = bounces.UNSUBSCRIBED
    row.seat_id = button.seat.id if button.seat is not None else None
    arriving.keep_header()
    bounces.unsubscribe(tx, button, row)
    return arriving.end(*queries.outbox.answer_names(tx.session, row.id))


def _stop_automatic(arriving: ArrivingLetter) -> LetterOutcome | None:
    """Stop a letter with the signs of a program; carry out nothing in it.

    It may still hold commands: some providers and mailing lists put such signs on letters of persons. In that case
    the author gets the reason at his registered address, at most once a day.
    """
    arriving.work.look()
    letter, row, role = arriving.letter, arriving.row, arriving.role
    unreadable = letter.refusal == "poison" and arriving.claim.kind != "token"
    if letter.refusal not in _MACHINES and not unreadable:
        return None
    row.verdict = letter.refusal or ""
    is_report = letter.bounced is not None or "multipart/report" in letter.reason or letter.refusal not in _SENT_ON
    if role is not None and not is_report and role.wants(_text_behind_marks(arriving)):
        row.outcome = "automatic"
        role.sign(row)
    elif letter.refusal == "bounce" or (letter.refusal == "auto" and letter.bounced is not None):
        row.outcome = bounces.process_bounce(arriving.work, letter, arriving.received.raw)
    else:
        row.outcome = "silent"
    is_answered = row.outcome == "automatic" and not _was_notified(arriving)
    arriving.keep_header()
    return arriving.end_unread(msg(_AUTOMATIC.text, sign=letter.reason)) if is_answered else arriving.end()


def _stop_same_words(arriving: ArrivingLetter) -> LetterOutcome | None:
    """Stop a letter whose words came before in another encoding, as lists send them."""
    role, row = arriving.role, arriving.row
    if role is None:
        return None
    row.verdict = role.NAME
    role.sign(row)
    if row.copy_of is None and (earlier := _same_words(arriving, role)) is not None:
        return _answer_copy(arriving, earlier)
    if row.copy_of is None and arriving.before.twins:
        arriving.opening = (_TWIN,)
    return None


def _assign_anonymous_role(arriving: ArrivingLetter) -> LetterOutcome | None:
    """Make an unknown sender the author of a letter whose address has no role."""
    if arriving.role is None:
        role = anonymous.anonymous_role(arriving.work, arriving.letter, arriving.claim)
        arriving.claim = arriving.claim._replace(role=role)
        arriving.row.verdict = role.NAME
        role.sign(arriving.row)
    return None


def _stop_forged(arriving: ArrivingLetter) -> LetterOutcome | None:
    """Stop a letter with a forged From, unless its address is proof enough."""
    role, evidence = arriving.author, arriving.evidence
    if evidence != "fail" or role.READS_FORGED:
        return None
    if role.FALSE is not None:
        _notify_operator(arriving.work, role, role.FALSE)
    return _keep_unanswered(arriving, "unauthentic")


def _stop_unanswerable(arriving: ArrivingLetter) -> LetterOutcome | None:
    """Stop a letter without an address that could be answered."""
    return None if arriving.author.email else _keep_unanswered(arriving, "no-sender")


def _stop_over_budget(arriving: ArrivingLetter) -> LetterOutcome | None:
    """Stop a letter of an author who was already told of exceeding the hourly limit."""
    return _keep_unanswered(arriving, "over-budget") if _past_limit(arriving) > 1 else None


Gate = Callable[[ArrivingLetter], LetterOutcome | None]
"""Returns the outcome of a letter that it stops; None if the letter may go on."""

GATES: tuple[Gate, ...] = (
    _stop_taken,
    _stop_copy,
    _stop_blocked,
    _take_statement,
    _read_text,
    _take_unsubscription,
    _stop_automatic,
    _stop_same_words,
    _assign_anonymous_role,
    _stop_forged,
    _stop_unanswerable,
    _stop_over_budget,
)
"""The gates in their order: gates that cost more, or reveal more, come later."""


def _carry_out(arriving: ArrivingLetter) -> LetterOutcome:
    """Carry out a letter, or say why it was not read, and queue its only answer."""
    tx, letter, row, role = arriving.work, arriving.letter, arriving.row, arriving.author
    excess_letters = _past_limit(arriving)
    # The most frequent end; any other is written below, in the same transaction.
    row.outcome, sender = "receipt", row.sender
    arriving.keep_for(role)
    answer = role.answer(IncomingFromRole(letter, row, arriving.received.raw, arriving.evidence))
    answer.opening += (*arriving.opening, *role.notes_on_sender(letter.sender, arriving.evidence))
    address = role.head(answer).address
    if refused := _why_refused(arriving, excess_letters):
        answer.refuse_unread(refused)
    else:
        opening_length = len(answer.opening)
        was_empty = role.carry_out(answer, letter.text)
        # First the sentence that there was nothing to do, then possible reasons.
        place = opening_length + 1 if was_empty else len(answer.opening)
        answer.opening[place:place] = senders.notes_on_unread(letter, nothing=was_empty) if role.KNOWN else ()
    if not excess_letters and letter.refusal is None and role.is_enough(answer):
        answer.silent = "repeated"
    names: tuple[str, ...] = ()
    if not answer.silent:
        head = role.head(answer)
        # After ROTATE the address is another one: the one that others have read is no longer valid.
        if role.KNOWN and head.address == address:
            answer.opening += senders.warn_of_readers(letter, role.email, address)
        names = (outbox.queue_letter(tx, answer.to_json(head), role.envelope(answer), arriving.cause, row),)
    answer.notify_of_following()
    if (outcome := "over-budget" if excess_letters else answer.outcome) != "receipt" or row.sender != sender:
        hot_statements.update_row(tx.session, row, outcome=outcome, sender=row.sender)
    return arriving.end(*names)


def _past_limit(arriving: ArrivingLetter) -> int:
    """Return by how many letters its author exceeds the hourly limit."""
    return 0 if arriving.received.again else senders.letters_over_limit(arriving.work.server, arriving.author.written)


def _why_refused(arriving: ArrivingLetter, excess_letters: int) -> Sequence[Msg]:
    """Return why a letter is answered unread; empty if it is read."""
    tx, letter, excess = arriving.work, arriving.letter, arriving.excess
    if excess_letters:
        retry_time = content.moment_in_words(tx.now + senders.COUNTED_TIME, arriving.author.zone)
        return (msg(_TOO_MANY.text, count=tx.server.settings.letters_an_hour, when=retry_time),)
    if letter.refusal == "poison":
        return (_BROKEN, *senders.notes_on_limit(letter), _WRITE_ANEW)
    if letter.refusal is not None:
        return (_LARGE, *senders.notes_on_limit(letter), limits.LETTER_TOO_LARGE)
    return limits.explain_excess(excess) if excess is not None else ()


_TOO_MANY = msg(
    "More than {count} letters came from you within an hour. This one was not read, and others will not even be "
    "answered; send it again after {when}."
)
_BROKEN = msg("Your letter could not be read: its format is broken. Nothing was changed.")
_WRITE_ANEW = msg("Write a new letter of plain text, with your orders or commands alone.")
_LARGE = msg("Your letter is too long for me to read. Nothing has changed; send a shorter one.")


def set_letter_aside(tx: Transaction, received: ReceivedLetter, fault: str, reason: Fault = OWN_FAULT) -> LetterOutcome:
    """Store an unreadable letter without blocking others; notify author and operator."""
    letter = inbound.read_header(received.raw, tx.server.own)
    earlier = find_earlier_copies(tx, received.mailbox_place, letter, received.raw)
    if earlier.here is not None:
        return LetterOutcome(earlier.here.id, "known", earlier.here.outcome)
    row = _new_row(received, letter, tx.now)
    arriving = ArrivingLetter(tx, received, letter, earlier, row, _claim_of(tx, letter))
    original = earlier.original
    row.copy_of = original.id if original else None
    # Of an exact copy its author is not told: what he wrote was read, done and answered when it first came.
    is_done = original is not None and original.verdict != "fault" and not (received.again or letter.is_undated)
    row.verdict, row.outcome = ("copy", "silent") if is_done else ("fault", reason.outcome)
    if arriving.role is not None and arriving.role.seat is not None:
        row.seat_id = arriving.role.seat.id
    arriving.keep(received.raw)
    outcome = arriving.end() if is_done else arriving.end_unread(reason.author)
    sentence = msg(reason.operator.text, row=row.id or 0)
    outbox.write_to_operator(tx, outbox.OperatorNotice(sentence, fault, cause=arriving.cause))
    return outcome


def _new_row(received: ReceivedLetter, letter: IncomingLetter, now: datetime) -> tables.Inbox:
    """Return the letter's row, not yet added."""
    return hot_statements.new_row(
        tables.Inbox,
        account=received.account,
        folder=received.folder,
        uidvalidity=received.uidvalidity,
        uid=received.uid,
        message_id=letter.message_id,
        sha256=letter.content,
        sender=letter.sender,
        internaldate=received.internaldate,
        taken=now,
        verdict="",
        outcome="",
    )


def _keep_unanswered(arriving: ArrivingLetter, outcome: str) -> LetterOutcome:
    """Store a letter that is neither read nor answered."""
    arriving.row.outcome = outcome
    arriving.keep_for(arriving.author)
    return arriving.end()


def _notify_operator(tx: Transaction, role: Role[Any], sentence: Msg) -> None:
    """Notify the operator, once a day, of a forged letter that was not answered."""
    if queries.inbox.count_taken(tx.session, role.NAME, tx.now - DAY, ["unauthentic"]):
        return
    cause, text = f"false {role.about} {tx.now.isoformat()}", msg(sentence.text, game=role.about)
    outbox.write_to_operator(tx, outbox.OperatorNotice(text, "", cause=cause, game=role.game))


def _claim_of(tx: Transaction, letter: IncomingLetter) -> AddressState:
    return reception.address_state(tx, letter.seat, ROLE_FINDERS)


def _text_and_claim(arriving: ArrivingLetter) -> tuple[IncomingLetter, AddressState]:
    """Read the text; find its author by its address or an address it names."""
    tx, header = arriving.work, arriving.letter
    claim = _claim_of(tx, header)
    if arriving.excess is not None:
        return header, claim
    letter = _with_text(arriving.received, header, claim.role, tx.server)
    if claim.kind == "none" and letter.named:
        claim = reception.address_state_in_text(tx, letter.named, ROLE_FINDERS)
        if claim.role is not None:
            letter = _with_text(arriving.received, header, claim.role, tx.server)
    return letter, claim


def _with_text(
    received: ReceivedLetter, header: IncomingLetter, role: Role[Any] | None, server: Server
) -> IncomingLetter:
    """Return a letter with its text, less quoted words that its author's role knows."""
    own_words = role.own_words(header) if role is not None else inbound.NO_OWN_WORDS
    return inbound.read_body(received.raw, header, own_words, whole=received.whole, own=server.own)


def _text_behind_marks(arriving: ArrivingLetter) -> str:
    """Return an automatic letter's text; empty if it cannot be read."""
    header = replace(arriving.letter, refusal=None, reason="")
    letter = _with_text(arriving.received, header, arriving.role, arriving.work.server)
    return letter.text if letter.refusal is None else ""


def _was_notified(arriving: ArrivingLetter) -> bool:
    """Return whether its author was told of an automatic letter within a day."""
    session, row, role, day_ago = arriving.work.session, arriving.row, arriving.role, arriving.work.now - DAY
    if role is not None and role.seat is not None:
        return queries.inbox.has_answered_automatic(session, role.seat, day_ago)
    return queries.inbox.count_taken(session, row.verdict, day_ago, ("automatic",), row.sender) > 0


def _opening_anew(arriving: ArrivingLetter, original: EarlierLetter) -> tuple[Msg, ...] | None:
    """Return the opening of the answer to a letter read again; None if it is a copy."""
    if arriving.received.again:
        return (_AGAIN,)
    if not arriving.letter.is_undated or original.verdict != "seat":
        return None
    letter, claim = _text_and_claim(arriving)
    seat = claim.role.seat if claim.role is not None else None
    if seat is None or letter.refusal is not None:
        return None
    return deduplicate.reread_opening(arriving.work, seat, letter.text, arriving.row, original.id)


def _same_words(arriving: ArrivingLetter, role: Role[Any]) -> EarlierLetter | None:
    """Return an earlier letter with the same Message-ID, address and words, or None."""
    seat_id = role.seat.id if role.seat is not None else None
    candidates = [twin for twin in arriving.before.twins if twin.outcome not in _NEVER_READ]
    same_author = [
        candidate for candidate in candidates if candidate.verdict == role.NAME and candidate.seat_id == seat_id
    ][:_TWINS]
    essence = role.essence(arriving.letter.text) if same_author else None
    for candidate in same_author if essence else ():
        raw = arriving.work.session.get(tables.Raw, candidate.sha256)
        earlier = inbound.read_letter(raw.body, arriving.work.server.own) if raw is not None and raw.body else None
        if earlier is None or (seat_id is None and earlier.seat != arriving.letter.seat):
            continue
        if role.essence(earlier.text) == essence:
            return candidate
    return None


def _answer_copy(arriving: ArrivingLetter, original: EarlierLetter) -> LetterOutcome:
    """Send the earlier answers to a letter again, and do nothing else."""
    tx, row = arriving.work, arriving.row
    row.copy_of, row.seat_id, row.verdict = original.id, original.seat_id, "copy"
    if original.verdict == "fault":
        return _leave_unread(arriving, original)
    # A second answer to a stranger would be one too many; a letter without answer stays without.
    seat = tx.session.get(tables.Seat, original.seat_id) if original.verdict == "seat" else None
    role = _claim_of(tx, arriving.letter).role if seat is None else None
    recent_letters = senders.count_letters_of(tx, seat) if seat is not None else role.written if role is not None else 0
    is_answered = (seat is not None or role is not None) and not senders.letters_over_limit(tx.server, recent_letters)
    row.outcome = original.outcome if is_answered else "silent"
    arriving.keep(b"")
    if not is_answered:
        return arriving.end()
    notice_ids: tuple[str, ...] = ()
    if seat is not None and arriving.letter.is_undated:
        notice_ids = deduplicate.notify_of_copy(tx, row, seat, original)
    for answer in queries.outbox.answers(tx.session, original.id):
        outbox.requeue(answer, tx.now)
        tx.session.add(answer)
    tx.session.flush()
    return arriving.end(*notice_ids, *queries.outbox.answer_names(tx.session, original.id))


def _leave_unread(arriving: ArrivingLetter, original: EarlierLetter) -> LetterOutcome:
    """Leave a letter unread again that was set aside; tell its author once why."""
    row, session = arriving.row, arriving.work.session
    row.outcome = "silent" if queries.inbox.has_copy(session, original.id) else original.outcome
    arriving.keep(b"")
    if row.outcome == "silent":
        return arriving.end()
    arriving.claim = _claim_of(arriving.work, arriving.letter)
    return arriving.end_unread(_AGAIN_UNREAD)
