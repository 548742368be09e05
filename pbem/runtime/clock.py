"""Tell the time, and when the next deadline falls."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from datetime import UTC, datetime, time, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)
"""The period of all limits for a day: the last 24 hours, so that they depend on no time zone's midnight."""
WEEK = 7 * DAY
"""The period of all limits for a week."""


class Clock(Protocol):
    """A source of the present time; only the command line makes one."""

    def now(self) -> datetime:
        """Return the present moment, aware, in UTC."""
        ...


class Pace:
    """The rhythm of a game's deadlines: at `hour` in `zone`, on `weekdays`.

    `past` returns a pace with deadlines some minutes after the hour. Weekdays are numbers, 0 is Monday. A phase
    lasts at least `grace_hours`; once all orders are in, `undo_minutes` are left to change them. Raise
    ValueError for values outside the calendar.
    """

    def __init__(
        self,
        zone: str = "UTC",
        weekdays: Collection[int] = range(7),
        hour: int = 20,
        grace_hours: int = 24,
        undo_minutes: int = 30,
    ) -> None:
        try:
            ZoneInfo(zone)
        except (KeyError, ValueError, OSError) as unknown:
            # ZoneInfo raises all three: for an unknown name, for a path, and for the name of a folder such as Europe.
            raise ValueError(f"there is no time zone {zone!r}") from unknown
        if not weekdays or not set(weekdays) <= set(range(7)):
            raise ValueError(f"weekdays are numbers from 0 (Monday) to 6, got {sorted(weekdays)}")
        if not 0 <= hour <= 23:
            raise ValueError(f"the hour of a deadline is 0 to 23, got {hour}")
        if grace_hours < 0 or undo_minutes < 0:
            raise ValueError("grace hours and undo minutes are not negative")
        self.zone = zone
        self.weekdays = tuple(sorted(set(weekdays)))
        self.hour = hour
        self.minute = 0
        self.grace_hours = grace_hours
        self.undo_minutes = undo_minutes

    def deadline(self, opened: datetime, hours: int | None = None) -> datetime:
        """Return the deadline of a phase opened at a moment.

        It is at least `hours` later, by default the pace's `grace_hours`.
        """
        after = opened + timedelta(hours=self.grace_hours if hours is None else hours)
        return next_deadline(after, self.zone, self.weekdays, self.hour, self.minute)

    def past(self, minute: int) -> Pace:
        """Return the pace with deadlines these minutes past the hour; or ValueError."""
        if not 0 <= minute <= 59:
            raise ValueError(f"the minute of a deadline is 0 to 59, got {minute}")
        other = copy(self)
        other.minute = minute
        return other


def next_deadline(after: datetime, zone: str, weekdays: Collection[int], hour: int, minute: int = 0) -> datetime:
    """Return the first `hour`:`minute` in `zone` after `after`, in UTC.

    Only `weekdays` count. It is computed in local time, day by day, and only then converted to UTC: if clocks are
    set back, the first of the two equal hours counts; if they skip the hour, it falls an hour later in local time.
    """
    place = ZoneInfo(zone)
    day = after.astimezone(place).date()
    while True:
        if day.weekday() in weekdays:
            moment = datetime.combine(day, time(hour, minute), place).astimezone(UTC)
            if moment > after:
                return moment
        day += timedelta(days=1)
