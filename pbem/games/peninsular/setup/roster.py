"""Rosters: counters and divisions written as a line, in scenarios and in rule cases alike.

``french inf 1/54 pf 6 will B division Leval facing N at 0303``; ``british art Duncan fire 8 size medium limbered at
0505``; ``british cmd Graham morale 2 shock 1 range 4 at 0505``; ``french Leval morale 4 commander Leval``. A counter
that has lost PF reads ``pf 4/6``. Marks: limbered, fired, horse.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from pbem.engine.data.sources import SourceError
from pbem.engine.map.hexes import DIRECTIONS, is_hex
from pbem.games.peninsular.setup.edition import SIDES, WILLS
from pbem.games.peninsular.setup.units import DISORDERED, NORMAL, ROUTED, Division, Unit

KINDS = ("inf", "cav", "art", "cmd")
ORDERS = ("ATTACK", "MANOEUVRE", "HOLD", "REORGANISE")
_ID = re.compile(r"[^\s,;+():#]+")
_WORDS = {
    "will": tuple(WILLS),
    "size": ("light", "medium", "heavy", "horse"),
    "formation": ("formed", "skirmish", "square", "column"),
    "facing": DIRECTIONS,
    "state": (NORMAL, DISORDERED, ROUTED),
}
_NUMBERS = ("fire", "range", "fatigue", "morale", "shock")
_MARKS = ("limbered", "fired", "horse")


@lru_cache(maxsize=1024)
def read_unit(text: str, file: str = "roster", line: int = 0) -> Unit:
    """Read a counter; SourceError says what is missing or unknown. The hex is not checked against a map here."""

    def wrong(reason: str) -> SourceError:
        return SourceError(file, line, f"{reason} in {text!r}")

    words = text.split()
    if len(words) < 3:
        raise wrong("a counter reads SIDE KIND ID ... at HEX")
    side, kind, ident, *rest = words
    if side not in SIDES:
        raise wrong(f"unknown side {side!r}")
    if kind not in KINDS:
        raise wrong(f"unknown kind {kind!r}")
    if not _ID.fullmatch(ident) or is_hex(ident):
        raise wrong(f"{ident!r} is no id")
    values: dict[str, Any] = {"nation": side, "facing": "S" if side == "french" else "N"}
    while rest:
        word = rest.pop(0)
        if word in _MARKS:
            values[word] = True
        elif not rest:
            raise wrong(f"after {word!r} something is missing")
        elif word in _WORDS:
            if rest[0] not in _WORDS[word]:
                raise wrong(f"{word} is one of {', '.join(_WORDS[word])}, not {rest[0]!r},")
            values[word] = rest.pop(0)
        elif word in _NUMBERS and re.fullmatch(r"-?\d+", rest[0]):
            values[word] = int(rest.pop(0))
        elif word == "pf" and re.fullmatch(r"\d+(/\d+)?", rest[0]):
            now, _, full = rest.pop(0).partition("/")
            values["pf"], values["full"] = int(now), int(full or now)
        elif word in ("nation", "division", "at"):
            values[word] = rest.pop(0)
        else:
            raise wrong(f"{word!r} is not understood")
    return _made(ident, side, kind, values, wrong)


def _made(ident: str, side: str, kind: str, values: dict[str, Any], wrong: Any) -> Unit:
    if "at" not in values:
        raise wrong("at is missing")
    if not is_hex(values["at"]):
        raise wrong(f"{values['at']!r} is no hex")
    if kind in ("inf", "cav") and "pf" not in values:
        raise wrong("pf is missing")
    if not 0 < values.get("pf", 1) <= values.get("full", 1):
        raise wrong("pf are at least 1 and at most the full number")
    if values.get("formation") == "column":
        values["formation"] = "formed"
    if values.get("size") == "horse":
        values["size"], values["horse"] = "light", True
    if not values.get("size"):
        values["size"] = {"art": "medium", "cav": "light"}.get(kind, "")
    if kind == "cav" and values.get("formation") == "square":
        raise wrong("cavalry forms no square")
    return Unit(ident, side, kind, **values)


def read_division(text: str, file: str = "roster", line: int = 0) -> Division:
    """Read ``SIDE NAME morale N commander ID order ATTACK``; what may be missing is all but side and name."""
    words = text.split()
    values: dict[str, Any] = {}
    rest = words[2:]
    while len(rest) >= 2:
        key, value, *rest = rest
        if key == "morale" and value in tuple("123456"):
            values["morale"] = int(value)
        elif key == "commander":
            values["commander"] = value
        elif key == "order" and value.upper() in ORDERS:
            values["order"] = value.upper()
        else:
            raise SourceError(file, line, f"{key} {value} is not understood in {text!r}")
    if len(words) < 2 or words[0] not in SIDES or rest:
        raise SourceError(file, line, f"a division reads SIDE NAME morale N commander ID, got {text!r}")
    return Division(words[1], words[0], **values)
