"""Maps that cannot lie: the borders that are seen are the edges of the map, and every scenario has a picture."""

from io import BytesIO
from math import cos, radians, sin

import pytest
from PIL import Image

from pbem.cli.rulebooks import game_by_name, games
from pbem.engine.data.messages import msg
from pbem.engine.data.scene import Scene
from pbem.engine.map.plane import cells, inside, rough, smooth
from pbem.engine.map.sheets import AreaGround, compare_seen_borders, plain, read_sheet, seen_borders
from pbem.maps.areas import Areas
from pbem.maps.grounds import prepare_ground
from pbem.maps.palette import LIGHT
from pbem.maps.png import to_png
from pbem.maps.svg import number, tag, width

GROUNDS = [
    pytest.param(game, scenario, id=f"{game} {scenario}")
    for game in games()
    for scenario in game_by_name(game).editions()
]


def ground(game, scenario):
    rules = game_by_name(game)
    assert rules.pictured is not None
    return rules.pictured.ground(rules.edition(scenario, {}, {}))


@pytest.mark.parametrize(("game", "scenario"), GROUNDS)
def test_borders_that_are_seen_are_the_edges_of_the_map(game, scenario):
    ground_found = ground(game, scenario)
    if isinstance(ground_found, AreaGround):
        held = compare_seen_borders(ground_found.sheet, ground_found.area)
        assert held, held
        assert set(ground_found.sheet.cells()) == set(ground_found.area.spaces)
    else:
        assert len(ground_found.area.hexes) > 50


def test_a_border_too_many_and_one_too_few_are_found():
    ground_found = ground("africa1860", "castillejos")
    bare = plain(ground_found.area)
    held = compare_seen_borders(bare._replace(box=ground_found.sheet.box), ground_found.area)
    assert not held
    assert frozenset(("Valle", "Mochilas")) in held.missing
    assert frozenset(("Morabito", "Anghera")) in held.false


def test_water_hides_a_border():
    ground_found = ground("africa1860", "drill")
    sheet = ground_found.sheet._replace(water=(((300, 150), (600, 150), (600, 500), (300, 500)),))
    dry, wet = seen_borders(ground_found.sheet), seen_borders(sheet)
    pair = frozenset(("C", "F"))
    assert pair in dry
    assert wet.get(pair, 0) < dry[pair] / 2


def test_a_sheet_that_names_no_space_of_its_map_is_refused():
    ground_found = ground("africa1860", "drill")
    with pytest.raises(ValueError, match="'Q', which is no space of it"):
        read_sheet("[sites]\nQ = [1, 2]\n", ground_found.area)


def test_a_border_is_the_same_line_from_both_sides():
    there, back = rough((0, 0), (100, 40)), rough((100, 40), (0, 0))
    assert there == back[::-1]
    assert len(there) > 10


def test_cells_share_out_the_box():
    sites = {"a": (10.0, 10.0), "b": (30.0, 12.0), "c": (20.0, 35.0)}
    cells_found = cells(sites, (0, 0, 40, 40))

    def area(corners):
        pairs = zip(corners, (*corners[1:], corners[0]), strict=True)
        return abs(sum(x * v - u * y for (x, y), (u, v) in pairs)) / 2

    assert sum(area(cell.corners) for cell in cells_found.values()) == pytest.approx(1600)
    assert cells_found["a"].border("b") is not None


@pytest.mark.parametrize(("game", "scenario"), GROUNDS)
def test_the_word_on_the_water_is_not_cut(game, scenario):
    ground_found = ground(game, scenario)
    if not isinstance(ground_found, AreaGround) or ground_found.sheet.sea is None:
        return
    sea, (left, top, right, bottom) = ground_found.sheet.sea, ground_found.sheet.box
    long = width(sea.text, 14, "serif-italic") + 2 * len(sea.text)
    for along in (0, long / 2, long):
        x, y = sea.at[0] + along * cos(radians(sea.turn)), sea.at[1] + along * sin(radians(sea.turn))
        assert left + 5 < x < right - 5
        assert top + 5 < y < bottom - 5
        assert any(inside(smooth(water), (x, y)) for water in ground_found.sheet.water)


@pytest.mark.full
@pytest.mark.parametrize(("game", "scenario"), GROUNDS)
def test_land_reaches_to_the_frame_on_all_sides(game, scenario):
    """No paper shows between the map and its frame."""
    ground_found = ground(game, scenario)
    whole = prepare_ground(ground_found, Scene(msg("Ground"), msg("Turn 1")))
    left, top, right, bottom = whole.box
    box = {"width": right - left, "height": bottom - top}
    view = " ".join(map(number, (left, top, *box.values())))
    bare = tag("svg", whole.svg(LIGHT, whole.box), xmlns="http://www.w3.org/2000/svg", **box, viewBox=view)
    solid = Image.open(BytesIO(to_png(bare, 1.0))).convert("RGBA").getchannel("A").point(lambda a: a > 200)
    wide, high = solid.size
    rim = [(x, y) for x in range(1, wide - 2) for y in (1, high - 3)]
    rim += [(x, y) for y in range(1, high - 2) for x in (1, wide - 3)]
    assert [spot for spot in rim if not solid.getpixel(spot)] == []


def test_a_sheet_that_does_not_fit_shows_what_the_cells_do_not():
    """A border that is none is thick, and a way between spaces that do not meet is dotted."""
    ground_found = ground("africa1860", "castillejos")
    fitting, bare = (
        "".join(patch.svg for patch in Areas.of(ground_found.area, sheet).draw(LIGHT))
        for sheet in (ground_found.sheet, plain(ground_found.area)._replace(box=ground_found.sheet.box))
    )
    for sign in (f'stroke="{LIGHT.barred}" stroke-width="4"', 'stroke-dasharray="1 4"'):
        assert sign in bare
        assert sign not in fitting
