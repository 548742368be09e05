"""Queue letters; collect news for daily or weekly digests.

Only letters that ask nothing of their reader are collected (`outbox.send_news`), and sent at an hour of
his own zone; all others are sent at once.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import Phase
from pbem.letters.content import Letter, LetterHead, is_of_turn, sentence_block
from pbem.mail import address
from pbem.mail.outbound import LetterTopic, message_id
from pbem.runtime import tokens
from pbem.runtime.clock import next_deadline
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Server, Transaction
from pbem.store import hot_statements, queries, tables

NEWS_DUE = "digest"
"""The kind of the due rows of digests."""

_HOUR = 18
"""The hour of news for readers who name none: the end of a working day, in the reader's time zone."""
_SUNDAY = 6
"""The day of weekly news for readers who name none (0 is Monday): a choice, the end of the week."""
# The setting of a daily or weekly letter: day of the week, and hour.
_TEXT = re.compile(r"(?P<every>all|daily|weekly)(?: d(?P<day>[0-6]))?(?: h(?P<hour>\d{1,2}))?")


class Rhythm(NamedTuple):
    """The rhythm of news: ``all`` at once, or ``daily`` or ``weekly``.

    Day 0 is Monday.
    """

    every: str = "all"
    day: int = _SUNDAY
    hour: int = _HOUR

    @classmethod
    def read(cls, text: str) -> Rhythm:
        """Read ``all``, ``daily h8``, ``weekly d6 h18``; raise ValueError for other text."""
        match = _TEXT.fullmatch(text)
        if match is None or int(match["hour"] or 0) > 23:
            raise ValueError(f"no rhythm of letters: {text!r}")
        return cls(match["every"], int(match["day"] or _SUNDAY), int(match["hour"] or _HOUR))

    @property
    def text(self) -> str:
        """Return the stored form."""
        day = f" d{self.day}" if self.every == "weekly" else ""
        return self.every if self.every == "all" else f"{self.every}{day} h{self.hour}"

    def next(self, after: datetime, zone: str) -> datetime:
        """Return the time of the next digest, in local time across changes of the clock."""
        days = (self.day,) if self.every == "weekly" else range(7)
        return after if self.every == "all" else next_deadline(after, zone, days, self.hour)


def rhythm_of(game: tables.Game, seat: tables.Seat) -> Rhythm:
    """Return the rhythm of a seat, or the default of its game."""
    return Rhythm.read(seat.notify or Terms.read(game.terms).notify)


def gather_news(tx: Transaction, game: tables.Game, seat: tables.Seat, letter: Json) -> bool:
    """Store a letter's content for a seat's digest.

    Return False if the seat wants no digest.
    """
    if rhythm_of(game, seat).every == "all":
        return False
    body = dumps({key: letter[key] for key in ("opening", "blocks", "closing")})
    tx.session.add(tables.Gathered(seat_id=seat.id or 0, kind=letter["kind"], at=tx.now, body=body))
    tx.session.flush()
    if not queries.schedule.is_planned(tx.session, game.id, news_cause(seat)):
        plan_news(tx, game, seat)
    return True


def plan_news(tx: Transaction, game: tables.Game, seat: tables.Seat) -> None:
    """Schedule a seat's digest by its rhythm and zone, if there are news."""
    if any(not row.letter for row in pending_news(tx.session, seat)):
        hot_statements.schedule_job(
            tx.session, game.id, NEWS_DUE, news_cause(seat), rhythm_of(game, seat).next(tx.now, seat.zone)
        )


def pending_news(session: Session, seat: tables.Seat) -> Sequence[tables.Gathered]:
    """Return the collected news of a seat not sent yet, in order; delete sent ones."""
    rows = queries.outbox.collected_news(session, seat)
    names = {row.letter for row in rows if row.letter}
    sent = queries.outbox.sent_names(session, names) if names else frozenset()
    for row in rows:
        if row.letter in sent:
            session.delete(row)
    return [row for row in rows if row.letter not in sent]


def news_cause(seat: tables.Seat) -> str:
    """Return the cause of the due row for a seat's digest."""
    return f"{NEWS_DUE} {seat.name}"


Opening = Callable[[str], Sequence[Msg]]
"""The sentences of an announcement, from the time zone of its reader."""

OVERTAKEN_BY = {
    "status": ("status",),
    "reminder": ("reminder", "receipt", "report"),
    "waiting": ("waiting", "question", "report"),
}
"""Kinds of letters that are useless once a newer letter of one of these kinds exists. All other letters are always
sent, except a digest whose news are in the next one."""
_DROPPED = frozenset((*OVERTAKEN_BY, "digest"))

OVERTAKEN = queries.outbox.OVERTAKEN
"""The start of the reason for a letter not sent because a newer one replaced it."""

_ID = re.compile(r"<[!-;=?-~]{1,250}>")
"""A Message-ID as received, of at most 250 visible characters: a longer one would break the header lines of an answer.
"""


class Recipient(NamedTuple):
    """A letter's recipient and language, and its seat and game, if any.

    If there is no seat, `format` is its format.
    """

    recipient: str
    language: str
    seat: tables.Seat | None = None
    game: tables.Game | None = None
    format: str = "text"


class Enclosed(NamedTuple):
    """What a letter says of its attachments: sentences, and blocks for files."""

    sentences: Sequence[Msg] = ()
    blocks: Sequence[Json] = ()


class Announcement(NamedTuple):
    """An announcement to all but one.

    `cause` distinguishes it from others of its kind. `opening` returns its sentences with the times of a zone. With
    `may_wait` it asks nothing of its readers, and is collected for the digests of seats that want them. Seats with
    names in `spared` are not notified either. `what` is its subject, if that of its kind does not fit. Seats alone
    are told of what is `enclosed`, since letters to observers have no proofs. It `joins` the announcement of that
    cause, made in the same transaction, in the letters of those who were told of it.
    """

    opening: Opening
    cause: str
    kind: str = "announcement"
    but: tables.Seat | None = None
    blocks: Sequence[Json] = ()
    may_wait: bool = False
    spared: Sequence[str] = ()
    what: Msg | None = None
    enclosed: Enclosed = Enclosed()
    joins: str = ""


class OperatorNotice(NamedTuple):
    """A notice to the operator, with details; has a `title` if it is no trouble."""

    what: Msg
    detail: str
    cause: str
    game: str = ""
    title: Msg | None = None


def queue_letter(tx: Transaction, letter: Json, to: Recipient, cause: str, answers: tables.Inbox | None = None) -> str:
    """Queue a letter, or again the letter of the same name; return its Message-ID.

    `cause` distinguishes it from others of its kind. An answer refers to the letter that it answers; a letter of a
    turn, to the first letter of that turn to its seat.
    """
    seat, game = to.seat, to.game
    name = _name(tx.server, letter, cause)
    body = dumps(letter)
    if tx.meter is not None:
        if answers is not None:
            tx.meter.write(len(body), visitor=answers.verdict == "stranger")
        if seat is None and not _is_known_address(tx, to.recipient):
            tx.meter.reach()
    reply = answers.message_id if answers is not None and _ID.fullmatch(answers.message_id) else ""
    # Programs that decode encoded-words where none may stand would make other lines of such an id.
    reply = "" if "=?" in reply else reply
    first, thread_start = _thread(seat, letter, name)
    former_thread = seat.last_letter if seat is not None else ""
    if seat is not None:
        hot_statements.update_row(tx.session, seat, last_letter=f"{name} {thread_start}")
    new = hot_statements.add_letter(
        tx.session,
        model=body,
        message_id=name,
        kind=letter["kind"],
        game_id=game.id if game else None,
        seat_id=seat.id if seat else None,
        inbox_id=answers.id if answers else None,
        recipient=to.recipient,
        envelope_sender=_bounce_address(tx.server, name),
        reply_to=letter["address"],
        in_reply_to=reply,
        references=" ".join(part for part in (first, reply) if part),
        language=to.language,
        format=seat.format if seat else to.format,
        state="queued",
        attempts=0,
        created=tx.now,
        next_try=tx.now,
        last_text="",
    )
    if not new:
        if seat is not None:
            hot_statements.update_row(tx.session, seat, last_letter=former_thread)
        (row,) = queries.outbox.letters_by_names(tx.session, [name])
        if row.recipient != to.recipient:
            # The same matter to another address: the recipient has moved, or the cause is not specific enough.
            return queue_letter(tx, letter, to, f"{cause} to {to.recipient}", answers)
        requeue(row, tx.now)
    return name


def _thread(seat: tables.Seat | None, letter: Json, name: str) -> tuple[str, str]:
    """Return the letter to refer to, and the start of the seat's thread.

    The first letter of a turn starts a thread, unless it may be dropped before it is sent. A refusal, and a letter
    about no turn, refer to no earlier letter.
    """
    thread_start = (seat.last_letter if seat is not None else "").split()[-1:] or ["-"]
    if not is_of_turn(letter):
        return "", thread_start[0]
    turn = letter["phase"].partition(".")[0]
    if thread_start[0].startswith(f"<{letter['game']}.{turn}."):
        return thread_start[0], thread_start[0]
    return "", "-" if letter["kind"] in _DROPPED else name


def was_queued(tx: Transaction, letter: Json, causes: Iterable[str]) -> bool:
    """Return whether a similar letter was queued for one of these causes."""
    return bool(queries.outbox.letters_by_names(tx.session, [_name(tx.server, letter, cause) for cause in causes]))


def _is_known_address(tx: Transaction, recipient: str) -> bool:
    """Return whether an address is of a player, observer or operator."""
    is_person = queries.persons.person_by_email(tx.session, recipient) is not None
    return is_person or recipient == tx.server.settings.operator


def requeue(row: tables.Outbox, now: datetime) -> None:
    """Queue a sent letter again, if its content is still stored."""
    if row.state != "queued" and row.model:
        row.state, row.attempts, row.next_try = "queued", 0, now


def recipient_of_seat(tx: Transaction, seat: tables.Seat, game: tables.Game) -> Recipient | None:
    """Return the registered address of the player of a seat, or None."""
    recipient = queries.persons.email_of(tx.session, seat.person_id)
    return None if recipient is None else Recipient(recipient, seat.language, seat, game)


def write_to_seat(tx: Transaction, letter: Json, seat: tables.Seat, game: tables.Game, cause: str) -> str:
    """Write to the player of a seat; return the Message-ID.

    It is empty if there is no player.
    """
    to = recipient_of_seat(tx, seat, game)
    return "" if to is None else queue_letter(tx, letter, to, cause)


def send_news(tx: Transaction, letter: Json, seat: tables.Seat, game: tables.Game, cause: str) -> str:
    """Write to the player of a seat, or store the letter for the digest.

    The letter must ask nothing of its reader.
    """
    to = recipient_of_seat(tx, seat, game)
    return "" if to is None or gather_news(tx, game, seat, letter) else queue_letter(tx, letter, to, cause)


def announce_to_all(tx: Transaction, game: tables.Game, phase: tables.Phase | None, circular: Announcement) -> None:
    """Announce something to every seat but one and to every observer."""
    post = send_news if circular.may_wait else write_to_seat
    for seat in queries.games.seats(tx.session, game.id):
        if (circular.but is None or seat.id != circular.but.id) and seat.name not in circular.spared:
            head = head_of(tx.server, game, seat, phase)
            sentences = (*circular.opening(seat.zone), *circular.enclosed.sentences)
            blocks = (*circular.blocks, *circular.enclosed.blocks)
            letter = Letter(circular.kind, head, opening=sentences, blocks=blocks, what=circular.what)
            to_seat = recipient_of_seat(tx, seat, game)
            if to_seat is None or not _join(tx, letter, to_seat, circular.joins):
                post(tx, letter.to_json(), seat, game, circular.cause)
    for observer in queries.persons.observers(tx.session, game.id):
        recipient = queries.persons.email_of(tx.session, observer.person_id)
        if recipient is not None:
            zone = tx.session.get_one(tables.Person, observer.person_id).zone
            head = head_of(tx.server, game, None, phase)._replace(address=tx.server.address)
            opening = circular.opening(zone)
            letter = Letter(circular.kind, head, opening=opening, blocks=circular.blocks, what=circular.what)
            to, suffix = Recipient(recipient, observer.language, game=game), f" observer {observer.id}"
            if not _join(tx, letter, to, circular.joins and circular.joins + suffix):
                queue_letter(tx, letter.to_json(), to, circular.cause + suffix)


def _join(tx: Transaction, letter: Letter, to: Recipient, cause: str) -> bool:
    """Join an announcement to the queued one of a cause; return False without one."""
    names = [_name(tx.server, letter.to_json(), cause)] if cause else []
    for row in queries.outbox.letters_by_names(tx.session, names):
        if row.recipient == to.recipient and row.state == "queued" and row.body is None:
            title, *lines = letter.opening
            block = sentence_block(title, [(0, line) for line in lines], whole=True)
            join_letter(tx, row, blocks=(block, *letter.blocks))
            return True
    return False


def join_letter(
    tx: Transaction,
    row: tables.Outbox,
    opening: Iterable[Msg] = (),
    blocks: Iterable[Json] = (),
    closing: Iterable[Msg] = (),
) -> None:
    """Add the content of another letter to one that is not rendered yet."""
    model = loads(row.model)
    model["opening"] += [text.to_json() for text in opening]
    model["blocks"] += blocks
    model["closing"] += [text.to_json() for text in closing]
    row.content.model = dumps(model)
    tx.session.add(row)
    tx.session.flush()


def write_to_operator(tx: Transaction, notice: OperatorNotice) -> None:
    """Write to the operator: of trouble or, with a `title`, for information."""
    queue_letter(tx, _notice(notice), Recipient(tx.server.settings.operator, "en"), notice.cause)


def write_to_operator_once(tx: Transaction, notice: OperatorNotice) -> bool:
    """Write to the operator, once per cause; return whether it was sent now."""
    letter = _notice(notice)
    if queries.outbox.letters_by_names(tx.session, [_name(tx.server, letter, notice.cause)]):
        return False
    queue_letter(tx, letter, Recipient(tx.server.settings.operator, "en"), notice.cause)
    return True


def _notice(notice: OperatorNotice) -> Json:
    lines = address.strike_tokens(notice.detail).splitlines()
    trouble = {"title": msg("What the server noted").to_json(), "lines": lines[-40:]}
    blocks = (trouble,) if lines else ()
    return Letter(
        "fault", LetterHead(game=notice.game), opening=(notice.what,), blocks=blocks, what=notice.title
    ).to_json()


def head_of(server: Server, game: tables.Game, seat: tables.Seat | None, phase: tables.Phase | None) -> LetterHead:
    """Return the head of a letter about a game and perhaps a seat and a phase."""
    return LetterHead(
        game.id,
        game.system,
        server.rules_of(game).title,
        seat.name if seat else "",
        phase_of(phase) if phase else None,
        server.seat_address(seat) if seat else "",
    )


def phase_of(row: tables.Phase) -> Phase:
    """Return the turn and name of a stored phase."""
    return Phase(row.turn, row.name, row.attempt)


def _name(server: Server, letter: Json, cause: str) -> str:
    """Return a letter's Message-ID (RFC 5322, 3.6.4).

    Seat, game and cause decide it, so that a letter queued twice has the same one.
    """
    matter = LetterTopic(letter["game"], letter["phase"], letter["kind"], letter["seat"], cause)
    return message_id(tokens.derive_key(server.keys.key, "message-id"), matter, server.settings.domain)


def _bounce_address(server: Server, name: str) -> str:
    """Return the letter's own envelope sender (VERP), so that a bounce identifies it."""
    mac = hashlib.sha256(tokens.derive_key(server.keys.key, "bounce") + name.encode("utf-8")).digest()
    # 80 bits, 16 characters: nobody guesses the tag of a letter, and it fits into a local part.
    tag = base64.b32encode(mac[:10]).decode("ascii").lower()
    return address.format_bounce(server.settings.local, tag, server.settings.domain)
