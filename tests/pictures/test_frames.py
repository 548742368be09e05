"""Frames are the picture taken apart."""

import re
from functools import partial
from importlib.resources import files

import pytest

from pbem.cli.pages import say_in_language
from pbem.cli.rulebooks import game_by_name
from pbem.maps.drawing import board
from pbem.maps.drawn_on import Style
from pbem.maps.frames import LAYERS, base_svg, common_counter_size, frame, merge_scenes
from pbem.maps.grounds import prepare_ground
from pbem.maps.palette import LIGHT
from tests.pictures.drawn import turns
from tests.pictures.shown import POSITIONS, painted

SCENARIOS = {"africa1860": "castillejos", "peninsular": "training"}


def scenes(game):
    rules = game_by_name(game)
    assert rules.pictured is not None
    seat_scenes = [
        rules.pictured.picture(rules.view(state, seat), seat, seen)
        for state, seat, seen in turns(rules, SCENARIOS[game], {}, 4)
    ]
    edition = rules.edition(SCENARIOS[game], {}, {})
    return seat_scenes, prepare_ground(rules.pictured.ground(edition), merge_scenes(seat_scenes))


def words(svg):
    return sorted(re.findall(r">([^<>]+)</text>", svg))


@pytest.mark.full
@pytest.mark.parametrize("game", SCENARIOS)
def test_the_parts_of_a_frame_say_what_the_board_says(game):
    seat_scenes, ground = scenes(game)
    style = Style(partial(say_in_language, game, "en"), str, LIGHT)
    size = common_counter_size(seat_scenes, ground)
    for scene in seat_scenes:
        parts = frame(scene, ground, style, size)
        apart = base_svg(ground, style) + "".join(part.look for part in parts)
        whole = board(scene, ground._replace(box=ground.whole or ground.box, water=None), style, ())
        assert words(apart) == words(whole)
        assert {part.layer for part in parts} <= set(LAYERS)
        assert len({(part.layer, part.key) for part in parts}) == len(parts)
        assert sorted(part.key for part in parts if part.piece) == sorted(piece.id for piece in scene.pieces)


@pytest.mark.parametrize("game", SCENARIOS)
def test_what_looks_alike_is_alike_wherever_it_lies(game):
    seat_scenes, ground = scenes(game)
    style = Style(partial(say_in_language, game, "en"), str, LIGHT)
    looks: dict[object, set[str]] = {}
    for scene in seat_scenes:
        for part in frame(scene, ground, style, 1.0):
            if part.layer == "units" and part.piece is not None:
                heads = re.findall(r'height="(36|19|10)"', part.look)[0]
                # In a crowded space all of them are smaller.
                size = re.match(r'(?:<g transform="scale\(([\d.]+)\)">)?', part.look)
                assert size
                key = heads, size[1], part.piece._replace(place="", facing="")
                looks.setdefault(key, set()).add(part.look)
    assert len(looks) > 10
    assert all(len(alike) == 1 for alike in looks.values())


def test_what_grows_from_afar_on_a_page_has_the_sizes_of_the_map():
    script = (files("pbem.pages") / "common" / "zoom.js").read_text("utf-8")
    grows = re.search(r"larger: \{([^}]+)\}", script)
    assert grows
    sizes = re.findall(r"([0-9.]+):", grows[1])
    drawn = set()
    for name in ("barrosa", "castillejos"):
        scene, ground, style = painted(POSITIONS[name])
        drawn |= set(re.findall(r'font-size="([0-9.]+)"', board(scene, ground, style, ())))
    assert len(sizes) >= 4
    assert {*sizes} <= drawn
