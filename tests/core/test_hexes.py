"""Hexes: counted rings, symmetric neighbours and distances, lines and sectors as a ruler would find them."""

from collections import Counter
from itertools import pairwise

import pytest

from pbem.engine.map import hexes
from pbem.engine.map.hexes import DIRECTIONS, FLANK, FRONT, REAR

FIELD = tuple(hexes.field(12, 10))


def test_a_field_counts_column_by_column():
    assert len(FIELD) == 120
    assert FIELD[:2] == ("0101", "0102")
    assert FIELD[-1] == "1210"
    assert [hexes.is_hex(text) for text in ("0101", "1299", "0001", "0100", "101", "1/54", "०१०१")] == [
        True,
        True,
        False,
        False,
        False,
        False,
        False,
    ]


def test_odd_columns_lie_higher():
    assert hexes.neighbours("0302") == ("0301", "0401", "0402", "0303", "0202", "0201")
    assert hexes.neighbours("0402") == ("0401", "0502", "0503", "0403", "0303", "0302")
    assert hexes.neighbours("0101") == ("0201", "0102")


def test_neighbours_are_neighbours_of_one_another_on_opposite_sides():
    for hex_id in FIELD:
        for side in DIRECTIONS:
            other = hexes.step(hex_id, side)
            if other:
                back = DIRECTIONS[(DIRECTIONS.index(side) + 3) % 6]
                assert hexes.step(other, back) == hex_id
                assert hexes.direction(hex_id, other) == side
                assert hexes.distance(hex_id, other) == 1


def test_rings_hold_six_hexes_for_each_step():
    rings = Counter(hexes.distance("2020", other) for other in hexes.within("2020", 7))
    assert rings == {0: 1, **{n: 6 * n for n in range(1, 8)}}


def test_distance_is_the_length_of_the_shortest_walk():
    walked, edge = {"0505": 0}, ["0505"]
    while edge:
        hex_id = edge.pop(0)
        for near in hexes.neighbours(hex_id):
            if near in FIELD and near not in walked:
                walked[near] = walked[hex_id] + 1
                edge.append(near)
    assert all(hexes.distance("0505", other) == steps for other, steps in walked.items())


def test_straight_distance_counts_the_square():
    assert [hexes.straight("0505", other) for other in ("0505", "0504", "0503", "0704", "0604")] == [0, 1, 4, 4, 1]
    assert hexes.straight("0505", "0605") == 1
    assert hexes.straight("0505", "0703") == 7
    assert hexes.straight("0505", "0705") == 3


def test_a_line_passes_the_same_hexes_both_ways_and_each_next_to_the_one_before(subtests):
    for other in [o for o in hexes.within("2020", 6) if o != "2020"]:
        with subtests.test(f"{other}"):
            passed = hexes.between("2020", other)
            assert tuple(reversed(hexes.between(other, "2020"))) == passed
            chain = (("2020",), *passed, (other,))
            for first, two in pairwise(chain):
                assert all(any(hexes.distance(a, b) <= 1 for b in two) for a in first)
            assert len(passed) >= hexes.distance("2020", other) - 1
            assert all(1 <= len(hexes_there) <= 2 for hexes_there in passed)


def test_a_line_along_a_side_has_the_hexes_of_both_sides():
    assert hexes.between("0505", "0705") == (("0604", "0605"),)
    assert hexes.between("0505", "0502") == (("0504",), ("0503",))
    assert hexes.between("0505", "0504") == ()
    assert hexes.between("0505", "0905") == (("0604", "0605"), ("0705",), ("0804", "0805"))


def test_the_side_by_which_a_line_comes_in():
    assert hexes.entries("0505", "0504") == ("0505",)
    assert hexes.entries("0505", "0502") == ("0503",)
    assert hexes.entries("0505", "0705") == ("0604", "0605")


def test_three_sides_are_front_two_flank_one_rear():
    for facing in DIRECTIONS:
        seen = Counter(hexes.sector("0505", facing, near) for near in hexes.neighbours("0505"))
        assert seen == {FRONT: 3, FLANK: 2, REAR: 1}
        assert all(hexes.sector("0505", facing, near) == FRONT for near in hexes.front("0505", facing))
    assert hexes.sector("0505", "N", "0506") == REAR
    assert hexes.sector("0505", "N", "0605") == FLANK
    assert hexes.sector("0505", "N", "0505") == FRONT


def test_a_line_between_two_sectors_belongs_to_the_one_nearer_to_the_front():
    assert hexes.towards("0505", "0705") == ("NE", "SE")
    assert hexes.sector("0505", "N", "0705") == FRONT
    assert hexes.towards("0505", "0606") == ("SE", "S")
    assert hexes.sector("0505", "N", "0606") == FLANK
    assert hexes.towards("0505", "0505") == ()


def test_turns_and_edges():
    assert [hexes.spread_of_turn("N", new) for new in DIRECTIONS] == [0, 1, 2, 3, 2, 1]
    assert [hexes.bounds("0304", edge, 12, 10) for edge in "NSWE"] == [3, 6, 2, 9]


def test_what_is_no_hex_is_refused():
    with pytest.raises(ValueError, match="'1/54' is no hex"):
        hexes.place("1/54")
    with pytest.raises(ValueError, match="0505 and 0503 are no neighbours"):
        hexes.direction("0505", "0503")
    assert hexes.hex_id(0, 4) == ""
    assert hexes.step("0101", "N") == ""
