"""Find ways: allowances (T7), costs, forbidden steps and the cheapest path (S4)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from operator import ge, sub
from typing import NamedTuple

from pbem.engine.data.messages import msg
from pbem.engine.map.hexes import distance, neighbours, spread_of_turn
from pbem.engine.orders.refusals import Refusal
from pbem.games.peninsular.edition import Edition
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import (
    OpenStep,
    Sort,
    cached_steps,
    in_zone,
    least_step_cost,
    nearest_enemy,
    open_steps,
    step_mp,
    terrain_sort,
)
from pbem.games.peninsular.units import DISORDERED, ROUTED, AllianceCounters, Unit, no_counters

Suits = Callable[[tuple[str, ...]], bool]
"""A test whether a path is suitable."""
_BY_ROAD, _ALL_MANOEUVRE = 2, 3
"""T1 J, K: MP gained by a move by road: usually, and if all counters have a Manoeuvre order."""
_TURN = (0, 1, 1, 2)
"""S3 The MP of a turn by so many sides."""
_NO_END = 10**6
"""More MP than any way costs."""
_MOST_WAYS = 4096
"""Ways that are cached for a map: the same ones are needed when orders are read, checked and carried out. A choice:
beyond it all are dropped, so that a long game does not fill the memory."""


class PathCost(NamedTuple):
    """A legal way: its cost by counter, and the facts for moving on.

    These are whether it left the road or ended in a zone, and the movement points gained by road.
    """

    costs: dict[str, int]
    offroad: bool
    zoned: bool
    bonus: int = 0


def allowance(state: State, unit: Unit) -> int:
    """Return a counter's MP for the half-turn, by the formation in which it began.

    A disordered counter has half as many. Rules: T7, S4.
    """
    cells, row = state.edition.chart("allowance").cells, _row(unit)
    nation = "british" if unit.nation == "kgl" else unit.nation
    mp = int(cells[row, nation if (row, nation) in cells else unit.side])
    return (mp + 1) // 2 if unit.state == DISORDERED else mp


def _row(unit: Unit) -> str:
    if unit.kind == "inf":
        return "skirmishers" if (unit.base or unit.formation) == "skirmish" else "infantry"
    if unit.kind == "cav":
        return "heavy cavalry" if unit.size == "heavy" else "cavalry"
    if unit.kind == "art":
        return "horse artillery" if unit.horse else "artillery"
    return "commanders"


def remaining_mp(state: State, unit: Unit) -> int:
    """Return a counter's remaining MP in this half, without a road."""
    return allowance(state, unit) - unit.used


def turn_cost(unit: Unit, old: str, new: str) -> int:
    """Return a turn's MP: 1 for one or two sides, 2 for three, 0 without a front.

    Rule: S3.
    """
    return _TURN[spread_of_turn(old, new)] if unit.faces else 0


def turning_units(state: State, units: Sequence[Unit]) -> list[Unit]:
    """Return the counters that turn in place, with those sharing their front (S3)."""
    mates = [mate for mate in state.fighting(units[0].at, units[0].side) if mate.faces and mate not in units]
    return [*units, *mates]


def path_cost(state: State, units: Sequence[Unit], path: Sequence[str]) -> PathCost | Refusal:
    """Return the cost of a path for counters going together, or why they may not go.

    Rule: S4.
    """
    steps = list(zip((units[0].at, *path), path, strict=False))
    refusal = _refuse_path(state, steps)
    if refusal is not None:
        return refusal
    roads = state.edition.map.roads
    by_road = roads.issuperset(steps)
    bonus = 0 if not by_road else _road_bonus(state, units)
    costs: dict[str, int] = {}
    is_in_zone = False
    for unit in units:
        cost = _cost(state, unit, steps, len(units) == 1)
        if isinstance(cost, Refusal):
            return cost
        is_in_zone = is_in_zone or in_zone(state, path[-1], unit)
        mp = remaining_mp(state, unit) + (0 if unit.offroad else bonus)
        if cost > mp:
            why = msg("{unit} has {mp} MP, the way costs {cost}", unit=unit.id, mp=mp, cost=cost)
            return Refusal(("T7", "T1", "S4"), why, path[-1])
        costs[unit.id] = cost
    return PathCost(costs, not by_road, is_in_zone, bonus)


def _road_bonus(state: State, units: Sequence[Unit]) -> int:
    """Return the MP that counters going together gain by road (T1 J, K)."""
    return _ALL_MANOEUVRE if all(state.order_of(unit) == "MANOEUVRE" for unit in units) else _BY_ROAD


def _refuse_path(state: State, steps: Sequence[tuple[str, str]]) -> Refusal | None:
    """Refuse steps off the map, not adjacent, or into enemies."""
    hexes = state.edition.map.hexes
    for a, b in steps:
        if b not in hexes:
            return Refusal(("S4",), msg("{hex} is not on the map", hex=b), b)
        if b not in neighbours(a):
            return Refusal(("S4",), msg("{hex} is not next to {start}", hex=b, start=a), b)
        if state.is_enemy_held(b, state.phase):
            return Refusal(("S4",), msg("the enemy stands in {hex}", hex=b), b)
    return None


def _cost(state: State, unit: Unit, steps: Sequence[tuple[str, str]], single: bool) -> int | Refusal:
    """Return a way's MP for one counter, with zones and its state."""
    sorts, zones, total = (terrain_sort(state, unit),), state.enemy(unit.side).zones, 0
    for number, (a, b) in enumerate(steps, start=1):
        way = open_steps(state.edition, sorts, (unit,), a).get(b)
        if way is None:
            return Refusal(("T1", "S4"), msg("{unit} cannot go from {a} to {b}", unit=unit.id, a=a, b=b), b)
        total += step_mp(state, unit, way) if single else way.total
        if a in zones:
            total += _leaving_cost(state, unit, a)
        if b in zones and in_zone(state, b, unit):
            refusal = _refuse_zone(state, unit, b, last=number == len(steps))
            if refusal is not None:
                return refusal
        if unit.state == ROUTED and not _moves_away(state, unit, a, b):
            return Refusal(("S4",), msg("{unit} is routed: it goes away from the enemy", unit=unit.id), b)
    return total


def _leaving_cost(state: State, unit: Unit, ident: str) -> int:
    """Return the MP to leave an enemy zone; 0 without one (S3)."""
    return int(in_zone(state, ident, unit))


def _refuse_zone(state: State, unit: Unit, ident: str, last: bool) -> Refusal | None:
    """Return a refusal if a counter may not enter an enemy zone (S3, S4, S2)."""
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


def _moves_away(state: State, unit: Unit, a: str, b: str) -> bool:
    foe = nearest_enemy(state, a, unit.side)
    later = nearest_enemy(state, b, unit.side)
    return foe is None or later is None or distance(b, later.at) > distance(a, foe.at)


def cheapest_path(state: State, units: Sequence[Unit], destination: str, suits: Suits | None = None) -> tuple[str, ...]:
    """Return the cheapest path to a hex, or () if there is none (S4).

    The cheapest way has the least sum of MP, then the fewest hexes, then the first ids. If no way is within the MP,
    a way by road with its extra MP is tried. S4a Each counter can pay it; `suits` says whether a path leaves enough
    MP for the action at its end.
    """
    path_filter = suits if state.edition.reread else None
    route = _best(state, _party(state, units, False), destination, path_filter)
    return route or _best(state, _party(state, units, True), destination, path_filter)


def reachable_hexes(state: State, units: Sequence[Unit]) -> frozenset[str]:
    """Return the hexes that counters moving together could reach.

    Room is not checked (T3). Rule: S4.
    """
    return frozenset(cheapest_paths(state, units))


def cheapest_paths(state: State, units: Sequence[Unit]) -> dict[str, tuple[str, ...]]:
    """Return the hexes counters going together could reach, with cheapest paths (S4)."""
    result: dict[str, tuple[str, ...]] = {}
    for roads in (True, False):
        result |= {hex_id: way.path for hex_id, way in _spread(state, _party(state, units, roads)).items()}
    return result


class _Party(NamedTuple):
    """Counters that go together, sorted by their terrain needs.

    `roads`: they keep to the road. `ones`: one counter of each sort. `left`: the MP of each sort after leaving
    their hex; `spent`: the cost of that for all. `fleeing`: the routed counters. `enemy`: the other camp. `each`:
    each sort's remaining MP matters, and not only the sum (S4a).
    """

    units: Sequence[Unit]
    roads: bool
    ones: tuple[Unit, ...]
    sorts: tuple[Sort, ...]
    left: tuple[int, ...]
    spent: int
    fleeing: tuple[Unit, ...]
    enemy: AllianceCounters
    each: bool


class _Way(NamedTuple):
    """The MP of a path for the whole party, and its hexes.

    On the empty map also its MP by sort, and whether no counter on it can lower or raise them (T1 D).
    """

    mp: int
    path: tuple[str, ...]
    costs: tuple[int, ...] = ()
    plain: bool = False


def _best(state: State, party: _Party, destination: str, suits: Suits | None) -> tuple[str, ...]:
    """Return a party's cheapest suitable path to a hex, or ().

    Units on the map can only bar steps or raise their cost. So if none does on the cheapest path of the empty map,
    that path is the cheapest; and a path too expensive on the empty map is too expensive.
    """
    empty, several = _empty_map_way(state.edition, party, destination), len(party.sorts) > 1
    if empty is None or (not several and empty.mp > party.left[0] * len(party.units)):
        return ()
    path, enemy = empty.path, party.enemy
    is_clear = empty.plain and not party.fleeing and enemy.hexes.keys().isdisjoint(path)
    is_free = is_clear and enemy.zones.keys().isdisjoint(path)
    can_pay = not several or min(map(sub, party.left, empty.costs)) >= 0
    if can_pay and (is_free or _is_as_cheap(state, party, empty)) and (suits is None or suits(path)):
        return path
    goal = _spread(state, party, destination, suits).get(destination)
    return goal.path if goal is not None else ()


def _is_as_cheap(state: State, party: _Party, empty: _Way) -> bool:
    """Return whether a party can take a path for what it costs on the empty map."""
    mp, hex_id = 0, party.units[0].at
    for near in empty.path:
        step = _take_step(state, party, hex_id, open_steps(state.edition, party.sorts, party.ones, hex_id)[near])
        if step is None or (step.zoned and near != empty.path[-1]):
            return False
        mp, hex_id = mp + step.total, near
    return mp == empty.mp


def _empty_map_way(edition: Edition, party: _Party, destination: str) -> _Way | None:
    """Return the party's cheapest way over the empty map with unlimited MP, or None."""
    cache = edition.cache.setdefault("ways", {})
    key = (party.sorts, party.roads, party.units[0].at, destination)
    if key not in cache:
        if len(cache) >= _MOST_WAYS:
            cache.clear()
        able = party._replace(left=(_NO_END,) * len(party.sorts), spent=0, fleeing=(), enemy=no_counters(), each=False)
        way = _spread(State(edition), able, destination).get(destination)
        if way is not None:
            pairs = pairwise((party.units[0].at, *way.path))
            steps = [open_steps(edition, party.sorts, party.ones, a)[b] for a, b in pairs]
            costs = tuple(map(sum, zip(*(step.costs for step in steps), strict=True)))
            way = _Way(way.mp, way.path, costs, all(step.plain for step in steps))
        cache[key] = way
    known: _Way | None = cache[key]
    return known


def _spread(state: State, party: _Party, destination: str = "", suits: Suits | None = None) -> dict[str, _Way]:
    """Return the cheapest way to each reachable hex.

    If `destination` is given, only the way to it, by a suitable path.
    """
    each, least, start, number = party.each, least_step_cost(state.edition), party.units[0].at, len(party.units)
    # MP and hexes with the least that lies ahead, the path, MP, MP left by sort, whether a zone has stopped it. Of ways
    # that promise as much the first by ids is followed to its end before another is begun.
    waiting: list[tuple[int, int, tuple[str, ...], int, tuple[int, ...], bool]] = [
        (party.spent, 0, (start,), party.spent, party.left, False)
    ]
    result: dict[str, _Way] = {}
    seen: dict[str, list[tuple[int, ...]]] = {}
    # The best way so far to each hex, by which it will be left: no worse one is followed, unless it may leave more.
    best: dict[str, tuple[int, int, tuple[str, ...]]] = {}
    closed: Collection[str] = () if each else seen
    exits = cached_steps(state.edition, party.sorts)
    single = len(party.sorts) == 1
    enemy, everywhere, plain = party.enemy, not party.roads, not party.fleeing
    while waiting and destination not in result:
        _, _, path, spent, remaining, stopped = heapq.heappop(waiting)
        current = path[-1]
        if suits is not None and current == destination:
            if suits(path[1:]):
                result[current] = _Way(spent, path[1:])
            continue
        before = seen.setdefault(current, [])
        if before and (not each or _is_outdone(before, remaining)):
            continue
        before.append(remaining)
        if len(path) > 1 and current not in result:
            result[current] = _Way(spent, path[1:])
        ways = exits.get(current) or open_steps(state.edition, party.sorts, party.ones, current)
        for near, way in () if stopped else ways.items():
            if near in closed or not (everywhere or way.road):
                continue
            free = plain and way.plain and near not in enemy.hexes and near not in enemy.zones
            step = way if free else _take_step(state, party, current, way)
            gap = distance(near, destination) if destination else 0
            if (
                step is None
                or min(rest := (remaining[0] - step.costs[0],) if single else tuple(map(sub, remaining, step.costs)))
                < least * gap
            ):
                continue
            mp = spent + step.total
            rank = (mp + least * gap * number, len(path) + gap, (*path, near))
            if not (each or (suits and near == destination)) and best.setdefault(near, rank) < rank:
                continue
            best[near] = rank
            heapq.heappush(waiting, (*rank, mp, rest, step.zoned))
    return result


def _is_outdone(before: Sequence[tuple[int, ...]], remaining: tuple[int, ...]) -> bool:
    """Return whether an earlier way leaves at least as much of each sort's MP."""
    return any(all(map(ge, other, remaining)) for other in before)


class _Step(NamedTuple):
    """The result of a permitted step: MP by sort and in all, is it stopped by a zone."""

    costs: tuple[int, ...]
    total: int
    zoned: bool


def _take_step(state: State, party: _Party, current: str, way: OpenStep) -> _Step | None:
    """Return a step's result for a party; None if forbidden (S3, S4)."""
    near, costs, total, enemy = way.to, way.costs, way.total, party.enemy
    if near in enemy.hexes and state.is_enemy_held(near, state.phase):
        return None
    if way.lone != total and not state.at(near):
        costs, total = (way.lone,), way.lone
    if party.fleeing and not _is_flight(state, party, current, near):
        return None
    zoned = [unit for unit in party.units if in_zone(state, near, unit)] if near in enemy.zones else []
    if zoned and any(_refuse_zone(state, unit, near, last=True) for unit in zoned):
        return None
    return _Step(costs, total, bool(zoned))


def _party(state: State, units: Sequence[Unit], roads: bool) -> _Party:
    """Sort counters that are about to move; with `roads` use the MP of a road move."""
    bonus = _road_bonus(state, units) if roads else 0
    sorts: dict[Sort, list[tuple[int, Unit]]] = {}
    spent = 0
    for unit in units:
        leaving = _leaving_cost(state, unit, unit.at)
        rest = remaining_mp(state, unit) + (0 if unit.offroad else bonus) - leaving
        sorts.setdefault(terrain_sort(state, unit), []).append((rest, unit))
        spent += leaving
    return _Party(
        units,
        roads,
        tuple([some[0][1] for some in sorts.values()]),
        tuple([(arm, manoeuvre, len(some)) for (arm, manoeuvre, _), some in sorts.items()]),
        tuple([min([rest for rest, _ in some]) for some in sorts.values()]),
        spent,
        tuple([unit for unit in units if unit.state == ROUTED]),
        state.enemy(units[0].side),
        len(sorts) > 1 and state.edition.reread,
    )


def _is_flight(state: State, party: _Party, a: str, b: str) -> bool:
    return all(_moves_away(state, unit, a, b) for unit in party.fleeing)
