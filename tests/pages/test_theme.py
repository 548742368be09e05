"""A map on a page is the map of the letters, its colours by the reader's scheme; a script finds who stands where."""

import re
from xml.etree import ElementTree

import pytest

from pbem.cli.rulebooks import game_by_name
from pbem.letters.catalogue import load_catalogue
from pbem.maps.drawing import board
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import prepare_ground
from pbem.maps.palette import DARK, LIGHT
from pbem.pages.theme import THEMED, style_sheet
from tests.pictures.drawn import turns


def boarded(game, palette):
    rules = game_by_name(game)
    assert rules.pictured is not None
    *_, (state, seat, seen) = turns(rules, {"africa1860": "castillejos", "peninsular": "training"}[game], {}, 2)
    scene = rules.pictured.picture(rules.view(state, seat), seat, seen)
    words = load_catalogue("en", game)
    ground = prepare_ground(rules.pictured.ground(state.edition), scene)
    places = {piece.place for piece in scene.pieces}
    return scene, board(scene, ground, Style(words.say, words.called.with_names, palette), places)


def coloured(themed, colours):
    return re.sub(r"var\(--([\w-]+)\)", lambda match: colours[match[1]], themed)


@pytest.mark.parametrize("game", ["africa1860", "peninsular"])
def test_variables_become_the_colours_of_either_palette(game):
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", rules)) for rules in style_sheet().split("@media screen")
    )
    assert light.keys() == dark.keys()
    themed = boarded(game, THEMED)[1]
    assert "var(" in themed
    assert coloured(themed, light) == boarded(game, LIGHT)[1]
    assert coloured(themed, dark) == boarded(game, DARK)[1]


@pytest.mark.parametrize("game", ["africa1860", "peninsular"])
def test_every_counter_and_every_place_asked_for_can_be_found(game):
    scene, svg = boarded(game, LIGHT)
    root = ElementTree.fromstring(svg)  # noqa: S314 - it is our own
    assert sorted(filter(None, (node.get("data-unit") for node in root.iter()))) == sorted(p.id for p in scene.pieces)
    assert {node.get("data-place") for node in root.iter()} - {None} == {piece.place for piece in scene.pieces}
