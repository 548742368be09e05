"""Query letters that came in, how often commands were used, and addresses.

Addresses are those to which a person had letters sent. Letters that a poll had begun to read are here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, bindparam, case, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from pbem.store import hot_statements
from pbem.store import tables as t
from pbem.store.compiled_statements import read_rows

LONGEST_AUTOMATIC = 20_000
"""The greatest length, in octets, of a letter that may be automatic: automatic answers are short, longer letters quote
a report."""
_POLLED = select(func.min(t.Poll.begun))
_OF_MACHINES = ("automatic", "unsubscribed")
"""Outcomes of letters that programs write, or seem to write, for a seat."""
_UNREAD = ("automatic", "repeated", "over-budget", "fault", "unread")
_CHANGED_NOTHING = ("answer", "help", "refusal", "repeated", "status", "verified")
_IS_LIGHT = and_(col(t.Inbox.outcome).in_(_CHANGED_NOTHING), col(t.Inbox.copy_of).is_(None))
WEIGHTED_LETTERS = (func.coalesce(func.sum(case((_IS_LIGHT, 1), else_=3)), 0) + 2) // 3
"""The weighted number of letters: a letter that only asked, or was refused, counts a third. The sum is rounded up."""
_LETTERS = select(WEIGHTED_LETTERS).where(
    t.Inbox.seat_id == bindparam("seat"), t.Inbox.taken > bindparam("since"), col(t.Inbox.outcome).not_in(_OF_MACHINES)
)


class MailboxPlace(NamedTuple):
    """The place of a letter in a mailbox (RFC 9051, 2.3.1.1)."""

    account: str
    folder: str
    uidvalidity: int
    uid: int


class EarlierLetter(NamedTuple):
    """A letter taken before: `here` if at the same place.

    Otherwise it is the first with the same Message-ID. The other fields are those of its row in the inbox.
    """

    here: bool
    id: int
    message_id: str
    sha256: str
    verdict: str
    outcome: str
    seat_id: int | None


def earlier_letters(session: Session, place: MailboxPlace, message_id: str) -> tuple[EarlierLetter, ...]:
    """Return earlier letters that this one may repeat.

    They are the one at the same place of the mailbox and, for each content, the first with this Message-ID.
    """
    return tuple(EarlierLetter(*row) for row in hot_statements.select_earlier(session, place._asdict(), message_id))


def has_copy(session: Session, original: int) -> bool:
    """Return whether a letter came again."""
    return session.exec(select(t.Inbox.id).where(t.Inbox.copy_of == original)).first() is not None


def last_arrival(session: Session, original: int) -> datetime | None:
    """Return when a letter or its copy last came into its mailbox; None if never."""
    is_same = or_(col(t.Inbox.id) == original, col(t.Inbox.copy_of) == original)
    return session.exec(select(func.max(t.Inbox.internaldate)).where(is_same)).one()


def count_letters(session: Session, seat: t.Seat, since: datetime) -> int:
    """Count a seat's letters since a moment; one without effects counts a third."""
    return int(session.exec(_LETTERS, params={"seat": seat.id, "since": since}).one())


def unread_letters(session: Session, seat: t.Seat, since: datetime) -> Sequence[tuple[str, datetime, bytes]]:
    """Return outcome, time and bytes of a seat's unread or unanswered letters."""
    query = select(t.Inbox.outcome, t.Inbox.taken, t.Raw.body).join(t.Raw, col(t.Inbox.sha256) == col(t.Raw.sha256))
    query = query.where(t.Inbox.seat_id == seat.id, col(t.Inbox.taken) > since)
    query = query.where(col(t.Inbox.outcome).in_(_UNREAD)).order_by(col(t.Inbox.taken).desc())
    return session.exec(query).all()


def has_answered_automatic(session: Session, seat: t.Seat, since: datetime) -> bool:
    """Return whether an automatic letter of a seat was answered since a moment."""
    query = select(t.Outbox.id).join(t.Inbox).where(t.Inbox.seat_id == seat.id)
    query = query.where(col(t.Inbox.outcome).in_(_OF_MACHINES), col(t.Inbox.taken) > since)
    return session.exec(query).first() is not None


def count_outcomes(session: Session, seat: t.Seat, outcomes: Sequence[str], since: datetime) -> int:
    """Count the letters of a seat since a moment that had one of these outcomes."""
    query = select(func.count()).where(t.Inbox.seat_id == seat.id, col(t.Inbox.outcome).in_(outcomes))
    return session.exec(query.where(col(t.Inbox.taken) > since)).one()


def bytes_with_outcomes(
    session: Session, seat: t.Seat, outcomes: Sequence[str], since: datetime, limit: int
) -> Sequence[bytes]:
    """Return the bytes of a seat's last short letters with certain outcomes."""
    query = select(t.Raw.body).join(t.Inbox, col(t.Inbox.sha256) == col(t.Raw.sha256))
    query = query.where(t.Inbox.seat_id == seat.id, col(t.Inbox.outcome).in_(outcomes), col(t.Inbox.taken) > since)
    query = query.where(
        func.length(t.Raw.body) <= LONGEST_AUTOMATIC, t.Inbox.verdict == "seat", col(t.Inbox.copy_of).is_(None)
    )
    return session.exec(query.order_by(col(t.Inbox.taken).desc()).limit(limit)).all()


def count_active_seats(session: Session, since: datetime) -> int:
    """Count the seats that wrote after a moment."""
    query = select(func.count(func.distinct(col(t.Inbox.seat_id))))
    return session.exec(query.where(t.Inbox.verdict == "seat", t.Inbox.taken > since)).one()


def count_taken(
    session: Session, verdict: str, since: datetime, outcomes: Sequence[str] = (), sender: str | None = None
) -> int:
    """Count letters of a verdict since a moment, by outcome and sender if given."""
    query = select(func.count()).where(t.Inbox.verdict == verdict, col(t.Inbox.taken) > since)
    if outcomes:
        query = query.where(col(t.Inbox.outcome).in_(outcomes))
    if sender is not None:
        query = query.where(t.Inbox.sender == sender)
    return session.exec(query).one()


def count_letters_of_strangers(session: Session, since: datetime, outcomes: Sequence[str], domain: str = "") -> int:
    """Count strangers' letters since a moment, by outcome.

    Letters from registered addresses are left out. With a `domain` only its letters are counted; if it begins with
    a dot, also those of domains below it.
    """
    registered = select(t.Address.email)
    query = select(func.count()).where(
        t.Inbox.verdict == "stranger",
        col(t.Inbox.taken) > since,
        col(t.Inbox.outcome).in_(outcomes),
        col(t.Inbox.sender).not_in(registered),
    )
    if domain.startswith("."):
        conditions = (col(t.Inbox.sender).endswith(f"{separator}{domain[1:]}", autoescape=True) for separator in "@.")
        return session.exec(query.where(or_(*conditions))).one()
    return session.exec(query.where(col(t.Inbox.sender).endswith(f"@{domain}")) if domain else query).one()


def last_arrival_from(session: Session, verdict: str, sender: str) -> datetime | None:
    """Return when the last letter of a sender with a verdict arrived, or None."""
    query = select(func.max(t.Inbox.taken)).where(t.Inbox.verdict == verdict, t.Inbox.sender == sender)
    return session.exec(query).one()


def count_letters_from(session: Session, verdict: str, sender: str, since: datetime) -> int:
    """Count a sender's letters of a verdict since a moment, without forged ones."""
    query = select(func.count()).where(t.Inbox.verdict == verdict, t.Inbox.sender == sender)
    return session.exec(query.where(col(t.Inbox.taken) > since, t.Inbox.outcome != "unauthentic")).one()


def bytes_before(session: Session, verdicts: Sequence[str], before: datetime) -> Sequence[t.Raw]:
    """Return the stored bytes of the letters with one of `verdicts` before a moment."""
    digests = select(t.Inbox.sha256).where(col(t.Inbox.verdict).in_(verdicts), col(t.Inbox.taken) < before)
    return session.exec(select(t.Raw).where(col(t.Raw.sha256).in_(digests), func.length(t.Raw.body) > 0)).all()


def letters_with_orders(session: Session, name: str) -> Sequence[tuple[t.Inbox, bytes]]:
    """Return the letters with orders for a game, each once, with their stored bytes."""
    orders = select(t.QueuedOrders.inbox_id).join(t.Phase).where(t.Phase.game_id == name)
    query = select(t.Inbox, t.Raw.body).join(t.Raw, col(t.Inbox.sha256) == col(t.Raw.sha256))
    return session.exec(query.where(col(t.Inbox.id).in_(orders)).order_by(col(t.Inbox.id))).all()


def last_uid(session: Session, account: str) -> int:
    """Return the highest UID taken from an account; 0 if none was taken."""
    return session.exec(select(func.max(t.Inbox.uid)).where(t.Inbox.account == account)).one() or 0


def previous_validity(session: Session, place: MailboxPlace) -> int | None:
    """Return the folder's last other UIDVALIDITY; None if it had no other."""
    query = select(t.Inbox.uidvalidity).where(t.Inbox.account == place.account, t.Inbox.folder == place.folder)
    others = query.where(t.Inbox.uidvalidity != place.uidvalidity)
    return session.exec(others.order_by(col(t.Inbox.id).desc()).limit(1)).first()


def last_poll(session: Session) -> datetime | None:
    """Return when the oldest of the mailboxes' last complete polls began, or None."""
    return read_rows(session, _POLLED)[0][0]  # type: ignore[no-any-return]


def raw_of(session: Session, message_id: str) -> bytes | None:
    """Return what is kept of the first letter with a Message-ID, or None."""
    letters = select(t.Raw.body).join(t.Inbox, col(t.Inbox.sha256) == t.Raw.sha256)
    originals = letters.where(t.Inbox.message_id == message_id, col(t.Inbox.copy_of).is_(None))
    return session.exec(originals.order_by(col(t.Inbox.id)).limit(1)).first()


def newest_letter(session: Session) -> datetime | None:
    """Return when the newest taken letter came into its mailbox, or None."""
    return session.exec(select(func.max(t.Inbox.internaldate))).one()


def refused_letters(session: Session, name: str, seat: str = "") -> Sequence[tuple[t.Inbox, str, bytes]]:
    """Return the stored refused letters of a game's seats, the oldest first.

    Each comes with the name of its seat and its bytes. Letters that were carried out when read again are left out,
    and a letter that was refused again is listed once, by its first row.
    """
    rerun = aliased(t.Inbox)
    carried_out = select(rerun.id).where(
        rerun.copy_of == t.Inbox.id, rerun.verdict == "seat", rerun.outcome != "refusal"
    )
    query = (
        select(t.Inbox, t.Seat.name, t.Raw.body)
        .join(t.Seat, col(t.Inbox.seat_id) == col(t.Seat.id))
        .join(t.Raw, col(t.Inbox.sha256) == col(t.Raw.sha256))
        .where(t.Seat.game_id == name, t.Inbox.verdict == "seat", t.Inbox.outcome == "refusal")
        .where(col(t.Inbox.copy_of).is_(None), func.length(t.Raw.body) > 0, ~carried_out.exists())
        .order_by(col(t.Inbox.internaldate), col(t.Inbox.id))
    )
    return session.exec(query.where(t.Seat.name == seat) if seat else query).all()


def letter_digests(session: Session) -> frozenset[str]:
    """Return the digests of all letters that were taken in."""
    return frozenset(session.exec(select(t.Inbox.sha256)).all())


# Queries about limits: uses of commands, addresses named by players, begun letters.


def count_uses(session: Session, seat: t.Seat, command: str, since: datetime) -> Mapping[str, int]:
    """Count a seat's uses of a command: ``seat`` (all), ``day``, and phase ids."""
    rows = session.exec(select(t.Use.phase_id, t.Use.at).where(t.Use.seat_id == seat.id, t.Use.command == command))
    counts = {"seat": 0, "day": 0}
    for phase, moment in rows:
        counts["seat"] += 1
        counts["day"] += moment > since
        counts[str(phase)] = counts.get(str(phase), 0) + 1
    return counts


def count_addresses_of(session: Session, person_id: int | None, since: datetime) -> int:
    """Count the addresses that a person had letters sent to since a moment."""
    query = select(func.count(func.distinct(t.Use.about))).where(t.Use.person_id == person_id, t.Use.about != "")
    return session.exec(query.where(col(t.Use.at) > since)).one()


def has_named_address(session: Session, person_id: int | None, command: str, about: str, since: datetime) -> bool:
    """Return whether a person has named an address with a command since a moment."""
    query = select(t.Use.id).where(t.Use.person_id == person_id, t.Use.command == command, t.Use.about == about)
    return session.exec(query.where(col(t.Use.at) > since)).first() is not None


def count_letters_to_named(session: Session, since: datetime, domain: str = "") -> int:
    """Count letters to addresses named by players since a moment, perhaps by domain."""
    query = select(func.count()).where(col(t.Use.at) > since, t.Use.about != "")
    return session.exec(query.where(col(t.Use.about).endswith(f"@{domain}")) if domain else query).one()


def begun_letter(session: Session, place: MailboxPlace) -> t.Begun:
    """Return the row of a letter begun in an unfinished poll."""
    return session.get_one(t.Begun, tuple(place))
