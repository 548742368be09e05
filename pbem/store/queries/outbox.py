"""Questions about letters that go out: those in the outbox, tries at sending them, and news gathered for one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import bindparam
from sqlmodel import Session, and_, col, func, not_, select

from pbem.store import tables as t

__all__ = [
    "all_to",
    "answer_names",
    "answers",
    "by_envelope",
    "by_ids",
    "by_names",
    "due",
    "first_try",
    "gathered",
    "last_ones",
    "last_taken",
    "last_to_seat",
    "last_tries",
    "newer",
    "others_bounced",
    "pictures",
    "put_off",
    "queued_to",
    "refused_since",
    "reports",
    "seats_written_to",
    "sent_names",
    "undelivered",
    "unwritten_reports",
    "was_written",
    "why_failed",
    "written_after",
]

_BY_ID = select(t.Outbox).order_by(col(t.Outbox.id))
_OF_IDS = _BY_ID.where(col(t.Outbox.id).in_(bindparam("ids", expanding=True)))
_OF_NAMES = _BY_ID.where(col(t.Outbox.message_id).in_(bindparam("names", expanding=True)))


def due(
    session: Session, now: datetime, most: int, provable: Collection[str] = (), but: str = ""
) -> Sequence[t.Outbox]:
    """The letters that are to be sent by now, the first so many; without bare ones of `provable` kinds to seats.

    Those of the kind `but` are left out.
    """
    found = _BY_ID.where(t.Outbox.state == "queued", col(t.Outbox.next_try) <= now, t.Outbox.kind != but)
    if provable:
        bare = and_(col(t.Outbox.body).is_(None), col(t.Outbox.seat_id).is_not(None))
        found = found.where(not_(and_(bare, col(t.Outbox.kind).in_(provable))))
    return session.exec(found.limit(most)).all()


def unwritten_reports(session: Session, seats: Collection[int]) -> dict[int, int]:
    """Of each of these seats the row of the last report to it whose bytes are still to be made."""
    wanted = select(t.Outbox.seat_id, func.max(t.Outbox.id)).group_by(col(t.Outbox.seat_id))
    wanted = wanted.where(t.Outbox.kind == "report", t.Outbox.state != "failed", col(t.Outbox.body).is_(None))
    found = session.exec(wanted.where(col(t.Outbox.seat_id).in_(seats)))
    return {seat: row for seat, row in found if seat is not None and row is not None}


def by_ids(session: Session, ids: Collection[int | None]) -> Sequence[t.Outbox]:
    """Letters by the ids of their rows, in order."""
    return session.exec(_OF_IDS, params={"ids": list(ids)}).all()


def by_names(session: Session, names: Collection[str]) -> Sequence[t.Outbox]:
    """Letters by their Message-IDs, in the order in which they were written."""
    return session.exec(_OF_NAMES, params={"names": list(names)}).all()


def pictures(session: Session, digests: Collection[str]) -> dict[str, bytes]:
    """Those of these pictures that were drawn, as PNG, by their digest."""
    found = select(t.Picture.digest, t.Picture.png).where(col(t.Picture.digest).in_(digests))
    return dict(session.exec(found).all()) if digests else {}


def by_envelope(session: Session, sender: str) -> t.Outbox | None:
    """The letter that has an address as the sender on its envelope, to which it comes back."""
    return session.exec(select(t.Outbox).where(t.Outbox.envelope_sender == sender)).first()


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


def undelivered(session: Session, but: str) -> Sequence[t.Outbox]:
    """The letters that wait or were given up, in order, without those whose last word begins so."""
    found = _BY_ID.where(col(t.Outbox.state).in_(("queued", "failed")), not_(col(t.Outbox.last_text).startswith(but)))
    return session.exec(found).all()


def why_failed(session: Session, but: str) -> str:
    """The last words on the letter that was given up last, without those whose last word begins so."""
    given_up = select(t.Outbox.last_text).where(
        t.Outbox.state == "failed", not_(col(t.Outbox.last_text).startswith(but))
    )
    return session.exec(given_up.order_by(col(t.Outbox.id).desc()).limit(1)).first() or ""


def reports(session: Session, seat: t.Seat, address: str, begins: str = "") -> Sequence[t.Outbox]:
    """The reports to a seat that ask for answers to an address, in order; those whose Message-ID begins so."""
    found = _BY_ID.where(t.Outbox.seat_id == seat.id, t.Outbox.kind == "report", t.Outbox.reply_to == address)
    return session.exec(found.where(col(t.Outbox.message_id).startswith(begins)) if begins else found).all()


def queued_to(session: Session, name: str, recipient: str, kinds: Sequence[str]) -> Sequence[t.Outbox]:
    """The letters of these kinds about a game that wait to be sent to somebody."""
    about = _BY_ID.where(t.Outbox.game_id == name, t.Outbox.recipient == recipient, t.Outbox.state == "queued")
    return session.exec(about.where(col(t.Outbox.kind).in_(kinds))).all()


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
    found = select(t.Outbox).where(t.Outbox.seat_id == seat.id).order_by(col(t.Outbox.id).desc())
    return session.exec(found.limit(1)).first()


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
    found = select(t.Attempt.id).where(col(t.Attempt.code).between(200, 299)).order_by(col(t.Attempt.id).desc())
    return session.exec(found.limit(1)).first() or 0


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
    return session.exec(found).all()


def seats_written_to(session: Session) -> Sequence[str]:
    """The name of the seat that each letter to a seat is to."""
    return session.exec(select(t.Seat.name).join(t.Outbox, col(t.Outbox.seat_id) == col(t.Seat.id))).all()


def gathered(session: Session, seat: t.Seat) -> Sequence[t.Gathered]:
    """The news gathered for a seat, in order, those that a letter tells already among them."""
    return session.exec(select(t.Gathered).where(t.Gathered.seat_id == seat.id).order_by(col(t.Gathered.id))).all()
