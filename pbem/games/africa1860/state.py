"""Units, spaces and sequence: the counters on the map and what the rules ask of them.

Codes: IR, NZ regular infantry; IL light infantry; CAB cavalry; ART artillery; CNV convoy; OF leader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.core.canon import Json
from pbem.games.africa1860.edition import SIDES, Edition

__all__ = [
    "CAVALRY",
    "COMBAT",
    "INFANTRY",
    "LIGHT",
    "SIDES",
    "Fight",
    "State",
    "Unit",
    "best_leader",
    "best_unit",
    "other",
]

INFANTRY = frozenset({"IR", "NZ", "IL"})
LIGHT = "IL"
CAVALRY = "CAB"
LEADER = "OF"
COMBAT = INFANTRY | {CAVALRY}


_NOTHING: Mapping[str, Any] = MappingProxyType({})


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
    morale: int = 4
    bonus: int = 0
    demoralised: bool = False
    activated: bool = False
    fired: bool = False
    acted: bool = False

    @property
    def is_combat(self) -> bool:
        """Infantry or cavalry."""
        return self.code in COMBAT

    @property
    def is_leader(self) -> bool:
        """A leader."""
        return self.code == LEADER


class Fight(NamedTuple):
    """O8 An assault in progress.

    `kind` is ``assault``, ``charge`` or ``interception``; `between` the space a two-space charge came through;
    `stack` the attackers; `support` groups of guns; `losses` the attacker's LOSSES order. Vanguards and screens are
    empty until named and after they rejoin. `passing`: the defenders are charging through the space, where they have
    no terrain as a target; who intercepts has neither screen nor guns to fire at them, so that it is only told.
    """

    address: str
    kind: str
    side: str
    origin: str
    target: str
    stack: tuple[str, ...]
    leader: str = ""
    between: str = ""
    support: tuple[tuple[str, ...], ...] = ()
    detach: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    vanguard: str = ""
    screen: str = ""
    enemy_vanguard: str = ""
    enemy_screen: str = ""
    passing: bool = False

    @property
    def last_from(self) -> str:
        """The space from which the attackers step into the target (C8.1)."""
        return self.between or self.origin


class State(NamedTuple):
    """The whole position.

    `gone` says what became of units out of play, `lost` the leaders to be replaced (side, id, turn), `used` the spaces
    activated this phase, `bouts` the assaults so far by pair of spaces, `stopped` whether the seat's orders were
    broken off, `captures` the guns and convoys taken by each side, `points` the victory points at the last check,
    `uses` how often a standing order was used this turn, `waiting` reinforcements whose entry was barred,
    `dead` the steps each side lost. `spaces` is no part of the position: the ids in each space, in order, filled in
    when first asked and handed on as long as nobody moves.
    """

    edition: Edition
    turn: int = 1
    phase: str = "spain"
    units: Mapping[str, Unit] = _NOTHING
    gone: Mapping[str, str] = _NOTHING
    lost: tuple[tuple[str, str, int], ...] = ()
    used: tuple[str, ...] = ()
    bouts: Mapping[str, int] = _NOTHING
    fight: Fight | None = None
    stopped: bool = False
    captures: Mapping[str, int] = _NOTHING
    winner: str = ""
    points: Mapping[str, int] = _NOTHING
    uses: Mapping[str, int] = _NOTHING
    waiting: tuple[str, ...] = ()
    dead: Mapping[str, int] = _NOTHING
    spaces: dict[str, list[str]] | None = None

    def change(self, **what: Any) -> State:
        """Return a copy with the fields given."""
        if "units" in what:
            what["spaces"] = {}
        return self._replace(**what)

    def with_units(self, changed: Mapping[str, Unit]) -> State:
        """Return a copy with these units put in place of the old ones."""
        units, spaces = self.units, self.spaces
        for ident, unit in changed.items():
            if ident not in units or units[ident].at != unit.at:
                return self._replace(units={**units, **changed}, spaces={})
        return self._replace(units={**units, **changed}, spaces=spaces)

    def moved(self, idents: Iterable[str], to: str) -> State:
        """Return a copy with these units gone to a space."""
        units, spaces = dict(self.units), dict(self.spaces or ())
        for ident in idents:
            unit = units[ident]
            units[ident] = unit._replace(at=to)
            if spaces:
                spaces[unit.at] = [other for other in spaces[unit.at] if other != ident]
                spaces[to] = sorted([*spaces.get(to, ()), ident])
        return self._replace(units=units, spaces=spaces)

    def without(self, idents: Iterable[str]) -> State:
        """Return a copy without these units."""
        units, spaces = dict(self.units), dict(self.spaces or ())
        for ident in idents:
            unit = units.pop(ident)
            if spaces:
                spaces[unit.at] = [other for other in spaces[unit.at] if other != ident]
        return self._replace(units=units, spaces=spaces)

    def at(self, space: str) -> list[Unit]:
        """Return the units in a space, in id order."""
        index, units = self.spaces or self._index(), self.units
        return [units[ident] for ident in index.get(space, ())]

    def _index(self) -> dict[str, list[str]]:
        """Return the ids by space, and keep them if there is where to."""
        index = {} if self.spaces is None else self.spaces
        for ident in sorted(self.units):
            index.setdefault(self.units[ident].at, []).append(ident)
        index.setdefault("", [])
        return index

    def __eq__(self, other: object) -> bool:
        """Equal positions are equal, whether or not their units were looked up by space."""
        return isinstance(other, State) and self[:-1] == other[:-1]

    def own(self, space: str, side: str) -> list[Unit]:
        """Return a side's units in a space, in id order."""
        index, units = self.spaces or self._index(), self.units
        return [unit for ident in index.get(space, ()) if (unit := units[ident]).side == side]

    def holder(self, space: str) -> str:
        """Return the side with any unit there, or the empty string."""
        here = (self.spaces or self._index()).get(space)
        return self.units[here[0]].side if here else ""

    def leader_bonus(self, unit: Unit) -> int:
        """C4 Return the best morale bonus of another friendly leader in the unit's space.

        O8 R13: until an assault ends its attackers count as in their origin.
        """
        space, bonus = self.home(unit), 0
        near = (self.spaces or self._index()).get(space, [])
        if self.fight is not None and self.fight.origin == space:
            near = [*near, *self.fight.stack]
        for ident in near:
            leader = self.units.get(ident)
            if leader is not None and leader.code == LEADER and leader.side == unit.side and ident != unit.id:
                bonus = max(bonus, leader.bonus if self.home(leader) == space else 0)
        return bonus

    def home(self, unit: Unit) -> str:
        """R13 Return the space a unit counts in for leaders' bonuses."""
        if self.fight is not None and unit.id in self.fight.stack and unit.side == self.fight.side:
            return self.fight.origin
        return unit.at

    def terrain(self, space: str) -> str:
        """Return the terrain of a space."""
        return self.edition.map.spaces[space].terrain

    def flagged(self, space: str, flag: str) -> bool:
        """True if the space carries the flag."""
        return flag in self.edition.map.spaces[space].flags

    def rear_towns(self, side: str) -> tuple[str, ...]:
        """Return the rear towns of a side, in id order."""
        return self.edition.flagged(f"rear:{side}")

    def encode(self) -> Json:
        """Return the state as JSON without its edition; `decode` reads it back."""
        return {
            "turn": self.turn,
            "phase": self.phase,
            "units": [list(unit) for _, unit in sorted(self.units.items())],
            "gone": dict(self.gone),
            "lost": [list(item) for item in self.lost],
            "used": list(self.used),
            "bouts": dict(self.bouts),
            "fight": None if self.fight is None else list(self.fight),
            "stopped": self.stopped,
            "captures": dict(self.captures),
            "winner": self.winner,
            "points": dict(self.points),
            "uses": dict(self.uses),
            "waiting": list(self.waiting),
            "dead": dict(self.dead),
        }

    @classmethod
    def decode(cls, value: Json, edition: Edition) -> State:
        """Read what `encode` wrote."""
        units = (Unit(*row) for row in value["units"])
        fight = value["fight"]
        return cls(
            edition,
            value["turn"],
            value["phase"],
            {unit.id: unit for unit in units},
            value["gone"],
            tuple((side, ident, turn) for side, ident, turn in value["lost"]),
            tuple(value["used"]),
            value["bouts"],
            None if fight is None else fight_from(fight),
            value["stopped"],
            value["captures"],
            value["winner"],
            value["points"],
            value["uses"],
            tuple(value["waiting"]),
            value["dead"],
        )


def fight_from(row: Json) -> Fight:
    """Read a fight from the list of its fields."""
    return Fight(*(_tuples(item) for item in row))


def _tuples(value: Json) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value


def other(side: str) -> str:
    """Return the enemy of a side."""
    return SIDES[1] if side == SIDES[0] else SIDES[0]


def best_unit(units: list[Unit], fits: Callable[[Unit], bool] = lambda _unit: True) -> Unit | None:
    """Return the best of the units that fit: highest assault, then steps, then id."""
    return min((unit for unit in units if fits(unit)), key=lambda u: (-u.assault, -u.steps, u.id), default=None)


def best_leader(units: list[Unit]) -> Unit | None:
    """Return the best leader among the units: highest assault, then morale bonus, then id."""
    return min((u for u in units if u.is_leader), key=lambda u: (-u.assault, -u.bonus, u.id), default=None)
