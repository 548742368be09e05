"""K1 The ledger of a war: what is left of every unit between one leg and the next.

A leg is a game, and knows nothing of this: what it lists goes in, what is left at its end comes out. All functions here
take a ledger and return another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from pbem.engine.data.canon import Json

READY, BROKEN, AWAY = "ready", "broken", "away"
"""How a unit stands: it may fight; it has no steps, or was taken; the leg does not list it."""
COMBAT, GUN, TRAIN, LEADER = "combat", "gun", "train", "leader"
"""What a unit is to a war: one that fights in the line, a battery, a convoy, somebody who leads."""


class Listed(NamedTuple):
    """A unit as a leg's scenario lists it: whose, its type there, what it is to the war, its full steps, where it
    begins, and on which turn it enters, 0 being there from the first; its other numbers as its game writes them."""

    id: str
    side: str
    code: str
    role: str
    full: int
    at: str
    turn: int = 0
    factors: str = ""


class Entry(NamedTuple):
    """K1 A unit in the ledger. Of a leader there is one step, which he has or has not."""

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
        """Steps to its full."""
        return self.full - self.now

    def left_with(self, steps: int) -> Entry:
        """Return the unit with so many steps, broken if it has none."""
        return self._replace(now=steps, standing=READY if steps else BROKEN)


Ledger = Mapping[str, Entry]
"""Every unit of a war by its id."""


@dataclass(frozen=True)
class Fought:
    """What a leg left: the steps of each unit that was on the map or still to come, and who was taken by the enemy.

    Units in neither are out of play.
    """

    steps: Mapping[str, int]
    taken: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Back:
    """K2 What a side gets back: how many steps it lost, how many of them come back, and to whom."""

    lost: Mapping[str, int] = field(default_factory=dict)
    steps: Mapping[str, int] = field(default_factory=dict)


def whole(ledger: Ledger, listed: Iterable[str]) -> Ledger:
    """K1.1 Return the ledger before a leg that lists those units: whoever it does not list is away, and full again."""
    here = {*listed}
    return {ident: _for_leg(entry, ident in here) for ident, entry in ledger.items()}


def _for_leg(entry: Entry, here: bool) -> Entry:
    if not here:
        return entry._replace(now=entry.full, standing=AWAY)
    return entry._replace(standing=READY) if entry.standing == AWAY else entry


def fought(ledger: Ledger, leg: Fought) -> Ledger:
    """K1 Return the ledger after a leg: steps as at its end, nothing else is carried over.

    K1.2 A leader who was not there, having been lost in the leg before, is there again.
    """
    found = dict(ledger)
    for ident, entry in ledger.items():
        if entry.standing == READY:
            found[ident] = entry.left_with(leg.steps.get(ident, 0))
        elif entry.standing == BROKEN and entry.role == LEADER:
            found[ident] = entry.left_with(entry.full)
    return found


def returned(before: Ledger, after: Ledger, taken: Iterable[str], share: Fraction) -> Back:
    """K2 Return what comes back to each side of the steps lost between two ledgers, rounded down.

    Guns that were taken neither count nor come back. Each step goes to the unit that lacks most of what it had before;
    of equals to the last by id. Leaders are no steps.
    """
    gone = {*taken}
    had = {
        ident: entry.now
        for ident, entry in before.items()
        if entry.standing == READY and entry.role != LEADER and not (entry.role == GUN and ident in gone)
    }
    lost: dict[str, int] = {}
    for ident, count in had.items():
        side = before[ident].side
        lost[side] = lost.get(side, 0) + count - after[ident].now
    steps: dict[str, int] = {}
    for side, count in lost.items():
        own = {ident: had[ident] for ident in had if before[ident].side == side}
        for ident in fed(after, own, int(count * share)):
            steps[ident] = steps.get(ident, 0) + 1
    return Back(lost, steps)


def fed(ledger: Ledger, most: Mapping[str, int], steps: int) -> tuple[str, ...]:
    """Return who gets each of some steps, one at a time: the unit that lacks most of what it may have.

    `most` says how many steps each may have at most; of equals the last by id is fed. Fewer come where
    nobody lacks any.
    """
    lacking = {ident: limit - ledger[ident].now for ident, limit in most.items() if limit > ledger[ident].now}
    found: list[str] = []
    while lacking and len(found) < steps:
        ident = max(lacking, key=lambda one: (lacking[one], one))
        found.append(ident)
        lacking[ident] -= 1
        if not lacking[ident]:
            del lacking[ident]
    return tuple(found)


def floor_of(ledger: Ledger, side: str, share: Fraction) -> tuple[str, ...]:
    """K5.1 Return who is fed so that the units of a side that the next leg lists have their share of full steps."""
    own = {ident: entry for ident, entry in ledger.items() if entry.side == side and counted(entry)}
    most = {ident: entry.full for ident, entry in own.items()}
    wanted = ceil(sum(most.values()) * share)
    return fed(ledger, most, max(0, wanted - sum(entry.now for entry in own.values())))


def counted(entry: Entry) -> bool:
    """Whether the steps of a unit are among those of its side's next leg."""
    return entry.role != LEADER and entry.standing != AWAY


def rows(ledger: Ledger) -> list[Json]:
    """Return a ledger as JSON, by id."""
    return [list(ledger[ident]) for ident in sorted(ledger)]


def read(value: Sequence[Sequence[Json]]) -> Ledger:
    """Read what `rows` wrote."""
    return {row[0]: Entry(*row) for row in value}


def of_side(ledger: Ledger, side: str) -> Iterator[Entry]:
    """Yield the units of a side, by id."""
    return (ledger[ident] for ident in sorted(ledger) if ledger[ident].side == side)
