"""A lead that no continuation can lose: bots played on from where it is told never turn it."""

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.battles import play_on
from pbem.games import africa1860, peninsular

GAMES: tuple[Any, ...] = (africa1860.GAME, peninsular.GAME)
SMALL = {"africa1860": "drill", "peninsular": "training"}


def begun(game: Any) -> Any:
    return game.start(game.edition(SMALL[game.name], {}, {}))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_nobody_is_safe_as_a_battle_begins_or_where_no_scenario_says_who_wins(game):
    for scenario in game.editions():
        assert game.scored.safe(game.start(game.edition(scenario, {}, {}))) == "", scenario


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_lead_is_safe_from_the_point_on_that_outweighs_all_that_can_still_count(game):
    state = begun(game)
    for side in game.scored.worth(state):
        safe = [game.scored.safe(state.change(awards={side: points})) == side for points in range(120)]
        assert safe == sorted(safe)
        assert safe[-1]
        assert not safe[1]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("number", range(6))
def test_who_is_safe_wins(game, number):
    """Awards make a lead that is safe early in some of the games."""
    state = begun(game)
    sides = [*game.scored.worth(state)]
    state = state.change(awards={sides[number % 2]: 4 * number})
    leaders = set()
    for _, done in play_on(game, state, dict.fromkeys(game.seats(state), "forward"), number, {}):
        leaders |= {game.scored.safe(done.state)} if done.state.phase != "over" else set()
    assert leaders <= {"", done.state.winner}


def test_no_point_is_safe_where_a_side_can_lose_whatever_the_points():
    state = begun(africa1860.GAME)
    scenario = state.edition.scenario
    victory = {**scenario["victory"], "destroyed_loses": 1}
    state = state.change(edition=replace(state.edition, scenario={**scenario, "victory": victory}))
    assert GAMES[0].scored.safe(state.change(awards={"spain": 119})) == ""
