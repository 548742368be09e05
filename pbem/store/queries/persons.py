"""Query persons: addresses, seats, watched games, searches and absences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import bindparam, or_, union
from sqlmodel import Session, col, select

from pbem.store import tables as t
from pbem.store.session_cache import cache_of, cached_rows, forget_when_written, write_pending

forget_when_written(t.Absence, t.Observer)

_EMAIL = select(t.Address.email).where(t.Address.person_id == bindparam("person")).order_by(col(t.Address.id)).limit(1)
_PERSON = select(t.Person).join(t.Address).where(t.Address.email == bindparam("email"))
_ABSENCES = select(t.Absence).where(t.Absence.seat_id == bindparam("seat")).order_by(col(t.Absence.first))
_OBSERVERS = select(t.Observer).where(t.Observer.game_id == bindparam("game")).order_by(col(t.Observer.id))


def registered_addresses(session: Session, address_or_domain: str) -> Sequence[str]:
    """Return registered addresses equal to a given one, or of a given domain.

    The part after a plus is ignored.
    """
    emails = session.exec(select(t.Address.email)).all()
    if "@" in address_or_domain:
        local, _, domain = address_or_domain.partition("@")
        return [
            email
            for email in emails
            if email.partition("@")[0].partition("+")[0] == local and email.endswith(f"@{domain}")
        ]
    return [email for email in emails if email.endswith((f"@{address_or_domain}", f".{address_or_domain}"))]


def email_of(session: Session, person_id: int | None) -> str | None:
    """Return the registered address of a person, which is the first of all."""
    if person_id is None:
        return None
    write_pending(session, t.Address)
    cache = cache_of(session, "address")
    if person_id not in cache:
        cache[person_id] = session.exec(_EMAIL, params={"person": person_id}).first()
    email: str | None = cache[person_id]
    return email


def person_by_email(session: Session, email: str) -> t.Person | None:
    """Return the person with this address, or None."""
    return session.exec(_PERSON, params={"email": email.casefold()}).one_or_none()


def addresses(session: Session, person_id: int | None) -> Sequence[t.Address]:
    """Return all addresses of a person."""
    return session.exec(select(t.Address).where(t.Address.person_id == person_id)).all()


def addresses_of_all(session: Session, people: Collection[int]) -> dict[int, list[t.Address]]:
    """Return all addresses of people by person."""
    by_person: dict[int, list[t.Address]] = {person: [] for person in people}
    for row in session.exec(select(t.Address).where(col(t.Address.person_id).in_(by_person))):
        by_person[row.person_id].append(row)
    return by_person


def has_written_from(session: Session, seat: t.Seat, email: str) -> bool:
    """Return whether letters of a seat came from this unregistered address before."""
    query = select(t.UnknownWriter).where(t.UnknownWriter.seat_id == seat.id, t.UnknownWriter.email == email)
    return session.exec(query).first() is not None


def writers_of(session: Session, seat: t.Seat) -> Sequence[t.UnknownWriter]:
    """Return the unregistered addresses from which letters of a seat came."""
    return session.exec(select(t.UnknownWriter).where(t.UnknownWriter.seat_id == seat.id)).all()


def seats_of(session: Session, person_id: int | None) -> Sequence[t.Seat]:
    """Return a person's seats in all games, in order.

    For None, the seats without a player.
    """
    return session.exec(select(t.Seat).where(t.Seat.person_id == person_id).order_by(col(t.Seat.id))).all()


def absences(session: Session, seat: t.Seat) -> Sequence[t.Absence]:
    """Return the absences of a seat, the earliest first."""
    return cached_rows(session, t.Absence, seat.id, lambda: session.exec(_ABSENCES, params={"seat": seat.id}).all())


def observers(session: Session, name: str) -> Sequence[t.Observer]:
    """Return the observers of a game."""
    return cached_rows(session, t.Observer, name, lambda: session.exec(_OBSERVERS, params={"game": name}).all())


def watched_by(session: Session, person_id: int | None) -> Sequence[t.Observer]:
    """Return the games that a person watches without a seat; empty for None."""
    return session.exec(select(t.Observer).where(t.Observer.person_id == person_id)).all()


def standbys_of(session: Session, person_id: int | None) -> Sequence[t.Standby]:
    """Return the offers of a person to stand by, in order; empty for None."""
    return session.exec(select(t.Standby).where(t.Standby.person_id == person_id).order_by(col(t.Standby.id))).all()


def seekers(session: Session, scenario: str, since: datetime) -> Sequence[t.Seek]:
    """Return, locked, the open searches for a battle since a moment, by time."""
    query = select(t.Seek).where(t.Seek.scenario == scenario, t.Seek.at > since)
    return session.exec(query.order_by(col(t.Seek.id)).with_for_update()).all()


def all_seekers(session: Session, since: datetime) -> Sequence[t.Seek]:
    """Return the open searches for opponents in any battle since a moment, by time."""
    return session.exec(select(t.Seek).where(t.Seek.at > since).order_by(col(t.Seek.at), col(t.Seek.id))).all()


def expired_seekers(session: Session, moment: datetime) -> Sequence[t.Seek]:
    """Return the open searches that began before a moment."""
    return session.exec(select(t.Seek).where(t.Seek.at <= moment)).all()


def searches_of(session: Session, person_id: int | None) -> Sequence[t.Seek]:
    """Return a person's open searches for opponents; empty for None."""
    return session.exec(select(t.Seek).where(t.Seek.person_id == person_id).order_by(col(t.Seek.id))).all()


def observers_and_standbys(session: Session, name: str) -> Sequence[tuple[int, str]]:
    """Return the persons, with address, who observe or stand by for a game."""
    watching = select(t.Observer.person_id).where(t.Observer.game_id == name)
    standing = select(t.Standby.person_id).where(or_(col(t.Standby.game_id).is_(None), col(t.Standby.game_id) == name))
    query = select(t.Address.person_id, t.Address.email)
    return session.exec(query.where(col(t.Address.person_id).in_(union(watching, standing)))).all()


def standbys_for(session: Session, name: str) -> Sequence[t.Standby]:
    """Return the standbys for a game, or for any game, in the order of offering."""
    condition = or_(col(t.Standby.game_id).is_(None), col(t.Standby.game_id) == name)
    return session.exec(select(t.Standby).where(condition).order_by(col(t.Standby.id))).all()
