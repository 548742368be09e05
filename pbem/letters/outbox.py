"""News that may wait: gathered for seats that want them in one letter a day or a week, at an hour of their own zone.

Only what asks nothing of its reader is gathered (`outbox.news_to_seat`); the rest always goes out at once.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, dumps
from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import Phase
from pbem.letters.content import Head, Letter, is_of_turn
from pbem.mail import address
from pbem.mail.outbound import Matter, message_id
from pbem.runtime import tokens
from pbem.runtime.clock import next_deadline
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Server, Transaction
from pbem.store import hot_statements, queries, tables

NEWS_DUE = "digest"
"""The kind of the rows that say when news are told."""

_HOUR = 18
_SUNDAY = 6
_TEXT = re.compile(r"(?P<every>all|daily|weekly)(?: d(?P<day>[0-6]))?(?: h(?P<hour>\d{1,2}))?")


class Rhythm(NamedTuple):
    """How news come: ``all`` at once, or gathered ``daily`` or ``weekly``, on a day (0 is Monday), at an hour."""

    every: str = "all"
    day: int = _SUNDAY
    hour: int = _HOUR

    @classmethod
    def read(cls, text: str) -> Rhythm:
        """Read ``all``, ``daily``, ``daily h8``, ``weekly d6 h18``; ValueError for anything else."""
        found = _TEXT.fullmatch(text)
        if found is None or int(found["hour"] or 0) > 23:
            raise ValueError(f"no rhythm of letters: {text!r}")
        return cls(found["every"], int(found["day"] or _SUNDAY), int(found["hour"] or _HOUR))

    @property
    def text(self) -> str:
        """As it is kept."""
        day = f" d{self.day}" if self.every == "weekly" else ""
        return self.every if self.every == "all" else f"{self.every}{day} h{self.hour}"

    def next(self, after: datetime, zone: str) -> datetime:
        """When news gathered now are told: the hour is that of the wall, on days on which the clocks change too."""
        days = (self.day,) if self.every == "weekly" else range(7)
        return after if self.every == "all" else next_deadline(after, zone, days, self.hour)


def rhythm_of(game: tables.Game, seat: tables.Seat) -> Rhythm:
    """What a seat has set, or what holds in its game."""
    return Rhythm.read(seat.notify or Terms.read(game.terms).notify)


def gather_news(tx: Transaction, game: tables.Game, seat: tables.Seat, letter: Json) -> bool:
    """Keep what a letter says for the seat's next digest; False if it wants its letters at once."""
    if rhythm_of(game, seat).every == "all":
        return False
    body = dumps({key: letter[key] for key in ("opening", "blocks", "closing")})
    tx.session.add(tables.Gathered(seat_id=seat.id or 0, kind=letter["kind"], at=tx.now, body=body))
    tx.session.flush()
    if not queries.schedule.is_planned(tx.session, game.id, news_cause(seat)):
        plan_news(tx, game, seat)
    return True


def plan_news(tx: Transaction, game: tables.Game, seat: tables.Seat) -> None:
    """Plan when what is gathered for a seat is told, by its rhythm and zone; nothing if nothing is."""
    if any(not row.letter for row in pending_news(tx.session, seat)):
        hot_statements.plan(
            tx.session, game.id, NEWS_DUE, news_cause(seat), rhythm_of(game, seat).next(tx.now, seat.zone)
        )


def pending_news(session: Session, seat: tables.Seat) -> Sequence[tables.Gathered]:
    """What is gathered for a seat and was not sent yet, in order; what was sent is forgotten."""
    rows = queries.outbox.gathered(session, seat)
    named = {row.letter for row in rows if row.letter}
    gone = queries.outbox.sent_names(session, named) if named else frozenset()
    for row in rows:
        if row.letter in gone:
            session.delete(row)
    return [row for row in rows if row.letter not in gone]


def news_cause(seat: tables.Seat) -> str:
    """The cause of the row that says when a seat's news are told."""
    return f"{NEWS_DUE} {seat.name}"


Opening = Callable[[str], Sequence[Msg]]
"""The sentences of an announcement, given the time zone of whom it is for."""

OVERTAKEN_BY = {
    "status": ("status",),
    "reminder": ("reminder", "receipt", "report"),
    "waiting": ("waiting", "question", "report"),
}
"""Kinds of letters that are worth nothing once a newer one of these is there. All other letters are always sent, but
for a digest that the next one tells too."""
_DROPPED = frozenset((*OVERTAKEN_BY, "digest"))

OVERTAKEN = queries.outbox.OVERTAKEN
"""How the reason begins why a letter was not sent, where a newer letter made it worthless before."""

_ID = re.compile(r"<[!-;=?-~]{1,250}>")


class Envelope(NamedTuple):
    """Where a letter goes and in which language, and the seat and the game that it is about if it is about any.

    Where it is to no seat, `format` is how it looks.
    """

    recipient: str
    language: str
    seat: tables.Seat | None = None
    game: tables.Game | None = None
    format: str = "text"


class Circular(NamedTuple):
    """What is announced to all but one; `cause` tells it from its kind's others.

    `opening` says it with the times of a zone. What `may_wait` asks nothing of its readers: it is gathered for the
    digests of seats that want that. Seats of the names in `spared` are not told either.
    """

    opening: Opening
    cause: str
    kind: str = "announcement"
    but: tables.Seat | None = None
    blocks: Sequence[Json] = ()
    may_wait: bool = False
    spared: Sequence[str] = ()


class Notice(NamedTuple):
    """What the operator is told, with what the server noted of it; `title` where it is no trouble."""

    what: Msg
    detail: str
    cause: str
    game: str = ""
    title: Msg | None = None


def queue(tx: Transaction, letter: Json, to: Envelope, cause: str, answers: tables.Inbox | None = None) -> str:
    """Put a letter into the outbox, or the one of the same name back into it; its Message-ID.

    `cause` tells it from its kind's others. An answer refers to the letter that it answers; what belongs to a turn,
    to the first letter of that turn to its seat.
    """
    seat, game = to.seat, to.game
    name = _name(tx.server, letter, cause)
    body = dumps(letter)
    if tx.meter is not None:
        if answers is not None:
            tx.meter.write(len(body), visitor=answers.verdict == "stranger")
        if seat is None and not _known(tx, to.recipient):
            tx.meter.reach()
    reply = answers.message_id if answers is not None and _ID.fullmatch(answers.message_id) else ""
    # Programs that decode encoded-words where none may stand would make other lines of such an id.
    reply = "" if "=?" in reply else reply
    first, begun = _thread(seat, letter, name)
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
        (known,) = queries.outbox.by_names(tx.session, [name])
        if known.recipient != to.recipient:
            # The same matter to somebody else: who was told has moved meanwhile, or its cause tells too little.
            return queue(tx, letter, to, f"{cause} to {to.recipient}", answers)
        again(known, tx.now)
    elif seat is not None:
        hot_statements.change(tx.session, seat, last_letter=f"{name} {begun}")
    return name


def _thread(seat: tables.Seat | None, letter: Json, name: str) -> tuple[str, str]:
    """Return the letter that one to a seat refers to, and what begins the seat's thread from then on.

    The first letter of a turn begins one, unless it may be dropped before it is sent. What belongs to no turn, or was
    not carried out, refers to no letter of ours.
    """
    begun = (seat.last_letter if seat is not None else "").split()[-1:] or ["-"]
    if not is_of_turn(letter):
        return "", begun[0]
    turn = letter["phase"].partition(".")[0]
    if begun[0].startswith(f"<{letter['game']}.{turn}."):
        return begun[0], begun[0]
    return "", "-" if letter["kind"] in _DROPPED else name


def was_queued(tx: Transaction, letter: Json, causes: Iterable[str]) -> bool:
    """Whether a letter about the same was put into the outbox for one of these causes."""
    return bool(queries.outbox.by_names(tx.session, [_name(tx.server, letter, cause) for cause in causes]))


def _known(tx: Transaction, recipient: str) -> bool:
    """Whether an address is that of somebody who plays, watches or runs games here."""
    known = queries.persons.person_by_email(tx.session, recipient) is not None
    return known or recipient == tx.server.settings.operator


def again(row: tables.Outbox, now: datetime) -> None:
    """Send a letter once more, unless it is still waiting to be sent, or what it said is not kept any more."""
    if row.state != "queued" and row.model:
        row.state, row.attempts, row.next_try = "queued", 0, now


def envelope_for(tx: Transaction, seat: tables.Seat, game: tables.Game) -> Envelope | None:
    """The registered address of whoever sits there; None if nobody does."""
    recipient = queries.persons.email_of(tx.session, seat.person_id)
    return None if recipient is None else Envelope(recipient, seat.language, seat, game)


def to_seat(tx: Transaction, letter: Json, seat: tables.Seat, game: tables.Game, cause: str) -> str:
    """Write to the registered address of whoever sits there, and return the Message-ID; nothing if nobody does."""
    to = envelope_for(tx, seat, game)
    return "" if to is None else queue(tx, letter, to, cause)


def news_to_seat(tx: Transaction, letter: Json, seat: tables.Seat, game: tables.Game, cause: str) -> str:
    """Do what `to_seat` does, or keep the letter for the seat's digest if it wants one; nothing may be asked in it."""
    to = envelope_for(tx, seat, game)
    return "" if to is None or gather_news(tx, game, seat, letter) else queue(tx, letter, to, cause)


def to_all(tx: Transaction, game: tables.Game, phase: tables.Phase | None, told: Circular) -> None:
    """Announce something to every seat but one and to every observer."""
    post = news_to_seat if told.may_wait else to_seat
    for seat in queries.games.seats(tx.session, game.id):
        if (told.but is None or seat.id != told.but.id) and seat.name not in told.spared:
            head = head_of(tx.server, game, seat, phase)
            letter = Letter(told.kind, head, opening=told.opening(seat.zone), blocks=told.blocks)
            post(tx, letter.to_json(), seat, game, told.cause)
    for one in queries.persons.observers(tx.session, game.id):
        recipient = queries.persons.email_of(tx.session, one.person_id)
        if recipient is not None:
            zone = tx.session.get_one(tables.Person, one.person_id).zone
            head = head_of(tx.server, game, None, phase)._replace(address=tx.server.address)
            letter = Letter(told.kind, head, opening=told.opening(zone), blocks=told.blocks)
            to = Envelope(recipient, one.language, game=game)
            queue(tx, letter.to_json(), to, f"{told.cause} observer {one.id}")


def to_operator(tx: Transaction, notice: Notice) -> None:
    """Write to the operator: of trouble that he has to mend or, with a `title`, of something that he has to know."""
    queue(tx, _notice(notice), Envelope(tx.server.settings.operator, "en"), notice.cause)


def to_operator_once(tx: Transaction, notice: Notice) -> bool:
    """Do what `to_operator` does unless he was told of this cause before; return whether he is told now."""
    letter = _notice(notice)
    if queries.outbox.by_names(tx.session, [_name(tx.server, letter, notice.cause)]):
        return False
    queue(tx, letter, Envelope(tx.server.settings.operator, "en"), notice.cause)
    return True


def _notice(notice: Notice) -> Json:
    lines = address.strike(notice.detail).splitlines()
    trouble = {"title": msg("What the server noted").to_json(), "lines": lines[-40:]}
    blocks = (trouble,) if lines else ()
    return Letter("fault", Head(game=notice.game), opening=(notice.what,), blocks=blocks, what=notice.title).to_json()


def head_of(server: Server, game: tables.Game, seat: tables.Seat | None, phase: tables.Phase | None) -> Head:
    """What a letter about a game and perhaps a seat and a phase is headed by."""
    return Head(
        game.id,
        game.system,
        server.rules_of(game).title,
        seat.name if seat else "",
        phase_of(phase) if phase else None,
        server.seat_address(seat) if seat else "",
    )


def phase_of(row: tables.Phase) -> Phase:
    """The phase of a row."""
    return Phase(row.turn, row.name, row.attempt)


def _name(server: Server, letter: Json, cause: str) -> str:
    """What a letter is called (RFC 5322, 3.6.4): the same for the same matter, however often it is queued."""
    matter = Matter(letter["game"], letter["phase"], letter["kind"], letter["seat"], cause)
    return message_id(tokens.key_for(server.keys.key, "message-id"), matter, server.settings.domain)


def _bounce_address(server: Server, name: str) -> str:
    """An envelope sender of this letter alone (VERP), so that a bounce says which letter came back."""
    mac = hashlib.sha256(tokens.key_for(server.keys.key, "bounce") + name.encode("utf-8")).digest()
    tag = base64.b32encode(mac[:10]).decode("ascii").lower()
    return address.format_bounce(server.settings.local, tag, server.settings.domain)
