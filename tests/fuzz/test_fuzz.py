"""A handful of games in every run of the tests, and every phase that ever broke a law; `make fuzz` plays thousands.

`make test-long` plays the rest of a hundred.
"""

import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.orders.lex import Vocabulary
from pbem.engine.run.steps import Did
from pbem.engine.testing.games import Crashed, play_game, play_phase, read_crash
from pbem.engine.testing.laws import Lab, LawViolation, garble, reword
from tests.fuzz.__main__ import find_laws

TESTS = Path(__file__).resolve().parents[1]
GAMES = {"africa1860": (50, 55), "peninsular": (20, 45)}
"""How many games of each are played, and how many kinds of event they must at least have in them."""
TELLING = {"africa1860": (2, 11, 19, 21, 33, 35, 38, 40, 45), "peninsular": (0, 3, 4, 19)}
"""The few of these games in which all happens that happens in any."""
FEW = {"africa1860": 55, "peninsular": 40}
"""Of what happens, so many kinds are in the first three of those."""
OTHERS = [
    (game, others[index : index + 8])
    for game, (count, _) in GAMES.items()
    for others in [[seed for seed in range(count) if seed not in TELLING[game]]]
    for index in range(0, len(others), 8)
]
CRASHES = sorted(file.parent for file in TESTS.glob("games/*/crashes/*/state.json"))


@pytest.mark.full
@pytest.mark.parametrize(
    ("game", "seeds", "kinds"),
    [
        *((game, TELLING[game][:3], FEW[game]) for game in GAMES),
        *(pytest.param(game, TELLING[game], GAMES[game][1], marks=pytest.mark.long) for game in GAMES),
    ],
)
def test_games_of_bots_break_no_law_whatever_happens_in_them(game, seeds, kinds, tmp_path):
    tallies = [play_game(find_laws(game), seed, tmp_path) for seed in seeds]
    assert len({kind for tally in tallies for kind in tally.kinds}) >= kinds


@pytest.mark.long
@pytest.mark.parametrize(("game", "seeds"), OTHERS)
def test_games_of_bots_break_no_law(game, seeds, tmp_path):
    for seed in seeds:
        tally = play_game(find_laws(game), seed, tmp_path)
        assert tally.phases
        assert tally.events > tally.phases


@pytest.mark.parametrize("folder", CRASHES, ids=lambda folder: folder.name)
def test_what_once_broke_a_law_holds(folder):
    laws = find_laws(folder.parents[1].name)
    done, _ = play_phase(laws, read_crash(folder, lambda name: {laws.game.name: laws.game}[name]))
    assert done.events


@pytest.mark.parametrize("game", GAMES)
def test_whatever_options_are_drawn_go_together_in_any_scenario(game):
    laws = find_laws(game)
    ends = [[(name, value) for value in {values[0], values[-1]}] for name, values in sorted(laws.options.items())]
    for scenario, drawn in product(laws.scenarios, map(dict, product(*ends))):
        edition: Any = laws.game.edition(scenario, drawn, {})
        assert edition.options.items() >= drawn.items()


@pytest.mark.full
def test_a_game_follows_from_its_seed(tmp_path):
    laws = find_laws("africa1860")
    first, again, other = (play_game(laws, seed, tmp_path) for seed in (7, 7, 8))
    assert (first.kinds, first.winners) == (again.kinds, again.winners)
    assert first.kinds != other.kinds


def test_a_broken_law_is_kept_and_can_be_played_again(tmp_path):
    laws = find_laws("africa1860")

    def never_moves(before, happened, after):
        return ["somebody moved"] if happened.kind == "moves" else []

    strict = laws._replace(wrong_step=never_moves)
    with pytest.raises(Crashed, match="somebody moved") as crashed:
        play_game(strict, 0, tmp_path)
    folder = crashed.value.folder
    assert {"state.json", "beta", "luck", "error.txt", "spain.txt", "morocco.txt"} <= {p.name for p in folder.iterdir()}
    brief = read_crash(folder, lambda name: {laws.game.name: laws.game}[name])
    with pytest.raises(LawViolation, match="somebody moved"):
        play_phase(strict, brief)
    assert play_phase(laws, brief)[0].events


class Forgetful:
    """Rules that tell the same step otherwise each time."""

    def __init__(self, rules):
        self.rules, self.asked = rules, 0

    def step(self, state, task):
        outcome = self.rules.step(state, task)
        self.asked += 1
        if task.name == "begin phase" and self.asked > 1:
            return Did((), outcome.then)
        return outcome

    def apply(self, state, happened):
        return self.rules.apply(state, happened)


def test_a_resolution_that_cannot_be_repeated_is_seen():
    laws = find_laws("africa1860")
    game = laws.game
    edition = game.edition("drill", {}, {})

    class Game:
        rules = Forgetful(game.rules)

        def __getattr__(self, name):
            return getattr(game, name)

    forgetful: Any = Game()
    lab = Lab(laws._replace(game=forgetful), edition, random.Random(0))
    with pytest.raises(LawViolation, match="a second resolution differs at event 0"):
        lab.resolve(game.start(edition), {}, bytes(64))


def test_a_cited_rule_that_is_none_is_seen():
    laws = find_laws("africa1860")._replace(rules=frozenset({"O1"}))
    edition = laws.game.edition("drill", {}, {})
    with pytest.raises(LawViolation, match="cites O5, which is no rule"):
        Lab(laws, edition, random.Random(0)).resolve(laws.game.start(edition), {}, bytes(64))


def test_words_are_said_otherwise_and_names_stay():
    words = Vocabulary({"MOVE": ("MOVE", "MOVER"), "TO": ("TO", "A", "AT")})
    spoken = [reword("MOVE Move, A TO A", words, random.Random(seed)).split() for seed in range(200)]
    assert {" ".join(text[:6]) for text in spoken} >= {"MOVER Move , A a A", "move Move , A TO A", "Move Move , A At A"}
    assert all(text[1:4] == ["Move", ",", "A"] and text[5] == "A" for text in spoken)
    assert any(text[6:] for text in spoken)


def test_slips_of_every_kind():
    text = "ACTIVATE A\nMOVE Leon, Prim TO B"
    garbled = {garble(text, ["Rey", "C"], random.Random(seed)) for seed in range(200)}
    assert text not in garbled or len(garbled) > 150
    assert any(len(slip.split("\n")) > 2 for slip in garbled)
    assert any("Rey" in slip for slip in garbled)
