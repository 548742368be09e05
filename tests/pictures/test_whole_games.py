"""Whole games of bots, every phase drawn for every seat and for who looks on: whatever happens has a picture."""

import random

import pytest

from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import plain_english
from pbem.engine.data.scene import Scene, alt_text
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import ONLOOKER, Orders
from pbem.letters.catalogue import load_catalogue
from pbem.maps.drawing import draw
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import prepare_ground
from pbem.maps.png import MOST_BYTES, encode_png
from tests.games.odds_held import Luck


def phases(rules, scenario, options, seed):
    """The position after each phase, what happened in it, and the position before."""
    state, chance, number = rules.start(rules.edition(scenario, options, {})), random.Random(seed), 0
    while rules.phase(state) is not None:
        orders = {}
        for seat in rules.seats(state):
            view, bot = rules.view(state, seat), chance.choice(("forward", "random"))
            read = rules.parse(rules.bots[bot](view, seat, chance.randrange), view, seat).orders
            orders[seat] = read if seat in rules.active(state) else Orders((), read.standing)
        luck, number = Luck(100 * seed + number), number + 1
        done = play(rules.rules, rules.world(state, orders), luck, rules.decisions(state, orders, {}))
        assert isinstance(done, Done)
        yield done.state, done.events, state
        state = done.state


def seen_by(rules, seat, events, before):
    seen = []
    for happened in events:
        shown = rules.see(happened, seat, before)
        seen += [(shown, rules.view(before, seat))] if shown is not None else []
        before = rules.rules.apply(before, happened)
    return seen


def drawn(game, scenario, options, seed):
    """Draw it all; how many pictures that were, every fortieth as PNG."""
    rules, many = game_by_name(game), 0
    assert rules.pictured is not None
    words = [load_catalogue(language, game) for language in ("en", "es")]
    for state, events, before in phases(rules, scenario, options, seed):
        for seat in (*rules.seats(state), ONLOOKER):
            view = rules.view(state, seat)
            if view is None:
                continue
            made = rules.pictured.picture(view, seat, seen_by(rules, seat, events, before))
            scene = Scene.from_json(loads(dumps(made.to_json())))
            assert scene == made
            assert len(plain_english(alt_text(scene))) <= 200
            ground = prepare_ground(rules.pictured.ground(state.edition), scene, state.edition.digest)
            style = Style(words[many % 2].say, words[many % 2].called.with_names)
            assert draw(scene, ground, style).endswith("</svg>")
            many += 1
            if many % 40 == 0:
                assert len(encode_png(scene, ground, style)) <= MOST_BYTES
    return many


@pytest.mark.parametrize(
    ("game", "scenario", "options"),
    [("africa1860", "drill", {"fog": "on"}), ("peninsular", "training", {})],
    ids=["drill under fog", "training"],
)
def test_every_phase_of_a_game_has_a_picture_for_everybody(game, scenario, options):
    assert drawn(game, scenario, options, 1) > 10


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize(
    ("game", "scenario", "options"),
    [
        ("africa1860", "castillejos", {}),
        ("africa1860", "castillejos", {"fog": "on"}),
        ("peninsular", "barrosa", {}),
        ("peninsular", "training", {}),
    ],
    ids=["castillejos", "castillejos under fog", "barrosa", "training"],
)
def test_every_phase_of_many_games_has_a_picture_for_everybody(game, scenario, options, seed):
    assert drawn(game, scenario, options, seed) > 10
