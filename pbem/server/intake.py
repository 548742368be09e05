"""One letter in, in one transaction: its row and bytes, what it does, and the answer in the outbox, or nothing.

A letter of any author passes the gates of `GATES` in their order. What none of them keeps back is carried out by
the role that its address speaks for, and answered at the registered address alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import counted
from pbem.letters import content, outbox, reception, senders
from pbem.letters.reception import Claim, Finder, Incoming, Role
from pbem.log import witnesses
from pbem.mail import inbound, mime
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.play.rulings import moderator_letter
from pbem.runtime import limits
from pbem.runtime.limits import Excess, Meter
from pbem.runtime.transaction import WITNESS, Server, Transaction
from pbem.server import anonymous, bounces, deduplicate, player_letter
from pbem.server.deduplicate import Recognised, recognise
from pbem.store import hot_statements, queries, tables
from pbem.store.queries.inbox import Earlier, Place
from pbem.tournaments import director_letter
from pbem.tournaments.commands import entrant_letter

ROLES: Sequence[Finder] = (
    moderator_letter.claim,
    player_letter.claim,
    director_letter.claim,
    entrant_letter.claim,
)
"""All who can be written for, by the addresses that speak for them; any other letter is a stranger's."""

_TOLD = ("cosigned", "refused-fork", "refused-smaller", "refused-gap")
"""What came of letters of witnesses that are kept whole: each of them is a proof."""
_MACHINES = ("auto", "bounce", "list", "loop")
_SENT_ON = ("auto", "bounce", "list")
"""What a person's letter may look like when a list or a forwarding has handled it."""
_NEVER_READ = ("unauthentic", "over-budget")
"""What came of letters that nothing was taken from: a later one in the same words is no copy of such a one."""
_TWINS = 3
"""Letters under the same Message-ID whose words are compared."""
_DAY = timedelta(days=1)
_TWIN = msg("Another letter with the same Message-ID but another content came before; this one counts by itself.")
_AGAIN = msg("This is a letter of yours that came before and could not be carried out then; it was read once more.")


class Received(NamedTuple):
    """A letter as it lay in a mailbox; `whole` is False if it was too big and `raw` is its header alone.

    `evidence` is what `examine` found. `again` is true of a letter that was taken before and is to be read anew,
    by the game as it stands now (service.py).
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
    def place(self) -> Place:
        """Where it lay."""
        return Place(self.account, self.folder, self.uidvalidity, self.uid)


class Outcome(NamedTuple):
    """What was found in a letter and what came of it.

    `verdict`: the name of a role, copy, known (this very message came) or a refusal of mail; `outcome`: the kind of the
    answer, or why there was none. `answers` are the Message-IDs of the letters it led to. `why` is what of it was left
    unread and for what reason, for the operator's log.
    """

    inbox_id: int
    verdict: str
    outcome: str
    answers: tuple[str, ...] = ()
    why: str = ""


class Fault(NamedTuple):
    """Why a letter was set aside: what its row says came of it, and what its author and the operator are told."""

    outcome: str
    author: Msg
    operator: Msg


FAULT = Fault(
    "fault",
    msg("A fault of this server kept it from reading your letter. Nothing has changed; the operator has been told."),
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
"""Reading it ended two lives of the server (mailbox_poller.py)."""
_AGAIN_UNREAD = msg(
    "A letter of yours that was set aside before came again, unchanged, and was not read this time either; that is "
    "said once. If it is to be read, change something in it, be it one word, and send it as a new letter."
)
"""One of them came once more, byte for byte."""
_AUTOMATIC = msg(
    "A letter with orders or commands came to your address and was not carried out, because it looks as if a program "
    "had sent it ({sign}). Send it again from a mail program of your own, not by a list or a forwarding. You are told "
    "this once a day at most."
)
"""One that says something to do has a sign of a machine."""


def examine(server: Server, received: Received) -> Received:
    """The letter with what its signatures are worth, where this server checks them.

    That may ask the DNS and wait for it, and so has to be done before the transaction.
    """
    if server.plugins.txt is None:
        return received
    author = inbound.read_header(received.raw, server.own).sender
    return received._replace(evidence=senders.evidence(server, received.raw, author))


def take(tx: Transaction, received: Received, excess: Excess | None = None) -> Outcome:
    """Take a letter in; the caller commits. What it raises is a fault of ours, and then nothing may be kept.

    TooMuch is none: the letter passes a limit, and is taken again with that `excess`, which is all that is answered.
    """
    tx.meter = Meter(tx.server.settings.limits, tx.server.plugins.cpu, excess)
    with counted(tx.meter):
        return receive(tx, received)


@dataclass
class Passing:
    """A letter on its way through the gates: what was read of it so far, and its row, not kept yet.

    `opening` is what its answer begins with.
    """

    work: Transaction
    received: Received
    letter: IncomingLetter
    before: Recognised
    row: tables.Inbox
    claim: Claim = field(default_factory=lambda: Claim("none"))
    opening: tuple[Msg, ...] = ()

    @property
    def role(self) -> Role[Any] | None:
        """Who wrote it; None as long as that is not known."""
        return self.claim.role

    @property
    def author(self) -> Role[Any]:
        """Who wrote it, once that is known; LookupError before."""
        if self.claim.role is None:
            raise LookupError("nobody has been found yet who wrote this letter")
        return self.claim.role

    @property
    def excess(self) -> Excess | None:
        """The limit that it has passed before, so that nothing is done but to answer it."""
        return self.work.meter.excess if self.work.meter is not None else None

    @cached_property
    def evidence(self) -> Evidence:
        """Whether its From is vouched for."""
        found = self.received.evidence
        return found or senders.evidence(self.work.server, self.received.raw, self.letter.sender)

    @property
    def cause(self) -> str:
        """What its answers are called after: a letter that is read anew is answered anew."""
        again = f" {self.row.id}" if self.row.copy_of is not None else ""
        return f"{self.letter.message_id} {self.row.sha256}{again}"

    def keep(self, raw: bytes) -> None:
        """Write its row, and as much of its bytes as is kept of it."""
        hot_statements.add_new(self.work.session, tables.Raw, sha256=self.row.sha256, body=raw)
        self.row.id = hot_statements.add_row(self.work.session, self.row)

    def keep_header(self) -> None:
        """Write its row, and its header alone."""
        self.keep(mime.header(self.received.raw))

    def keep_for(self, role: Role[Any]) -> None:
        """Write its row and, if its author is known, the whole of it."""
        self.keep(self.received.raw if role.KNOWN else mime.header(self.received.raw))

    def end(self, *answers: str) -> Outcome:
        """What came of it, as its row has it, with the Message-IDs of what it was answered."""
        row = self.row
        return Outcome(row.id or 0, row.verdict, row.outcome, answers, self.letter.why_unread)

    def end_unread(self, told: Msg, cause: str) -> Outcome:
        """What came of it, when its author, if he is known, was told that it was not read."""
        if self.role is None:
            return self.end()
        letter = content.Letter("fault", self.role.head(), opening=(told,)).to_json()
        return self.end(outbox.queue(self.work, letter, self.role.envelope(), cause, self.row))


def receive(tx: Transaction, received: Received) -> Outcome:
    """Pass a letter through the gates; what none of them keeps back is done and answered."""
    letter = inbound.read_header(received.raw, tx.server.own)
    if letter.date is not None and letter.date > received.internaldate:
        # A clock that runs ahead would make all later letters of the same author look older.
        letter = replace(letter, date=received.internaldate)
    before = recognise(tx, received.place, letter, received.raw)
    passing = Passing(tx, received, letter, before, _row(received, letter, tx.now))
    for gate in GATES:
        if (outcome := gate(passing)) is not None:
            return outcome
    return _answer(passing)


def _known(passing: Passing) -> Outcome | None:
    """It lies where it lay when it was taken: seen again after a crash."""
    here = passing.before.here
    return None if here is None else Outcome(here.id, "known", here.outcome)


def _copied(passing: Passing) -> Outcome | None:
    """It came before, to the last octet: it gets its answer again, unless it is to be read anew."""
    first = passing.before.original
    if first is None:
        return None
    anew = _opening_anew(passing, first)
    if anew is None:
        return _answer_copy(passing, first)
    passing.row.copy_of, passing.opening = first.id, anew
    return None


def _blocked(passing: Passing) -> Outcome | None:
    """The operator has put its From on the list of those who are not read."""
    blocked = passing.work.server.plugins.blocked
    if blocked is None or not blocked.has(passing.letter.sender):
        return None
    passing.row.verdict, passing.row.outcome = "stranger", "blocked"
    passing.keep_header()
    return passing.end()


def _from_witness(passing: Passing) -> Outcome | None:
    """It came to the address that a witness of the log answers to."""
    address, row = passing.letter.seat, passing.row
    if address is None or address.seat != WITNESS:
        return None
    row.verdict = "witness"
    row.outcome = witnesses.receive_statement(passing.work, address, passing.received.raw, row)
    passing.keep(passing.received.raw if row.outcome in _TOLD else mime.header(passing.received.raw))
    return Outcome(row.id or 0, row.verdict, row.outcome)


def _read(passing: Passing) -> None:
    """Read its text, by what its author may quote of ours. This gate keeps no letter back."""
    passing.letter, passing.claim = _text_and_claim(passing)


def _unsubscribed(passing: Passing) -> Outcome | None:
    """It came from the unsubscribe button of a letter of ours."""
    tx, row = passing.work, passing.row
    if passing.claim.kind != "wrong" or passing.letter.refusal == "loop":
        return None
    button = bounces.subscription(tx, passing.letter.seat)
    if button is None:
        return None
    row.verdict = row.outcome = bounces.UNSUBSCRIBED
    row.seat_id = button.seat.id if button.seat is not None else None
    passing.keep_header()
    bounces.unsubscribe(tx, button, row)
    return passing.end(*queries.outbox.answer_names(tx.session, row.id))


def _by_machine(passing: Passing) -> Outcome | None:
    """It looks as if no person had written it. Nothing in it is carried out.

    It may say something to do all the same: some providers and mailing lists set such marks on what people write. Then
    its writer is told why at his registered address, once a day at most.
    """
    passing.work.look()
    letter, row, role = passing.letter, passing.row, passing.role
    unreadable = letter.refusal == "poison" and passing.claim.kind != "token"
    if letter.refusal not in _MACHINES and not unreadable:
        return None
    row.verdict = letter.refusal or ""
    report = letter.bounced is not None or "multipart/report" in letter.reason or letter.refusal not in _SENT_ON
    if role is not None and not report and role.wants(_text_behind_marks(passing)):
        row.outcome = "automatic"
        role.sign(row)
    elif letter.refusal == "bounce" or (letter.refusal == "auto" and letter.bounced is not None):
        row.outcome = bounces.take_bounce(passing.work, letter, passing.received.raw)
    else:
        row.outcome = "silent"
    told = row.outcome == "automatic" and not _was_told(passing)
    passing.keep_header()
    return passing.end_unread(msg(_AUTOMATIC.text, sign=letter.reason), passing.cause) if told else passing.end()


def _said_before(passing: Passing) -> Outcome | None:
    """It is an earlier letter under the same Message-ID in other octets, as a list or another server makes them."""
    role, row = passing.role, passing.row
    if role is None:
        return None
    row.verdict = role.NAME
    role.sign(row)
    twins = passing.before.twins
    if row.copy_of is None and (same := _same_words(passing, role)) is not None:
        return _answer_copy(passing, same)
    if row.copy_of is None and twins:
        passing.opening = (_TWIN,)
    return None


def _by_nobody(passing: Passing) -> Outcome | None:
    """Its address speaks for nobody: it is a stranger's, unless nobody could be answered."""
    if passing.role is None:
        stranger = anonymous.stranger(passing.work, passing.letter, passing.claim)
        passing.claim = passing.claim._replace(role=stranger)
        passing.row.verdict = stranger.NAME
        stranger.sign(passing.row)
    return None


def _forged(passing: Passing) -> Outcome | None:
    """Its From is known to be false, and the address that it went to does not prove enough."""
    role, evidence = passing.author, passing.evidence
    if evidence != "fail" or role.READS_FORGED:
        return None
    if role.FALSE is not None:
        _tell_operator(passing.work, role, role.FALSE)
    return _unanswered(passing, "unauthentic")


def _from_nowhere(passing: Passing) -> Outcome | None:
    """There is no address that could be answered."""
    return None if passing.author.email else _unanswered(passing, "no-sender")


def _too_often(passing: Passing) -> Outcome | None:
    """Its author has been told already that he writes too often."""
    return _unanswered(passing, "over-budget") if _past_limit(passing) > 1 else None


Gate = Callable[[Passing], Outcome | None]
"""Tells what came of a letter that it keeps back; None if the letter may go on."""

GATES: tuple[Gate, ...] = (
    _known,
    _copied,
    _blocked,
    _from_witness,
    _read,
    _unsubscribed,
    _by_machine,
    _said_before,
    _by_nobody,
    _forged,
    _from_nowhere,
    _too_often,
)
"""In their order: what costs more, or tells more, comes later."""


def _answer(passing: Passing) -> Outcome:
    """Do what a letter says, or say why it was not read, and queue its one answer."""
    tx, letter, row, role = passing.work, passing.letter, passing.row, passing.author
    over = _past_limit(passing)
    passing.keep_for(role)
    answer = role.answer(Incoming(letter, row, passing.received.raw, passing.evidence))
    answer.opening += passing.opening
    answer.opening += role.notes_on_sender(letter.sender, passing.evidence)
    address = role.head(answer).address
    if refused := _why_refused(passing, over):
        answer.refuse_unread(refused)
    else:
        before = len(answer.opening)
        nothing = role.carry_out(answer, letter.text)
        # That there was nothing to do is said first, then why that may be.
        place = before + 1 if nothing else len(answer.opening)
        answer.opening[place:place] = senders.notes_on_letter(letter, nothing=nothing) if role.KNOWN else ()
    if not over and letter.refusal is None and role.is_enough(answer):
        answer.silent = "repeated"
    names: tuple[str, ...] = ()
    if not answer.silent:
        head = role.head(answer)
        # After ROTATE another one stands there: what the others have read is worthless.
        if role.KNOWN and head.address == address:
            answer.opening += senders.warn_of_readers(letter, role.email, address)
        names = (outbox.queue(tx, answer.to_json(head), role.envelope(answer), passing.cause, row),)
    hot_statements.change(tx.session, row, outcome="over-budget" if over else answer.outcome, sender=row.sender)
    return passing.end(*names)


def _past_limit(passing: Passing) -> int:
    """By how many letters its author is past what he may write in an hour."""
    return 0 if passing.received.again else senders.too_many(passing.work.server, passing.author.written)


def _why_refused(passing: Passing, over: int) -> Sequence[Msg]:
    """Why a letter is answered and not read; nothing if it is read."""
    tx, letter, excess = passing.work, passing.letter, passing.excess
    if over:
        again = content.when(tx.now + senders.HOUR, passing.author.zone)
        return (msg(_TOO_MANY.text, count=tx.server.settings.letters_an_hour, when=again),)
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


def take_as_fault(tx: Transaction, received: Received, fault: str, why: Fault = FAULT) -> Outcome:
    """Note a letter that cannot be read, so that it does not stand in the way of others; tell its author and us."""
    letter = inbound.read_header(received.raw, tx.server.own)
    before = recognise(tx, received.place, letter, received.raw)
    if before.here is not None:
        return Outcome(before.here.id, "known", before.here.outcome)
    row = _row(received, letter, tx.now)
    passing = Passing(tx, received, letter, before, row, _claim(tx, letter))
    row.copy_of = before.original.id if before.original else None
    row.verdict, row.outcome = "fault", why.outcome
    if passing.role is not None and passing.role.seat is not None:
        row.seat_id = passing.role.seat.id
    passing.keep(received.raw)
    cause = f"{letter.message_id} {row.sha256}"
    outcome = passing.end_unread(why.author, cause)
    what = msg(why.operator.text, row=row.id or 0)
    outbox.to_operator(tx, outbox.Notice(what, fault, cause=cause))
    return outcome


def _row(received: Received, letter: IncomingLetter, now: datetime) -> tables.Inbox:
    """The letter's row, not yet added."""
    return hot_statements.new(
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


def _unanswered(passing: Passing, outcome: str) -> Outcome:
    """Keep a letter that is neither read nor answered."""
    passing.row.outcome = outcome
    passing.keep_for(passing.author)
    return passing.end()


def _tell_operator(tx: Transaction, role: Role[Any], false: Msg) -> None:
    """Tell once a day that a letter says falsely who it is from: it was not read, and its writer gets no answer."""
    if queries.inbox.taken_since(tx.session, role.NAME, tx.now - _DAY, ["unauthentic"]):
        return
    cause = f"false {role.about} {tx.now.isoformat()}"
    outbox.to_operator(tx, outbox.Notice(msg(false.text, game=role.about), "", cause=cause, game=role.game))


def _claim(tx: Transaction, letter: IncomingLetter) -> Claim:
    return reception.claim(tx, letter.seat, ROLES)


def _text_and_claim(passing: Passing) -> tuple[IncomingLetter, Claim]:
    """Read the text, and find its author by the address that it came to or that it names."""
    tx, head = passing.work, passing.letter
    claim = _claim(tx, head)
    if passing.excess is not None:
        return head, claim
    letter = _text(passing.received, head, claim.role, tx.server)
    if claim.kind == "none" and letter.named:
        claim = reception.one_named(tx, letter.named, ROLES)
        if claim.role is not None:
            letter = _text(passing.received, head, claim.role, tx.server)
    return letter, claim


def _text(received: Received, head: IncomingLetter, role: Role[Any] | None, server: Server) -> IncomingLetter:
    """The letter with its text. Only who wrote says which template may come back in it, and which words are ours."""
    ours = role.own_words(head) if role is not None else inbound.NOTHING_OF_OURS
    return inbound.read_body(received.raw, head, ours, whole=received.whole, own=server.own)


def _text_behind_marks(passing: Passing) -> str:
    """The text of a letter that has the marks of a machine; empty if it cannot be read."""
    head = replace(passing.letter, refusal=None, reason="")
    letter = _text(passing.received, head, passing.role, passing.work.server)
    return letter.text if letter.refusal is None else ""


def _was_told(passing: Passing) -> bool:
    """Tell whether somebody heard within a day that a letter of his looked like a program's."""
    session, row, role, day = passing.work.session, passing.row, passing.role, passing.work.now - _DAY
    if role is not None and role.seat is not None:
        return queries.inbox.answered_unread_since(session, role.seat, day)
    return queries.inbox.taken_since(session, row.verdict, day, ("automatic",), row.sender) > 0


def _opening_anew(passing: Passing, first: Earlier) -> tuple[Msg, ...] | None:
    """What the answer to a letter that came before opens with, if it is to be read anew; None if it is not."""
    if passing.received.again:
        return (_AGAIN,)
    if not passing.letter.undated or first.verdict != "seat":
        return None
    letter, claim = _text_and_claim(passing)
    seat = claim.role.seat if claim.role is not None else None
    if seat is None or letter.refusal is not None:
        return None
    return deduplicate.opening_anew(passing.work, seat, letter.text, passing.row, first.id)


def _same_words(passing: Passing, role: Role[Any]) -> Earlier | None:
    """Return an earlier letter under the same Message-ID, to the same address, that says the same; None if none does.

    A copy that came by a list or another server may have another encoding, and words of that server around it.
    """
    seat_id = role.seat.id if role.seat is not None else None
    read = [one for one in passing.before.twins if one.outcome not in _NEVER_READ]
    mine = [one for one in read if one.verdict == role.NAME and one.seat_id == seat_id][:_TWINS]
    said = role.essence(passing.letter.text) if mine else None
    for one in mine if said else ():
        raw = passing.work.session.get(tables.Raw, one.sha256)
        earlier = inbound.read(raw.body, passing.work.server.own) if raw is not None and raw.body else None
        if earlier is None or (seat_id is None and earlier.seat != passing.letter.seat):
            continue
        if role.essence(earlier.text) == said:
            return one
    return None


def _answer_copy(passing: Passing, first: Earlier) -> Outcome:
    """Answer a letter that came a second time: its old answers are sent again, and nothing else is done."""
    tx, row = passing.work, passing.row
    row.copy_of, row.seat_id, row.verdict = first.id, first.seat_id, "copy"
    if first.verdict == "fault":
        return _unread_again(passing, first)
    # To strangers a second answer would be one too many; what was never answered still is not.
    seat = tx.session.get(tables.Seat, first.seat_id) if first.verdict == "seat" else None
    role = _claim(tx, passing.letter).role if seat is None else None
    written = senders.letters_of(tx, seat) if seat is not None else role.written if role is not None else 0
    again = (seat is not None or role is not None) and not senders.too_many(tx.server, written)
    row.outcome = first.outcome if again else "silent"
    passing.keep(b"")
    if not again:
        return passing.end()
    said: tuple[str, ...] = ()
    if seat is not None and passing.letter.undated:
        said = deduplicate.say_it_came_before(tx, row, seat, first)
    for answer in queries.outbox.answers(tx.session, first.id):
        outbox.again(answer, tx.now)
        tx.session.add(answer)
    tx.session.flush()
    return passing.end(*said, *queries.outbox.answer_names(tx.session, first.id))


def _unread_again(passing: Passing, first: Earlier) -> Outcome:
    """Leave a letter unread that was set aside before; the first time its author is told how to be read."""
    row, session = passing.row, passing.work.session
    row.outcome = "silent" if queries.inbox.has_copy(session, first.id) else first.outcome
    passing.keep(b"")
    if row.outcome == "silent":
        return passing.end()
    passing.claim = _claim(passing.work, passing.letter)
    return passing.end_unread(_AGAIN_UNREAD, f"{passing.letter.message_id} {row.id}")
