"""Questions about letters that go out: those in the outbox, tries at sending them, news gathered for one, and press."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, literal_column
from sqlalchemy.orm import raiseload
from sqlmodel import Session, and_, col, func, not_, or_, select

from pbem.store import tables as t
from pbem.store.queries.games import READING

YIELDING = "of a game against a bot"
"""What `due` takes for a kind of letters: those of games that yield to others."""
_BY_ID = select(t.Outbox).order_by(col(t.Outbox.id))
# Whoever wants the row alone does not read what the letter says, which is a hundred times as large.
_BARE = raiseload(t.Outbox.content)  # type: ignore[arg-type]
_OF_IDS = _BY_ID.where(col(t.Outbox.id).in_(bindparam("ids", expanding=True)))
# In these very words the index over them is made.
WAS_TAKEN = col(t.Attempt.code).between(literal_column("200"), literal_column("299"))
# Likewise. What was overtaken is no failure, and in a year becomes many rows.
OVERTAKEN = "overtaken by "
"""How the last word on a letter begins that was dropped because a newer one told it better."""
GIVEN_UP = and_(
    col(t.Outbox.state) == literal_column("'failed'"),
    col(t.Outbox.last_text).not_like(literal_column(f"'{OVERTAKEN}%'")),
)
_OF_IDS_ALONE = _OF_IDS.with_for_update(of=t.Outbox)
_OF_NAMES = _BY_ID.where(col(t.Outbox.message_id).in_(bindparam("names", expanding=True)))


def _is_free(now: datetime) -> tuple[ColumnElement[bool], ...]:
    free = or_(col(t.Outbox.until).is_(None), col(t.Outbox.until) <= now)
    return col(t.Outbox.state) == "queued", col(t.Outbox.next_try) <= now, free


def due(
    session: Session, now: datetime, most: int, provable: Collection[str] = (), but: str = ""
) -> Sequence[t.Outbox]:
    """The letters that are to be sent by now, the first so many; without bare ones of `provable` kinds to seats.

    Those of the kind `but` are left out; `YIELDING` leaves out those of games that somebody had set up against a bot.
    So are those that another worker sends, or is about to.
    """
    found = _BY_ID.where(*_is_free(now)).with_for_update(skip_locked=True, of=t.Outbox)
    if but == YIELDING:
        asked_for = select(t.Game.id).where(col(t.Game.asked_by).is_not(None))
        found = found.where(or_(col(t.Outbox.game_id).is_(None), col(t.Outbox.game_id).not_in(asked_for)))
    else:
        found = found.where(t.Outbox.kind != but)
    if provable:
        made = select(t.Content.outbox_id).where(t.Content.outbox_id == t.Outbox.id, col(t.Content.body).is_not(None))
        bare = and_(not_(made.exists()), col(t.Outbox.seat_id).is_not(None))
        found = found.where(not_(and_(bare, col(t.Outbox.kind).in_(provable))))
    return session.exec(found.limit(most)).all()


def is_due(session: Session, now: datetime) -> bool:
    """Whether any letter is to be sent by now."""
    found = select(t.Outbox.id).where(*_is_free(now))
    return session.exec(found.limit(1)).first() is not None


def unwritten_reports(session: Session, seats: Collection[int]) -> dict[int, int]:
    """Of each of these seats the row of the last report to it whose bytes are still to be made."""
    wanted = select(t.Outbox.seat_id, func.max(t.Outbox.id)).group_by(col(t.Outbox.seat_id))
    wanted = wanted.where(t.Outbox.kind == "report", t.Outbox.state != "failed")
    wanted = wanted.join_from(t.Outbox, t.Content).where(col(t.Content.body).is_(None))
    found = session.exec(wanted.where(col(t.Outbox.seat_id).in_(seats)))
    return {seat: row for seat, row in found if seat is not None and row is not None}


def by_ids(session: Session, ids: Collection[int | None]) -> Sequence[t.Outbox]:
    """Letters by the ids of their rows, in order; their rows are locked, unless it only reads."""
    asked = _OF_IDS if session.info.get(READING) else _OF_IDS_ALONE
    return session.exec(asked, params={"ids": list(ids)}).all()


def held_by(session: Session, owner: str, ids: Collection[int | None]) -> Sequence[int]:
    """Those of these letters that a worker has taken on."""
    found = session.exec(select(t.Outbox.id).where(t.Outbox.owner == owner, col(t.Outbox.id).in_(ids)))
    return [row for row in found if row is not None]


def by_names(session: Session, names: Collection[str]) -> Sequence[t.Outbox]:
    """Letters by their Message-IDs, in the order in which they were written."""
    return session.exec(_OF_NAMES, params={"names": list(names)}).all()


def pictures(session: Session, digests: Collection[str]) -> dict[str, bytes]:
    """Those of these pictures that were drawn, as PNG, by their digest."""
    found = select(t.Picture.digest, t.Picture.png).where(col(t.Picture.digest).in_(digests))
    return dict(session.exec(found).all()) if digests else {}


def by_envelope(session: Session, sender: str) -> t.Outbox | None:
    """The letter that has an address as the sender on its envelope, to which it comes back."""
    return session.exec(select(t.Outbox).where(t.Outbox.envelope_sender == sender).options(_BARE)).first()


def last_asked(session: Session, recipient: str, since: datetime) -> t.Outbox | None:
    """Return the last letter about no game that asked somebody to confirm, or said that he has; None without any."""
    found = select(t.Outbox).where(t.Outbox.recipient == recipient, t.Outbox.created > since)
    found = found.where(col(t.Outbox.game_id).is_(None), col(t.Outbox.kind).in_(("confirm", "joined")))
    return session.exec(found.order_by(col(t.Outbox.id).desc()).limit(1)).first()


def answers(session: Session, inbox_id: int) -> Sequence[t.Outbox]:
    """What a letter was answered, in order."""
    return session.exec(_BY_ID.where(t.Outbox.inbox_id == inbox_id)).all()


def answer_names(session: Session, inbox_id: int | None) -> Sequence[str]:
    """The Message-IDs of what a letter was answered, in order."""
    found = select(t.Outbox.message_id).where(t.Outbox.inbox_id == inbox_id)
    return session.exec(found.order_by(col(t.Outbox.id))).all()


def sent_names(session: Session, names: Collection[str]) -> frozenset[str]:
    """Which of these Message-IDs are those of letters that were sent."""
    found = select(t.Outbox.message_id).where(col(t.Outbox.message_id).in_(names), t.Outbox.state == "sent")
    return frozenset(session.exec(found))


def newer(session: Session, letter: t.Outbox, kinds: Sequence[str]) -> str | None:
    """The Message-ID of a letter to the same seat that was written after one, is of one of these kinds and not lost."""
    found = select(t.Outbox.message_id).where(
        t.Outbox.seat_id == letter.seat_id,
        col(t.Outbox.kind).in_(kinds),
        col(t.Outbox.id) > letter.id,
        col(t.Outbox.state).in_(("queued", "sent")),
    )
    return session.exec(found.limit(1)).first()


def undelivered(session: Session) -> Sequence[t.Outbox]:
    """The letters that wait or were given up, in order, without those that were overtaken."""
    waiting = session.exec(_BY_ID.where(t.Outbox.state == "queued")).all()
    given_up = session.exec(_BY_ID.where(GIVEN_UP)).all()
    return sorted((*waiting, *given_up), key=lambda row: row.id or 0)


def why_failed(session: Session) -> str:
    """The last words on the letter that was given up last, without those that were overtaken."""
    given_up = select(t.Outbox.last_text).where(GIVEN_UP)
    return session.exec(given_up.order_by(col(t.Outbox.id).desc()).limit(1)).first() or ""


def reports(session: Session, seat: t.Seat, address: str, begins: str = "") -> Sequence[t.Outbox]:
    """The reports to a seat that ask for answers to an address, in order; those whose Message-ID begins so.

    What those said that are left out is not kept any more.
    """
    found = _BY_ID.where(t.Outbox.seat_id == seat.id, t.Outbox.kind == "report", t.Outbox.reply_to == address)
    found = found.join(t.Content).where(t.Content.model != "")
    return session.exec(found.where(col(t.Outbox.message_id).startswith(begins)) if begins else found).all()


def queued_to(session: Session, name: str, recipient: str, kinds: Sequence[str]) -> Sequence[t.Outbox]:
    """The letters of these kinds about a game that wait to be sent to somebody."""
    about = _BY_ID.where(t.Outbox.game_id == name, t.Outbox.recipient == recipient, t.Outbox.state == "queued")
    return session.exec(about.where(col(t.Outbox.kind).in_(kinds))).all()


def waiting_to(session: Session, recipient: str) -> Sequence[t.Outbox]:
    """The letters to an address that wait to be sent."""
    return session.exec(_BY_ID.where(t.Outbox.recipient == recipient, t.Outbox.state == "queued")).all()


def was_written(session: Session, seat: t.Seat, kinds: Sequence[str], since: datetime) -> bool:
    """Whether a letter of one of these kinds was written to a seat from a moment on."""
    found = select(t.Outbox.id).where(t.Outbox.seat_id == seat.id, col(t.Outbox.kind).in_(kinds))
    return session.exec(found.where(t.Outbox.created >= since)).first() is not None


def written_after(session: Session, name: str, kind: str, moment: datetime) -> int:
    """How many letters of a kind were written about a game after a moment."""
    found = select(func.count()).select_from(t.Outbox).where(t.Outbox.game_id == name, t.Outbox.kind == kind)
    return session.exec(found.where(col(t.Outbox.created) > moment)).one()


def others_bounced(session: Session, letter: t.Outbox, since: datetime) -> bool:
    """Whether another letter about the same game to the same recipient, written since then, came back for good."""
    found = select(t.Outbox.id).where(
        t.Outbox.game_id == letter.game_id,
        t.Outbox.recipient == letter.recipient,
        t.Outbox.id != letter.id,
        col(t.Outbox.bounced).startswith("5"),
        col(t.Outbox.created) > since,
    )
    return session.exec(found).first() is not None


def last_to_seat(session: Session, seat: t.Seat) -> t.Outbox | None:
    """The last letter to a seat."""
    found = select(t.Outbox).where(t.Outbox.seat_id == seat.id).order_by(col(t.Outbox.id).desc()).options(_BARE)
    return session.exec(found.limit(1)).first()


def last_to(session: Session, seat: t.Seat, kind: str, most: int = 20) -> Sequence[t.Outbox]:
    """The last letters of a kind to a seat, the newest first."""
    found = select(t.Outbox).where(t.Outbox.seat_id == seat.id, t.Outbox.kind == kind)
    return session.exec(found.order_by(col(t.Outbox.id).desc()).limit(most)).all()


def last_ones(session: Session, name: str, kind: str, game: str, most: int) -> Sequence[t.Outbox]:
    """The last letters, the newest first: with a Message-ID, of a kind, about a game; what is empty is left open."""
    found = select(t.Outbox).order_by(col(t.Outbox.id).desc()).limit(most)
    given = ((t.Outbox.message_id, name), (t.Outbox.kind, kind), (t.Outbox.game_id, game))
    return session.exec(found.where(*(column == value for column, value in given if value))).all()


def all_to(session: Session, recipient: str) -> Sequence[str]:
    """The Message-IDs of all letters to an address, lower-case, in order."""
    found = select(t.Outbox.message_id).where(t.Outbox.recipient == recipient).order_by(col(t.Outbox.id))
    return session.exec(found).all()


def last_tries(session: Session, most: int) -> Sequence[t.Attempt]:
    """The last tries at sending, the newest first."""
    return session.exec(select(t.Attempt).order_by(col(t.Attempt.id).desc()).limit(most)).all()


def last_taken(session: Session) -> int:
    """The number of the last try at which a server took a letter; 0 before the first."""
    return session.exec(select(func.max(t.Attempt.id)).where(WAS_TAKEN)).one() or 0


def refused_since(session: Session, number: int) -> Sequence[t.Attempt]:
    """The tries behind one that a server refused for good, in order, a thousand at most."""
    found = select(t.Attempt).where(col(t.Attempt.id) > number, col(t.Attempt.code).between(500, 599))
    return session.exec(found.order_by(col(t.Attempt.id)).limit(1_000)).all()


def first_try(session: Session, letter: t.Outbox) -> int | None:
    """The number of the first try at sending a letter."""
    return session.exec(select(func.min(t.Attempt.id)).where(t.Attempt.outbox_id == letter.id)).one()


def put_off(session: Session) -> Sequence[t.Outbox]:
    """The letters that wait though a server refused them for good."""
    found = _BY_ID.where(t.Outbox.state == "queued", col(t.Outbox.last_code).between(500, 599))
    return session.exec(found.options(_BARE)).all()


def seats_written_to(session: Session) -> Sequence[str]:
    """The name of the seat that each letter to a seat is to."""
    return session.exec(select(t.Seat.name).join(t.Outbox, col(t.Outbox.seat_id) == col(t.Seat.id))).all()


def gathered(session: Session, seat: t.Seat) -> Sequence[t.Gathered]:
    """The news gathered for a seat, in order, those that a letter tells already among them."""
    return session.exec(select(t.Gathered).where(t.Gathered.seat_id == seat.id).order_by(col(t.Gathered.id))).all()


# Questions about letters of players to one another.


def press_kept(session: Session, name: str) -> Sequence[t.Press]:
    """The letters of a game that wait for the next report, in order."""
    found = select(t.Press).where(t.Press.game_id == name, col(t.Press.delivered).is_(False))
    return session.exec(found.order_by(col(t.Press.id))).all()


def press_of_turns(session: Session, name: str, first: int, last: int) -> Sequence[t.Press]:
    """The letters that were written in a game on these turns, in order."""
    found = select(t.Press).where(t.Press.game_id == name, t.Press.turn >= first, t.Press.turn <= last)
    return session.exec(found.order_by(col(t.Press.id))).all()


def press_of_writers(session: Session, name: str, writers: Sequence[str]) -> Sequence[t.Press]:
    """The letters in a game that seats of these names wrote and that were passed on, in order."""
    found = select(t.Press).join(t.Seat, col(t.Seat.id) == t.Press.seat_id)
    found = found.where(t.Press.game_id == name, col(t.Seat.name).in_(writers), col(t.Press.delivered).is_(True))
    return session.exec(found.order_by(col(t.Press.id))).all()


def press_since(session: Session, seat: t.Seat, since: datetime) -> int:
    """How many letters a seat has written since a moment."""
    return session.exec(select(func.count()).where(t.Press.seat_id == seat.id, col(t.Press.at) > since)).one()
