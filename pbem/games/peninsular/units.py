"""Define counters and divisions, and what is known of each alliance.

Kinds: inf, cav, art, cmd (a commander). `combat` counters are all but commanders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.sources import SourceError
from pbem.engine.map.hexes import DIRECTIONS, front, is_hex, neighbours
from pbem.games.peninsular.edition import SIDES, WILL_RATINGS

NORMAL, DISORDERED, ROUTED = "normal", "D", "DE"

STATE_NAMES: Mapping[str, Msg] = {"normal": msg("steady"), "D": msg("disordered"), "DE": msg("routed")}
FORMATION_NAMES: Mapping[str, Msg] = {
    "formed": msg("formed"),
    "skirmish": msg("in skirmish order"),
    "square": msg("in square"),
}


class Unit(NamedTuple):
    """A counter.

    `full` is its PF when the game began; batteries have `fire` and `range`, commanders `morale`, `shock` and
    `range`. For this half: `assault` is the hex it is to assault, `charge` the length of its charge in hexes,
    `halted` whether a P result stopped it, `used` its spent MP, `offroad` whether it left the road, `zoned` whether
    it entered an enemy zone, `base` the formation and `start` the hex in which it began, `run` its last straight
    ride (direction and hexes), `pursuits` its attacks out of control. For this turn: whether it has `fired` or
    `stirred` (moved or fought). `nofire` is the turn until whose end it may not fire; it is negative if it may not
    fire in the turn before either (S7a).
    """

    id: str
    side: str
    kind: str
    at: str
    pf: int = 1
    full: int = 1
    will: str = "C"
    nation: str = ""
    size: str = ""
    division: str = ""
    facing: str = "N"
    formation: str = "formed"
    limbered: bool = False
    state: str = NORMAL
    fatigue: int = 0
    fire: int = 0
    range: int = 0
    morale: int = 0
    shock: int = 0
    horse: bool = False
    assault: str = ""
    charge: int = 0
    halted: bool = False
    fired: bool = False
    nofire: int = 0
    used: int = 0
    offroad: bool = False
    zoned: bool = False
    base: str = ""
    start: str = ""
    run: tuple[str, int] = ("", 0)
    stirred: bool = False
    pursuits: int = 0

    def but(self, **what: Any) -> Unit:
        """Return the counter with some fields changed."""
        return self._replace(**what)

    @property
    def is_combat(self) -> bool:
        """Return whether it is not a commander."""
        return self.kind != "cmd"

    @property
    def camp(self) -> str:
        """Return ``allied`` or ``french``."""
        return "french" if self.side == "french" else "allied"

    @property
    def faces(self) -> bool:
        """Return whether it has a front, flanks and rear: formed, or artillery (S3)."""
        return self.kind == "art" or (self.kind != "cmd" and self.formation == "formed")

    @property
    def square(self) -> bool:
        """Return whether it is in square."""
        return self.kind == "inf" and self.formation == "square"

    @property
    def skirmishing(self) -> bool:
        """Return whether it is in skirmish order."""
        return self.kind in ("inf", "cav") and self.formation == "skirmish"

    @property
    def is_unlimbered(self) -> bool:
        """Return whether it is a battery ready to fire."""
        return self.kind == "art" and not self.limbered

    @property
    def zone(self) -> tuple[str, ...]:
        """Return the hexes of its zone of control, whatever the terrain (S3)."""
        if self.kind not in ("inf", "cav") or self.state == ROUTED or self.skirmishing:
            return ()
        return neighbours(self.at) if self.square else front(self.at, self.facing)


class Division(NamedTuple):
    """A division: morale (6 best to 1), commander's id, and its orders.

    The orders are the one in force and the one for next turn. Last comes the division's PF at the beginning.
    """

    name: str
    side: str
    morale: int = 4
    commander: str = ""
    order: str = ""
    pending: str = ""
    full: int = 0


_GRADES = {will: number for number, will in enumerate(WILL_RATINGS)}


def will_rank(will: str) -> int:
    """Return 0 for the best will, A, to 5 for F."""
    return _GRADES[will]


def best_unit(units: Sequence[Unit]) -> Unit | None:
    """Return the leading unit: most PF, then the best will, then id (S5)."""
    return min(units, key=lambda unit: (-unit.pf, will_rank(unit.will), unit.id), default=None)


def is_square(units: list[Unit]) -> bool:
    """Return whether a hex counts as one square: some infantry, all in square (S6)."""
    foot = [unit for unit in units if unit.kind == "inf"]
    return bool(foot) and all(unit.square for unit in foot)


# Rosters: counters and divisions written as a line, in scenarios and in rule cases alike.
#
# ``french inf 1/54 pf 6 will B division Leval facing N at 0303``; ``british art Duncan fire 8 size medium limbered at
# 0505``; ``british cmd Graham morale 2 shock 1 range 4 at 0505``; ``french Leval morale 4 commander Leval``. A counter
# that has lost PF reads ``pf 4/6``. Marks: limbered, fired, horse.


UNIT_KINDS = ("inf", "cav", "art", "cmd")
DIVISION_ORDERS = ("ATTACK", "MANOEUVRE", "HOLD", "REORGANISE")
ORDER_NAMES: Mapping[str, Msg] = {
    "": msg("no order"),
    "NONE": msg("no order"),
    "ATTACK": msg("Attack"),
    "MANOEUVRE": msg("Manoeuvre"),
    "HOLD": msg("Hold"),
    "REORGANISE": msg("Reorganise"),
}
# An id without the signs that separate words in orders and lists.
_ID = re.compile(r"[^\s,;+():#]+")
_WORDS = {
    "will": tuple(WILL_RATINGS),
    "size": ("light", "medium", "heavy", "horse"),
    "formation": ("formed", "skirmish", "square", "column"),
    "facing": DIRECTIONS,
    "state": (NORMAL, DISORDERED, ROUTED),
}
_NUMBERS = ("fire", "range", "fatigue", "morale", "shock")
_MARKS = ("limbered", "fired", "horse")


@lru_cache(maxsize=1024)
def read_unit(text: str, file: str = "roster", line: int = 0) -> Unit:
    """Read a counter; raise SourceError with the fault. Its hex is not checked here."""

    def wrong(reason: str) -> SourceError:
        return SourceError(file, line, f"{reason} in {text!r}")

    words = text.split()
    if len(words) < 3:
        raise wrong("a counter reads SIDE KIND ID ... at HEX")
    side, kind, ident, *rest = words
    if side not in SIDES:
        raise wrong(f"unknown side {side!r}; one of {', '.join(SIDES)},")
    if kind not in UNIT_KINDS:
        raise wrong(f"unknown kind {kind!r}; one of {', '.join(UNIT_KINDS)},")
    if not _ID.fullmatch(ident) or is_hex(ident):
        raise wrong(f"{ident!r} is no id")
    return _build_unit(ident, side, kind, _values(side, rest, wrong), wrong)


def _values(side: str, rest: list[str], wrong: Callable[[str], SourceError]) -> dict[str, Any]:
    """Read what follows the id of a counter, word by word."""
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
            known = ", ".join((*_WORDS, *_NUMBERS, *_MARKS, "pf", "nation", "division", "at"))
            raise wrong(f"{word!r} is not understood (known are {known})")
    return values


def _build_unit(ident: str, side: str, kind: str, values: dict[str, Any], wrong: Any) -> Unit:
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
    """Read ``SIDE NAME morale N commander ID order ATTACK``.

    Only side and name are required.
    """
    words = text.split()
    values: dict[str, Any] = {}
    rest = words[2:]
    while len(rest) >= 2:
        key, value, *rest = rest
        if key == "morale" and value in tuple("123456"):
            values["morale"] = int(value)
        elif key == "commander":
            values["commander"] = value
        elif key == "order" and value.upper() in DIVISION_ORDERS:
            values["order"] = value.upper()
        else:
            raise SourceError(file, line, f"{key} {value} is not understood in {text!r}")
    if len(words) < 2 or words[0] not in SIDES or rest:
        raise SourceError(file, line, f"a division reads SIDE NAME morale N commander ID, got {text!r}")
    return Division(words[1], words[0], **values)


def reinforcement_groups(scenario: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    """Return a scenario's reinforcements: name, turn, units, and the die needed.

    Without `needs` the die is 1, so that the group always comes.
    """
    result: Sequence[Mapping[str, Json]] = scenario.get("reinforcements", ())
    return result


def later_units(scenario: Mapping[str, object]) -> Iterator[Unit]:
    """Yield all counters that a scenario brings later."""
    return (read_unit(text) for group in reinforcement_groups(scenario) for text in group["units"])


# S3 Camps: who of each camp stands where, and where the zones of control of a camp reach.
#
# What is known of a camp is kept from position to position and changed only where its counters went or turned: while
# one side moves, nothing that was found out about the other has to be found out again.


ALLIANCES = ("allied", "french")


class AllianceCounters:
    """The counters of a camp; only the position that owns it may change it.

    `ids` are in order; `hexes`: ids by hex; `zones`: by hex, the hexes whose counters have it in their zone, one
    entry for each counter.
    """

    __slots__ = ("hexes", "ids", "zones")

    def __init__(
        self, ids: tuple[str, ...], hexes: dict[str, tuple[str, ...]], zones: dict[str, tuple[str, ...]]
    ) -> None:
        self.ids, self.hexes, self.zones = ids, hexes, zones

    def __eq__(self, other: object) -> bool:
        """Compare the contents of camps."""
        return isinstance(other, AllianceCounters) and (self.ids, self.hexes, self.zones) == (
            other.ids,
            other.hexes,
            other.zones,
        )

    def copy(self) -> AllianceCounters:
        """Return a copy to write to."""
        return AllianceCounters(self.ids, dict(self.hexes), dict(self.zones))

    def redeploy(self, before: Unit | None, after: Unit | None) -> None:
        """Record a counter's change; None means out of play."""
        if before is not None:
            _remove(self.hexes, before.at, before.id)
            for hex_id in before.zone:
                _remove(self.zones, hex_id, before.at)
        elif after is not None:
            self.ids = tuple(sorted((*self.ids, after.id)))
        if after is not None:
            _add(self.hexes, after.at, after.id)
            for hex_id in after.zone:
                _add(self.zones, hex_id, after.at)
        elif before is not None:
            self.ids = tuple([ident for ident in self.ids if ident != before.id])


Camps = dict[str, AllianceCounters]
"""Both camps by name."""


def no_counters() -> AllianceCounters:
    """Return the counters of a side, none yet."""
    return AllianceCounters((), {}, {})


def counters_by_alliance(units: Mapping[str, Unit]) -> Camps:
    """Return the counters of each side, from all units."""
    camps = {name: no_counters() for name in ALLIANCES}
    for _, unit in sorted(units.items()):
        camps[unit.camp].redeploy(None, unit)
    return camps


def _add(table: dict[str, tuple[str, ...]], key: str, word: str) -> None:
    """Add a word to an entry, in order."""
    units = table.get(key)
    table[key] = tuple(sorted((*units, word))) if units else (word,)


def _remove(table: dict[str, tuple[str, ...]], key: str, word: str) -> None:
    """Remove one word from an entry, and an empty entry."""
    remaining = list(table[key])
    remaining.remove(word)
    if remaining:
        table[key] = tuple(remaining)
    else:
        del table[key]
