"""Questions about letters that came in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, bindparam, case, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from pbem.store import hot_statements
from pbem.store import tables as t

SHORT = 20_000
"""Octets of a letter that a program may have written by itself."""
_OF_MACHINES = ("automatic", "unsubscribed")
"""What came of letters that programs write for a seat, or seem to have written."""
_UNREAD = ("automatic", "repeated", "over-budget", "fault", "unread")
_CHANGED_NOTHING = ("answer", "help", "refusal", "repeated", "status", "verified")
_IS_LIGHT = and_(col(t.Inbox.outcome).in_(_CHANGED_NOTHING), col(t.Inbox.copy_of).is_(None))
LETTERS = (func.coalesce(func.sum(case((_IS_LIGHT, 1), else_=3)), 0) + 2) // 3
"""How many letters rows of the inbox count as: one that only asked, or was refused, counts a third."""
_LETTERS = select(LETTERS).where(
    t.Inbox.seat_id == bindparam("seat"), t.Inbox.taken > bindparam("since"), col(t.Inbox.outcome).not_in(_OF_MACHINES)
)


class Place(NamedTuple):
    """Where a letter lies in a mailbox (RFC 9051, 2.3.1.1)."""

    account: str
    folder: str
    uidvalidity: int
    uid: int


class Earlier(NamedTuple):
    """A letter taken before: `here` if at the very place asked for, else under the same Message-ID for the first time.

    The rest is of its row in the inbox.
    """

    here: bool
    id: int
    message_id: str
    sha256: str
    verdict: str
    outcome: str
    seat_id: int | None


def earlier(session: Session, place: Place, message_id: str) -> tuple[Earlier, ...]:
    """What was taken from a place in a mailbox, and the first letter of each content under a Message-ID."""
    return tuple(Earlier(*row) for row in hot_statements.earlier(session, place._asdict(), message_id))


def has_copy(session: Session, original: int) -> bool:
    """Whether a letter came again."""
    return session.exec(select(t.Inbox.id).where(t.Inbox.copy_of == original)).first() is not None


def last_came(session: Session, original: int) -> datetime | None:
    """When a letter came into its mailbox for the last time; None if it never did."""
    same = or_(col(t.Inbox.id) == original, col(t.Inbox.copy_of) == original)
    return session.exec(select(func.max(t.Inbox.internaldate)).where(same)).one()


def letters_since(session: Session, seat: t.Seat, since: datetime) -> int:
    """Return how many letters came from a seat since a moment; one that changed nothing counts a third."""
    return int(session.exec(_LETTERS, params={"seat": seat.id, "since": since}).one())


def unread_since(session: Session, seat: t.Seat, since: datetime) -> Sequence[tuple[str, datetime, bytes]]:
    """Return the letters to a seat since a moment that were left unread or unanswered: outcome, when, what is kept."""
    found = select(t.Inbox.outcome, t.Inbox.taken, t.Raw.body).join(t.Raw, col(t.Inbox.sha256) == col(t.Raw.sha256))
    found = found.where(t.Inbox.seat_id == seat.id, col(t.Inbox.taken) > since)
    found = found.where(col(t.Inbox.outcome).in_(_UNREAD)).order_by(col(t.Inbox.taken).desc())
    return session.exec(found).all()


def answered_unread_since(session: Session, seat: t.Seat, since: datetime) -> bool:
    """Tell whether a seat was answered about a letter of a program that came since a moment."""
    found = select(t.Outbox.id).join(t.Inbox).where(t.Inbox.seat_id == seat.id)
    found = found.where(col(t.Inbox.outcome).in_(_OF_MACHINES), col(t.Inbox.taken) > since)
    return session.exec(found).first() is not None


def came_of_since(session: Session, seat: t.Seat, outcomes: Sequence[str], since: datetime) -> int:
    """Count the letters of a seat since a moment that had one of these outcomes."""
    found = select(func.count()).where(t.Inbox.seat_id == seat.id, col(t.Inbox.outcome).in_(outcomes))
    return session.exec(found.where(col(t.Inbox.taken) > since)).one()


def texts_of(session: Session, seat: t.Seat, outcomes: Sequence[str], since: datetime, most: int) -> Sequence[bytes]:
    """Return the bytes of the last short letters of a seat since a moment that had one of these outcomes."""
    found = select(t.Raw.body).join(t.Inbox, col(t.Inbox.sha256) == col(t.Raw.sha256))
    found = found.where(t.Inbox.seat_id == seat.id, col(t.Inbox.outcome).in_(outcomes), col(t.Inbox.taken) > since)
    found = found.where(func.length(t.Raw.body) <= SHORT, t.Inbox.verdict == "seat", col(t.Inbox.copy_of).is_(None))
    return session.exec(found.order_by(col(t.Inbox.taken).desc()).limit(most)).all()


def heard_since(session: Session, since: datetime) -> int:
    """How many seats letters were taken from after `since`."""
    found = select(func.count(func.distinct(col(t.Inbox.seat_id))))
    return session.exec(found.where(t.Inbox.verdict == "seat", t.Inbox.taken > since)).one()


def taken_since(
    session: Session, verdict: str, since: datetime, outcomes: Sequence[str] = (), sender: str | None = None
) -> int:
    """How many letters of a verdict came since a moment, with one of these outcomes if any is told, of one sender."""
    found = select(func.count()).where(t.Inbox.verdict == verdict, col(t.Inbox.taken) > since)
    if outcomes:
        found = found.where(col(t.Inbox.outcome).in_(outcomes))
    if sender is not None:
        found = found.where(t.Inbox.sender == sender)
    return session.exec(found).one()


def unknown_since(session: Session, since: datetime, outcomes: Sequence[str], domain: str = "") -> int:
    """How many letters without a seat had one of these outcomes since a moment, of those whose address is nobody's.

    With a `domain` those from there, or from any below it too if it begins with a dot.
    """
    known = select(t.Address.email)
    found = select(func.count()).where(
        t.Inbox.verdict == "stranger",
        col(t.Inbox.taken) > since,
        col(t.Inbox.outcome).in_(outcomes),
        col(t.Inbox.sender).not_in(known),
    )
    if domain.startswith("."):
        within = (col(t.Inbox.sender).endswith(f"{sign}{domain[1:]}", autoescape=True) for sign in "@.")
        return session.exec(found.where(or_(*within))).one()
    return session.exec(found.where(col(t.Inbox.sender).endswith(f"@{domain}")) if domain else found).one()


def written_since(session: Session, verdict: str, sender: str, since: datetime) -> int:
    """How many letters of a verdict came from somebody since a moment, without those in which his name was forged."""
    found = select(func.count()).where(t.Inbox.verdict == verdict, t.Inbox.sender == sender)
    return session.exec(found.where(col(t.Inbox.taken) > since, t.Inbox.outcome != "unauthentic")).one()


def texts_before(session: Session, verdicts: Sequence[str], before: datetime) -> Sequence[t.Raw]:
    """The bytes that are still kept of letters of these verdicts that came before a moment."""
    seen = select(t.Inbox.sha256).where(col(t.Inbox.verdict).in_(verdicts), col(t.Inbox.taken) < before)
    return session.exec(select(t.Raw).where(col(t.Raw.sha256).in_(seen), func.length(t.Raw.body) > 0)).all()


def that_ordered(session: Session, name: str) -> Sequence[tuple[t.Inbox, bytes]]:
    """The letters that brought orders for a game, each once, with as much of their bytes as is kept."""
    orders = select(t.QueuedOrders.inbox_id).join(t.Phase).where(t.Phase.game_id == name)
    found = select(t.Inbox, t.Raw.body).join(t.Raw, col(t.Inbox.sha256) == col(t.Raw.sha256))
    return session.exec(found.where(col(t.Inbox.id).in_(orders)).order_by(col(t.Inbox.id))).all()


def last_uid(session: Session, account: str) -> int:
    """The highest UID of the letters taken from an account, 0 before the first."""
    return session.exec(select(func.max(t.Inbox.uid)).where(t.Inbox.account == account)).one() or 0


def validity_before(session: Session, place: Place) -> int | None:
    """The last UIDVALIDITY that the folder of a place had before that of the place; None if it had no other."""
    here = select(t.Inbox.uidvalidity).where(t.Inbox.account == place.account, t.Inbox.folder == place.folder)
    others = here.where(t.Inbox.uidvalidity != place.uidvalidity)
    return session.exec(others.order_by(col(t.Inbox.id).desc()).limit(1)).first()


def polled(session: Session) -> datetime | None:
    """When the last whole poll began, of the mailbox polled least lately; None before the first."""
    return session.exec(select(func.min(t.Poll.begun))).one()


def newest_letter(session: Session) -> datetime | None:
    """When the newest letter that was taken came into its mailbox; None before the first."""
    return session.exec(select(func.max(t.Inbox.internaldate))).one()


def refused(session: Session, name: str, seat: str = "") -> Sequence[tuple[t.Inbox, str, bytes]]:
    """The letters of the seats of a game, or of one, that were refused and are kept, the oldest first.

    Each with the name of its seat and its bytes; those that were carried out when they were read once more are left
    out, and of one that was refused again the first row alone is here.
    """
    again = aliased(t.Inbox)
    done = select(again.id).where(again.copy_of == t.Inbox.id, again.verdict == "seat", again.outcome != "refusal")
    found = (
        select(t.Inbox, t.Seat.name, t.Raw.body)
        .join(t.Seat, col(t.Inbox.seat_id) == col(t.Seat.id))
        .join(t.Raw, col(t.Inbox.sha256) == col(t.Raw.sha256))
        .where(t.Seat.game_id == name, t.Inbox.verdict == "seat", t.Inbox.outcome == "refusal")
        .where(col(t.Inbox.copy_of).is_(None), func.length(t.Raw.body) > 0, ~done.exists())
        .order_by(col(t.Inbox.internaldate), col(t.Inbox.id))
    )
    return session.exec(found.where(t.Seat.name == seat) if seat else found).all()


def hashes(session: Session) -> frozenset[str]:
    """Return the digest of every letter that was taken in."""
    return frozenset(session.exec(select(t.Inbox.sha256)).all())


# Questions about what is limited: uses of commands, addresses written to for players, letters that were begun.


def uses(session: Session, seat: t.Seat, command: str, since: datetime) -> Mapping[str, int]:
    """How often a seat has used a command: in all the ``seat``, since a moment the ``day``, and by phase, as its id."""
    rows = session.exec(select(t.Use.phase_id, t.Use.at).where(t.Use.seat_id == seat.id, t.Use.command == command))
    found = {"seat": 0, "day": 0}
    for phase, at in rows:
        found["seat"] += 1
        found["day"] += at > since
        found[str(phase)] = found.get(str(phase), 0) + 1
    return found


def strangers_of(session: Session, person_id: int | None, since: datetime) -> int:
    """How many addresses somebody had written to since a moment."""
    found = select(func.count(func.distinct(t.Use.about))).where(t.Use.person_id == person_id, t.Use.about != "")
    return session.exec(found.where(col(t.Use.at) > since)).one()


def has_named(session: Session, person_id: int | None, command: str, about: str, since: datetime) -> bool:
    """Whether somebody has named an address with a command since a moment."""
    found = select(t.Use.id).where(t.Use.person_id == person_id, t.Use.command == command, t.Use.about == about)
    return session.exec(found.where(col(t.Use.at) > since)).first() is not None


def strangers_since(session: Session, since: datetime, domain: str = "") -> int:
    """How many letters players had written to addresses that they named, since a moment, at a domain or anywhere."""
    found = select(func.count()).where(col(t.Use.at) > since, t.Use.about != "")
    return session.exec(found.where(col(t.Use.about).endswith(f"@{domain}")) if domain else found).one()


def begun(session: Session, place: Place) -> t.Begun:
    """The row of a letter that was begun in a poll which was not ended."""
    return session.get_one(t.Begun, tuple(place))
