"""Counters and divisions: what a counter is, and who of several leads.

Kinds: inf, cav, art, cmd (a commander). `combat` counters are all but commanders.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pbem.engine.map.hexes import front, neighbours
from pbem.games.peninsular.setup.edition import WILLS

NORMAL, DISORDERED, ROUTED = "normal", "D", "DE"


class Unit(NamedTuple):
    """A counter.

    `full` is its PF when the game began; `fire` and `range` are a battery's; `morale`, `shock` and `range` a
    commander's. Of this half: `assault` the hex it is to assault, `charge` the hexes of its charge, `halted` by a P
    result, `used` MP, `offroad` that it left the road, `zoned` that it entered a zone, `base` the formation and
    `start` the hex it began in, `run` its last straight way (direction and hexes), `pursuits` attacks out of control.
    Of this turn: `fired`, `stirred` (moved or fought). `nofire` is the turn until whose end it may not fire,
    negative if it may not in the turn before either (S7a).
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
        """Return the counter with these fields changed."""
        return self._replace(**what)

    @property
    def is_combat(self) -> bool:
        """Anything but a commander."""
        return self.kind != "cmd"

    @property
    def camp(self) -> str:
        """``allied`` or ``french``: who stands together."""
        return "french" if self.side == "french" else "allied"

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


_GRADES = {will: number for number, will in enumerate(WILLS)}


def grade(will: str) -> int:
    """Return 0 for the best will, A, to 5 for F."""
    return _GRADES[will]


def best(units: Sequence[Unit]) -> Unit | None:
    """S5 Return who leads: most PF, then the best will, then id."""
    return min(units, key=lambda unit: (-unit.pf, grade(unit.will), unit.id), default=None)
