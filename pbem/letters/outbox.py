"""Letters into the outbox: the one place that makes rows of it.

A letter is named by what it answers or reports, so queueing the same one twice makes one row; a row that was already
sent goes out again as the same letter, with the same Message-ID and bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from pbem.engine.data.canon import Json, dumps
from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import Phase
from pbem.letters import notifications
from pbem.letters.content import Head, Letter, is_of_turn
from pbem.mail import address
from pbem.mail.outbound import Matter, message_id
from pbem.runtime import tokens
from pbem.runtime.transaction import Server, Work
from pbem.store import queries, tables, writes

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


def queue(work: Work, letter: Json, to: Envelope, cause: str, answers: tables.Inbox | None = None) -> str:
    """Put a letter into the outbox, or the one of the same name back into it; its Message-ID.

    `cause` tells it from its kind's others. An answer refers to the letter that it answers; what belongs to a turn,
    to the first letter of that turn to its seat.
    """
    seat, game = to.seat, to.game
    name = _name(work.server, letter, cause)
    body = dumps(letter)
    if work.meter is not None:
        if answers is not None:
            work.meter.write(len(body), visitor=answers.verdict == "stranger")
        if seat is None and not _known(work, to.recipient):
            work.meter.reach()
    reply = answers.message_id if answers is not None and _ID.fullmatch(answers.message_id) else ""
    # Programs that decode encoded-words where none may stand would make other lines of such an id.
    reply = "" if "=?" in reply else reply
    first, begun = _thread(seat, letter, name)
    new = writes.add_letter(
        work.session,
        model=body,
        message_id=name,
        kind=letter["kind"],
        game_id=game.id if game else None,
        seat_id=seat.id if seat else None,
        inbox_id=answers.id if answers else None,
        recipient=to.recipient,
        envelope_sender=_bounce_address(work.server, name),
        reply_to=letter["address"],
        in_reply_to=reply,
        references=" ".join(part for part in (first, reply) if part),
        language=to.language,
        format=seat.format if seat else to.format,
        state="queued",
        attempts=0,
        created=work.now,
        next_try=work.now,
        last_text="",
    )
    if not new:
        (known,) = queries.outbox.by_names(work.session, [name])
        if known.recipient != to.recipient:
            # The same matter to somebody else: who was told has moved meanwhile, or its cause tells too little.
            return queue(work, letter, to, f"{cause} to {to.recipient}", answers)
        again(known, work.now)
    elif seat is not None:
        writes.change(work.session, seat, last_letter=f"{name} {begun}")
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


def was_queued(work: Work, letter: Json, causes: Iterable[str]) -> bool:
    """Whether a letter about the same was put into the outbox for one of these causes."""
    return bool(queries.outbox.by_names(work.session, [_name(work.server, letter, cause) for cause in causes]))


def _known(work: Work, recipient: str) -> bool:
    """Whether an address is that of somebody who plays, watches or runs games here."""
    known = queries.people.person_by_email(work.session, recipient) is not None
    return known or recipient == work.server.operator


def again(row: tables.Outbox, now: datetime) -> None:
    """Send a letter once more, unless it is still waiting to be sent, or what it said is not kept any more."""
    if row.state != "queued" and row.model:
        row.state, row.attempts, row.next_try = "queued", 0, now


def envelope_for(work: Work, seat: tables.Seat, game: tables.Game) -> Envelope | None:
    """The registered address of whoever sits there; None if nobody does."""
    recipient = queries.people.email_of(work.session, seat.person_id)
    return None if recipient is None else Envelope(recipient, seat.language, seat, game)


def to_seat(work: Work, letter: Json, seat: tables.Seat, game: tables.Game, cause: str) -> str:
    """Write to the registered address of whoever sits there, and return the Message-ID; nothing if nobody does."""
    to = envelope_for(work, seat, game)
    return "" if to is None else queue(work, letter, to, cause)


def news_to_seat(work: Work, letter: Json, seat: tables.Seat, game: tables.Game, cause: str) -> str:
    """Do what `to_seat` does, or keep the letter for the seat's digest if it wants one; nothing may be asked in it."""
    to = envelope_for(work, seat, game)
    return "" if to is None or notifications.gather(work, game, seat, letter) else queue(work, letter, to, cause)


def to_all(work: Work, game: tables.Game, phase: tables.Phase | None, told: Circular) -> None:
    """Announce something to every seat but one and to every observer."""
    post = news_to_seat if told.may_wait else to_seat
    for seat in queries.games.seats(work.session, game.id):
        if (told.but is None or seat.id != told.but.id) and seat.name not in told.spared:
            head = head_of(work.server, game, seat, phase)
            letter = Letter(told.kind, head, opening=told.opening(seat.zone), blocks=told.blocks)
            post(work, letter.to_json(), seat, game, told.cause)
    for one in queries.people.observers(work.session, game.id):
        recipient = queries.people.email_of(work.session, one.person_id)
        if recipient is not None:
            zone = work.session.get_one(tables.Person, one.person_id).zone
            head = head_of(work.server, game, None, phase)._replace(address=work.server.address)
            letter = Letter(told.kind, head, opening=told.opening(zone), blocks=told.blocks)
            to = Envelope(recipient, one.language, game=game)
            queue(work, letter.to_json(), to, f"{told.cause} observer {one.id}")


def to_operator(work: Work, notice: Notice) -> None:
    """Write to the operator: of trouble that he has to mend or, with a `title`, of something that he has to know."""
    queue(work, _notice(notice), Envelope(work.server.operator, "en"), notice.cause)


def to_operator_once(work: Work, notice: Notice) -> bool:
    """Do what `to_operator` does unless he was told of this cause before; return whether he is told now."""
    letter = _notice(notice)
    if queries.outbox.by_names(work.session, [_name(work.server, letter, notice.cause)]):
        return False
    queue(work, letter, Envelope(work.server.operator, "en"), notice.cause)
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
    return message_id(tokens.purpose(server.key, "message-id"), matter, server.domain)


def _bounce_address(server: Server, name: str) -> str:
    """An envelope sender of this letter alone (VERP), so that a bounce says which letter came back."""
    mac = hashlib.sha256(tokens.purpose(server.key, "bounce") + name.encode("utf-8")).digest()
    tag = base64.b32encode(mac[:10]).decode("ascii").lower()
    return address.format_bounce(server.local, tag, server.domain)
