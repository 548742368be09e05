"""One letter in, in one transaction: its row and bytes, what it does, and the answer in the outbox, or nothing.

A letter is known by its place in the mailbox and by its Message-ID and bytes. Taken twice by place it is the same
letter seen again after a crash, and nothing happens; come twice by bytes it gets its answer again; another letter
under an old id is a letter of its own, and its answer says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import NamedTuple

from sqlmodel import Session

from pbem.campaign.base import command_lines, letters
from pbem.campaign.base.positions import position
from pbem.campaign.base.server import WITNESS, Office
from pbem.campaign.chain import ledger
from pbem.campaign.commands import player_letter
from pbem.campaign.commands.answer import Desk
from pbem.campaign.commands.orders import quotes
from pbem.campaign.door import bounces, strangers
from pbem.campaign.moderator import moderator_letter
from pbem.campaign.people import moderators, outbox, senders
from pbem.campaign.people.senders import Claim, Writer
from pbem.campaign.proofs import guard, testimony
from pbem.core.data.messages import msg
from pbem.mail import inbound, mime
from pbem.mail.address import OwnAddresses
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import Inbound
from pbem.store import queries, tables, writes
from pbem.store.queries.inbox import Earlier, Place

__all__ = ["Outcome", "Received", "examined", "take", "take_as_fault"]

_fingerprint = lru_cache(maxsize=256)(inbound.fingerprint)
"""Of templates, each of which comes back with every letter of its phase."""

_TOLD = ("cosigned", "refused-fork", "refused-smaller", "refused-gap")
"""What came of letters of witnesses that are kept whole: each of them is a proof."""
_MACHINES = ("auto", "bounce", "list", "loop")
_TWIN = msg("Another letter with the same Message-ID but another content came before; this one counts by itself.")
_PROVEN = msg("Its sender is vouched for.")
_UNPROVEN = msg("Nobody vouches for its sender.")


class Received(NamedTuple):
    """A letter as it lay in a mailbox; `whole` is False if it was too big and `raw` is its header alone.

    `evidence` is what `examined` found.
    """

    account: str
    folder: str
    uidvalidity: int
    uid: int
    internaldate: datetime
    raw: bytes
    whole: bool = True
    evidence: Evidence | None = None


class Outcome(NamedTuple):
    """What was found in a letter and what came of it.

    `verdict`: seat, moderator, stranger, copy, known (this very message was taken before) or a refusal of mail;
    `outcome`: the kind of the answer, or why there was none. `answers` are the Message-IDs of the letters it led to.
    """

    inbox_id: int
    verdict: str
    outcome: str
    answers: tuple[str, ...] = ()


def examined(office: Office, received: Received) -> Received:
    """The letter with what its signatures are worth, where this server checks them.

    That may ask the DNS and wait for it, and so has to be done before the transaction.
    """
    if office.txt is None:
        return received
    author = inbound.read_header(received.raw, _own(office)).sender
    return received._replace(evidence=senders.evidence(office, received.raw, author))


def take(session: Session, office: Office, received: Received) -> Outcome:
    """Take a letter in; the caller commits. What it raises is a fault of ours, and then nothing may be kept."""
    letter = inbound.read_header(received.raw, _own(office))
    known, twins = _earlier(session, received, letter)
    if known is not None:
        return Outcome(known.id, "known", known.outcome)
    now = office.clock.now()
    row = _row(received, letter, now)
    first = _original(row, twins)
    if first is not None:
        return _copy(session, office, row, first, letter, now)
    if letter.seat is not None and letter.seat.seat == WITNESS:
        row.verdict, row.outcome = "witness", testimony.receive(session, office, letter.seat, received.raw, now)
        _keep(session, row, received.raw if row.outcome in _TOLD else mime.header(received.raw))
        return Outcome(row.id or 0, row.verdict, row.outcome)
    letter, claim = _read(session, office, received, letter, now)
    writer, known_here = claim.writer, claim.kind == "token"
    if letter.refusal in _MACHINES or (letter.refusal == "poison" and not known_here):
        row.verdict = letter.refusal or ""
        row.outcome = bounces.came_back(session, office, letter, received.raw, now) if _came_back(letter) else "silent"
        _keep(session, row, mime.header(received.raw))
        return Outcome(row.id or 0, row.verdict, row.outcome)
    if writer is not None:
        row.verdict, row.seat_id = "seat", writer.seat.id
        over = senders.too_many(office, writer.letters)
        _keep(session, row, received.raw)
        bounces.reached(session, writer.seat)
        desk = _desk(session, office, letter, row, writer, now)
        if twins:
            desk.opening.append(_TWIN)
        _announce_address(desk, writer, received)
        guard.heard(session, office, writer.game, received.raw)
        outcome, answers = _serve(desk, writer.email, over)
    elif claim.chair is not None:
        row.verdict = "moderator"
        _keep(session, row, received.raw)
        evidence = received.evidence or senders.evidence(office, received.raw, letter.sender)
        outcome = moderator_letter.receive(session, office, letter, row, claim.chair, evidence, now)
        answers = tuple(queries.outbox.answer_names(session, row.id))
    else:
        row.verdict = "stranger"
        _keep(session, row, mime.header(received.raw))
        strangers.forget(session, now)
        evidence = received.evidence or senders.evidence(office, received.raw, letter.sender)
        outcome = strangers.answer(session, office, letter, claim, evidence, row, now)
        answers = tuple(queries.outbox.answer_names(session, row.id))
    writes.change(session, row, outcome=outcome, sender=row.sender)
    return Outcome(row.id or 0, row.verdict, row.outcome, answers)


def _read(session: Session, office: Office, received: Received, head: Inbound, now: datetime) -> tuple[Inbound, Claim]:
    """Read the body as whoever wrote it is to be read, by the address that it came to or that it names."""
    claim = senders.claim(session, office, head.seat, now)
    letter = _body(session, office, received, head, claim)
    if claim.kind == "none" and letter.named:
        claim = senders.one_named(session, office, letter.named, now)
        if claim.writer is not None:
            letter = _body(session, office, received, head, claim)
    return letter, claim


def _body(session: Session, office: Office, received: Received, head: Inbound, claim: Claim) -> Inbound:
    """The letter with its text. Only who wrote says which template may come back in it, and which words are ours."""
    if claim.writer is None:
        return inbound.read_body(received.raw, head, whole=received.whole, own=_own(office))
    seat = claim.writer.seat
    templates = {seat.nonce: _fingerprint(seat.template)} if seat.template else {}
    ours = inbound.Ours(templates, partial(quotes.our_sentences, session, office, seat, head))
    return inbound.read_body(received.raw, head, ours, whole=received.whole)


def _own(office: Office) -> OwnAddresses:
    return OwnAddresses(office.local, office.domain)


def _came_back(letter: Inbound) -> bool:
    return letter.refusal == "bounce" or (letter.refusal == "auto" and letter.bounced is not None)


def take_as_fault(session: Session, office: Office, received: Received, fault: str) -> Outcome:
    """Note a letter that `take` failed on, so that it does not stand in the way of others; tell its seat and us."""
    letter = inbound.read_header(received.raw, _own(office))
    known, twins = _earlier(session, received, letter)
    if known is not None:
        return Outcome(known.id, "known", known.outcome)
    now = office.clock.now()
    claim = senders.claim(session, office, letter.seat, now)
    writer = claim.writer
    row = _row(received, letter, now)
    first = _original(row, twins)
    row.copy_of = first.id if first else None
    row.verdict, row.outcome, row.seat_id = "fault", "fault", writer.seat.id if writer else None
    _keep(session, row, received.raw)
    cause = f"{letter.message_id} {row.sha256}"
    told = msg("A fault of this server kept it from reading your letter. Nothing was changed; the operator knows.")
    if claim.chair is not None:
        moderators.notify(session, office, claim.chair.game, (told,), kind="fault", cause=cause, now=now)
    if writer is not None:
        head = outbox.head_of(office, writer.game, writer.seat, None)
        answer = letters.model("fault", head, opening=(told,))
        outbox.to_seat(session, office, answer, writer.seat, writer.game, cause=cause, now=now, answers=row)
    what = msg("A letter could not be taken in (inbox row {row}).", row=row.id or 0)
    outbox.to_operator(session, office, what, fault, cause=cause, now=now)
    return Outcome(row.id or 0, "fault", "fault", tuple(queries.outbox.answer_names(session, row.id)))


def _earlier(session: Session, received: Received, letter: Inbound) -> tuple[Earlier | None, tuple[Earlier, ...]]:
    """What was taken from this letter's place, and the first letters of each content under its Message-ID."""
    place = Place(received.account, received.folder, received.uidvalidity, received.uid)
    found = queries.inbox.earlier(session, place, letter.message_id)
    return next((one for one in found if one.here), None), tuple(one for one in found if not one.here)


def _original(row: tables.Inbox, twins: Iterable[Earlier]) -> Earlier | None:
    return next((one for one in twins if one.sha256 == row.sha256), None)


def _keep(session: Session, row: tables.Inbox, raw: bytes) -> None:
    """Write the letter's row, and as much of its bytes as is kept of it."""
    writes.add_new(session, "raw", sha256=row.sha256, body=raw)
    row.id = writes.add_row(session, row)


def _row(received: Received, letter: Inbound, now: datetime) -> tables.Inbox:
    """The letter's row, not yet added."""
    return writes.new(
        tables.Inbox,
        account=received.account,
        folder=received.folder,
        uidvalidity=received.uidvalidity,
        uid=received.uid,
        message_id=letter.message_id,
        sha256=hashlib.sha256(received.raw).hexdigest(),
        sender=letter.sender,
        internaldate=received.internaldate,
        taken=now,
        verdict="",
        outcome="",
    )


def _copy(
    session: Session, office: Office, row: tables.Inbox, first: Earlier, letter: Inbound, now: datetime
) -> Outcome:
    """The same letter once more: the same answer once more."""
    row.copy_of, row.seat_id, row.verdict = first.id, first.seat_id, "copy"
    # To strangers a second answer would be one too many; what was never answered still is not.
    seat = session.get(tables.Seat, first.seat_id) if first.verdict == "seat" else None
    again = seat is not None and not senders.too_many(office, senders.letters_of(session, seat, now))
    if first.verdict == "moderator":
        again = senders.claim(session, office, letter.seat, now).chair is not None
    row.outcome = first.outcome if again else "silent"
    _keep(session, row, b"")
    if again:
        for answer in queries.outbox.answers(session, first.id):
            outbox.again(answer, now)
            session.add(answer)
    session.flush()
    answers = tuple(queries.outbox.answer_names(session, first.id)) if again else ()
    return Outcome(row.id or 0, "copy", row.outcome, answers)


def _desk(session: Session, office: Office, letter: Inbound, row: tables.Inbox, writer: Writer, now: datetime) -> Desk:
    """The letter on the desk: the game as it stands, and an answer in which nothing is said yet."""
    game = writer.game
    here = position(session, office, game, writer.kept) if game.state != "forming" else None
    phase = writer.sittings[0].phase
    desk = Desk(session, office, game, writer.seat, letter, row, here, phase, now, writer.sittings)
    if phase is None and game.state in ("running", "held"):
        desk.closed = queries.phases.closed_phase(session, game.id)
    return desk


def _announce_address(desk: Desk, writer: Writer, received: Received) -> None:
    """Say so, at the registered address, if the letter is the first of its seat from another one."""
    sender = desk.letter.sender
    if not senders.new_address(desk.session, writer, sender, desk.now):
        return
    evidence = received.evidence or senders.evidence(desk.office, received.raw, sender)
    desk.opening += [
        msg("This letter came from {address}, from where none of your seat came before.", address=sender),
        _PROVEN if evidence == "pass" else _UNPROVEN,
        msg("If it was not you, somebody knows your seat's address: ROTATE gives you another one."),
    ]


def _serve(desk: Desk, email: str | None, over: int) -> tuple[str, tuple[str, ...]]:
    """Do what a seat's letter says and answer it; the kind of the answer and its Message-ID."""
    letter, row, seat = desk.letter, desk.inbox, desk.seat
    if over > 1:
        return "over-budget", ()
    if over:
        again = desk.when(desk.now + timedelta(hours=1))
        told = msg(
            "More than {count} letters came from you within an hour. This one was not read, and others will not even "
            "be answered; send it again after {when}.",
            count=desk.office.letters_an_hour,
            when=again,
        )
        desk.say("refusal", told)
    elif letter.refusal == "poison":
        desk.say("refusal", msg("Your letter could not be read: its format is broken. Nothing was changed."))
    elif letter.refusal is not None:
        desk.say(
            "refusal", msg("Your letter is larger than I read. Nothing was changed; please send the orders alone.")
        )
    else:
        player_letter.carry_out(desk, command_lines.read(letter.text))
        ledger.note_orders(desk)
    if email is None:
        return "vacant", ()
    name = outbox.queue(
        desk.session,
        desk.office,
        desk.answer(),
        email,
        cause=f"{letter.message_id} {row.sha256}",
        language=seat.language,
        now=desk.now,
        seat=seat,
        game=desk.game,
        answers=row,
    )
    return "over-budget" if over else desk.kind, (name,)
