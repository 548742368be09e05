"""Questions about what is limited: uses of commands, addresses written to for players, letters that were begun."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlmodel import Session, col, func, select

from pbem.store import tables as t
from pbem.store.queries.inbox import Place


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
