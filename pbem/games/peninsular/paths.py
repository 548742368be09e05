"""S4 Ways over the map: allowances (T7), what a path costs and where it may not go, the cheapest path."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from pbem.core.hexes import distance, neighbours, spread_of_turn
from pbem.core.messages import msg
from pbem.games.peninsular.refusals import Refusal
from pbem.games.peninsular.state import DISORDERED, ROUTED, State, Unit
from pbem.games.peninsular.terrain import least_cost, step_cost
from pbem.games.peninsular.zones import in_zone, nearest

__all__ = ["Walk", "allowance", "cheapest", "left", "reachable", "turn_cost", "walk", "wheeling"]

_BY_ROAD, _ALL_MANOEUVRE = 2, 3
"""T1 J, K: MP gained by a move by road."""


class Walk(NamedTuple):
    """A legal way: MP by counter, whether it left the road, whether it ended in an enemy zone, MP gained by road."""

    costs: dict[str, int]
    offroad: bool
    zoned: bool
    bonus: int = 0


def allowance(state: State, unit: Unit) -> int:
    """T7, S4 Return a counter's MP for the half: by the formation it began in, half of it (up) when disordered."""
    chart = state.edition.chart("allowance")
    nation = "british" if unit.nation == "kgl" else unit.nation
    column = nation if nation in chart.columns else unit.side
    mp = int(chart.cell(_row(unit), column))
    return (mp + 1) // 2 if unit.state == DISORDERED else mp


def _row(unit: Unit) -> str:
    if unit.kind == "inf":
        return "skirmishers" if (unit.base or unit.formation) == "skirmish" else "infantry"
    if unit.kind == "cav":
        return "heavy cavalry" if unit.size == "heavy" else "cavalry"
    if unit.kind == "art":
        return "horse artillery" if unit.horse else "artillery"
    return "commanders"


def left(state: State, unit: Unit) -> int:
    """Return the MP a counter still has in this half, without a road."""
    return allowance(state, unit) - unit.used


def turn_cost(unit: Unit, old: str, new: str) -> int:
    """S3 Return the MP of a turn: 1 for one or two sides, 2 for three, nothing for whoever has no front."""
    return (0, 1, 1, 2)[spread_of_turn(old, new)] if unit.faces else 0


def wheeling(state: State, units: Sequence[Unit]) -> list[Unit]:
    """S3 Return who turns when counters of one hex turn where they stand: they, and whoever shares their front."""
    mates = [mate for mate in state.fighting(units[0].at, units[0].side) if mate.faces and mate not in units]
    return [*units, *mates]


def walk(state: State, units: Sequence[Unit], path: Sequence[str]) -> Walk | Refusal:
    """S4 Return what a path of hexes costs counters that go together from one hex, or why they may not go it."""
    steps = list(zip((units[0].at, *path), path, strict=False))
    found = _ground(state, steps)
    if found is not None:
        return found
    roads = state.edition.ground.roads
    by_road = all(step in roads for step in steps)
    manoeuvre = all(state.order_of(unit) == "MANOEUVRE" for unit in units)
    bonus = 0 if not by_road else _ALL_MANOEUVRE if manoeuvre else _BY_ROAD
    costs: dict[str, int] = {}
    zoned = False
    for unit in units:
        cost = _cost(state, unit, steps, len(units) == 1)
        if isinstance(cost, Refusal):
            return cost
        zoned = zoned or in_zone(state, path[-1], unit)
        more = 0 if unit.offroad else bonus
        if cost > left(state, unit) + more:
            why = msg("{unit} has {mp} MP, the way costs {cost}", unit=unit.id, mp=left(state, unit) + more, cost=cost)
            return Refusal(("T7", "T1", "S4"), why, path[-1])
        costs[unit.id] = cost
    return Walk(costs, not by_road, zoned, bonus)


def _ground(state: State, steps: Sequence[tuple[str, str]]) -> Refusal | None:
    """What holds for whoever goes: the map, neighbours, the enemy's hexes."""
    for a, b in steps:
        if b not in state.edition.ground:
            return Refusal(("S4",), msg("{hex} is not on the map", hex=b), b)
        if distance(a, b) != 1:
            return Refusal(("S4",), msg("{hex} is not next to {start}", hex=b, start=a), b)
        if state.at(b) and not state.own(b, state.phase):
            return Refusal(("S4",), msg("the enemy stands in {hex}", hex=b), b)
    return None


def _cost(state: State, unit: Unit, steps: Sequence[tuple[str, str]], single: bool) -> int | Refusal:
    """The MP of a way for one counter, zones and its state heeded."""
    manoeuvre = state.order_of(unit) == "MANOEUVRE"
    total = 0
    for number, (a, b) in enumerate(steps, start=1):
        alone = single and not any(mate.id != unit.id for mate in state.at(b))
        cost = step_cost(state.edition, unit, a, b, manoeuvre, alone)
        if cost is None:
            return Refusal(("T1", "S4"), msg("{unit} cannot go from {a} to {b}", unit=unit.id, a=a, b=b), b)
        total += cost + in_zone(state, a, unit)
        if in_zone(state, b, unit):
            found = _enters(state, unit, b, last=number == len(steps))
            if found is not None:
                return found
        if unit.state == ROUTED and not _away(state, unit, a, b):
            return Refusal(("S4",), msg("{unit} is routed: it goes away from the enemy", unit=unit.id), b)
    return total


def _enters(state: State, unit: Unit, ident: str, last: bool) -> Refusal | None:
    """S3, S4, S2 Whether a counter may enter an enemy zone."""
    if unit.state == DISORDERED:
        why = msg("{unit} is disordered and may not enter an enemy zone", unit=unit.id)
        return Refusal(("S4", "S3"), why, ident)
    if state.order_of(unit) == "REORGANISE":
        why = msg("{unit} has orders to reorganise and may not enter an enemy zone", unit=unit.id)
        return Refusal(("S2", "S3"), why, ident)
    if not last:
        why = msg("{unit} is stopped by the enemy zone in {hex}", unit=unit.id, hex=ident)
        return Refusal(("S3", "S4"), why, ident)
    return None


def _away(state: State, unit: Unit, a: str, b: str) -> bool:
    foe = nearest(state, a, unit.side)
    later = nearest(state, b, unit.side)
    return foe is None or later is None or distance(b, later.at) > distance(a, foe.at)


def cheapest(state: State, units: Sequence[Unit], to: str) -> tuple[str, ...]:
    """S4 Return the path to a hex that costs least, or () if there is none the counters could go.

    Least is the sum of their MP, then the number of hexes, then the ids in order. If no way is within the MP, one by
    road with the MP it gains is tried.
    """
    # An order is held against the position and then carried out in it: the way is looked for once.
    key = f"way of {','.join(unit.id for unit in units)} to {to} in the half of {state.phase}"
    known = state.remembered
    if key not in known:
        known[key] = _spread(state, units, False, to).get(to) or _spread(state, units, True, to).get(to, ())
    way: tuple[str, ...] = known[key]
    return way


def reachable(state: State, units: Sequence[Unit]) -> frozenset[str]:
    """S4 Return the hexes that counters going together could come to, room (T3) not looked at."""
    return frozenset(_spread(state, units, False)) | frozenset(_spread(state, units, True))


def _spread(state: State, units: Sequence[Unit], roads: bool, to: str = "") -> dict[str, tuple[str, ...]]:
    """Return the cheapest path to each hex that can be reached, or to `to` at least; by road alone with `roads`."""
    ground, start = state.edition.ground, units[0].at
    means, least = _means(state, units, roads), least_cost(state.edition)
    waiting: list[tuple[int, int, tuple[str, ...], tuple[int, ...]]] = [(0, 0, (start,), (0,) * len(units))]
    found: dict[str, tuple[str, ...]] = {}
    seen: set[str] = set()
    while waiting and to not in found:
        _, _, path, costs = heapq.heappop(waiting)
        here = path[-1]
        if here in seen:
            continue
        seen.add(here)
        if here != start:
            found[here] = path[1:]
            if any(in_zone(state, here, unit) for unit in units):
                continue
        for near in neighbours(here):
            if near in seen or near not in ground or (roads and (here, near) not in ground.roads):
                continue
            if state.at(near) and not state.own(near, state.phase):
                continue
            more = _step(state, means, here, near, costs)
            if more and not (to and _too_far(means, more, least * distance(near, to))):
                heapq.heappush(waiting, (sum(more), len(path), (*path, near), more))
    return found


def _too_far(means: Sequence[tuple[Unit, int, bool]], costs: Sequence[int], ahead: int) -> bool:
    """Whether one of the counters cannot have the MP for what lies ahead, at the least it can cost."""
    return any(paid + ahead > most for (_, most, _), paid in zip(means, costs, strict=True))


def _means(state: State, units: Sequence[Unit], roads: bool) -> list[tuple[Unit, int, bool]]:
    """Each counter with the MP it may spend, and whether it goes alone."""
    bonus = 0
    if roads:
        bonus = _ALL_MANOEUVRE if all(state.order_of(u) == "MANOEUVRE" for u in units) else _BY_ROAD
    return [(unit, left(state, unit) + (0 if unit.offroad else bonus), len(units) == 1) for unit in units]


def _step(
    state: State, means: Sequence[tuple[Unit, int, bool]], a: str, b: str, costs: Sequence[int]
) -> tuple[int, ...]:
    """Return what each counter has paid after one more step, () if one of them cannot take it."""
    out = []
    for (unit, most, single), paid in zip(means, costs, strict=True):
        cost = _cost(state, unit, ((a, b),), single)
        if isinstance(cost, Refusal) or paid + cost > most:
            return ()
        out.append(paid + cost)
    return tuple(out)
