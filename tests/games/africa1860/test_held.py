"""O6 The brief says how a goal is taken and kept, and the situation which of them are held by nobody's being there."""

import pytest

from pbem.engine.data.messages import plain_english
from pbem.engine.data.score_sheet import situation_block
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.victory import score_sheet, score_words


def start(scenario="castillejos"):
    return GAME.start(GAME.edition(scenario, {}, {}))


@pytest.mark.parametrize("scenario", ["castillejos", "drill"])
def test_the_brief_says_how_a_goal_is_taken_and_kept(scenario):
    state = start(scenario)
    winning_lines = [plain_english(line) for _, line in GAME.telling.winning(state, "spain").lines]
    assert winning_lines[0] == (
        "A goal is held by any unit in it, even a leader; an empty one belongs to Morocco. Goals score after the last "
        "turn."
    )


def test_a_goal_that_is_held_though_nobody_is_there_is_marked():
    state = start()
    empty = [space for space in state.edition.scenario["victory"]["spaces"] if not state.holder(space)]
    assert empty
    (line,) = [
        plain_english(line)
        for _, line in situation_block(score_sheet(state, "spain", ()), score_words(state)).lines
        if plain_english(line).startswith("Goals held by Morocco")
    ]
    for space, worth in state.edition.scenario["victory"]["spaces"].items():
        assert f"{space} {worth}{' (empty)' if space in empty else ''}" in line
    assert line.count("(empty)") == len(empty)
