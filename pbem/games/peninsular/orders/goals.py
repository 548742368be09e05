"""Where counters may want to go: of all hexes in their reach the few that matter, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pbem.engine.map.hexes import distance, neighbours
from pbem.games.peninsular.battle.morale import ROUT
from pbem.games.peninsular.battle.retreat import way_back
from pbem.games.peninsular.ground.paths import reachable
from pbem.games.peninsular.ground.stacking import fits
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.units import NORMAL, Unit
from pbem.games.peninsular.state import State

MOST = 4
"""Hexes that a line of a form offers."""
_THREAT = 4
"""Hexes from which on the enemy is too far away to go back from."""


class Goal(NamedTuple):
    """A hex worth going to, and why: points, exit, contact with the enemy, nearer to him, back, troops; or nothing."""

    at: str
    why: str


def in_reach(state: State, units: Sequence[Unit]) -> frozenset[str]:
    """S4, T3 Return the hexes in which counters that go together could end a move."""
    return frozenset(at for at in reachable(state, units) if fits(state, at, units))


def way_out(state: State, unit: Unit) -> Collection[str]:
    """S14 Return the hexes of the exit, for a battalion of the side that has one."""
    found = state.edition.scenario.get("victory", {}).get("exit", {})
    theirs = found and unit.kind == "inf" and camp(found["side"]) == unit.camp
    hexes: Collection[str] = found["hexes"] if theirs else ()
    return hexes


def matters(state: State, unit: Unit, hexes: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which of some hexes count points, and which lie next to the enemy."""
    points = state.edition.scenario.get("victory", {}).get("hexes", {})
    there = {near for foe in _foes(state, unit) for near in neighbours(foe)}
    return tuple(sorted(at for at in hexes if at in points)), tuple(sorted(at for at in hexes if at in there))


def goals(state: State, units: Sequence[Unit], hexes: Collection[str]) -> tuple[Goal, ...]:
    """Return those of the hexes in reach that matter most, at most `MOST` of them, the first of each kind first."""
    found: dict[str, str] = {}
    hexes = _open(state, units, hexes)
    for _, goal in sorted(_worth(state, units, hexes)):
        if goal.why or not found:
            found.setdefault(goal.at, goal.why)
    return tuple(Goal(at, why) for at, why in list(found.items())[:MOST])


def _open(state: State, units: Sequence[Unit], hexes: Collection[str]) -> Collection[str]:
    """S12 Of some hexes those from which counters that are shaken would find a way to retreat, if any."""
    shaken = [unit for unit in units if unit.is_combat and unit.state != NORMAL]
    ways = (
        [at for at in hexes if all(way_back(state, unit.but(at=at), ROUT, "") for unit in shaken)] if shaken else hexes
    )
    return ways or hexes


def _worth(state: State, units: Sequence[Unit], hexes: Collection[str]) -> Iterator[tuple[int, Goal]]:
    """Hexes that matter, the best of each kind with the lowest number; if none does the nearest."""
    first = units[0]
    start, foes = first.at, _foes(state, first)

    def gap(at: str) -> int:
        return min((distance(at, foe) for foe in foes), default=0)

    if hexes:
        yield 10**6, Goal(min(hexes, key=lambda at: (distance(start, at), at)), "")
    if not any(unit.is_combat for unit in units):
        mates = [at for at in hexes if any(u.is_combat and _of(state, first, u) for u in state.own(at, first.side))]
        for number, at in enumerate(sorted(mates, key=lambda at: (gap(at), at))):
            yield number, Goal(at, "troops")
        return
    points = state.edition.scenario.get("victory", {}).get("hexes", {})
    for number, at in enumerate(sorted((at for at in hexes if at in points), key=lambda at: (-points[at], at))):
        yield 5 * number, Goal(at, "points")
    exits = {at for unit in units for at in way_out(state, unit)}
    for number, at in enumerate(sorted(exits.intersection(hexes))):
        yield 5 * number + 1, Goal(at, "exit")
    contact = sorted((at for at in hexes if gap(at) == 1), key=lambda at: (distance(start, at), at))
    for number, at in enumerate(contact):
        yield 5 * number + 2, Goal(at, "contact")
    for there, number in ((foes, 3), ([at for at in points if at != start], 4)):
        near = _nearest(start, there, [at for at in hexes if at not in contact])
        if near:
            yield number, Goal(near, "nearer")
    away = [at for at in hexes if gap(at) > gap(start)] if foes and gap(start) <= _THREAT else []
    if away:
        yield 4, Goal(max(away, key=lambda at: (gap(at), -distance(start, at), at)), "back")


def _nearest(start: str, goals: Collection[str], hexes: Collection[str]) -> str:
    """Of some hexes the one that brings a counter nearest to the nearest of its goals; empty if none does."""
    if not goals:
        return ""
    goal = min(goals, key=lambda at: (distance(start, at), at))
    best = min(hexes, key=lambda at: (distance(at, goal), distance(start, at), at), default=start)
    return best if distance(best, goal) < distance(start, goal) else ""


def _of(state: State, chief: Unit, unit: Unit) -> bool:
    """Whether a commander has anything to say to a counter: one of his division; who has none goes to any."""
    own = next((name for name, division in state.divisions.items() if division.commander == chief.id), "")
    return unit.at != chief.at and own in ("", unit.division)


def _foes(state: State, unit: Unit) -> list[str]:
    return sorted({foe.at for foe in state.enemies(unit.side) if foe.is_combat})
