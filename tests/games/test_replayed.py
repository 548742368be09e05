"""What the kit holds every game to beside its laws: members, and phases that come out the same in another process."""

import pytest
from beacon_game.game import GAME as BEACON
from beacon_game.game import SHELF, WORDS

from pbem.engine.game import missing_functions
from pbem.engine.orders.lex import Vocabulary
from pbem.engine.testing.checks import laws
from pbem.engine.testing.games import differences, play_phases
from pbem.engine.testing.laws import GameLaws
from tests.fuzz.__main__ import find_laws

GAMES = {
    "africa1860": "pbem.games.africa1860:GAME",
    "peninsular": "pbem.games.peninsular:GAME",
    "beacon": "beacon_game:GAME",
}


def laws_of(game: str) -> GameLaws:
    words: Vocabulary = WORDS
    return laws(BEACON, words, SHELF) if game == "beacon" else find_laws(game)


@pytest.mark.full
@pytest.mark.parametrize("game", ["africa1860", pytest.param("peninsular", marks=pytest.mark.full), "beacon"])
def test_a_phase_comes_out_the_same_in_a_process_where_sets_lie_otherwise(game, tmp_path):
    briefs = []
    for brief, _ in play_phases(laws_of(game), 0, tmp_path):
        briefs.append(brief)
        if len(briefs) == 4:
            break
    assert len(briefs) == 4
    assert differences(GAMES[game], briefs) == ()


@pytest.mark.parametrize("game", GAMES)
def test_no_game_lacks_a_member(game):
    assert missing_functions(laws_of(game).game) == ()


def test_the_beacon_breaks_no_law(tmp_path):
    for seed in range(3):
        assert sum(1 for _ in play_phases(laws_of("beacon"), seed, tmp_path)) == 6
