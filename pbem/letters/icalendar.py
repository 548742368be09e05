"""Write a calendar as text that any calendar program reads (iCalendar, RFC 5545).

::

    write_calendar("cup60", [Entry("cup60-r1-ends", moment, "Round 1 ends")], now)

An entry is a moment, with an alarm one day before. When an entry is written again under its name, calendar programs
replace the earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

_LONGEST = 75
"""Octets of a line without its end (RFC 5545, 3.1)."""


class Entry(NamedTuple):
    """A moment in a calendar: a name that never changes, a time, a text."""

    name: str
    at: datetime
    title: str


def write_calendar(name: str, entries: Iterable[Entry], now: datetime) -> str:
    """Return a calendar with a name and entries.

    Programs take the one with the later `now` for the newer version.
    """
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//pbem//pbem//EN", "METHOD:PUBLISH"]
    lines.append(f"X-WR-CALNAME:{_escape(name)}")
    for entry in entries:
        title = _escape(entry.title)
        lines += [
            "BEGIN:VEVENT",
            f"UID:{_escape(entry.name)}@pbem",
            f"DTSTAMP:{_moment(now)}",
            f"DTSTART:{_moment(entry.at)}",
            f"SUMMARY:{title}",
            "BEGIN:VALARM",
            "ACTION:DISPLAY",
            "TRIGGER:-P1D",
            f"DESCRIPTION:{title}",
            "END:VALARM",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    return "".join(f"{part}\r\n" for line in lines for part in _fold(line))


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escape(text: str) -> str:
    """Escape text for a calendar value (RFC 5545, 3.3.11)."""
    for sign in ("\\", ";", ","):
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def _fold(line: str) -> Iterator[str]:
    """Yield a line in parts that are not too long.

    Every part after the first begins with a blank.
    """
    part = ""
    for sign in line:
        if len((part + sign).encode()) > _LONGEST:
            yield part
            part = " "
        part += sign
    yield part
