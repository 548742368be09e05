"""Define a camp's edition and position: ledger, points, orders for the next leg.

Rule: K3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self

from pbem.engine import edition
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.situation import Position, empty_mapping
from pbem.engine.edition import CommonValues
from pbem.engine.terms import ONLOOKER
from pbem.engine.war.chain import CampData, Works, leg_from_json, leg_to_json
from pbem.engine.war.file import Camp, War, read_war
from pbem.engine.war.ledger import BROKEN, Entry, Ledger, ListedUnit, read, returning_steps, rows, whole


class EmptyMap:
    """The empty map of a camp."""

    def to_json(self) -> Json:
        """Return null."""
        return None

    def described(self) -> Json:
        """Return null."""
        return None

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Return the empty map."""
        return cls()


@dataclass(frozen=True, eq=False)
class Edition(edition.Edition[EmptyMap]):
    """A pinned camp; `camp_edition` makes its scenario (K3)."""

    PRINTING, MAP = CommonValues("camp", "1", ""), EmptyMap

    @cached_property
    def seats(self) -> Mapping[str, str]:
        """Return seats and sides in the order of play, by rank in the last leg."""
        sides: Mapping[str, str] = self.scenario["seats"]
        order = self.scenario.get("order") or [*sides]
        return {seat: sides[seat] for seat in order}

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """Return the sides in the order of carrying out their orders (K3)."""
        return tuple(dict.fromkeys(self.seats.values()))

    def seats_of(self, side: str) -> tuple[str, ...]:
        """Return the seats of a side."""
        return tuple(seat for seat, of in self.seats.items() if of == side)

    @cached_property
    def war(self) -> War:
        """Return the war, read from its stored file."""
        return read_war(self.scenario["file"], "", "the war's file", [*map(leg_from_json, self.scenario["legs"])])

    @property
    def number(self) -> int:
        """Return the number of the camp in the war, from 1."""
        number: int = self.scenario["camp"]
        return number

    @property
    def camp(self) -> Camp:
        """Return the supplies of the camp."""
        return self.war.camps[self.number - 1]

    @cached_property
    def listed_units(self) -> tuple[ListedUnit, ...]:
        """Return the units listed for the next leg."""
        return tuple(ListedUnit(*row) for row in self.scenario["legs"][self.number][1])

    @cached_property
    def before(self) -> Ledger:
        """Return the ledger before the last leg."""
        return read(self.scenario["before"])

    @cached_property
    def after(self) -> Ledger:
        """Return the ledger after the last leg."""
        return read(self.scenario["after"])

    def of_side(self, side: str) -> Edition:
        """Return a side's view under fog: its own ledger rows."""
        own = {name: [row for row in self.scenario[name] if row[1] == side] for name in ("before", "after")}
        taken = [ident for ident in self.scenario.get("taken", ()) if self.war.units[ident].side == side]
        return Edition(EmptyMap(), {}, {**self.scenario, **own, "taken": taken})

    @property
    def fog(self) -> bool:
        """Return whether the enemy's camp is secret."""
        return bool(self.scenario.get("fog"))

    @property
    def deploys(self) -> bool:
        """Return whether the next leg begins with deployment (K6)."""
        return bool(self.scenario.get("deploys") or self.scenario.get("options", {}).get("deploy") == "on")


def camp_edition(between: CampData) -> Edition:
    """Return the edition of a camp."""
    file, legs, number, before, after, terms = between
    scenario = {
        "title": file["title"],
        "file": file,
        "legs": [leg_to_json(leg) for leg in legs],
        "camp": number,
        "before": rows(before),
        "after": rows(after),
    }
    return Edition(EmptyMap(), {}, {**scenario, **{name: value for name, value in terms.items() if value}})


CAMP_PHASE = "camp"
"""The name of the camp's only phase."""


@dataclass(slots=True)
class State(Position):
    """The position of a camp, which has no STOP IF and no standing orders.

    `units`: the ledger, by id. `points`: the points each side has left. `fed`: steps that came back (K2).
    `replaced`: units replaced by others in the next leg; `brought`: formations that come to it; `hospitals`:
    formations with a hospital; `trenches` and `roads`: what is built; `scouted`: by side whether its scouts saw
    anything.
    """

    ROWS: ClassVar = {"units": Entry}

    edition: Edition
    turn: int = 1
    phase: str = CAMP_PHASE
    stopped: bool = False
    uses: Mapping[str, int] = field(default_factory=empty_mapping)
    units: Mapping[str, Entry] = field(default_factory=empty_mapping)
    points: Mapping[str, int] = field(default_factory=empty_mapping)
    fed: Mapping[str, int] = field(default_factory=empty_mapping)
    replaced: Mapping[str, str] = field(default_factory=empty_mapping)
    brought: tuple[str, ...] = ()
    hospitals: tuple[str, ...] = ()
    trenches: tuple[str, ...] = ()
    roads: tuple[str, ...] = ()
    scouted: Mapping[str, bool] = field(default_factory=empty_mapping)
    _camps: object = None

    @property
    def works(self) -> Works:
        """Return the orders for the next leg."""
        seen = tuple(side for side, saw in sorted(self.scouted.items()) if saw)
        return Works(self.replaced, self.brought, self.trenches, self.roads, seen)

    def of_side(self, side: str) -> State:
        """Return a side's view under fog: its own ledger and works."""
        units = {ident: unit for ident, unit in self.units.items() if unit.side == side}
        mine = {formation for formation, row in self.edition.war.formations.items() if row.side == side}
        camp = self.edition.camp
        return self.change(
            edition=self.edition.of_side(side),
            units=units,
            points={side: self.points[side]},
            fed={ident: steps for ident, steps in self.fed.items() if ident in units},
            replaced={old: new for old, new in self.replaced.items() if old in units},
            brought=tuple(formation for formation in self.brought if formation in mine),
            hospitals=tuple(formation for formation in self.hospitals if formation in mine),
            trenches=self.trenches if camp.entrenches == side else (),
            roads=self.roads if camp.builds == side else (),
            scouted={scouting_side: seen for scouting_side, seen in self.scouted.items() if scouting_side == side},
        )

    def with_entries(self, *entries: Entry) -> Mapping[str, Entry]:
        """Return the ledger with some units changed."""
        return {**self.units, **{entry.id: entry for entry in entries}}


def starting_position(edition: Edition) -> State:
    """Return the camp at its beginning, with returned steps.

    Units that the next leg does not list are away. Rules: K1.1, K2.
    """
    after = edition.after
    back = returning_steps(edition.before, after, edition.scenario.get("taken", ()), edition.war.share)
    fed = {ident: after[ident].left_with(after[ident].now + steps) for ident, steps in back.steps.items()}
    ledger = whole({**after, **fed}, (unit.id for unit in edition.listed_units))
    points = {side: edition.war.points.get(side, 0) for side in edition.sides}
    return State(edition, turn=edition.number, units=ledger, points=points, fed=back.steps)


def seat_view(state: State, seat: str) -> State | None:
    """Return a seat's view: everything, or its own side's under fog."""
    if not state.edition.fog:
        return state
    return None if seat == ONLOOKER else state.of_side(state.edition.seats[seat])


def seen_event(event: Event, seat: str, before: State) -> Event | None:
    """Return what a seat may know of an event."""
    return event if event.seen_by is None or seat in event.seen_by else None


def find_faults(state: State) -> tuple[str, ...]:
    """Return faults of the ledger or of the points left (K1, K3)."""
    wrong = [f"{side} has {remaining} points" for side, remaining in state.points.items() if remaining < 0]
    for ident, unit in state.units.items():
        if ident != unit.id or not 0 <= unit.now <= unit.full:
            wrong.append(f"{ident} has {unit.now} steps of {unit.full}")
        if (unit.standing == BROKEN) != (unit.now == 0):
            wrong.append(f"{ident} is {unit.standing} with {unit.now} steps")
    return tuple(wrong)
