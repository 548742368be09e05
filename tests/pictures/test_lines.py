"""Shores, ways and soft lines: whole, the same again, and where they belong."""

import re

import pytest

from pbem.engine.map.hexes import RADIUS, TALL, centre, chains, outlines
from pbem.engine.map.plane import double_area, inset, smooth
from pbem.maps.svg import curve, fit_text, smooth_path, width, write_within


def test_a_way_goes_on_to_where_it_forks():
    steps = [("C", "B"), ("A", "B"), ("C", "D"), ("C", "E"), ("E", "F"), ("B", "A")]
    assert chains(steps) == [["A", "B", "C"], ["C", "D"], ["C", "E", "F"]]


def test_a_way_that_comes_round_ends_where_it_began():
    assert chains([("A", "B"), ("B", "C"), ("C", "A")]) == [["A", "B", "C", "A"]]


def test_hexes_that_touch_have_one_shore_and_those_apart_have_two():
    alone = outlines([centre("0202")])
    assert [len(shore) for shore in alone] == [6]
    assert [len(shore) for shore in outlines([centre("0202"), centre("0203"), centre("0303")])] == [12]
    assert len(outlines([centre("0202"), centre("0602")])) == 2
    area = 3 * RADIUS * TALL
    assert double_area(outlines([centre("0202")])[0]) == pytest.approx(area)


def test_an_island_is_a_shore_within_a_shore():
    ring = [centre(hex_id) for hex_id in ("0302", "0402", "0403", "0304", "0203", "0202")]
    island = [outline for outline in outlines(ring) if len(outline) == 6]
    assert len(outlines(ring)) == 2
    assert double_area(island[0]) < 0


def test_a_soft_line_goes_through_its_points():
    points = [(0.0, 0.0), (40.0, 0.0), (40.0, 30.0), (0.0, 30.0)]
    soft = smooth(points, 4)
    assert soft[::4] == points
    assert len(soft) == 16
    assert double_area(soft) > double_area(points)
    assert re.findall(r"C.*? (\S+ \S+)(?=C|$)", smooth_path(points[:3])) == ["40 0", "40 30"]
    assert curve(points[:2]) == "M0 0L40 0"
    assert curve(points[:3]) == "M0 0Q40 0 40 30"


def test_what_is_inside_a_shore_is_smaller_and_nothing_where_there_is_no_room():
    square = [(0.0, 0.0), (40.0, 0.0), (40.0, 40.0), (0.0, 40.0)]
    assert 0 < double_area(inset(square, 5)) < double_area(square)
    assert double_area(inset(square[::-1], 5)) < 0
    assert inset(square, 30) == []


def test_words_that_fit_exactly_are_not_cut():
    """Three counters of one name but for its end must not look alike."""
    for name in ("RearGuard1", "GuardiaNegra", "Coldstream"):
        text, size = fit_text(name, 7.6, 38)
        assert text == name
        assert width(text, size) <= 38.01
    assert fit_text("W" * 50, 7.6, 38)[0].endswith("\u2026")


def test_a_long_name_is_condensed_or_abbreviated_before_it_is_cut():
    assert "textLength" not in write_within("Saboya", (0, 0), 7.6, 38)
    text = write_within("MuleyAbbas", (0, 0), 7.6, 35)
    assert 'textLength="35"' in text
    assert ">MuleyAbbas<" in text
    assert 'font-size="7.6"' in text
    assert ">Ciud.Rodrigo<" in write_within("CiudadRodrigo", (0, 0), 7.6, 35)
    assert ">C.Rodrigo<" in write_within("CiudadRodrigo", (0, 0), 7.6, 26)
    assert write_within("W" * 50, (0, 0), 7.6, 38).endswith("\u2026</text>")
