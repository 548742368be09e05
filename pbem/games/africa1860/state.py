"""Define units and positions: places, rule queries and invariants."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from pbem.engine.commanders.holding import seat_of_unit, senior_seat
from pbem.engine.couriers import LastKnownPositions, last_known_from_json
from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.situation import COMMAND_FIELDS, Position, empty_mapping, lists_to_tuples
from pbem.engine.data.sources import SourceError
from pbem.engine.deployment import DEPLOYMENT_PHASE
from pbem.engine.reasons import Teller, fill_gaps
from pbem.games.africa1860.edition import SIDES, UNIT_CODES, Edition

SIDE_NAMES: Mapping[str, Msg] = {"spain": msg("Spain"), "morocco": msg("Morocco")}


def of_side(sentence: Msg) -> Teller:
    """Return a teller that words an event by one sentence, naming its side."""
    return lambda data, before: fill_gaps(sentence, data, side=SIDE_NAMES[data["side"]])


INFANTRY = frozenset({"IR", "NZ", "IL"})
LIGHT = "IL"
CAVALRY = "CAB"
LEADER = "OF"
COMBAT_CODES = INFANTRY | {CAVALRY}
LEADER_MORALE = 4
"""C4 The morale of a leader before his own bonus is added."""


class Unit(NamedTuple):
    """A counter.

    For a leader `assault` and `bonus` are his two numbers; he has one step that no rule touches.
    """

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

    def gone_to(self, space: str) -> Unit:
        """Return the unit in another space."""
        return Unit._make((*self[:3], space, *self[4:]))

    def left_with(self, steps: int) -> Unit:
        """Return the unit with so many steps left."""
        return Unit._make((*self[:6], steps, *self[7:]))

    def with_morale(self, demoralised: bool) -> Unit:
        """Return the unit demoralised, or recovered."""
        return Unit._make((*self[:10], demoralised, *self[11:]))

    def with_markers(self, activated: bool, fired: bool, acted: bool) -> Unit:
        """Return the unit with exactly these markers."""
        return Unit._make((*self[:11], activated, fired, acted))

    @property
    def is_combat(self) -> bool:
        """Return whether it is infantry or cavalry."""
        return self.code in COMBAT_CODES

    @property
    def is_leader(self) -> bool:
        """Return whether it is a leader."""
        return self.code == LEADER


ROOM_TAKEN: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(COMBAT_CODES, (1, 0)),
    "ART": (0, 1),
    **dict.fromkeys(("CNV", LEADER), (0, 0)),
}
"""C5 How much room a unit of each type takes: as combat unit, as ART."""


def count_crowd(units: Sequence[Unit]) -> tuple[int, int]:
    """C5 Return the number of combat units and of ART among units."""
    if len(units) == 1:
        return ROOM_TAKEN[units[0].code]
    combat = guns = 0
    for unit in units:
        room = ROOM_TAKEN[unit.code]
        combat += room[0]
        guns += room[1]
    return combat, guns


def enemy_of(side: str) -> str:
    """Return the enemy of a side."""
    return _OTHER[side]


_OTHER = dict(zip(SIDES, reversed(SIDES), strict=True))


def best_unit(units: list[Unit], fits: Callable[[Unit], bool] = lambda _unit: True) -> Unit | None:
    """Return the best of the units that fit: highest assault, then steps, then id."""
    return min([unit for unit in units if fits(unit)], key=lambda u: (-u.assault, -u.steps, u.id), default=None)


def best_leader(units: list[Unit]) -> Unit | None:
    """Return the best leader by assault, then morale bonus, then id."""
    return min([u for u in units if u.code == LEADER], key=lambda u: (-u.assault, -u.bonus, u.id), default=None)


# Rosters: units written as a line, in scenarios and in rule cases alike.
#
# ``spain IR Cordoba fire 3 assault 3 steps 4 morale 5 at B``; ``spain OF Prim 3/3 at B``; also ``steps 2/4`` and the
# words demoralised, activated, fired at the end.


# It begins with a letter, so that it is never read as a number of the line.
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
"""The id of a unit begins with a letter, so that it is never read as a number."""
_NUMBERS = ("fire", "assault", "steps", "morale")
_MARKS = ("demoralised", "activated", "fired")
UNIT_FORM = "SIDE TYPE NAME fire 3 assault 3 steps 4 morale 5 at SPACE"
"""How the line of a unit reads."""
LEADER_FORM = "SIDE OF NAME 3/2 at SPACE"
"""How the line of a leader reads: assault and morale are `3/2`."""


@lru_cache(maxsize=1024)
def read_unit(text: str, file: str = "roster", line: int = 0) -> Unit:
    """Read a unit; a SourceError names what is missing or unknown.

    The space is not checked against a map here.
    """

    def wrong(reason: str) -> SourceError:
        return SourceError(file, line, f"{reason} in {text!r}")

    words = text.split()
    if len(words) < 3:
        raise wrong("a unit reads SIDE TYPE NAME ... at SPACE")
    side, code, ident, *rest = words
    if side not in SIDES:
        raise wrong(f"unknown side {side!r}; one of {', '.join(SIDES)},")
    if code not in UNIT_CODES:
        raise wrong(f"unknown type {code!r}; one of {', '.join(UNIT_CODES)},")
    if not _ID.fullmatch(ident):
        raise wrong(f"{ident!r} is no id")
    values = _values(code, rest, wrong)
    wanted = {"at", "assault", "bonus"} if code == "OF" else {"at", *_NUMBERS}
    for name in sorted(wanted - set(values)):
        raise wrong(f"{name} is missing (write {LEADER_FORM if code == LEADER else UNIT_FORM})")
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
            raise wrong(f"{word!r} is not understood (write {LEADER_FORM if code == LEADER else UNIT_FORM})")
    return values


Camps = dict[str, dict[str, tuple[str, ...]]]
"""The ids of units in their order, by side (in the order of play) and by space. No entry is empty."""


class Fight(NamedTuple):
    """O8 An assault in progress.

    `kind` is ``assault``, ``charge`` or ``interception``; `between` the space a two-space charge came through;
    `stack` the attackers; `support` groups of guns; `losses` the attacker's LOSSES order. Vanguards and screens are
    empty until named and after they rejoin. `passing`: the defenders are charging through the space, where no
    terrain protects them; interceptors have neither screen nor guns, so that only reports use this.
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
        """Return the space from which the attackers step into the target (C8.1)."""
        return self.between or self.origin

    def with_role(self, role: str, side: str, unit: str) -> Fight:
        """Return the fight with a side's vanguard or screen (`role`) named, or with none."""
        mine: dict[str, Any] = {role if side == self.side else f"enemy_{role}": unit}
        return self._replace(**mine)


def fight_from_json(row: Json) -> Fight:
    """Read a fight from the list of its fields."""
    return Fight(*map(lists_to_tuples, row))


@dataclass(slots=True)
class State(Position):
    """The whole position.

    `gone` tells why units are out of play, `lost` the leaders to be replaced (side, id, turn), `used` the spaces
    activated this phase, `bouts` the assaults so far by pair of spaces, `stopped` whether the seat's orders were
    broken off, `captures` the guns and convoys taken by each side, `points` the victory points at the last check,
    `uses` how often a standing order was used this turn, `waiting` reinforcements whose entry was barred, `dead`
    the steps each side lost, `awards` the points that a moderator has given to each side, `taken` the steps of guns
    and trains that each side lost by capture, and `broken` the sides that are broken, with the turn from whose
    phase on it counts (C12). During deployment (K6), `deployed` are the units already deployed, and `second` is
    whether the side deploys now that sees the other's deployment.

    Where a side has several commanders (M): `commanding` is the seat whose set is carried out, in a view the
    reader; `assigned` are units under another command than in the scenario, with its seat, and `transfers` the
    units to be reassigned with the next turn (M4); `joining` are the lines of joint assaults that wait for the
    other line (M2.2); `silent` are the seats whose last set was empty, and `covered` those of them whose units the
    present set may order too (M4). With couriers, `known` is what commands know about spaces out of their sight
    (M6).
    """

    ROWS: ClassVar[Mapping[str, Any]] = {"units": Unit}
    READ: ClassVar[Mapping[str, Any]] = {"fight": fight_from_json, "known": last_known_from_json}
    LATER = ("awards", "taken", "broken", "deployed", *COMMAND_FIELDS, "second", "known")

    edition: Edition
    turn: int = 1
    phase: str = "spain"
    units: Mapping[str, Unit] = field(default_factory=empty_mapping)
    gone: Mapping[str, str] = field(default_factory=empty_mapping)
    lost: tuple[tuple[str, str, int], ...] = ()
    used: tuple[str, ...] = ()
    bouts: Mapping[str, int] = field(default_factory=empty_mapping)
    fight: Fight | None = None
    stopped: bool = False
    captures: Mapping[str, int] = field(default_factory=empty_mapping)
    winner: str = ""
    points: Mapping[str, int] = field(default_factory=empty_mapping)
    uses: Mapping[str, int] = field(default_factory=empty_mapping)
    waiting: tuple[str, ...] = ()
    dead: Mapping[str, int] = field(default_factory=empty_mapping)
    awards: Mapping[str, int] = field(default_factory=empty_mapping)
    taken: Mapping[str, int] = field(default_factory=empty_mapping)
    broken: Mapping[str, int] = field(default_factory=empty_mapping)
    deployed: tuple[str, ...] = ()
    commanding: str = ""
    assigned: Mapping[str, str] = field(default_factory=empty_mapping)
    transfers: Mapping[str, str] = field(default_factory=empty_mapping)
    joining: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    covered: tuple[str, ...] = ()
    second: bool = False
    known: LastKnownPositions | None = None
    _camps: Camps | None = field(default=None, repr=False, compare=False)

    def with_units(self, changed: Mapping[str, Unit]) -> State:
        """Return a copy with these units put in place of the old ones."""
        return self.change(units={**self.units, **changed})

    def join(self, unit: Unit) -> None:
        """Bring a unit into play; call it only on a copy of one's own."""
        self.units, self._camps = {**self.units, unit.id: unit}, None

    def forget_camps(self) -> None:
        """Clear the cache of units by space; call it only on a copy of one's own."""
        self._camps = None

    def settle(self, idents: Iterable[str], destination: str) -> None:
        """Move units to a space, or out of play if it is empty.

        Call it only on a copy of one's own.
        """
        units, camps = dict(self.units), self._camps
        for ident in idents:
            unit = units[ident]
            if destination:
                units[ident] = unit.gone_to(destination)
            else:
                del units[ident]
            camps = camps and _camps_after_move(camps, unit, destination)
        self.units, self._camps = units, camps

    def camp(self, space: str, side: str) -> tuple[str, ...]:
        """Return the ids of a side's units in a space, in their order."""
        return (self._camps or self._encamp())[side].get(space, ())

    def camping(self, side: str) -> list[str]:
        """Return the spaces where a side has any unit, in id order."""
        return sorted((self._camps or self._encamp())[side])

    def _encamp(self) -> Camps:
        """Compute and cache the units of each space; `settle` keeps the cache current."""
        units_by_space: dict[str, dict[str, list[str]]] = {side: {} for side in SIDES}
        units = self.units
        for ident in sorted(units):
            unit = units[ident]
            units_by_space[unit.side].setdefault(unit.at, []).append(ident)
        self._camps = {
            side: {space: tuple(idents) for space, idents in spaces.items()} for side, spaces in units_by_space.items()
        }
        return self._camps

    def at(self, space: str) -> list[Unit]:
        """Return the units in a space, in id order."""
        units, (spain, morocco) = self.units, [self.camp(space, side) for side in SIDES]
        return [units[ident] for ident in (sorted((*spain, *morocco)) if spain and morocco else spain or morocco)]

    def own(self, space: str, side: str) -> list[Unit]:
        """Return a side's units in a space, in id order."""
        return [*map(self.units.__getitem__, (self._camps or self._encamp())[side].get(space, ()))]

    def holder(self, space: str) -> str:
        """Return the side with any unit in a space; "" if it is empty.

        If both sides have units there, it is the side of the first unit by id.
        """
        spain, morocco = (self._camps or self._encamp()).values()
        if space not in morocco:
            return SIDES[0] if space in spain else ""
        return SIDES[0] if space in spain and spain[space] < morocco[space] else SIDES[1]

    def answering(self, space: str, side: str) -> str:
        """M3 Return the seat that answers for a side in a space.

        It is the senior command with a combat unit there.

        A command whose units there are all demoralised gives way to the next.
        """
        if not self.edition.commands:
            return self.edition.seat_of(side)
        return self.answering_for(self.own(space, side), side)

    def answering_for(self, units: Iterable[Unit], side: str) -> str:
        """M3 Return the seat that answers for some units of a side together."""
        unit = senior_seat(
            self, units, lambda unit: unit.is_combat and not unit.demoralised, lambda unit: unit.is_combat
        )
        return unit or self.edition.seat_of(side)

    def answerer(self, unit: Unit) -> str:
        """M3 Return the seat that answers questions about a single unit."""
        return seat_of_unit(self, unit.id) or self.edition.seat_of(unit.side)

    def leader_bonus(self, unit: Unit) -> int:
        """C4 Return the best morale bonus of another friendly leader in the unit's space.

        O8 R13: until an assault ends its attackers count as in their origin.
        """
        space, bonus, units = self.home(unit), 0, self.units
        near = self.camp(space, unit.side)
        # Those who charge through a space are in that one by now.
        if self.fight is not None and self.fight.between and self.fight.origin == space:
            near += self.fight.stack
        for ident in near:
            leader = units.get(ident)
            # The bonus first: nobody but leaders has one, and most units are none.
            if leader is None or leader.bonus <= bonus or leader.code != LEADER or ident == unit.id:
                continue
            if leader.side == unit.side and self.home(leader) == space:
                bonus = leader.bonus
        return bonus

    def home(self, unit: Unit) -> str:
        """R13 Return the space in which a unit counts for leaders' bonuses."""
        if self.fight is not None and unit.id in self.fight.stack and unit.side == self.fight.side:
            return self.fight.origin
        return unit.at

    def is_broken(self, side: str) -> bool:
        """C12 Return whether a side may not assault or charge now.

        This begins with the phase after it broke.
        """
        turn = self.broken.get(side)
        if turn is None or self.phase not in SIDES:
            return False
        return (self.turn, SIDES.index(self.phase)) >= (turn, SIDES.index(side))

    def terrain(self, space: str) -> str:
        """Return the terrain of a space."""
        return self.edition.map.spaces[space].terrain

    def has_flag(self, space: str, flag: str) -> bool:
        """Return whether the space carries the flag."""
        return flag in self.edition.map.spaces[space].flags

    def rear_towns(self, side: str) -> tuple[str, ...]:
        """Return the rear towns of a side, in id order."""
        return self.edition.spaces_with(f"rear:{side}")


def _camps_after_move(camps: Camps, unit: Unit, destination: str) -> Camps:
    """Return the camps after a unit has left its space for another, or for none."""
    side, start, ident = unit.side, unit.at, unit.id
    own = dict(camps[side])
    units = own.pop(start)
    if len(units) > 1:
        index = units.index(ident)
        own[start] = units[:index] + units[index + 1 :]
    if destination:
        there = own.get(destination)
        own[destination] = tuple(sorted((*there, ident))) if there else (ident,)
    return {**camps, side: own}


def roster(state: State) -> Mapping[str, Unit]:
    """Return the scenario's units at the beginning, including later arrivals."""
    scenario = state.edition.scenario
    later = (row["unit"] for row in scenario.get("reinforcements", ()))
    return {unit.id: unit for unit in map(read_unit, (*scenario.get("units", ()), *later))}


# What must be true of every position, whatever was ordered and rolled.


def find_faults(state: State) -> tuple[str, ...]:
    """Return what is wrong with the position, in plain words.

    Both sides may be in a space during a fight there. K6 During deployment a space may be overfull: units that were
    there before give way after all orders.
    """
    wrong: list[str] = []
    for ident, unit in state.units.items():
        if ident != unit.id or ident in state.gone:
            wrong.append(f"{ident} is misfiled")
        if unit.at not in state.edition.map.spaces:
            wrong.append(f"{ident} is in {unit.at!r}, which is no space")
        if not 0 < unit.steps <= unit.full:
            wrong.append(f"{ident} has {unit.steps} of {unit.full} steps")
    if state.fight is not None or state.phase == DEPLOYMENT_PHASE:
        return tuple(wrong)
    combat, guns = state.edition.stacking
    for space in state.edition.map.spaces:
        units_here = state.at(space)
        if len({unit.side for unit in units_here}) > 1:
            wrong.append(f"both sides stand in {space}")
        for side in SIDES:
            own_units = [unit for unit in units_here if unit.side == side]
            if (
                sum(unit.is_combat for unit in own_units) > combat
                or sum(unit.code == "ART" for unit in own_units) > guns
            ):
                wrong.append(f"{side} is overstacked in {space}")
    return tuple(wrong)
