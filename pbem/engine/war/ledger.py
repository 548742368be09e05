"""K1 The ledger of a war: the state of every unit between two legs.

A leg is a game without knowledge of this: its lists go in, the units left at its end come out. All
functions here take a ledger and return another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from pbem.engine.data.canon import Json

READY, BROKEN, AWAY = "ready", "broken", "away"
"""The state of a unit: it may fight; it has no steps, or was taken; the leg does not list it."""
COMBAT, GUN, TRAIN, LEADER = "combat", "gun", "train", "leader"
"""The role of a unit in a war: combat unit, battery, convoy, leader."""


class ListedUnit(NamedTuple):
    """A unit as a leg's scenario lists it.

    It has its side, its type there, its role in the war, its full steps, its first place, the turn on which it
    enters, 0 for units present from the first, and its other numbers as its game writes them.
    """

    id: str
    side: str
    code: str
    role: str
    full: int
    at: str
    turn: int = 0
    factors: str = ""


class Entry(NamedTuple):
    """K1 A unit in the ledger. A leader has one step or none."""

    id: str
    side: str
    code: str
    role: str
    formation: str
    full: int
    now: int
    standing: str = READY

    @property
    def lacks(self) -> int:
        """Return the steps missing."""
        return self.full - self.now

    def left_with(self, steps: int) -> Entry:
        """Return the unit with so many steps, broken if it has none."""
        return self._replace(now=steps, standing=READY if steps else BROKEN)


Ledger = Mapping[str, Entry]
"""Every unit of a war by its id."""


@dataclass(frozen=True)
class LegResult:
    """The result of a leg: steps of units, and units taken by the enemy.

    `steps` has units on the map or still to come. Units in neither are out of play.
    """

    steps: Mapping[str, int]
    taken: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Back:
    """K2 The steps that return to a side: steps lost, steps returned, by unit."""

    lost: Mapping[str, int] = field(default_factory=dict)
    steps: Mapping[str, int] = field(default_factory=dict)


def whole(ledger: Ledger, listed: Iterable[str]) -> Ledger:
    """K1.1 Return the ledger before a leg that lists those units.

    Other units are away, and full again.
    """
    listed_ids = {*listed}
    return {ident: _for_leg(entry, ident in listed_ids) for ident, entry in ledger.items()}


def _for_leg(entry: Entry, is_listed: bool) -> Entry:
    if not is_listed:
        return entry._replace(now=entry.full, standing=AWAY)
    return entry._replace(standing=READY) if entry.standing == AWAY else entry


def after_leg(ledger: Ledger, leg: LegResult) -> Ledger:
    """K1 Return the ledger after a leg: steps as at its end.

    Nothing else is carried over. K1.2 A leader who was lost in the leg before, and so was absent, is there again.
    """
    entries = dict(ledger)
    for ident, entry in ledger.items():
        if entry.standing == READY:
            entries[ident] = entry.left_with(leg.steps.get(ident, 0))
        elif entry.standing == BROKEN and entry.role == LEADER:
            entries[ident] = entry.left_with(entry.full)
    return entries


def returning_steps(before: Ledger, after: Ledger, taken: Iterable[str], share: Fraction) -> Back:
    """K2 Return the lost steps that come back to each side, rounded down.

    Guns that were taken neither count nor come back. Each step goes to the unit that lacks most of its former
    steps; among equals to the last by id. Leaders do not count.
    """
    taken_ids = {*taken}
    former_steps = {
        ident: entry.now
        for ident, entry in before.items()
        if entry.standing == READY and entry.role != LEADER and not (entry.role == GUN and ident in taken_ids)
    }
    lost: dict[str, int] = {}
    for ident, count in former_steps.items():
        side = before[ident].side
        lost[side] = lost.get(side, 0) + count - after[ident].now
    steps: dict[str, int] = {}
    for side, count in lost.items():
        side_steps = {ident: former_steps[ident] for ident in former_steps if before[ident].side == side}
        for ident in distribute_steps(after, side_steps, int(count * share)):
            steps[ident] = steps.get(ident, 0) + 1
    return Back(lost, steps)


def distribute_steps(ledger: Ledger, most: Mapping[str, int], steps: int) -> tuple[str, ...]:
    """Return the receivers of some steps, one at a time: the unit that lacks most.

    `most` is the most steps of each; of equals the last by id gets one. Fewer steps are given if no unit lacks any
    more.
    """
    lacking = {ident: limit - ledger[ident].now for ident, limit in most.items() if limit > ledger[ident].now}
    receivers: list[str] = []
    while lacking and len(receivers) < steps:
        ident = max(lacking, key=lambda unit: (lacking[unit], unit))
        receivers.append(ident)
        lacking[ident] -= 1
        if not lacking[ident]:
            del lacking[ident]
    return tuple(receivers)


def floor_of(ledger: Ledger, side: str, share: Fraction) -> tuple[str, ...]:
    """K5.1 Return the receivers of the steps that give a side its least share."""
    side_entries = {
        ident: entry for ident, entry in ledger.items() if entry.side == side and counts_for_next_leg(entry)
    }
    most = {ident: entry.full for ident, entry in side_entries.items()}
    wanted = ceil(sum(most.values()) * share)
    # A side above its least share is given nothing.
    return distribute_steps(ledger, most, max(0, wanted - sum(entry.now for entry in side_entries.values())))


def counts_for_next_leg(entry: Entry) -> bool:
    """Return whether a unit's steps count in its side's next leg."""
    return entry.role != LEADER and entry.standing != AWAY


def rows(ledger: Ledger) -> list[Json]:
    """Return a ledger as JSON, by id."""
    return [list(ledger[ident]) for ident in sorted(ledger)]


def read(value: Sequence[Sequence[Json]]) -> Ledger:
    """Read a ledger back from the JSON that `rows` wrote."""
    return {row[0]: Entry(*row) for row in value}


def of_side(ledger: Ledger, side: str) -> Iterator[Entry]:
    """Yield the units of a side, by id."""
    return (ledger[ident] for ident in sorted(ledger) if ledger[ident].side == side)
