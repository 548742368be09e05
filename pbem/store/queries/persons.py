"""Questions about people: where they are written to, what they play, watch and wait for, and when they are away."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import bindparam, or_, union
from sqlmodel import Session, col, select

from pbem.store import tables as t

_EMAIL = select(t.Address.email).where(t.Address.person_id == bindparam("person")).order_by(col(t.Address.id)).limit(1)
_PERSON = select(t.Person).join(t.Address).where(t.Address.email == bindparam("email"))
_OBSERVERS = select(t.Observer).where(t.Observer.game_id == bindparam("game")).order_by(col(t.Observer.id))


def registered(session: Session, whose: str) -> Sequence[str]:
    """The addresses of people here that are this one, whatever follows a plus in them, or are of this domain."""
    found = session.exec(select(t.Address.email)).all()
    if "@" in whose:
        local, _, domain = whose.partition("@")
        return [one for one in found if one.partition("@")[0].partition("+")[0] == local and one.endswith(f"@{domain}")]
    return [one for one in found if one.endswith((f"@{whose}", f".{whose}"))]


def email_of(session: Session, person_id: int | None) -> str | None:
    """The registered address of a person: the first of his addresses."""
    return None if person_id is None else session.exec(_EMAIL, params={"person": person_id}).first()


def person_by_email(session: Session, email: str) -> t.Person | None:
    """Who has this address, if anybody."""
    return session.exec(_PERSON, params={"email": email.casefold()}).one_or_none()


def addresses(session: Session, person_id: int | None) -> Sequence[t.Address]:
    """All addresses of a person."""
    return session.exec(select(t.Address).where(t.Address.person_id == person_id)).all()


def addresses_of_all(session: Session, people: Collection[int]) -> dict[int, list[t.Address]]:
    """Return all addresses of people by person."""
    found: dict[int, list[t.Address]] = {person: [] for person in people}
    for row in session.exec(select(t.Address).where(col(t.Address.person_id).in_(found))):
        found[row.person_id].append(row)
    return found


def wrote_from(session: Session, seat: t.Seat, email: str) -> bool:
    """Whether letters of a seat are known to come from an address that is not the registered one."""
    known = select(t.Writer).where(t.Writer.seat_id == seat.id, t.Writer.email == email)
    return session.exec(known).first() is not None


def written_from(session: Session, seat: t.Seat) -> Sequence[t.Writer]:
    """The addresses other than the registered one from which letters of a seat came."""
    return session.exec(select(t.Writer).where(t.Writer.seat_id == seat.id)).all()


def seats_of(session: Session, person_id: int | None) -> Sequence[t.Seat]:
    """The seats that a person has, of all games, in the order in which they were made; the free ones for nobody."""
    return session.exec(select(t.Seat).where(t.Seat.person_id == person_id).order_by(col(t.Seat.id))).all()


def absences(session: Session, seat: t.Seat) -> Sequence[t.Absence]:
    """What a seat announced, the earliest first."""
    return session.exec(select(t.Absence).where(t.Absence.seat_id == seat.id).order_by(col(t.Absence.first))).all()


def observers(session: Session, name: str) -> Sequence[t.Observer]:
    """Who watches a game."""
    return session.exec(_OBSERVERS, params={"game": name}).all()


def watched_by(session: Session, person_id: int | None) -> Sequence[t.Observer]:
    """The games that a person watches without a seat; none of nobody."""
    return session.exec(select(t.Observer).where(t.Observer.person_id == person_id)).all()


def standing_by(session: Session, person_id: int | None) -> Sequence[t.Standby]:
    """What a person stands by for, in the order in which he said so; nothing of nobody."""
    return session.exec(select(t.Standby).where(t.Standby.person_id == person_id).order_by(col(t.Standby.id))).all()


def seeking(session: Session, scenario: str, since: datetime) -> Sequence[t.Seek]:
    """Return who looks for an opponent in a battle since a moment, the longest first; their rows are locked."""
    found = select(t.Seek).where(t.Seek.scenario == scenario, t.Seek.at > since)
    return session.exec(found.order_by(col(t.Seek.id)).with_for_update()).all()


def all_seeking(session: Session, since: datetime) -> Sequence[t.Seek]:
    """Return who looks for an opponent in any battle since a moment or later, the longest first."""
    return session.exec(select(t.Seek).where(t.Seek.at > since).order_by(col(t.Seek.at), col(t.Seek.id))).all()


def sought_before(session: Session, moment: datetime) -> Sequence[t.Seek]:
    """Return who has looked for an opponent since before a moment."""
    return session.exec(select(t.Seek).where(t.Seek.at <= moment)).all()


def sought_by(session: Session, person_id: int | None) -> Sequence[t.Seek]:
    """Return the battles that a person seeks an opponent for; nothing of nobody."""
    return session.exec(select(t.Seek).where(t.Seek.person_id == person_id).order_by(col(t.Seek.id))).all()


def onlookers(session: Session, name: str) -> Sequence[tuple[int, str]]:
    """Return who gets letters about a game without a seat in it, watching or standing by: persons and addresses."""
    watching = select(t.Observer.person_id).where(t.Observer.game_id == name)
    standing = select(t.Standby.person_id).where(or_(col(t.Standby.game_id).is_(None), col(t.Standby.game_id) == name))
    found = select(t.Address.person_id, t.Address.email)
    return session.exec(found.where(col(t.Address.person_id).in_(union(watching, standing)))).all()


def waiting_for(session: Session, name: str) -> Sequence[t.Standby]:
    """Who stands by for a game, or for any, whoever said so first before the others."""
    wanted = or_(col(t.Standby.game_id).is_(None), col(t.Standby.game_id) == name)
    return session.exec(select(t.Standby).where(wanted).order_by(col(t.Standby.id))).all()
