"""One letter in, in one transaction: its row and bytes, what it does, and the answer in the outbox, or nothing.

A letter is known by its place in the mailbox and by its Message-ID and bytes. Taken twice by place it is the same
letter seen again after a crash, and nothing happens; come twice by bytes it gets its answer again; another letter
under an old id is a letter of its own, and its answer says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session, col, func, select

from pbem.campaign import commands, letters, outgoing, phases, reading, tokens, visitors
from pbem.campaign.desk import Desk
from pbem.campaign.letters import Head
from pbem.campaign.office import Office
from pbem.core.messages import Msg, msg
from pbem.mail import inbound
from pbem.mail.address import OwnAddresses, SeatAddress, base_address, check_address
from pbem.mail.inbound import Inbound
from pbem.store import queries, tables

__all__ = ["REQUESTS_A_DAY", "STRANGERS_A_DAY", "Outcome", "Received", "take", "take_as_fault"]

STRANGERS_A_DAY = 200
"""Answers in a day to all who write without a seat; to what is no request each of them gets one."""

REQUESTS_A_DAY = 5
"""Answers in a day to the requests of one who writes without a seat, as many as asking, joining and confirming take."""

_ANSWERED_STRANGER = "answered-stranger"
_ANSWERED_REQUEST = "answered-request"


class Received(NamedTuple):
    """A letter as it lay in a mailbox; `whole` is False if it was too big and `raw` is its header alone."""

    account: str
    folder: str
    uidvalidity: int
    uid: int
    internaldate: datetime
    raw: bytes
    whole: bool = True


class Outcome(NamedTuple):
    """What was found in a letter and what came of it.

    `verdict`: seat, stranger, copy, known (this very message was taken before) or a refusal of mail; `outcome`: the
    kind of the answer, or why there was none. `answers` are the Message-IDs of the letters it led to.
    """

    inbox_id: int
    verdict: str
    outcome: str
    answers: tuple[str, ...] = ()


def take(session: Session, office: Office, received: Received) -> Outcome:
    """Take a letter in; the caller commits. What it raises is a fault of ours, and then nothing may be kept."""
    where = (received.account, received.folder, received.uidvalidity, received.uid)
    known = queries.where_it_lay(session, *where)
    if known is not None:
        return Outcome(known.id or 0, "known", known.outcome)
    now = office.clock.now()
    letter, seat = _read(session, office, received)
    row = _row(session, received, letter, now)
    first = queries.original(session, letter.message_id, row.sha256)
    if first is not None:
        return _copy(session, row, first, now)
    # Asked before the row is added: it would find itself.
    twin = session.exec(select(tables.Inbox.id).where(tables.Inbox.message_id == letter.message_id)).first()
    session.add(row)
    session.flush()
    if letter.refusal in ("auto", "bounce", "list", "loop"):
        row.verdict, row.outcome = letter.refusal, "silent"
    elif seat is not None:
        row.verdict, row.seat_id = "seat", seat.id
        row.outcome = _serve(session, office, letter, row, seat, now, twin is not None)
    elif letter.refusal == "poison":
        row.verdict, row.outcome = "poison", "silent"
    else:
        row.verdict = "stranger"
        row.outcome = _answer_stranger(session, office, letter, row, now)
    session.add(row)
    session.flush()
    return Outcome(row.id or 0, row.verdict, row.outcome, _answers(session, row.id))


def take_as_fault(session: Session, office: Office, received: Received, fault: str) -> Outcome:
    """Note a letter that `take` failed on, so that it does not stand in the way of others; tell its seat and us."""
    where = (received.account, received.folder, received.uidvalidity, received.uid)
    known = queries.where_it_lay(session, *where)
    if known is not None:
        return Outcome(known.id or 0, "known", known.outcome)
    now = office.clock.now()
    letter, seat = _read(session, office, received)
    row = _row(session, received, letter, now)
    first = queries.original(session, letter.message_id, row.sha256)
    row.copy_of = first.id if first else None
    row.verdict, row.outcome, row.seat_id = "fault", "fault", seat.id if seat else None
    session.add(row)
    session.flush()
    cause = f"{letter.message_id} {row.sha256}"
    if seat is not None:
        game = session.get_one(tables.Game, seat.game_id)
        told = msg("A fault of this server kept it from reading your letter. Nothing was changed; the operator knows.")
        answer = letters.model("fault", outgoing.head_of(office, game, seat, None), opening=(told,))
        outgoing.to_seat(session, office, answer, seat, game, cause=cause, now=now, answers=row)
    what = msg("A letter could not be taken in (inbox row {row}).", row=row.id or 0)
    outgoing.to_operator(session, office, what, fault, cause=cause, now=now)
    return Outcome(row.id or 0, "fault", "fault", _answers(session, row.id))


def _read(session: Session, office: Office, received: Received) -> tuple[Inbound, tables.Seat | None]:
    """Read the header first: only who wrote says which template may come back in the body."""
    own = OwnAddresses(office.local, office.domain)
    seat = _seat(session, office, inbound.read(received.raw, own, whole=False).seat)
    templates = {seat.nonce: inbound.fingerprint(seat.template)} if seat and seat.template else {}
    return inbound.read(received.raw, own, templates, whole=received.whole), seat


def _seat(session: Session, office: Office, address: SeatAddress | None) -> tables.Seat | None:
    """The seat an address speaks for; None if its token is not that of the seat's present holder."""
    if address is None:
        return None
    seat = queries.seat(session, address.game, address.seat)
    if seat is None:
        return None
    good = tokens.token(office.key, seat.game_id, seat.name, seat.generation)
    return seat if tokens.same(good, address.token) else None


def _row(session: Session, received: Received, letter: Inbound, now: datetime) -> tables.Inbox:
    """The letter's row, not yet added, and its bytes."""
    sha256 = hashlib.sha256(received.raw).hexdigest()
    if session.get(tables.Raw, sha256) is None:
        session.add(tables.Raw(sha256=sha256, body=received.raw))
        session.flush()
    return tables.Inbox(
        account=received.account,
        folder=received.folder,
        uidvalidity=received.uidvalidity,
        uid=received.uid,
        message_id=letter.message_id,
        sha256=sha256,
        sender=letter.sender,
        internaldate=received.internaldate,
        taken=now,
        verdict="",
        outcome="",
    )


def _copy(session: Session, row: tables.Inbox, first: tables.Inbox, now: datetime) -> Outcome:
    """The same letter once more: the same answer once more."""
    row.copy_of, row.seat_id, row.verdict = first.id, first.seat_id, "copy"
    # To strangers a second answer would be one too many; what was never answered still is not.
    row.outcome = first.outcome if first.verdict == "seat" else "silent"
    session.add(row)
    session.flush()
    if first.verdict == "seat":
        for answer in session.exec(select(tables.Outbox).where(tables.Outbox.inbox_id == first.id)):
            outgoing.again(answer, now)
            session.add(answer)
    session.flush()
    answers = _answers(session, first.id) if first.verdict == "seat" else ()
    return Outcome(row.id or 0, "copy", row.outcome, answers)


def _serve(
    session: Session,
    office: Office,
    letter: Inbound,
    row: tables.Inbox,
    seat: tables.Seat,
    now: datetime,
    twin: bool,
) -> str:
    """Do what a seat's letter says and answer it; the kind of the answer."""
    game = queries.game(session, seat.game_id)
    if game is None:
        raise LookupError(f"seat {seat.id} belongs to no game")
    begun = game.state != "forming"
    here = phases.position(session, office, game) if begun else None
    desk = Desk(session, office, game, seat, letter, row, here, queries.open_phase(session, game.id), now)
    if twin:
        desk.opening.append(
            msg("Another letter with the same Message-ID but another content came before; this one counts by itself.")
        )
    if letter.refusal == "poison":
        desk.say("refusal", msg("Your letter could not be read: its format is broken. Nothing was changed."))
    elif letter.refusal is not None:
        desk.say(
            "refusal", msg("Your letter is larger than I read. Nothing was changed; please send the orders alone.")
        )
    else:
        commands.carry_out(desk, reading.read(letter.text))
    cause = f"{letter.message_id} {row.sha256}"
    sent = outgoing.to_seat(session, office, desk.answer(), seat, game, cause=cause, now=now, answers=row)
    return desk.kind if sent is not None else "vacant"


def _answer_stranger(session: Session, office: Office, letter: Inbound, row: tables.Inbox, now: datetime) -> str:
    """Tell somebody without a valid seat's address how this works, within the day's budget."""
    person = queries.person_by_email(session, letter.sender)
    recipient = (queries.email_of(session, person.id) if person else None) or letter.sender
    try:
        check_address(recipient)
    except ValueError:
        return "no-sender"
    row.sender = base_address(recipient)
    if _strangers(session, now, (_ANSWERED_STRANGER, _ANSWERED_REQUEST)) >= STRANGERS_A_DAY:
        return "over-budget"
    cause = f"{letter.message_id} {row.sha256}"
    language = person.language if person is not None else "en"
    asked = reading.read(letter.text) if letter.seat is None and letter.refusal is None else None
    if asked is not None and visitors.may_ask(asked):
        if _strangers(session, now, (_ANSWERED_REQUEST,), row.sender) >= REQUESTS_A_DAY:
            return "over-budget"
        language = "es" if person is None and asked.commands[0].spanish else language
        answer = visitors.answer(session, office, visitors.Asker(recipient, language), asked)
        outgoing.queue(session, office, answer, recipient, cause=cause, language=language, now=now, answers=row)
        return _ANSWERED_REQUEST
    if _strangers(session, now, (_ANSWERED_STRANGER,), row.sender):
        return "over-budget"
    opening: list[Msg] = []
    if letter.seat is not None:
        opening.append(
            msg(
                "The address you wrote to is not that of a seat here: there is no game {game} with a seat {seat}, "
                "or the address has been replaced.",
                game=letter.seat.game,
                seat=letter.seat.seat,
            )
        )
    else:
        opening.append(msg("Letters to this server go to the address of a seat in a game; yours did not."))
    opening.append(msg("Nothing in your letter was read. This answer is sent once a day at most."))
    kind = "unknown-sender"
    if person is not None:
        kind = "no-seat"
        held = session.exec(select(tables.Seat).where(tables.Seat.person_id == person.id)).all()
        lines = [f"{seat.game_id} {seat.name}: {office.seat_address(seat)}" for seat in held]
        block = [letters.block(msg("Your seats, and where to write for each"), lines)] if lines else []
    else:
        block = []
        opening.append(msg("If you were invited to a game, answer the letter that invited you."))
    if letter.seat is None:
        opening.append(
            msg("Without a seat you can write LIST, JOIN, OBSERVE and HELP, to {address}.", address=office.address)
        )
    answer = letters.model(kind, Head(), opening=opening, blocks=block)
    outgoing.queue(session, office, answer, recipient, cause=cause, language=language, now=now, answers=row)
    return _ANSWERED_STRANGER


def _strangers(session: Session, now: datetime, outcomes: Sequence[str], sender: str | None = None) -> int:
    """How many letters, of all who have no seat or of one of them, had one of these outcomes in the last day."""
    found = select(func.count()).where(
        col(tables.Inbox.outcome).in_(outcomes), col(tables.Inbox.taken) > now - timedelta(days=1)
    )
    if sender is not None:
        found = found.where(tables.Inbox.sender == sender)
    return session.exec(found).one()


def _answers(session: Session, inbox_id: int | None) -> tuple[str, ...]:
    found = select(tables.Outbox.message_id).where(tables.Outbox.inbox_id == inbox_id)
    return tuple(session.exec(found.order_by(col(tables.Outbox.id))).all())
