"""Define the position: counters on the map, rule queries, and each seat's view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pbem.engine.commanders.holding import (
    event_for_commander,
    is_count_of_seat,
    seat_of_unit,
    senior_seat,
    without_enemy_commands,
)
from pbem.engine.data.events import Event
from pbem.engine.data.situation import COMMAND_FIELDS, Position, empty_mapping
from pbem.engine.run.steps import BROKEN_OFF
from pbem.engine.terms import ONLOOKER
from pbem.games.peninsular.edition import SIDES, Edition, alliance_of
from pbem.games.peninsular.units import ROUTED, AllianceCounters, Camps, Division, Unit, counters_by_alliance


@dataclass(slots=True)
class State(Position):
    """The whole position, as a value.

    Change a copy (`copy`) by new values for fields, `put` and `take_off`.

    `gone` tells why counters are out of play; `shots` the fire ordered for this half as (units, hex, line);
    `assaults` the hexes to be assaulted, each with the leading unit; `shaken` whether a counter was newly routed or
    eliminated this turn; `fallen` commanders to be replaced, as they were; `dead` PF lost by side, `toll` counters
    lost by side; `uses` how often a standing order was used this turn; `awards` the points that a moderator has
    given to each side; `deployed` the counters already deployed, during deployment (K6).

    Where a side has several commanders (M): `commanding` is the seat whose set is carried out, in a view the
    reader; `assigned` are units under another command than in the scenario, with its seat, and `transfers` the
    units to be reassigned with the next turn (M4); `joining` are the lines of joint assaults that wait for the
    other line (M2.2); `silent` are the seats whose last set was empty, and `covered` those of them whose units the
    present set may order too (M4).
    """

    ROWS: ClassVar[Mapping[str, Any]] = {"units": Unit, "divisions": Division}
    LATER = ("awards", "deployed", *COMMAND_FIELDS)

    edition: Edition
    turn: int = 1
    phase: str = ""
    units: Mapping[str, Unit] = field(default_factory=empty_mapping)
    divisions: Mapping[str, Division] = field(default_factory=empty_mapping)
    gone: Mapping[str, str] = field(default_factory=empty_mapping)
    shots: tuple[tuple[tuple[str, ...], str, int], ...] = ()
    assaults: tuple[tuple[str, str], ...] = ()
    shaken: bool = False
    fallen: tuple[tuple[Any, ...], ...] = ()
    dead: Mapping[str, int] = field(default_factory=empty_mapping)
    toll: Mapping[str, int] = field(default_factory=empty_mapping)
    stopped: bool = False
    winner: str = ""
    points: Mapping[str, int] = field(default_factory=empty_mapping)
    uses: Mapping[str, int] = field(default_factory=empty_mapping)
    awards: Mapping[str, int] = field(default_factory=empty_mapping)
    deployed: tuple[str, ...] = ()
    commanding: str = ""
    assigned: Mapping[str, str] = field(default_factory=empty_mapping)
    transfers: Mapping[str, str] = field(default_factory=empty_mapping)
    joining: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    covered: tuple[str, ...] = ()

    _camps: Camps | None = field(default=None, repr=False, compare=False)
    _found: dict[Any, Any] | None = field(default=None, repr=False, compare=False)
    # What no other position holds, so that it may be written into: "units", and the names of camps.
    _own: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def second(self) -> bool:
        """Return False: no side deploys after seeing the enemy's deployment here (K6)."""
        return False

    def copy(self) -> State:
        """Return a copy for the caller to change; shared parts are copied before writing."""
        new = Position.copy(self)
        new._found = None
        new._own = self._own = ()
        return new

    def with_units(self, changed: Mapping[str, Unit]) -> State:
        """Return a copy with these counters put in place of the old ones."""
        new = self.copy()
        new.put(changed)
        return new

    def put(self, changed: Mapping[str, Unit]) -> None:
        """Replace counters in place, in an owned copy.

        Their camp is updated only if a counter moves or its zone changes.
        """
        units = self._own_units()
        for ident, unit in changed.items():
            before = units.get(ident)
            units[ident] = unit
            if (
                before is None
                or before.at != unit.at
                or before.facing != unit.facing
                or before.formation != unit.formation
                or before.state != unit.state
            ):
                self._redeploy(before, unit)

    def take_off(self, ids: Iterable[str]) -> None:
        """Take counters out of play, in an owned copy."""
        units = self._own_units()
        for ident in ids:
            unit = units.pop(ident, None)
            if unit is not None:
                self._redeploy(unit, None)

    def _own_units(self) -> dict[str, Unit]:
        """Return the counters of a copy to be changed, copied first if still shared."""
        self._found = None
        if "units" not in self._own:
            self.units = dict(self.units)
            self._own += ("units",)
        return self.units  # type: ignore[return-value]

    def _redeploy(self, before: Unit | None, after: Unit | None) -> None:
        """Update a camp after the change of a counter."""
        unit = after or before
        if self._camps is None or unit is None:
            return
        if unit.camp not in self._own:
            self._camps = {**self._camps, unit.camp: self._camps[unit.camp].copy()}
            self._own += (unit.camp,)
        self._camps[unit.camp].redeploy(before, after)

    @property
    def cache(self) -> dict[Any, Any]:
        """Return the cache of this position, which no other position uses."""
        if self._found is None:
            self._found = {}
        return self._found

    @property
    def camps(self) -> Camps:
        """Return the places of each camp's units."""
        if self._camps is None:
            self._camps = counters_by_alliance(self.units)
        return self._camps

    def enemy(self, side: str) -> AllianceCounters:
        """Return the camp opposing a side."""
        return (self._camps or self.camps)["allied" if side == "french" else "french"]

    def counters(self, side: str) -> list[Unit]:
        """Return the counters of a side and its friends, in id order."""
        camps = self._camps or self.camps
        return [*map(self.units.__getitem__, camps["french" if side == "french" else "allied"].ids)]

    def enemies(self, side: str) -> list[Unit]:
        """Return the counters of the enemies of a side, in id order."""
        return [*map(self.units.__getitem__, self.enemy(side).ids)]

    def assaulters(self, target: str) -> list[Unit]:
        """Return the counters of the moving side that assault a hex, by id (S5)."""
        return [unit for unit in self.counters(self.phase) if unit.assault == target]

    def is_enemy_held(self, ident: str, side: str) -> bool:
        """Return whether only enemies of a side stand in a hex."""
        return ident in self.enemy(side).hexes and ident not in self.camps[alliance_of(side)].hexes

    def at(self, ident: str) -> list[Unit]:
        """Return the counters in a hex, in id order."""
        units, (first, other) = self.units, [army.hexes.get(ident) for army in self.camps.values()]
        ids = sorted((*first, *other)) if first and other else first or other
        return [units[name] for name in ids] if ids else []

    def own(self, ident: str, side: str) -> list[Unit]:
        """Return the counters of a side and its friends in a hex, in id order."""
        camps = self._camps or self.camps
        return [*map(self.units.__getitem__, camps["french" if side == "french" else "allied"].hexes.get(ident, ()))]

    def fighting(self, ident: str, side: str) -> list[Unit]:
        """Return the combat counters of a side and its friends in a hex, in id order."""
        units, camps = self.units, self._camps or self.camps
        ids = camps["french" if side == "french" else "allied"].hexes.get(ident, ())
        return [unit for name in ids if (unit := units[name]).kind != "cmd"]

    def foes(self, ident: str, side: str) -> list[Unit]:
        """Return the combat counters of the enemies of a side in a hex, in id order."""
        units, camps = self.units, self._camps or self.camps
        ids = camps["allied" if side == "french" else "french"].hexes.get(ident, ())
        return [unit for name in ids if (unit := units[name]).kind != "cmd"]

    def holder(self, ident: str) -> str:
        """Return the side of the first counter in a hex, or the empty string."""
        units_here = self.at(ident)
        return units_here[0].side if units_here else ""

    def order_of(self, unit: Unit) -> str:
        """S2 Return the order in force for a counter, the empty string for none."""
        division = self.divisions.get(unit.division)
        if division is None and unit.kind == "cmd":
            division = next((d for _, d in sorted(self.divisions.items()) if d.commander == unit.id), None)
        return division.order if division is not None else ""

    def answerer(self, unit: Unit) -> str:
        """Return the seat that answers for one counter (M3)."""
        return seat_of_unit(self, unit.id) or self.edition.seat_of(unit.side)

    def answering_for(self, units: Sequence[Unit]) -> str:
        """Return the seat of the senior command among combat counters of a camp (M3).

        A command whose counters are all routed is passed over for the next.
        """
        return senior_seat(self, units, lambda unit: unit.state != ROUTED) or self.edition.seat_of(units[0].side)

    def commanders(self, ident: str, side: str) -> list[Unit]:
        """Return the commanders of a side and its friends in a hex."""
        units, camps = self.units, self._camps or self.camps
        ids = camps["french" if side == "french" else "allied"].hexes.get(ident, ())
        return [unit for name in ids if (unit := units[name]).kind == "cmd"]


# What a seat may know: the one gate before reports, templates, suggestions and bots.
#
# Counters lie open. Hidden are the enemy's orders: those of his divisions, the fire he has ordered, his orders that
# came to nothing, and whether an act of his followed a standing order.


def seat_view(state: State, seat: str) -> State:
    """Return the part of the position that a seat may know.

    Observers see both camps as enemies are seen.
    """
    ours = "" if seat == ONLOOKER else alliance_of(state.edition.seats[seat])
    own = {
        key: n
        for key, n in state.uses.items()
        if alliance_of(key.partition(" ")[0]) == ours and is_count_of_seat(key, seat)
    }
    divisions = {
        name: division
        if alliance_of(division.side) == ours or not (division.order or division.pending)
        else division._replace(order="", pending="")
        for name, division in state.divisions.items()
    }
    moves = state.phase in SIDES and alliance_of(state.phase) == ours
    shots, stopped = state.shots if moves else (), state.stopped and moves and state.commanding in ("", seat)
    return without_enemy_commands(state.change(uses=own, divisions=divisions, shots=shots, stopped=stopped), seat)


def seen_event(event: Event, seat: str, before: State) -> Event | None:
    """Return the part of an event that a seat may know; None if it may know nothing."""
    if event.seen_by is not None and seat not in event.seen_by:
        return None
    ours = "" if seat == ONLOOKER else alliance_of(before.edition.seats[seat])
    if event.kind == BROKEN_OFF and alliance_of(event.data["side"]) != ours:
        return None
    if event.data.get("by") and alliance_of(event.data.get("side", "")) != ours:
        return event._replace(data={key: value for key, value in event.data.items() if key != "by"})
    return event_for_commander(event, seat, before.commanding)


_TELLING = {"shock": ("T6.3", "ATTACK"), "rally": ("S2", "REORGANISE")}
"""Kinds of event whose modifier reveals the order of a counter's division: the modifier and the order."""


def with_revealed_orders(view: State, event: Sequence[Event]) -> State:
    """Return a view with division orders that event modifiers have revealed."""
    known_orders = {}
    for single in event:
        rule, order = _TELLING.get(single.kind, ("", ""))
        if any(modifier[0] == rule for modifier in single.data.get("modifiers", ())):
            unit = view.units.get(single.data["unit"])
            name = unit.division if unit is not None else ""
            if name in view.divisions and not view.divisions[name].order:
                known_orders[name] = view.divisions[name]._replace(order=order)
    return view.change(divisions={**view.divisions, **known_orders}) if known_orders else view
