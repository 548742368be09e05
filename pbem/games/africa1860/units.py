"""Counters: what a unit is, which of several is the best, and how units are written as a line.

Codes: IR, NZ regular infantry; IL light infantry; CAB cavalry; ART artillery; CNV convoy; OF leader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pbem.engine.data.sources import SourceError
from pbem.games.africa1860.edition import CODES, SIDES

INFANTRY = frozenset({"IR", "NZ", "IL"})
LIGHT = "IL"
CAVALRY = "CAB"
LEADER = "OF"
COMBAT = INFANTRY | {CAVALRY}
LEADER_MORALE = 4
"""C4 The morale of a leader before his own bonus is added."""


class Unit(NamedTuple):
    """A counter. For a leader `assault` and `bonus` are his two numbers; he has one step that no rule touches."""

    id: str
    side: str
    code: str
    at: str
    fire: int = 0
    assault: int = 0
    steps: int = 1
    full: int = 1
    morale: int = LEADER_MORALE
    bonus: int = 0
    demoralised: bool = False
    activated: bool = False
    fired: bool = False
    acted: bool = False

    # Events change units by the dozen, so it is done by place, as fields stand above: `_replace` takes twice as long.

    def gone_to(self, at: str) -> Unit:
        """Return the unit in another space."""
        return Unit._make((*self[:3], at, *self[4:]))

    def left_with(self, steps: int) -> Unit:
        """Return the unit with so many steps left."""
        return Unit._make((*self[:6], steps, *self[7:]))

    def shaken(self, demoralised: bool) -> Unit:
        """Return the unit demoralised, or recovered."""
        return Unit._make((*self[:10], demoralised, *self[11:]))

    def marked(self, activated: bool, fired: bool, acted: bool) -> Unit:
        """Return the unit with just these markers."""
        return Unit._make((*self[:11], activated, fired, acted))

    @property
    def is_combat(self) -> bool:
        """Infantry or cavalry."""
        return self.code in COMBAT

    @property
    def is_leader(self) -> bool:
        """A leader."""
        return self.code == LEADER


ROOM: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(COMBAT, (1, 0)),
    "ART": (0, 1),
    **dict.fromkeys(("CNV", LEADER), (0, 0)),
}
"""C5 What a unit of each type counts for in a space: as combat unit, as ART."""


def crowd(units: Sequence[Unit]) -> tuple[int, int]:
    """C5 Return how many combat units and how many ART there are among the units."""
    if len(units) == 1:
        return ROOM[units[0].code]
    combat = guns = 0
    for unit in units:
        room = ROOM[unit.code]
        combat += room[0]
        guns += room[1]
    return combat, guns


def other(side: str) -> str:
    """Return the enemy of a side."""
    return _OTHER[side]


_OTHER = dict(zip(SIDES, reversed(SIDES), strict=True))


def best_unit(units: list[Unit], fits: Callable[[Unit], bool] = lambda _unit: True) -> Unit | None:
    """Return the best of the units that fit: highest assault, then steps, then id."""
    return min([unit for unit in units if fits(unit)], key=lambda u: (-u.assault, -u.steps, u.id), default=None)


def best_leader(units: list[Unit]) -> Unit | None:
    """Return the best leader among the units: highest assault, then morale bonus, then id."""
    return min([u for u in units if u.code == LEADER], key=lambda u: (-u.assault, -u.bonus, u.id), default=None)


# Rosters: units written as a line, in scenarios and in rule cases alike.
#
# ``spain IR Cordoba fire 3 assault 3 steps 4 morale 5 at B``; ``spain OF Prim 3/3 at B``; also ``steps 2/4`` and the
# words demoralised, activated, fired at the end.


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
    if code not in CODES:
        raise wrong(f"unknown type {code!r}")
    if not _ID.fullmatch(ident):
        raise wrong(f"{ident!r} is no id")
    values = _values(code, rest, wrong)
    wanted = {"at", "assault", "bonus"} if code == "OF" else {"at", *_NUMBERS}
    for name in sorted(wanted - set(values)):
        raise wrong(f"{name} is missing")
    if not 0 < values.get("steps", 1) <= values.get("full", 1):
        raise wrong("steps are at least 1 and at most the full number")
    return Unit(ident, side, code, **values)


def _values(code: str, rest: list[str], wrong: Callable[[str], SourceError]) -> dict[str, Any]:
    """Read what follows the id of a unit, word by word."""
    values: dict[str, Any] = {}
    while rest:
        word = rest.pop(0)
        if code == "OF" and re.fullmatch(r"\d+/\d+", word):
            values["assault"], values["bonus"] = map(int, word.split("/"))
            values["morale"] = LEADER_MORALE + values["bonus"]
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
    return values
