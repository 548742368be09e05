"""Full mode compares what a table counts with the end of its game: over, given up, decided, or silent."""

from types import SimpleNamespace
from typing import Any

import pytest

from pbem.server.score_rerun import _compare_score, _Outcome
from pbem.tournaments.arithmetic.rules.reading import read_rules
from pbem.wars.rerun import GameRerun

RULES = """
title = "Cup"
[table]
scenario = "drill"
[[stage]]
format = "swiss"
rounds = 1
sides = "{sides}"
[unfinished]
order = ["points:4", {ways}]
"""
OVER, OPEN = True, False


def rules(sides="balanced", ways='"draw"'):
    return read_rules(RULES.format(sides=sides, ways=ways), "cup.toml")


def ended(over, margin):
    """A game of two sides, of which the first is so far ahead; who is ahead when it is over has won."""
    winner = ("spain" if margin > 0 else "morocco" if margin < 0 else "") if over else ""
    scored = SimpleNamespace(
        worth=lambda state: {"spain": margin, "morocco": 0},
        party=lambda state, side: side,
        winner=lambda state: winner,
    )
    game: Any = SimpleNamespace(
        start=lambda edition: "start",
        seats=lambda state: {"north": "spain", "south": "morocco"},
        phase=lambda state: None if over else ("spain", 2),
        scored=scored,
    )
    return GameRerun(game, None, "end")


def judged(rerun, played_by, outcome, is_ruled=False, clamped=True):
    return _compare_score(rerun, played_by, outcome, is_ruled=is_ruled, clamped=clamped)


@pytest.mark.parametrize(
    ("over", "ahead", "halves", "margin", "how", "truth"),
    [
        (OVER, 3, (2, 0), 3, "played", True),
        (OVER, -3, (0, 2), -3, "played", True),
        (OVER, 0, (1, 1), 0, "played", True),
        (OVER, 3, (0, 2), 3, "played", False),
        (OVER, 3, (1, 1), 0, "played", False),
        (OVER, 3, (2, 0), 4, "played", False),
        (OVER, 3, (2, 0), 3, "adjudicated", False),
        # Somebody gave it up, or both agreed.
        (OPEN, 3, (2, 0), 3, "played", None),
        (OPEN, 3, (0, 2), 0, "played", None),
        (OPEN, 3, (1, 1), 0, "played", None),
        (OPEN, 3, (0, 2), 3, "played", False),
        (OPEN, 3, (2, 0), 2, "played", False),
        (OPEN, 3, (1, 1), 1, "played", False),
        # Somebody was silent, or neither came.
        (OPEN, -3, (2, 0), 0, "forfeit", None),
        (OPEN, -3, (2, 0), -3, "forfeit", False),
        (OPEN, 0, (1, 1), 0, "forfeit", False),
        (OPEN, 3, (0, 0), 0, "forfeit", None),
        (OVER, 3, (0, 0), 0, "forfeit", None),
        (OPEN, 3, (0, 0), 3, "forfeit", False),
        (OPEN, 0, (0, 0), 0, "played", False),
        # The end of the round cut it off.
        (OPEN, 5, (2, 0), 5, "adjudicated", True),
        (OPEN, 5, (1, 1), 5, "adjudicated", False),
        (OPEN, 3, (1, 1), 3, "adjudicated", True),
        (OPEN, 3, (2, 0), 3, "adjudicated", False),
        (OPEN, 3, (1, 1), 2, "adjudicated", False),
    ],
)
def test_what_a_table_counts(over, ahead, halves, margin, how, truth):
    verdict, why = judged(ended(over, ahead), rules(), _Outcome(halves, margin, how))
    assert verdict is truth
    assert (why == "") == (truth is True)


@pytest.mark.parametrize("how", ["played", "forfeit"])
def test_the_margin_of_a_conceded_game_is_that_of_its_last_position_whoever_conceded(how):
    """Tournaments of 1.0.0 count 0 where the winner was behind."""
    behind, clamped = _Outcome((0, 2), 3, how), _Outcome((0, 2), 0, how)
    assert judged(ended(OPEN, 3), rules(), behind, clamped=False)[0] is None
    assert judged(ended(OPEN, 3), rules(), clamped, clamped=False)[0] is False
    assert judged(ended(OPEN, 3), rules(), behind)[0] is False
    assert judged(ended(OPEN, 3), rules(), clamped)[0] is None


@pytest.mark.parametrize(("over", "halves"), [(OVER, (0, 2)), (OPEN, (2, 0)), (OPEN, (1, 1))])
def test_what_was_ruled_is_not_in_the_log(over, halves):
    assert judged(ended(over, 3), rules(), _Outcome(halves, 3, "adjudicated"), is_ruled=True)[0] is None
    assert judged(ended(over, 3), rules(), _Outcome(halves, 9, "adjudicated"), is_ruled=True)[0] is False


@pytest.mark.parametrize("ways", ['"continue:10:60%", "draw"', '"jury"'])
def test_a_jury_and_bots_are_not_asked_again(ways):
    for halves in ((2, 0), (1, 1), (0, 2)):
        outcome = _Outcome(halves, 3, "adjudicated")
        assert judged(ended(OPEN, 3), rules(ways=ways), outcome)[0] is None
        # Who is far enough ahead wins by points, before anybody is asked.
        outcome = _Outcome(halves, 4, "adjudicated")
        assert judged(ended(OPEN, 4), rules(ways=ways), outcome)[0] is (halves == (2, 0))


def test_what_was_bid_is_not_in_the_log():
    """E5.5 What was paid for a side may turn the game."""
    outcome = _Outcome((0, 2), -2, "played")
    assert judged(ended(OVER, 3), rules(sides="bid"), outcome)[0] is None
    assert judged(ended(OVER, 3), None, outcome)[0] is None
