"""One letter in, in one transaction: its row and bytes, what it does, and the answer in the outbox, or nothing.

A letter is known by its place in the mailbox and by its Message-ID and bytes. Taken twice by place it is the same
letter seen again after a crash, and nothing happens; come twice by bytes it gets its answer again; another letter
under an old id is a letter of its own, and its answer says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from sqlmodel import Session, col, func, select

from pbem.campaign import commands, letters, outgoing, quoted, reading, tokens, visitors
from pbem.campaign.desk import Desk
from pbem.campaign.letters import Head
from pbem.campaign.office import Office
from pbem.campaign.positions import position
from pbem.core.messages import Msg, msg
from pbem.mail import inbound
from pbem.mail.address import OwnAddresses, SeatAddress, base_address, check_address
from pbem.mail.inbound import Inbound
from pbem.store import queries, tables, writes
from pbem.store.queries import Earlier, Sitting

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


class _Writer(NamedTuple):
    """The game that a letter is about, its row locked, who sits there, and at which seat the letter was written."""

    game: tables.Game
    sittings: tuple[Sitting, ...]
    seat: tables.Seat
    email: str | None


def take(session: Session, office: Office, received: Received) -> Outcome:
    """Take a letter in; the caller commits. What it raises is a fault of ours, and then nothing may be kept."""
    letter = inbound.read_header(received.raw, OwnAddresses(office.local, office.domain))
    known, twins = _earlier(session, received, letter)
    if known is not None:
        return Outcome(known.id, "known", known.outcome)
    now = office.clock.now()
    row = _row(session, received, letter, now)
    first = _original(row, twins)
    if first is not None:
        return _copy(session, row, first, now)
    writer = _writer(session, office, letter.seat)
    # Only who wrote says which template may come back in the body.
    seat = writer.seat if writer is not None else None
    templates = {seat.nonce: inbound.fingerprint(seat.template)} if seat and seat.template else {}
    ours = partial(quoted.our_sentences, session, office, seat, letter) if seat is not None else frozenset
    letter = inbound.read_body(received.raw, letter, templates, whole=received.whole, ours=ours)
    if letter.refusal in ("auto", "bounce", "list", "loop") or (letter.refusal == "poison" and writer is None):
        row.verdict, row.outcome = letter.refusal, "silent"
        _keep(session, row)
        return Outcome(row.id or 0, row.verdict, row.outcome)
    if writer is not None:
        row.verdict, row.seat_id = "seat", writer.seat.id
        _keep(session, row)
        outcome, answers = _serve(session, office, letter, row, writer, now, bool(twins))
    else:
        row.verdict = "stranger"
        _keep(session, row)
        outcome = _answer_stranger(session, office, letter, row, now)
        answers = _answers(session, row.id)
    writes.change(session, row, outcome=outcome, sender=row.sender)
    return Outcome(row.id or 0, row.verdict, row.outcome, answers)


def take_as_fault(session: Session, office: Office, received: Received, fault: str) -> Outcome:
    """Note a letter that `take` failed on, so that it does not stand in the way of others; tell its seat and us."""
    letter = inbound.read_header(received.raw, OwnAddresses(office.local, office.domain))
    known, twins = _earlier(session, received, letter)
    if known is not None:
        return Outcome(known.id, "known", known.outcome)
    now = office.clock.now()
    writer = _writer(session, office, letter.seat)
    row = _row(session, received, letter, now)
    first = _original(row, twins)
    row.copy_of = first.id if first else None
    row.verdict, row.outcome, row.seat_id = "fault", "fault", writer.seat.id if writer else None
    _keep(session, row)
    cause = f"{letter.message_id} {row.sha256}"
    if writer is not None:
        told = msg("A fault of this server kept it from reading your letter. Nothing was changed; the operator knows.")
        head = outgoing.head_of(office, writer.game, writer.seat, None)
        answer = letters.model("fault", head, opening=(told,))
        outgoing.to_seat(session, office, answer, writer.seat, writer.game, cause=cause, now=now, answers=row)
    what = msg("A letter could not be taken in (inbox row {row}).", row=row.id or 0)
    outgoing.to_operator(session, office, what, fault, cause=cause, now=now)
    return Outcome(row.id or 0, "fault", "fault", _answers(session, row.id))


def _earlier(session: Session, received: Received, letter: Inbound) -> tuple[Earlier | None, tuple[Earlier, ...]]:
    """What was taken from this letter's place, and the first letters of each content under its Message-ID."""
    place = (received.account, received.folder, received.uidvalidity, received.uid)
    found = queries.earlier(session, *place, letter.message_id)
    return next((one for one in found if one.here), None), tuple(one for one in found if not one.here)


def _original(row: tables.Inbox, twins: Iterable[Earlier]) -> Earlier | None:
    return next((one for one in twins if one.sha256 == row.sha256), None)


def _writer(session: Session, office: Office, address: SeatAddress | None) -> _Writer | None:
    """Who an address speaks for; None if its token is not that of the seat's present holder.

    The game is locked before anything of it is read: what is read then stays true until the end of the transaction.
    """
    game = queries.game(session, address.game) if address is not None else None
    if game is None or address is None:
        return None
    sittings = queries.sittings(session, game.id)
    for seat, email in sittings:
        if seat.name == address.seat:
            good = tokens.token(office.key, seat.game_id, seat.name, seat.generation)
            # Whoever gave a seat up speaks for it no more; the next one gets another token.
            known = email is not None and tokens.same(good, address.token)
            return _Writer(game, sittings, seat, email) if known else None
    return None


def _keep(session: Session, row: tables.Inbox) -> None:
    """Write the letter's row."""
    row.id = writes.add(session, "inbox", **row.model_dump(exclude={"id"}))


def _row(session: Session, received: Received, letter: Inbound, now: datetime) -> tables.Inbox:
    """The letter's row, not yet added, and its bytes."""
    sha256 = hashlib.sha256(received.raw).hexdigest()
    writes.add_new(session, "raw", sha256=sha256, body=received.raw)
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


def _copy(session: Session, row: tables.Inbox, first: Earlier, now: datetime) -> Outcome:
    """The same letter once more: the same answer once more."""
    row.copy_of, row.seat_id, row.verdict = first.id, first.seat_id, "copy"
    # To strangers a second answer would be one too many; what was never answered still is not.
    row.outcome = first.outcome if first.verdict == "seat" else "silent"
    _keep(session, row)
    if first.verdict == "seat":
        for answer in session.exec(select(tables.Outbox).where(tables.Outbox.inbox_id == first.id)):
            outgoing.again(answer, now)
            session.add(answer)
    session.flush()
    answers = _answers(session, first.id) if first.verdict == "seat" else ()
    return Outcome(row.id or 0, "copy", row.outcome, answers)


def _serve(
    session: Session, office: Office, letter: Inbound, row: tables.Inbox, writer: _Writer, now: datetime, twin: bool
) -> tuple[str, tuple[str, ...]]:
    """Do what a seat's letter says and answer it; the kind of the answer and its Message-ID."""
    game, sittings, seat, email = writer
    here = position(session, office, game) if game.state != "forming" else None
    phase = queries.open_phase(session, game.id)
    desk = Desk(session, office, game, seat, letter, row, here, phase, now, tuple(one.seat for one in sittings))
    if phase is None and game.state in ("running", "held"):
        desk.closed = queries.closed_phase(session, game.id)
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
    if email is None:
        return "vacant", ()
    name = outgoing.queue(
        session,
        office,
        desk.answer(),
        email,
        cause=f"{letter.message_id} {row.sha256}",
        language=seat.language,
        now=now,
        seat=seat,
        game=game,
        answers=row,
    )
    return desk.kind, (name,)


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
