"""VACATION: days on which a seat is away; a deadline that falls on one waits until it is back, or a bot stands in.

Days are those of the seat's own zone. What a seat may be away in a whole game stands in its terms.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session

from pbem.letters import dates
from pbem.runtime.terms import Terms
from pbem.store import queries, tables

DATES = re.compile(rf"({dates.DAY})(?: (?:to|a|al|hasta|until) ({dates.DAY}))?")
"""What follows VACATION, folded: the first day, and the last if it is another."""


def readings(said: str) -> tuple[tuple[date, date], ...]:
    """What the first and the last day of what follows VACATION can be; none for days that no calendar has.

    Two readings there are where days and months can be told apart by nothing.
    """
    found = DATES.fullmatch(said)
    if found is None:
        return ()
    both = dates.readings(found[1], found[2] or found[1])
    return tuple((first, last) for first, last in both if first <= last)


def read(said: str) -> tuple[date, date] | None:
    """The first and the last day, if they can be read in one way only."""
    found = readings(said)
    return found[0] if len(found) == 1 else None


def back(session: Session, seat: tables.Seat, at: datetime) -> datetime:
    """When the seat is back if it is away at that moment: the midnight after its last day; else `at` itself."""
    zone = ZoneInfo(seat.zone)
    while True:
        day = at.astimezone(zone).date().isoformat()
        over = [row.last for row in queries.people.absences(session, seat) if row.first <= day <= row.last]
        if not over:
            return at
        at = datetime.combine(date.fromisoformat(max(over)) + timedelta(days=1), time(), zone).astimezone(UTC)


def until(session: Session, seat: tables.Seat, at: datetime) -> date | None:
    """The last day on which the seat is away, if it is at that moment."""
    free = back(session, seat, at)
    return None if free == at else (free.astimezone(ZoneInfo(seat.zone)) - timedelta(hours=1)).date()


def come_back(session: Session, seat: tables.Seat, at: datetime) -> bool:
    """The seat is here again, before the last day of its absence; whether it was away, since an earlier day."""
    day = at.astimezone(ZoneInfo(seat.zone)).date()
    over = [row for row in queries.people.absences(session, seat) if row.first < day.isoformat() <= row.last]
    for row in over:
        row.last = (day - timedelta(days=1)).isoformat()
        session.add(row)
    return bool(over)


def stood_in(session: Session, game: tables.Game, active: Collection[str], at: datetime) -> dict[str, str]:
    """The seats whose players are away at a deadline, each with the bot that may write for them."""
    bot = Terms.read(game.terms).stand_in
    seats = queries.games.seats(session, game.id) if bot else ()
    return {
        seat.name: bot
        for seat in seats
        if seat.name in active and seat.person_id is not None and until(session, seat, at) is not None
    }


def days_of(first: date, last: date) -> int:
    """How many days that are, both counted."""
    return (last - first).days + 1


def days_left(session: Session, terms: Terms, seat: tables.Seat) -> int:
    """How many days of absence the seat may still announce."""
    rows = queries.people.absences(session, seat)
    spans = ((date.fromisoformat(row.first), date.fromisoformat(row.last)) for row in rows)
    return terms.vacation_days - sum(days_of(*span) for span in spans)
