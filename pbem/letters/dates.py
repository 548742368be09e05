"""Days as people write and read them: 2026-12-24, 24/12/2026, 24 December 2026, 24 de diciembre de 2026.

Of numbers that can be day and month either way both readings are given; whoever reads them asks, unless what follows
tells which is meant.
"""

from __future__ import annotations

import re
from datetime import date

from pbem.engine.data.languages import phrases
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold

DAY = r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.]\d{1,2}[/.]\d{4}|\d{1,2}(?: de)? [a-z]{3,12},?(?: del?)? \d{4}"
"""A day as it may be written, folded."""
MONTHS = (
    msg("January"),
    msg("February"),
    msg("March"),
    msg("April"),
    msg("May"),
    msg("June"),
    msg("July"),
    msg("August"),
    msg("September"),
    msg("October"),
    msg("November"),
    msg("December"),
)
_ENGLISH = "january february march april may june july august september october november december"
_SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
_NAMED = tuple(zip(_ENGLISH.split(), _SPANISH.split(), strict=True))
_NUMBERS = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})")
_WORDS = re.compile(r"(\d{1,2})(?: de)? ([a-z]+),?(?: del?)? (\d{4})")


def readings(*days: str) -> tuple[tuple[date, ...], ...]:
    """Return every way to read days that were written together: all of them day first, or all month first."""
    found = (tuple(_read(day, month_first) for day in days) for month_first in (False, True))
    whole = [tuple(day for day in read if day is not None) for read in found]
    return tuple(dict.fromkeys(read for read in whole if len(read) == len(days)))


def worded(day: date) -> Msg:
    """Return a day in words."""
    return msg("{number} {month} {year}", number=day.day, month=MONTHS[day.month - 1], year=str(day.year))


def _read(text: str, month_first: bool) -> date | None:
    try:
        if found := _NUMBERS.fullmatch(text):
            first, second, year = map(int, found.groups())
            return date(year, first, second) if month_first else date(year, second, first)
        if found := _WORDS.fullmatch(text):
            return date(int(found[3]), _month(found[2]), int(found[1]))
        return date(*map(int, text.split("-")))
    except ValueError:
        return None


def _month(word: str) -> int:
    """The number of a month by its name or how that begins; 0, which no date has, for another word."""
    for number, names in enumerate(_NAMED, 1):
        if any(one.startswith(word) for one in (*names, *map(fold, phrases(names[0].upper())))):
            return number
    return 0
