"""Pictures: the same bytes for the same scene, nothing in them but what is drawn, and all that is seen."""

import hashlib
import json
import re
from xml.etree import ElementTree

import pytest

from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.events import Event
from pbem.engine.data.memory import LruCache
from pbem.engine.data.messages import msg, plain_english
from pbem.engine.data.scene import Mark, Nation, Piece, Scene, SceneGoal, removed_units
from pbem.maps.drawing import board, draw
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import prepare_ground
from pbem.maps.palette import DARK
from pbem.maps.png import to_png
from pbem.maps.svg import ELSEWHERE
from tests.golden import TESTS, resolved
from tests.pictures.drawn import is_named, svg_of, turns

GAMES = [("africa1860", "castillejos"), ("africa1860", "drill"), ("peninsular", "barrosa"), ("peninsular", "training")]
SVG = "{http://www.w3.org/2000/svg}"


def pictured(rules):
    assert rules.pictured is not None
    return rules.pictured


def words(svg):
    root = ElementTree.fromstring(svg)  # noqa: S314 - it is our own
    return [node.text for node in root.iter(f"{SVG}text")]


@pytest.mark.parametrize(("game", "scenario"), GAMES)
def test_a_picture_is_the_same_bytes_again_and_shows_every_counter_that_is_seen(game, scenario):
    rules = game_by_name(game)
    for state, seat, seen in turns(rules, scenario, {}, 4):
        svg = svg_of(rules, state, seat, seen)
        assert svg == svg_of(rules, state, seat, seen)
        texts = words(svg)
        for unit in rules.view(state, seat).units.values():
            cut = [text[:-1] for text in texts if text and text.endswith("\u2026")]
            assert is_named(unit.id, svg) or any(map(unit.id.startswith, cut))


def test_who_follows_a_fallen_commander_is_told_apart_from_him():
    rules = game_by_name("peninsular")
    *_, (state, seat, seen) = turns(rules, "barrosa", {}, 8)
    scene = pictured(rules).picture(rules.view(state, seat), seat, seen)
    followed = {piece.id for piece in scene.fallen} & {piece.id for piece in scene.pieces}
    assert followed
    assert {piece.id for piece in scene.pieces if msg("SUCCESSOR") in piece.states} == followed


@pytest.mark.parametrize(("game", "scenario"), GAMES)
def test_an_edition_that_was_stored_is_drawn_as_the_one_that_is_shipped(game, scenario, monkeypatch):
    # Each is made by itself: which of them is remembered must not matter.
    monkeypatch.setattr(LruCache, "get", lambda self, key, make: make())
    rules = game_by_name(game)
    edition = rules.edition(scenario, {}, {})
    stored = rules.edition_from_json(loads(dumps(edition.to_json())))
    scene = pictured(rules).picture(rules.start(edition), sorted(rules.seats(rules.start(edition)))[0], ())
    ground_here, there = (
        prepare_ground(pictured(rules).ground(edition_now), scene) for edition_now in (edition, stored)
    )
    assert ground_here.svg(DARK, ground_here.box) == there.svg(DARK, there.box)
    assert ground_here.sites == there.sites
    assert ground_here.lines == there.lines


def test_a_scene_is_read_back_from_json():
    rules = game_by_name("peninsular")
    for state, seat, seen in turns(rules, "barrosa", {}, 4):
        scene = pictured(rules).picture(rules.view(state, seat), seat, seen)
        assert Scene.from_json(json.loads(json.dumps(scene.to_json()))) == scene
        assert {mark.kind for mark in scene.marks} <= {"move", "retreat", "fire", "assault", "arrive", "ride"}


def test_a_scene_that_was_kept_before_there_were_fallen_is_read():
    rules = game_by_name("africa1860")
    state = rules.start(rules.edition("castillejos", {}, {}))
    scene = pictured(rules).picture(state, "spain", ())
    kept = scene.to_json()
    assert (kept.pop("fallen"), len(kept.pop("key"))) == ([], 2)
    assert Scene.from_json(kept) == scene._replace(key=())


@pytest.mark.parametrize(("game", "scenario"), GAMES[::2])
def test_who_went_out_of_play_is_struck_through_where_he_stood(game, scenario):
    rules, count_found = game_by_name(game), 0
    for state, seat, seen in turns(rules, scenario, {}, 6):
        scene = pictured(rules).picture(rules.view(state, seat), seat, seen)
        assert not {piece.id for piece in scene.fallen} & {piece.id for piece in scene.pieces}
        texts = words(svg_of(rules, state, seat, seen))
        assert ("out of play in this phase" in texts) == bool(scene.fallen)
        if seen and scene.fallen:
            _, before = seen[0]
            assert {piece.id for piece in scene.fallen} == set(before.units) - set(state.units)
            assert {piece.id for piece in scene.fallen} <= {text for text in texts if text}
            count_found += 1
    assert count_found


def test_the_last_of_a_nation_is_struck_through_in_its_colours():
    rules = game_by_name("peninsular")
    state = rules.start(rules.edition("barrosa", {}, {}))
    (ident,) = [unit_id for unit_id, unit in state.units.items() if unit.nation == "portuguese"]
    gone = Event("eliminated", "T12", {"units": [ident], "side": "british"})
    assert ident in removed_units(gone)
    after = state.change(units={unit_id: unit for unit_id, unit in state.units.items() if unit_id != ident})
    scene = pictured(rules).picture(rules.view(after, "british"), "british", [(gone, state)])
    assert "portuguese" in {camp.id for camp in scene.camps}
    assert ident in svg_of(rules, after, "british", [(gone, state)])


@pytest.mark.parametrize("name", ["peninsular/golden/arrival", "africa1860/golden/end-phase"])
def test_reinforcements_are_seen_to_arrive(name):
    done = resolved(TESTS / "games" / name)
    seat, state = min(done.game.seats(done.states[-1])), done.states[-1]
    seen = done.seen(seat)
    scene = pictured(done.game).picture(done.game.view(state, seat), seat, seen)
    came = {mark.places[0] for mark in scene.marks if mark.kind == "arrive"}
    assert came
    assert came <= {piece.place for piece in scene.pieces}
    assert "arrival" in words(svg_of(done.game, state, seat, seen))


def test_numbers_on_counters_are_explained():
    for game, sample in (("africa1860", "3-2"), ("peninsular", "1/0")):
        rules = game_by_name(game)
        state = rules.start(rules.edition({"africa1860": "drill", "peninsular": "training"}[game], {}, {}))
        texts = words(svg_of(rules, state, min(rules.seats(state))))
        assert sample in texts
        assert any(text and ("leader: assault" in text or "commander: morale" in text) for text in texts)


@pytest.mark.parametrize(
    ("language", "text"), [("en", "parapet, ticks outside"), ("es", "parapeto, con los trazos por fuera")]
)
def test_the_legend_tells_a_parapet_from_a_slope(language, text):
    rules = game_by_name("africa1860")
    texts_by_battle = {
        scenario: words(svg_of(rules, rules.start(rules.edition(scenario, {}, {})), "spain", language=language))
        for scenario in ("tetuan", "castillejos")
    }
    assert text in texts_by_battle["tetuan"]
    assert text not in texts_by_battle["castillejos"]


def test_a_spanish_picture_is_spanish():
    rules = game_by_name("africa1860")
    *_, (state, _, seen) = turns(rules, "castillejos", {"fog": "on"}, 3)
    texts = words(svg_of(rules, state, "spain", seen, language="es"))
    assert {"Castillejos, 1 de enero de 1860", "fuera de la vista", "líder"} <= set(texts)
    assert {"León", "Córdoba", "Príncipe", "Montaña1", "Húsares1"} & set(texts)
    assert not {"out of sight", "infantry", "leader"} & set(texts)


def test_what_is_out_of_sight_is_in_shade_and_worth_what_it_is_worth():
    rules = game_by_name("africa1860")
    state = rules.start(rules.edition("castillejos", {"fog": "on"}, {}))
    scene = pictured(rules).picture(rules.view(state, "spain"), "spain", ())
    assert "Campamento" in scene.unseen
    assert not any(piece.place in scene.unseen for piece in scene.pieces)
    texts = words(svg_of(rules, state, "spain"))
    assert "3?" in texts
    assert any(re.fullmatch(r"Morocco \d+\+\?", text or "") for text in texts)


HOSTILE = ("<script>alert(1)</script>", 'a" onload="x', "&amp;<b>", "x" * 300, "\u202eevil", "a]]>b")


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    ("game", "scenario", "places"),
    [("africa1860", "castillejos", ("Cresta", "Nudos", "Valle")), ("peninsular", "training", ("0604", "0603", "0704"))],
)
def test_hostile_names_are_words_and_nothing_else(name, game, scenario, places):
    """Whoever is called so: a battle, a camp, a counter below others or on top, a state, a place, a goal far away."""
    rules = game_by_name(game)
    edition = rules.edition(scenario, {}, {})
    ground = pictured(rules).ground(edition)
    first, two, three = places
    state, facing = (msg("{name}", name=name),), "SE" if game == "peninsular" else ""
    scene = Scene(
        msg("{name}", name=name),
        msg("Turn {turn}", turn=1),
        (Nation("spain", msg("{name}", name=name), msg("{name}", name=name), "dark", 3),),
        (
            Piece("A", name, first, "spain", "infantry", 2, 4, name, state, name, facing, 1),
            Piece("B", name, first, "spain", "leader", 0, 0, name, state, lost=1),
            Piece("C", name, two, "spain", name, 2, 4, name),
        ),
        (Mark("move", "spain", (two, first)), Mark("fire", name, (two, three)), Mark(name, "spain", (first, three))),
        (SceneGoal(first, 2, "spain"), SceneGoal(name, 2, name)),
        (three, name),
    )
    style = Style(plain_english, lambda place: name)
    # None of the words is in the ground, which is kept by its edition.
    ground_here = prepare_ground(ground, scene, edition.digest)
    for svg in (draw(scene, ground_here, style), board(scene, ground_here, style, (first, name))):
        root = ElementTree.fromstring(svg)  # noqa: S314 - it is our own
        kinds = {node.tag.removeprefix(SVG) for node in root.iter()}
        assert kinds <= {"svg", "g", "path", "rect", "circle", "ellipse", "text", "style"}
        assert {node.text for node in root.iter(f"{SVG}style")} <= {ELSEWHERE}
        attributes = {key for node in root.iter() for key in node.attrib}
        assert not any(key.startswith("on") or "href" in key or key == "style" for key in attributes)
        assert {node.get("data-unit") for node in root.iter()} <= {None, "A", "B", "C"}


def test_light_and_dark_differ_in_colours_alone():
    rules = game_by_name("peninsular")
    *_, (state, seat, seen) = turns(rules, "barrosa", {}, 2)
    light, dark = svg_of(rules, state, seat, seen), svg_of(rules, state, seat, seen, palette=DARK)
    assert light != dark
    assert re.sub(r"#[0-9a-f]{6}", "#", light) == re.sub(r"#[0-9a-f]{6}", "#", dark)


@pytest.mark.full
@pytest.mark.parametrize(("game", "scenario"), GAMES[::2])
def test_a_picture_becomes_png_with_fonts_of_our_own(game, scenario):
    rules = game_by_name(game)
    *_, (state, seat, seen) = turns(rules, scenario, {}, 2)
    svg = svg_of(rules, state, seat, seen)
    made = to_png(svg, zoom=1)
    assert made.startswith(b"\x89PNG")
    assert set(re.findall(r'font-family="([^"]+)"', svg)) == {"Pbem Sans", "Pbem Serif"}
    assert made != to_png(re.sub(r"<text.*?</text>", "", svg), zoom=1)
    assert hashlib.sha256(made).digest() == hashlib.sha256(to_png(svg, zoom=1)).digest()
