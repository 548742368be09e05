"""S4 Ways over the map: allowances (T7), what a path costs and where it may not go, the cheapest path."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from operator import ge, sub
from typing import NamedTuple

from pbem.engine.data.messages import msg
from pbem.engine.map.hexes import distance, neighbours, spread_of_turn
from pbem.engine.orders.refusals import Refusal
from pbem.games.peninsular.edition import Edition
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import Exit, Sort, exits, in_zone, least_cost, nearest, paid, sort_of
from pbem.games.peninsular.units import DISORDERED, ROUTED, Camp, Unit, nobody

Suits = Callable[[tuple[str, ...]], bool]
"""Whether a path will do."""
_BY_ROAD, _ALL_MANOEUVRE = 2, 3
"""T1 J, K: MP gained by a move by road."""
_TURN = (0, 1, 1, 2)
"""S3 The MP of a turn by so many sides."""
_NO_END = 10**6
"""More MP than any way costs."""
_MOST_WAYS = 4096
"""Ways that are kept of a map: the same are asked for when orders are read, carried out, and carried out again."""


class Walk(NamedTuple):
    """A legal way: MP by counter, whether it left the road, whether it ended in an enemy zone, MP gained by road."""

    costs: dict[str, int]
    offroad: bool
    zoned: bool
    bonus: int = 0


def allowance(state: State, unit: Unit) -> int:
    """T7, S4 Return a counter's MP for the half: by the formation it began in, half of it (up) when disordered."""
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


def left(state: State, unit: Unit) -> int:
    """Return the MP a counter still has in this half, without a road."""
    return allowance(state, unit) - unit.used


def turn_cost(unit: Unit, old: str, new: str) -> int:
    """S3 Return the MP of a turn: 1 for one or two sides, 2 for three, nothing for whoever has no front."""
    return _TURN[spread_of_turn(old, new)] if unit.faces else 0


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
    roads = state.edition.map.roads
    by_road = roads.issuperset(steps)
    bonus = 0 if not by_road else _bonus(state, units)
    costs: dict[str, int] = {}
    zoned = False
    for unit in units:
        cost = _cost(state, unit, steps, len(units) == 1)
        if isinstance(cost, Refusal):
            return cost
        zoned = zoned or in_zone(state, path[-1], unit)
        mp = left(state, unit) + (0 if unit.offroad else bonus)
        if cost > mp:
            why = msg("{unit} has {mp} MP, the way costs {cost}", unit=unit.id, mp=mp, cost=cost)
            return Refusal(("T7", "T1", "S4"), why, path[-1])
        costs[unit.id] = cost
    return Walk(costs, not by_road, zoned, bonus)


def _bonus(state: State, units: Sequence[Unit]) -> int:
    """T1 J, K The MP that counters going together gain by road."""
    return _ALL_MANOEUVRE if all(state.order_of(unit) == "MANOEUVRE" for unit in units) else _BY_ROAD


def _ground(state: State, steps: Sequence[tuple[str, str]]) -> Refusal | None:
    """What holds for whoever goes: the map, neighbours, the enemy's hexes."""
    hexes = state.edition.map.hexes
    for a, b in steps:
        if b not in hexes:
            return Refusal(("S4",), msg("{hex} is not on the map", hex=b), b)
        if b not in neighbours(a):
            return Refusal(("S4",), msg("{hex} is not next to {start}", hex=b, start=a), b)
        if state.held(b, state.phase):
            return Refusal(("S4",), msg("the enemy stands in {hex}", hex=b), b)
    return None


def _cost(state: State, unit: Unit, steps: Sequence[tuple[str, str]], single: bool) -> int | Refusal:
    """The MP of a way for one counter, zones and its state heeded."""
    sorts, zones, total = (sort_of(state, unit),), state.enemy(unit.side).zones, 0
    for number, (a, b) in enumerate(steps, start=1):
        way = exits(state.edition, sorts, (unit,), a).get(b)
        if way is None:
            return Refusal(("T1", "S4"), msg("{unit} cannot go from {a} to {b}", unit=unit.id, a=a, b=b), b)
        total += paid(state, unit, way) if single else way.total
        if a in zones:
            total += _leaving(state, unit, a)
        if b in zones and in_zone(state, b, unit):
            found = _enters(state, unit, b, last=number == len(steps))
            if found is not None:
                return found
        if unit.state == ROUTED and not _away(state, unit, a, b):
            return Refusal(("S4",), msg("{unit} is routed: it goes away from the enemy", unit=unit.id), b)
    return total


def _leaving(state: State, unit: Unit, ident: str) -> int:
    """S3 The MP of leaving an enemy zone, none where there is none."""
    return int(in_zone(state, ident, unit))


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


def cheapest(state: State, units: Sequence[Unit], to: str, suits: Suits | None = None) -> tuple[str, ...]:
    """S4 Return the path to a hex that costs least, or () if there is none the counters could go.

    Least is the sum of their MP, then the number of hexes, then the ids in order. If no way is within the MP, one by
    road with the MP it gains is tried. S4a Each of them can pay it; `suits` says whether a path leaves them enough for
    what they do at its end.
    """
    wanted = suits if state.edition.reread else None
    found = _best(state, _party(state, units, False), to, wanted)
    return found or _best(state, _party(state, units, True), to, wanted)


def reachable(state: State, units: Sequence[Unit]) -> frozenset[str]:
    """S4 Return the hexes that counters going together could come to, room (T3) not looked at."""
    return frozenset(paths(state, units))


def paths(state: State, units: Sequence[Unit]) -> dict[str, tuple[str, ...]]:
    """S4 Return the hexes that counters going together could come to, each with a cheapest path."""
    found: dict[str, tuple[str, ...]] = {}
    for roads in (True, False):
        found |= {at: way.path for at, way in _spread(state, _party(state, units, roads)).items()}
    return found


class _Party(NamedTuple):
    """Counters that go together, sorted by what the ground asks of them.

    `roads`: they keep to the road; `ones` are one counter of each of the sorts; `left` the MP that all of a sort have
    when they have left their hex, `spent` what that costs them together; `fleeing` the routed; `enemy` the other camp;
    `each`: what every sort has left matters, and not their sum alone (S4a).
    """

    units: Sequence[Unit]
    roads: bool
    ones: tuple[Unit, ...]
    sorts: tuple[Sort, ...]
    left: tuple[int, ...]
    spent: int
    fleeing: tuple[Unit, ...]
    enemy: Camp
    each: bool


class _Way(NamedTuple):
    """The MP that a path costs all who go it, and its hexes."""

    mp: int
    path: tuple[str, ...]


def _best(state: State, party: _Party, to: str, suits: Suits | None) -> tuple[str, ...]:
    """The cheapest path of a party to a hex that suits it, () if there is none.

    Whoever stands on the map can only bar steps and make them dearer. So where nobody does either, the cheapest path
    of the empty map is the cheapest still, and a path that is too dear there is too dear.
    """
    empty = _over_empty(state.edition, party, to)
    if empty is None or (len(party.sorts) == 1 and empty.mp > party.left[0] * len(party.units)):
        return ()
    left, mp, here = party.left, 0, party.units[0].at
    for near in empty.path:
        step = _tread(state, party, here, exits(state.edition, party.sorts, party.ones, here)[near])
        if step is None or (step.zoned and near != to):
            break
        left, mp, here = tuple(map(sub, left, step.costs)), mp + step.total, near
    if here == to and mp == empty.mp and min(left) >= 0 and (suits is None or suits(empty.path)):
        return empty.path
    found = _spread(state, party, to, suits).get(to)
    return found.path if found is not None else ()


def _over_empty(edition: Edition, party: _Party, to: str) -> _Way | None:
    """The cheapest way of a party with MP without end over the map with nobody on it, None if there is none."""
    known = edition.remembered.setdefault("ways", {})
    key = (party.sorts, party.roads, party.units[0].at, to)
    if key not in known:
        if len(known) >= _MOST_WAYS:
            known.clear()
        able = party._replace(left=(_NO_END,) * len(party.sorts), spent=0, fleeing=(), enemy=nobody(), each=False)
        known[key] = _spread(State(edition), able, to).get(to)
    way: _Way | None = known[key]
    return way


def _spread(state: State, party: _Party, to: str = "", suits: Suits | None = None) -> dict[str, _Way]:
    """Return the cheapest way to each hex that can be reached, or to `to` at least, one that suits."""
    gap, least, start, number = 0, least_cost(state.edition), party.units[0].at, len(party.units)
    # MP and hexes with the least that lies ahead, the path, MP, MP left by sort, whether a zone has stopped it. Of ways
    # that promise as much the first by ids is followed to its end before another is begun.
    waiting: list[tuple[int, int, tuple[str, ...], int, tuple[int, ...], bool]] = [
        (party.spent, 0, (start,), party.spent, party.left, False)
    ]
    found: dict[str, _Way] = {}
    seen: dict[str, list[tuple[int, ...]]] = {}
    while waiting and to not in found:
        _, _, path, spent, left, stopped = heapq.heappop(waiting)
        here = path[-1]
        if suits is not None and here == to:
            if suits(path[1:]):
                found[here] = _Way(spent, path[1:])
            continue
        if _outdone(party, seen.get(here, ()), left):
            continue
        seen.setdefault(here, []).append(left)
        if len(path) > 1 and here not in found:
            found[here] = _Way(spent, path[1:])
        most = min(left) - least
        ahead = {} if stopped else exits(state.edition, party.sorts, party.ones, here)
        for near, way in ahead.items():
            if to:
                gap = distance(near, to)
            closed = near in seen and not party.each
            step = None if closed or least * gap > most else _tread(state, party, here, way)
            if step is None:
                continue
            costs, total, zoned = step
            rest = tuple(map(sub, left, costs))
            if min(rest) >= least * gap:
                mp = spent + total
                rank = (mp + least * gap * number, len(path) + gap)
                heapq.heappush(waiting, (*rank, (*path, near), mp, rest, zoned))
    return found


def _outdone(party: _Party, before: Sequence[tuple[int, ...]], left: tuple[int, ...]) -> bool:
    """Whether a way that came to a hex earlier leaves nobody less; any does where their sum alone matters."""
    return any(not party.each or all(map(ge, other, left)) for other in before)


class _Step(NamedTuple):
    """A step that may be taken: MP by sort and in all, and whether an enemy zone stops them there."""

    costs: tuple[int, ...]
    total: int
    zoned: bool


def _tread(state: State, party: _Party, here: str, way: Exit) -> _Step | None:
    """S3, S4 Return what a step comes to for counters that go together; None if they may not take it."""
    near, costs, total, enemy = way.to, way.costs, way.total, party.enemy
    if (party.roads and not way.road) or (near in enemy.hexes and state.held(near, state.phase)):
        return None
    if way.lone != total and not state.at(near):
        costs, total = (way.lone,), way.lone
    if party.fleeing and not _flee(state, party, here, near):
        return None
    zoned = [unit for unit in party.units if in_zone(state, near, unit)] if near in enemy.zones else []
    if zoned and any(_enters(state, unit, near, last=True) for unit in zoned):
        return None
    return _Step(costs, total, bool(zoned))


def _party(state: State, units: Sequence[Unit], roads: bool) -> _Party:
    """Sort counters that are about to go; with `roads` they have the MP of a move by road."""
    bonus = _bonus(state, units) if roads else 0
    sorts: dict[Sort, list[tuple[int, Unit]]] = {}
    spent = 0
    for unit in units:
        leaving = _leaving(state, unit, unit.at)
        rest = left(state, unit) + (0 if unit.offroad else bonus) - leaving
        sorts.setdefault(sort_of(state, unit), []).append((rest, unit))
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


def _flee(state: State, party: _Party, a: str, b: str) -> bool:
    return all(_away(state, unit, a, b) for unit in party.fleeing)
