"""What a picture says of itself to whoever does not see it."""

import pytest

from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.messages import msg, plain_english
from pbem.engine.data.scene import Scene, alt_text
from pbem.letters.catalogue import load_catalogue


def scene_of(game, scenario, seat, **options):
    rules = game_by_name(game)
    assert rules.pictured is not None
    state = rules.start(rules.edition(scenario, options, {}))
    return rules.pictured.picture(rules.view(state, seat), seat, ())


def test_battle_moment_and_the_counters_of_each_nation_are_named():
    assert plain_english(alt_text(scene_of("africa1860", "castillejos", "spain"))) == (
        "Map: Castillejos, 1 January 1860. Turn 1 of 14, to move: Spain. Counters: 10 of Spain, 10 of Morocco. "
        "All of it stands in words below."
    )


def test_under_fog_only_what_is_in_sight_is_counted():
    scene = scene_of("africa1860", "castillejos", "spain", fog="on")
    many = sum(piece.side == "morocco" for piece in scene.pieces)
    assert many < 10
    assert f"Counters in sight: 10 of Spain, {many} of Morocco." in plain_english(alt_text(scene))


@pytest.mark.parametrize(
    ("game", "scenario", "seat"),
    [
        ("africa1860", "castillejos", "morocco"),
        ("africa1860", "drill", "spain"),
        ("peninsular", "barrosa", "french"),
        ("peninsular", "training", "british"),
    ],
)
@pytest.mark.parametrize("language", ["en", "es"])
def test_it_is_short_in_both_languages(game, scenario, seat, language):
    text = load_catalogue(language, game).say(alt_text(scene_of(game, scenario, seat)))
    assert 60 < len(text) <= 200
    assert ("Mapa: " in text) == (language == "es")


def test_an_empty_map_names_no_counters():
    scene = Scene(msg("Castillejos"), msg("The end of the game"))
    assert plain_english(alt_text(scene)) == "Map: Castillejos. The end of the game. All of it stands in words below."
