"""Counted hexes: how many a named counter reaches, sees, threatens or enters on a named map, by its first step.

A count that is off tells nothing; its parts do. So each is kept by first step (or by sector, or by neighbour), and a
failure prints the parts that differ, with the hexes of a second, slower way of counting where there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.engine.map.hexes import (
    DIRECTIONS,
    between,
    direction,
    distance,
    neighbours,
    sector,
    straight,
    towards,
    within,
)
from pbem.games.peninsular.edition import GAME_FILES, Edition, shipped_ground
from pbem.games.peninsular.hexmap import HEXSIDE_KINDS, TERRAINS, TerrainMap, make_open_ground
from pbem.games.peninsular.paths import PathCost, allowance, cheapest_path, path_cost, reachable_hexes
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import Step, has_line_of_fire, in_zone, step_cost
from pbem.games.peninsular.units import read_unit

CHARTS = GAME_FILES.charts({})
MAPS: Mapping[str, TerrainMap] = {
    "open": make_open_ground(()),
    "training": shipped_ground("training"),
    "river": make_open_ground(
        [f"05{row:02}-06{row:02} river" for row in range(1, 11)]
        + [f"05{row:02}-06{row - 1:02} river" for row in range(2, 11)]
        + ["0505-0605 bridge", "0405-0505 road", "0505-0605 road", "0605-0705 road"]
    ),
    "hills": make_open_ground(
        [
            *("0505-0504 slope", "0506-0505 slope", "0605-0604 slope", "0404-0403 impassable slope"),
            *("0504 level 1", "0604 level 1", "0503 level 2", "0603 level 2"),
            *("0405 light wood", "0406 dense wood", "0606 marsh"),
        ]
    ),
}


def position(ground: str | TerrainMap, *units: str, order: str = "") -> State:
    """Counters on a map, the British to move."""
    made = MAPS[ground] if isinstance(ground, str) else ground
    counters = {unit.id: unit for unit in map(read_unit, units)}
    return State(Edition(made, CHARTS), 1, "british", counters)


def paths(state: State, ident: str, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every path without a hex twice that the rules let the counter go, found by asking for each as it is written."""
    unit = state.units[ident]
    hex_now = path[-1] if path else unit.at
    for near in neighbours(hex_now):
        way = (*path, near)
        if near != unit.at and near not in path and isinstance(path_cost(state, [unit], way), PathCost):
            yield way
            yield from paths(state, ident, way)


def by_first_step(state: State, ident: str) -> dict[str, set[str]]:
    """The hexes that the counter can come to with each first step."""
    start_hex = state.units[ident].at
    differing: dict[str, set[str]] = {}
    for way in paths(state, ident):
        differing.setdefault(direction(start_hex, way[0]), set()).add(way[-1])
    return differing


def list_differences(counted: Mapping[str, object], wanted: Mapping[str, object]) -> list[str]:
    """The parts in which two counts differ."""
    keys = [key for key in {**wanted, **counted} if counted.get(key) != wanted.get(key)]
    return [f"{key}: {counted.get(key)} and not {wanted.get(key)}" for key in keys]


FOOT = "british inf A pf 5 will B facing N at 0506"
GUNS = "british art A pf 2 fire 6 limbered facing N at 0506"
REACHED: list[tuple[str, tuple[str, ...], dict[str, int]]] = [
    # Within 3 of the first hex lie 37, without the start, and without the hex two beyond it: straight back is barred.
    ("open", (FOOT,), dict.fromkeys(DIRECTIONS, 35)),
    ("open", ("british inf A pf 5 will B facing N at 0101",), {"SE": 17, "S": 15}),
    ("open", (GUNS,), {"N": 17, "NE": 17, "SE": 17, "S": 17, "SW": 17, "NW": 17}),
    (
        "open",
        (FOOT, "french inf F pf 5 will B facing S at 0504"),
        {"N": 1, "NE": 26, "SE": 32, "S": 35, "SW": 32, "NW": 26},
    ),
    (
        "open",
        (FOOT, "french inf F pf 5 will B formation square at 0504"),
        {"N": 1, "NE": 26, "SE": 32, "S": 35, "SW": 32, "NW": 26},
    ),
    (
        "open",
        (FOOT, "french inf F pf 5 will B formation skirmish at 0504"),
        {"N": 33, "NE": 34, "SE": 34, "S": 35, "SW": 34, "NW": 34},
    ),
    ("river", (FOOT,), {"N": 25, "S": 20, "SW": 27, "NW": 28}),
    ("river", (GUNS,), {"N": 15, "S": 10, "SW": 15, "NW": 16}),
    ("hills", (FOOT,), {"N": 12, "NE": 26, "SE": 6, "S": 26, "SW": 5, "NW": 13}),
    ("hills", (GUNS,), {"N": 4, "NE": 11, "S": 11, "NW": 5}),
    ("training", (FOOT.replace("0506", "0606"),), {"N": 31, "NE": 17, "SE": 28, "S": 31, "SW": 31, "NW": 32}),
    ("training", (GUNS.replace("0506", "0707"),), {"N": 3, "NE": 4, "SE": 13, "S": 16, "SW": 16, "NW": 15}),
]


@pytest.mark.parametrize(("ground", "units", "wanted"), REACHED)
def test_reached_hexes_by_first_step(ground, units, wanted):
    state = position(ground, *units)
    unit = state.units["A"]
    slow = by_first_step(state, "A")
    assert list_differences({side: len(ends) for side, ends in slow.items()}, wanted) == []
    quick = reachable_hexes(state, [unit])
    every = set().union(*slow.values())
    wrong = {side: sorted(ends - quick) for side, ends in slow.items() if ends - quick}
    assert wrong == {}, f"not found by the quick way, by first step: {wrong}"
    assert sorted(quick - every) == [], "found by the quick way alone"


SEEN = [
    ("open", "0506", 3, {"N": 7, "NE": 6, "SE": 6, "S": 6, "SW": 6, "NW": 5}),
    ("hills", "0507", 4, {"N": 9, "NE": 10, "SE": 10, "S": 9, "SW": 10, "NW": 1}),
    ("training", "0705", 4, {"N": 12, "NE": 6, "SE": 3, "S": 3, "SW": 10, "NW": 1}),
]


@pytest.mark.parametrize(("ground", "hex_id", "reach", "wanted"), SEEN)
def test_hexes_under_fire_by_sector_and_seen_from_both_ends(ground, hex_id, reach, wanted):
    state = position(ground)
    near = [other for other in within(hex_id, reach) if other in MAPS[ground] and other != hex_id]
    free = [other for other in near if has_line_of_fire(state, hex_id, other)]
    directions = Counter(towards(hex_id, other)[0] for other in free)
    assert list_differences(directions, wanted) == []
    assert [other for other in near if has_line_of_fire(state, other, hex_id) is not (other in free)] == []


@pytest.mark.parametrize("facing", DIRECTIONS)
def test_sectors_of_a_whole_map_are_three_sixths_two_sixths_one_sixth(facing):
    ring = [other for other in within("2020", 5) if distance("2020", other) == 5]
    sectors = Counter(sector("2020", facing, other) for other in ring)
    assert sectors == {"front": 15, "flank": 10, "rear": 5}


ZONES = [
    (("french inf F pf 5 will B facing S at 0504",), 3),
    (("french inf F pf 5 will B formation square at 0504",), 6),
    (("french inf F pf 5 will B formation skirmish at 0504",), 0),
    (("french inf F pf 5 will B state D facing S at 0504",), 3),
    (("french inf F pf 5 will B state DE facing S at 0504",), 0),
    (("french art F pf 1 fire 6 facing S at 0504",), 0),
    (("french cav F pf 5 will B facing SE at 0504", "french cav G pf 5 will B facing SW at 0704"), 4),
    (("french cmd F morale 1 shock 0 range 3 at 0504",), 0),
    (("british inf F pf 5 will B facing S at 0504",), 0),
]


@pytest.mark.parametrize(("units", "count"), ZONES)
def test_hexes_in_a_zone(units, count):
    state = position("open", FOOT.replace("0506", "1010"), *units)
    zone = [hex_id for hex_id in MAPS["open"].hexes if in_zone(state, hex_id, state.units["A"])]
    assert len(zone) == count, sorted(zone)


COSTS = [
    (
        "hills",
        "inf",
        {"0505>0504": 2, "0504>0505": 1, "0404>0403": None, "0406>0405": 2, "0405>0406": 3, "0605>0606": 3},
    ),
    (
        "hills",
        "cav",
        {"0505>0504": 2, "0504>0505": 1, "0404>0403": None, "0406>0405": 2, "0405>0406": 3, "0605>0606": None},
    ),
    ("hills", "art", {"0505>0504": 2, "0504>0505": 2, "0403>0404": None, "0406>0405": 2, "0405>0406": None}),
    ("river", "inf", {"0505>0605": 2, "0605>0505": 2, "0505>0604": None, "0405>0505": 1, "0404>0505": 1}),
    ("river", "cav", {"0505>0605": 3, "0605>0505": 3, "0505>0604": None, "0405>0505": 1}),
    ("river", "art", {"0505>0605": 1, "0605>0505": 1, "0505>0604": None, "0405>0505": 1}),
]


@pytest.mark.parametrize(("ground", "kind", "wanted"), COSTS)
def test_what_sides_and_hexes_cost(ground, kind, wanted):
    unit = read_unit(f"british {kind} A pf 5 fire 1 at 0101")
    edition = Edition(MAPS[ground], CHARTS)
    ways = {way: way.split(">") for way in wanted}
    costs_found = {way: step_cost(edition, unit, Step(a, b, alone=True)) for way, (a, b) in ways.items()}
    assert list_differences(costs_found, wanted) == []


HEXES = st.tuples(st.integers(1, 20), st.integers(1, 20)).map(lambda pair: f"{pair[0]:02}{pair[1]:02}")


@given(HEXES, HEXES, HEXES)
def test_distances_are_those_of_a_plane(a, b, c):
    assert distance(a, b) == distance(b, a) <= distance(a, c) + distance(c, b)
    assert (distance(a, b) == 0) is (a == b)
    assert straight(a, b) == straight(b, a) <= distance(a, b) ** 2


@given(HEXES, HEXES)
def test_lines_are_the_same_from_both_ends_and_as_long_as_the_way(a, b):
    passed = between(a, b)
    assert tuple(reversed(between(b, a))) == passed
    for path_found in passed:
        assert all(distance(a, hex_id) + distance(hex_id, b) <= distance(a, b) + 1 for hex_id in path_found)
    assert len(passed) >= distance(a, b) - 1


@st.composite
def grounds(draw: st.DrawFn) -> TerrainMap:
    """Eight by eight hexes of any terrain, levels and sides."""
    lines = []
    ids = [f"{c:02}{r:02}" for c in range(1, 9) for r in range(1, 9)]
    for ident in draw(st.lists(st.sampled_from(ids), max_size=25, unique=True)):
        lines.append(f"{ident} {draw(st.sampled_from(TERRAINS))}")
    pairs = [(a, b) for a in ids for b in neighbours(a) if b in ids and a < b]
    for a, b in draw(st.lists(st.sampled_from(pairs), max_size=25, unique=True)):
        lines.append(f"{a}-{b} {draw(st.sampled_from(HEXSIDE_KINDS))}")
    return make_open_ground(lines, 8, 8)


@pytest.mark.full
@settings(deadline=None, max_examples=60)
@given(grounds(), st.sampled_from(("inf", "cav", "art", "cmd")), st.sampled_from("NS"))
def test_the_cheapest_paths_cost_what_relaxing_every_step_again_and_again_finds(ground, kind, facing):
    state = position(
        ground,
        f"british {kind} A pf 5 fire 1 will B limbered at 0404",
        f"french inf F pf 5 will B facing {facing} at 0606",
    )
    unit = state.units["A"]
    costs, most = {unit.at: 0}, allowance(state, unit)
    for _ in range(most + 1):
        for place, spent in list(costs.items()):
            if place != unit.at and in_zone(state, place, unit):
                continue
            for near in neighbours(place):
                if near in ground and near != "0606":
                    step = step_cost(state.edition, unit, Step(place, near, alone=True))
                    total = None if step is None else spent + step + in_zone(state, place, unit)
                    if total is not None and total <= most and total < costs.get(near, most + 1):
                        costs[near] = total
    del costs[unit.at]
    for hex_id, cost in costs.items():
        way = cheapest_path(state, [unit], hex_id)
        walked = path_cost(state, [unit], way)
        assert isinstance(walked, PathCost)
        assert walked.costs["A"] == cost, f"{hex_id}: {way}"
    beyond = reachable_hexes(state, [unit]) - set(costs)
    assert all(
        isinstance(w := path_cost(state, [unit], cheapest_path(state, [unit], hex_id)), PathCost) and w.bonus
        for hex_id in beyond
    )
