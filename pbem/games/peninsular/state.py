"""Counters, divisions and the position: what lies on the map and what the rules ask of it.

Kinds: inf, cav, art, cmd (a commander). `combat` counters are all but commanders.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from pbem.core.canon import Json
from pbem.core.hexes import front, neighbours
from pbem.games.peninsular.edition import SIDES, WILLS, Edition, camp

__all__ = ["DISORDERED", "NORMAL", "ROUTED", "SIDES", "Division", "State", "Unit", "best", "camp", "grade"]

NORMAL, DISORDERED, ROUTED = "normal", "D", "DE"
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Unit(NamedTuple):
    """A counter.

    `full` is its PF when the game began; `fire` and `range` are a battery's; `morale`, `shock` and `range` a
    commander's. Of this half: `assault` the hex it is to assault, `charge` the hexes of its charge, `halted` by a P
    result, `used` MP, `offroad` that it left the road, `zoned` that it entered a zone, `base` the formation and
    `start` the hex it began in, `run` its last straight way (direction and hexes), `pursuits` attacks out of control.
    Of this turn: `fired`, `stirred` (moved or fought). `nofire` is the turn until whose end it may not fire.
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

    @property
    def is_combat(self) -> bool:
        """Anything but a commander."""
        return self.kind != "cmd"

    @property
    def camp(self) -> str:
        """``allied`` or ``french``: who stands together."""
        return camp(self.side)

    @property
    def faces(self) -> bool:
        """S3 Whether it has a front, flanks and a rear: formed, or artillery."""
        return self.kind == "art" or (self.kind != "cmd" and self.formation == "formed")

    @property
    def square(self) -> bool:
        """In square."""
        return self.kind == "inf" and self.formation == "square"

    @property
    def skirmishing(self) -> bool:
        """In skirmish order."""
        return self.kind in ("inf", "cav") and self.formation == "skirmish"

    @property
    def unlimbered(self) -> bool:
        """A battery ready to fire."""
        return self.kind == "art" and not self.limbered

    @property
    def zone(self) -> tuple[str, ...]:
        """S3 The hexes of its zone of control, whatever lies between."""
        if self.kind not in ("inf", "cav") or self.state == ROUTED or self.skirmishing:
            return ()
        return neighbours(self.at) if self.square else front(self.at, self.facing)


class Division(NamedTuple):
    """A division: its morale (6 best to 1), commander's id, order in force, the order that waits for next turn, and
    the PF it began with."""

    name: str
    side: str
    morale: int = 4
    commander: str = ""
    order: str = ""
    pending: str = ""
    full: int = 0


class State(NamedTuple):
    """The whole position.

    `gone` says what became of counters out of play; `shots` the fire ordered for this half as (units, hex, line);
    `assaults` the hexes to be assaulted, each with the leading unit; `shaken` whether a counter was newly routed or
    eliminated this turn; `fallen` commanders to be replaced, as they were; `dead` PF lost by side, `toll` counters
    lost by side; `uses` how often a standing order was used this turn. `hexes` is no part of the position: counters
    by hex, filled in when first asked.
    """

    edition: Edition
    turn: int = 1
    phase: str = ""
    units: Mapping[str, Unit] = _NOTHING
    divisions: Mapping[str, Division] = _NOTHING
    gone: Mapping[str, str] = _NOTHING
    shots: tuple[tuple[tuple[str, ...], str, int], ...] = ()
    assaults: tuple[tuple[str, str], ...] = ()
    shaken: bool = False
    fallen: tuple[tuple[Any, ...], ...] = ()
    dead: Mapping[str, int] = _NOTHING
    toll: Mapping[str, int] = _NOTHING
    stopped: bool = False
    winner: str = ""
    points: Mapping[str, int] = _NOTHING
    uses: Mapping[str, int] = _NOTHING
    hexes: dict[str, list[Unit]] | None = None

    def change(self, **what: Any) -> State:
        """Return a copy with the fields given."""
        if "units" in what or "divisions" in what:
            what["hexes"] = {}
        return self._replace(**what)

    def with_units(self, changed: Mapping[str, Unit]) -> State:
        """Return a copy with these counters put in place of the old ones."""
        return self._replace(units={**self.units, **changed}, hexes={})

    def __eq__(self, other: object) -> bool:
        """Equal positions are equal, whether or not their counters were looked up by hex."""
        return isinstance(other, State) and self[:-1] == other[:-1]

    @property
    def by_hex(self) -> dict[str, list[Unit]]:
        """Counters by hex, in id order."""
        index = self.hexes
        if not index:
            index = {} if index is None else index
            for _, unit in sorted(self.units.items()):
                index.setdefault(unit.at, []).append(unit)
            index.setdefault("", [])
        return index

    @property
    def threats(self) -> dict[str, list[Unit]]:
        """S3 Counters by the hexes of their zones, in id order."""
        known = self.remembered
        if "threats" not in known:
            index: dict[str, list[Unit]] = {}
            for _, unit in sorted(self.units.items()):
                for ident in unit.zone:
                    index.setdefault(ident, []).append(unit)
            known["threats"] = index
        return cast("dict[str, list[Unit]]", known["threats"])

    @property
    def remembered(self) -> dict[str, Any]:
        """What was found out about this position and holds as long as its counters and orders stay as they are."""
        return cast("dict[str, Any]", self.by_hex)

    def at(self, ident: str) -> list[Unit]:
        """Return the counters in a hex, in id order."""
        return self.by_hex.get(ident, [])

    def own(self, ident: str, side: str) -> list[Unit]:
        """Return the counters of a side and its friends in a hex, in id order."""
        ours = camp(side)
        return [unit for unit in self.at(ident) if unit.camp == ours]

    def fighting(self, ident: str, side: str) -> list[Unit]:
        """Return the combat counters of a side and its friends in a hex, in id order."""
        return [unit for unit in self.own(ident, side) if unit.is_combat]

    def foes(self, ident: str, side: str) -> list[Unit]:
        """Return the combat counters of the enemies of a side in a hex, in id order."""
        ours = camp(side)
        return [unit for unit in self.at(ident) if unit.camp != ours and unit.is_combat]

    def holder(self, ident: str) -> str:
        """Return the side of the first counter in a hex, or the empty string."""
        here = self.at(ident)
        return here[0].side if here else ""

    def order_of(self, unit: Unit) -> str:
        """S2 Return the order in force for a counter, the empty string for none."""
        division = self.divisions.get(unit.division)
        if division is None and unit.kind == "cmd":
            division = next((d for _, d in sorted(self.divisions.items()) if d.commander == unit.id), None)
        return division.order if division is not None else ""

    def commanders(self, ident: str, side: str) -> list[Unit]:
        """Return the commanders of a side and its friends in a hex."""
        return [unit for unit in self.own(ident, side) if unit.kind == "cmd"]

    def encode(self) -> Json:
        """Return the state as JSON without its edition; `decode` reads it back."""
        return {
            "turn": self.turn,
            "phase": self.phase,
            "units": [list(unit) for _, unit in sorted(self.units.items())],
            "divisions": [list(division) for _, division in sorted(self.divisions.items())],
            "gone": dict(self.gone),
            "shots": [[list(units), at, line] for units, at, line in self.shots],
            "assaults": [list(item) for item in self.assaults],
            "shaken": self.shaken,
            "fallen": [list(row) for row in self.fallen],
            "dead": dict(self.dead),
            "toll": dict(self.toll),
            "stopped": self.stopped,
            "winner": self.winner,
            "points": dict(self.points),
            "uses": dict(self.uses),
        }

    @classmethod
    def decode(cls, value: Json, edition: Edition) -> State:
        """Read what `encode` wrote."""
        units = (Unit(*_tuples(row)) for row in value["units"])
        divisions = (Division(*row) for row in value["divisions"])
        return cls(
            edition,
            value["turn"],
            value["phase"],
            {unit.id: unit for unit in units},
            {division.name: division for division in divisions},
            value["gone"],
            _tuples(value["shots"]),
            _tuples(value["assaults"]),
            value["shaken"],
            _tuples(value["fallen"]),
            value["dead"],
            value["toll"],
            value["stopped"],
            value["winner"],
            value["points"],
            value["uses"],
        )


def _tuples(value: Json) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value


def grade(will: str) -> int:
    """Return 0 for the best will, A, to 5 for F."""
    return WILLS.index(will)


def best(units: list[Unit]) -> Unit | None:
    """S5 Return who leads: most PF, then the best will, then id."""
    return min(units, key=lambda unit: (-unit.pf, grade(unit.will), unit.id), default=None)
