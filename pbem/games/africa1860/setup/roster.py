"""Rosters: units written as a line, in scenarios and in rule cases alike.

``spain IR Cordoba fire 3 assault 3 steps 4 morale 5 at B``; ``spain OF Prim 3/3 at B``; also ``steps 2/4`` and the
words demoralised, activated, fired at the end.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from pbem.engine.data.sources import SourceError
from pbem.games.africa1860.setup.edition import SIDES
from pbem.games.africa1860.setup.units import Unit

_CODES = ("IR", "NZ", "IL", "CAB", "ART", "CNV", "OF")
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_NUMBERS = ("fire", "assault", "steps", "morale")
_MARKS = ("demoralised", "activated", "fired")


@lru_cache(maxsize=1024)
def read_unit(text: str, file: str = "roster", line: int = 0) -> Unit:
    """Read a unit; SourceError says what is missing or unknown. The space is not checked against a map here."""

    def wrong(reason: str) -> SourceError:
        return SourceError(file, line, f"{reason} in {text!r}")

    words = text.split()
    if len(words) < 3:
        raise wrong("a unit reads SIDE CODE ID ... at SPACE")
    side, code, ident, *rest = words
    if side not in SIDES:
        raise wrong(f"unknown side {side!r}")
    if code not in _CODES:
        raise wrong(f"unknown type {code!r}")
    if not _ID.fullmatch(ident):
        raise wrong(f"{ident!r} is no id")
    values: dict[str, Any] = {}
    while rest:
        word = rest.pop(0)
        if code == "OF" and re.fullmatch(r"\d+/\d+", word):
            values["assault"], values["bonus"] = map(int, word.split("/"))
            values["morale"] = 4 + values["bonus"]
        elif word in _MARKS:
            values[word] = True
        elif word == "at" and rest:
            values["at"] = rest.pop(0)
        elif word in _NUMBERS and rest and re.fullmatch(r"\d+(/\d+)?", rest[0]):
            now, _, full = rest.pop(0).partition("/")
            if full and word != "steps":
                raise wrong(f"{word} is one number")
            values[word] = int(now)
            if word == "steps":
                values["full"] = int(full or now)
        else:
            raise wrong(f"{word!r} is not understood")
    wanted = {"at", "assault", "bonus"} if code == "OF" else {"at", *_NUMBERS}
    for name in sorted(wanted - set(values)):
        raise wrong(f"{name} is missing")
    if not 0 < values.get("steps", 1) <= values.get("full", 1):
        raise wrong("steps are at least 1 and at most the full number")
    return Unit(ident, side, code, **values)
