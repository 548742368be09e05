"""One letter in, in one transaction: its row and bytes, what it does, and the answer in the outbox, or nothing.

A letter is known by its place in the mailbox and by its Message-ID and bytes (deduplicate.py). Taken twice by place it
is the same letter seen again after a crash, and nothing happens; come twice by bytes it gets its answer again; another
letter under an old id is a letter of its own, and its answer says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Any, NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import counted
from pbem.letters import command_lines, outbox, reception, senders
from pbem.letters.reception import Role
from pbem.letters.senders import Claim, Writer
from pbem.log import log_health, witnesses
from pbem.mail import inbound, mime, quoting
from pbem.mail.address import base_address, strike
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.play import deadlines, log_entries
from pbem.play.commands.answer import Answer
from pbem.play.commands.orders import order_block
from pbem.play.positions import position
from pbem.play.rulings import moderator_letter
from pbem.runtime import limits
from pbem.runtime.limits import Excess, Meter
from pbem.runtime.transaction import WITNESS, Server, Work
from pbem.server import anonymous, bounces, deduplicate, player_letter, unread
from pbem.server.catalogue import FORMS
from pbem.server.deduplicate import recognise
from pbem.server.unread import Fault
from pbem.store import queries, tables, writes
from pbem.store.queries.inbox import Earlier, Place
from pbem.tournaments import director_letter
from pbem.tournaments.commands import entrant_letter

_fingerprint = lru_cache(maxsize=256)(quoting.fingerprint)
"""Of templates, each of which comes back with every letter of its phase."""

_TOLD = ("cosigned", "refused-fork", "refused-smaller", "refused-gap")
"""What came of letters of witnesses that are kept whole: each of them is a proof."""
_MACHINES = ("auto", "bounce", "list", "loop")
_SENT_ON = ("auto", "bounce", "list")
"""What a person's letter may look like when a list or a forwarding has handled it."""
_PARTS_LOGGED = 5
_TWINS = 3
"""Letters under the same Message-ID whose words are compared."""
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

    `verdict`: seat, moderator, entrant, director, stranger, copy, known (this very message came) or a refusal of mail;
    `outcome`: the kind of the answer, or why there was none. `answers` are the Message-IDs of the letters it led to.
    `why` is what of it was left unread and for what reason, for the operator's log.
    """

    inbox_id: int
    verdict: str
    outcome: str
    answers: tuple[str, ...] = ()
    why: str = ""


def examine(server: Server, received: Received) -> Received:
    """The letter with what its signatures are worth, where this server checks them.

    That may ask the DNS and wait for it, and so has to be done before the transaction.
    """
    if server.txt is None:
        return received
    author = inbound.read_header(received.raw, server.own).sender
    return received._replace(evidence=senders.evidence(server, received.raw, author))


def take(work: Work, received: Received, excess: Excess | None = None) -> Outcome:
    """Take a letter in; the caller commits. What it raises is a fault of ours, and then nothing may be kept.

    TooMuch is none: the letter passes a limit, and is taken again with that `excess`, which is all that is answered.
    """
    work.meter = Meter(work.server.limits, work.server.cpu, excess)
    with counted(work.meter):
        return _take(work, received)


def _take(work: Work, received: Received) -> Outcome:
    letter = inbound.read_header(received.raw, work.server.own)
    if letter.date is not None and letter.date > received.internaldate:
        # A clock that runs ahead would make all later letters of the same author look older.
        letter = replace(letter, date=received.internaldate)
    before = recognise(work, received.place, letter, received.raw)
    if before.here is not None:
        return Outcome(before.here.id, "known", before.here.outcome)
    row = _row(received, letter, work.now)
    anew = _opening_anew(work, received, letter, row, before.original) if before.original is not None else None
    if before.original is not None and anew is None:
        return _copy(work, row, before.original, letter)
    row.copy_of = before.original.id if before.original else None
    if work.server.blocked is not None and work.server.blocked.has(letter.sender):
        row.verdict, row.outcome = "stranger", "blocked"
        _keep(work.session, row, mime.header(received.raw))
        return Outcome(row.id or 0, row.verdict, row.outcome)
    if letter.seat is not None and letter.seat.seat == WITNESS:
        row.verdict, row.outcome = "witness", witnesses.receive_statement(work, letter.seat, received.raw, row)
        _keep(work.session, row, received.raw if row.outcome in _TOLD else mime.header(received.raw))
        return Outcome(row.id or 0, row.verdict, row.outcome)
    letter, claim = _read(work, received, letter)
    button = bounces.subscription(work, letter.seat) if claim.kind == "wrong" and letter.refusal != "loop" else None
    if button is not None:
        row.verdict = row.outcome = bounces.UNSUBSCRIBED
        row.seat_id = button.seat.id if button.seat is not None else None
        _keep(work.session, row, mime.header(received.raw))
        bounces.unsubscribe(work, button, row)
        return Outcome(row.id or 0, row.verdict, row.outcome, tuple(queries.outbox.answer_names(work.session, row.id)))
    work.look()
    writer, known_here = claim.writer, claim.kind == "token"
    if letter.refusal in _MACHINES or (letter.refusal == "poison" and not known_here):
        row.verdict = letter.refusal or ""
        return _take_from_machine(work, received, letter, claim, row)
    if writer is not None:
        row.verdict, row.seat_id = "seat", writer.seat.id
        same = _same_said(work, letter, before.twins, writer)
        if same is not None and anew is None:
            return _copy(work, row, same, letter)
        over = 0 if received.again else senders.too_many(work.server, writer.letters)
        _keep(work.session, row, received.raw)
        bounces.forget_bounces(work.session, writer.seat)
        deadlines.note_presence(work, writer.seat)
        answer = _answer_to(work, letter, row, writer)
        if anew is not None:
            answer.opening += anew
        elif before.twins:
            answer.opening.append(_TWIN)
        _announce_sender(answer, writer, received)
        log_health.note_shown_trees(work, writer.game, received.raw)
        outcome, answers = _serve(answer, writer.email, over)
    elif (role := _role_of(work, claim, row)) is not None:
        row.verdict, row.sender = role.name, base_address(role.to.recipient)
        _keep(work.session, row, received.raw)
        evidence = received.evidence or senders.evidence(work.server, received.raw, letter.sender)
        outcome = reception.receive(work, letter, row, role, evidence)
        answers = tuple(queries.outbox.answer_names(work.session, row.id))
    else:
        row.verdict = "stranger"
        _keep(work.session, row, mime.header(received.raw))
        anonymous.forget(work)
        evidence = received.evidence or senders.evidence(work.server, received.raw, letter.sender)
        outcome = anonymous.answer(work, letter, claim, evidence, row)
        answers = tuple(queries.outbox.answer_names(work.session, row.id))
    writes.change(work.session, row, outcome=outcome, sender=row.sender)
    return Outcome(row.id or 0, row.verdict, row.outcome, answers, _why_unread(letter))


def _role_of(work: Work, claim: Claim, row: tables.Inbox) -> Role[Any] | None:
    """Return the role that an address speaks for, a seat's apart; None if it is none."""
    if claim.moderator is not None:
        return moderator_letter.role_of(work, claim.moderator)
    if claim.entrant is not None:
        return entrant_letter.role_of(work, row, claim.entrant)
    return director_letter.role_of(work, claim.director) if claim.director is not None else None


def _why_unread(letter: IncomingLetter) -> str:
    """Return why a letter was not read, or which of its parts were not; empty if all of it was."""
    if letter.refusal is not None:
        return strike(letter.reason)
    parts = [f"{part.kind}: {part.unread}" for part in letter.reading.unread[:_PARTS_LOGGED]]
    left_out = [f"lines quoted or below a signature: {letter.reading.quoted}"] if letter.reading.quoted else []
    return ", ".join(parts if letter.text.strip() else [*parts, *left_out])


def _take_from_machine(
    work: Work, received: Received, letter: IncomingLetter, claim: Claim, row: tables.Inbox
) -> Outcome:
    """Take a letter that looks as if no person wrote it. Nothing in it is carried out.

    It may say something to do all the same: some providers and mailing lists set such marks on what people write. Then
    its writer is told why at his registered address, once a day at most.
    """
    writer, role = claim.writer, _role_of(work, claim, row)
    known = writer is not None or role is not None
    report = letter.bounced is not None or "multipart/report" in letter.reason or letter.refusal not in _SENT_ON
    if known and not report and _wants_something(work, received, letter, claim, role):
        row.seat_id, row.outcome = writer.seat.id if writer is not None else None, "automatic"
        row.sender = base_address(role.to.recipient) if role is not None else row.sender
    else:
        row.outcome = bounces.take_bounce(work, letter, received.raw) if _is_bounce(letter) else "silent"
    told = row.outcome == "automatic" and not _was_told(work, claim, row)
    _keep(work.session, row, mime.header(received.raw))
    if told:
        why = msg(unread.AUTOMATIC.text, sign=letter.reason)
        unread.tell_author(work, claim, role, why, row, f"{letter.message_id} {row.sha256}")
    answers = tuple(queries.outbox.answer_names(work.session, row.id))
    return Outcome(row.id or 0, row.verdict, row.outcome, answers, _why_unread(letter))


def _was_told(work: Work, claim: Claim, row: tables.Inbox) -> bool:
    """Tell whether somebody heard within a day that a letter of his looked like a program's."""
    day = work.now - timedelta(days=1)
    if claim.writer is not None:
        return queries.inbox.answered_unread_since(work.session, claim.writer.seat, day)
    return queries.inbox.taken_since(work.session, row.verdict, day, ("automatic",), row.sender) > 0


def _wants_something(
    work: Work, received: Received, letter: IncomingLetter, claim: Claim, role: Role[Any] | None
) -> bool:
    """Tell whether a letter that is not carried out says something to do, outside of what it quotes."""
    read = _body(work, received, replace(letter, refusal=None, reason=""), claim)
    if role is not None:
        return read.refusal is None and role.wants(read.text)
    said = command_lines.read(read.text, FORMS, work.server.limits)
    return read.refusal is None and (said.block is not None or bool(said.commands) or bool(said.later))


def _opening_anew(
    work: Work, received: Received, head: IncomingLetter, row: tables.Inbox, first: Earlier
) -> tuple[Msg, ...] | None:
    """What the answer to a letter that came before opens with, if it is to be read anew; None if it is not."""
    if received.again:
        return (_AGAIN,)
    if not head.undated or first.verdict != "seat":
        return None
    letter, claim = _read(work, received, head)
    if claim.writer is None or letter.refusal is not None:
        return None
    said = command_lines.read(letter.text, FORMS, work.server.limits)
    return deduplicate.opening_anew(work, claim.writer, said, row, first.id)


def _same_said(work: Work, letter: IncomingLetter, twins: Sequence[Earlier], writer: Writer) -> Earlier | None:
    """Return an earlier letter of the seat under the same Message-ID that says the same; None if there is none.

    A copy that came by a list or another server may have another encoding, and words of that server around it.
    """
    mine = [one for one in twins if one.verdict == "seat" and one.seat_id == writer.seat.id][:_TWINS]
    said = command_lines.read(letter.text, FORMS, work.server.limits).essence if mine else ()
    for one in mine if said else ():
        raw = work.session.get(tables.Raw, one.sha256)
        text = inbound.read(raw.body, work.server.own).text if raw is not None and raw.body else ""
        if command_lines.read(text, FORMS, work.server.limits).essence == said:
            return one
    return None


def _read(work: Work, received: Received, head: IncomingLetter) -> tuple[IncomingLetter, Claim]:
    """Read the body as whoever wrote it is to be read, by the address that it came to or that it names."""
    claim = senders.claim(work, head.seat)
    if work.meter is not None and work.meter.excess is not None:
        return head, claim
    letter = _body(work, received, head, claim)
    if claim.kind == "none" and letter.named:
        claim = senders.one_named(work, letter.named)
        if claim.writer is not None:
            letter = _body(work, received, head, claim)
    return letter, claim


def _body(work: Work, received: Received, head: IncomingLetter, claim: Claim) -> IncomingLetter:
    """The letter with its text. Only who wrote says which template may come back in it, and which words are ours."""
    if claim.writer is None:
        return inbound.read_body(received.raw, head, whole=received.whole, own=work.server.own)
    seat = claim.writer.seat
    templates = {seat.nonce: _fingerprint(seat.template)} if seat.template else {}
    ours = inbound.Ours(templates, partial(order_block.our_sentences, work, seat, head))
    return inbound.read_body(received.raw, head, ours, whole=received.whole)


def _is_bounce(letter: IncomingLetter) -> bool:
    return letter.refusal == "bounce" or (letter.refusal == "auto" and letter.bounced is not None)


def take_as_fault(work: Work, received: Received, fault: str, why: Fault = unread.FAULT) -> Outcome:
    """Note a letter that cannot be read, so that it does not stand in the way of others; tell its seat and us."""
    letter = inbound.read_header(received.raw, work.server.own)
    before = recognise(work, received.place, letter, received.raw)
    if before.here is not None:
        return Outcome(before.here.id, "known", before.here.outcome)
    claim = senders.claim(work, letter.seat)
    writer = claim.writer
    row = _row(received, letter, work.now)
    row.copy_of = before.original.id if before.original else None
    row.verdict, row.outcome, row.seat_id = "fault", why.outcome, writer.seat.id if writer else None
    _keep(work.session, row, received.raw)
    cause = f"{letter.message_id} {row.sha256}"
    unread.tell_author(work, claim, _role_of(work, claim, row), why.author, row, cause)
    what = msg(why.operator.text, row=row.id or 0)
    outbox.to_operator(work, outbox.Notice(what, fault, cause=cause))
    return Outcome(row.id or 0, "fault", why.outcome, tuple(queries.outbox.answer_names(work.session, row.id)))


def _keep(session: Session, row: tables.Inbox, raw: bytes) -> None:
    """Write the letter's row, and as much of its bytes as is kept of it."""
    writes.add_new(session, "raw", sha256=row.sha256, body=raw)
    row.id = writes.add_row(session, row)


def _row(received: Received, letter: IncomingLetter, now: datetime) -> tables.Inbox:
    """The letter's row, not yet added."""
    return writes.new(
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


def _copy(work: Work, row: tables.Inbox, first: Earlier, letter: IncomingLetter) -> Outcome:
    """Answer a letter that came a second time: its old answers are sent again, and nothing else is done."""
    row.copy_of, row.seat_id, row.verdict = first.id, first.seat_id, "copy"
    # To strangers a second answer would be one too many; what was never answered still is not.
    seat = work.session.get(tables.Seat, first.seat_id) if first.verdict == "seat" else None
    again = seat is not None and not senders.too_many(work.server, senders.letters_of(work, seat))
    if first.verdict in ("moderator", "entrant", "director"):
        again = _role_of(work, senders.claim(work, letter.seat), row) is not None
    if first.verdict == "fault":
        return _unread_again(work, row, first, letter)
    row.outcome = first.outcome if again else "silent"
    _keep(work.session, row, b"")
    told: tuple[str, ...] = ()
    if again and seat is not None and letter.undated:
        told = deduplicate.say_it_came_before(work, row, seat, first)
    if again:
        for answer in queries.outbox.answers(work.session, first.id):
            outbox.again(answer, work.now)
            work.session.add(answer)
    work.session.flush()
    answers = tuple(queries.outbox.answer_names(work.session, first.id)) if again else ()
    return Outcome(row.id or 0, "copy", row.outcome, (*told, *answers))


def _unread_again(work: Work, row: tables.Inbox, first: Earlier, letter: IncomingLetter) -> Outcome:
    """Leave a letter unread that was set aside before; the first time its author is told how to be read."""
    row.outcome = "silent" if queries.inbox.has_copy(work.session, first.id) else first.outcome
    _keep(work.session, row, b"")
    if row.outcome != "silent":
        claim = senders.claim(work, letter.seat)
        unread.tell_author(work, claim, _role_of(work, claim, row), unread.AGAIN, row, f"{letter.message_id} {row.id}")
    return Outcome(row.id or 0, "copy", row.outcome, tuple(queries.outbox.answer_names(work.session, row.id)))


def _answer_to(work: Work, letter: IncomingLetter, row: tables.Inbox, writer: Writer) -> Answer:
    """The answer to a letter, with the game as it stands; nothing is said in it yet."""
    game = writer.game
    here = position(work, game, writer.kept) if game.state != "forming" else None
    phase = writer.sittings[0].phase
    answer = Answer(
        work.session,
        work.server,
        work.now,
        game,
        writer.seat,
        letter,
        row,
        here,
        phase,
        writer.sittings,
        meter=work.meter,
    )
    if phase is None and game.state in ("running", "held"):
        answer.closed = queries.phases.closed_phase(work.session, game.id)
    return answer


def _announce_sender(answer: Answer, writer: Writer, received: Received) -> None:
    """Say so, at the registered address, if somebody else seems to have written."""
    evidence = received.evidence or "none"
    if received.evidence is None and answer.server.authserv_id:
        evidence = senders.evidence(answer.server, received.raw, answer.letter.sender)
    answer.opening += senders.warn_of_from(answer, writer, answer.letter.sender, evidence)


def _warn_of_readers(answer: Answer, email: str | None, generation: int) -> None:
    """Say so if others can read the seat's address in the letter, unless it has already been replaced by another."""
    if email is not None and answer.kinds and answer.seat.generation == generation:
        answer.opening += senders.warn_of_readers(answer.letter, email, answer.server.seat_address(answer.seat))


def _serve(answer: Answer, email: str | None, over: int) -> tuple[str, tuple[str, ...]]:
    """Do what a seat's letter says and answer it; the kind of the answer and its Message-ID."""
    letter, row, seat, generation = answer.letter, answer.inbox, answer.seat, answer.seat.generation
    if over > 1:
        return "over-budget", ()
    if over:
        again = answer.when(answer.now + timedelta(hours=1))
        told = msg(
            "More than {count} letters came from you within an hour; questions, VERIFY and refused letters count a "
            "third each. I did not read this one and will not answer others; send it again after {when}.",
            count=answer.server.letters_an_hour,
            when=again,
        )
        answer.say("refusal", told)
    elif letter.refusal == "poison":
        answer.say("refusal", msg("Your letter could not be read: its format is broken. Nothing was changed."))
        answer.opening += senders.notes_on_limit(letter)
        answer.opening.append(msg("Write a new letter of plain text, with your orders or commands alone."))
    elif letter.refusal is not None:
        larger = msg("Your letter is larger than I read. Nothing was changed; please send the orders alone.")
        answer.say("refusal", larger, *senders.notes_on_limit(letter), limits.LARGER)
    elif answer.meter is not None and answer.meter.excess is not None:
        answer.say("refusal", *limits.told(answer.meter.excess))
    else:
        said = command_lines.read(letter.text, FORMS, answer.server.limits)
        player_letter.carry_out(answer, said)
        if not said.empty or not answer.unread:
            answer.opening += senders.notes_on_letter(letter)
        if answer.here is not None and answer.phase is not None:
            came = log_entries.CarriedOut(answer.inbox, answer.seat, answer.queued, answer.in_force, answer.going)
            log_entries.note_orders(answer, answer.here, answer.phase, came)
    if not over and email is not None and letter.refusal is None and deduplicate.is_enough(answer):
        return "repeated", ()
    _warn_of_readers(answer, email, generation)
    if email is None:
        return "vacant", ()
    to = outbox.Envelope(email, seat.language, seat, answer.game)
    cause = f"{letter.message_id} {row.sha256}" + (f" {row.id}" if row.copy_of is not None else "")
    name = outbox.queue(answer, answer.to_json(), to, cause, row)
    return "over-budget" if over else answer.kind, (name,)
