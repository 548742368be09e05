"""K7, K0.1: who has won a war."""

import pytest

from pbem.engine.war.chain import Outcome, verdict

SIDES = ("blue", "red")


def fought(*legs):
    return verdict(SIDES, [Outcome(*leg) for leg in legs])


@pytest.mark.parametrize(
    ("legs", "winner", "sums", "decisive"),
    [
        ((("blue", 3), ("blue", 1), ("red", 9)), "red", (3, 3), False),
        ((("blue", 3), ("blue", 1), ("red", 2)), "blue", (3, 3), False),
        ((("blue", 1), ("red", 9), ("red", 9)), "red", (1, 5), True),
        ((("blue", 1), ("red", 1), ("blue", 1)), "blue", (4, 2), False),
        ((("draw", 0), ("red", 2), ("draw", 0)), "red", (0, 2), False),
        ((("blue", 2), ("draw", 0), ("draw", 0)), "blue", (1, 0), False),
        ((("draw", 0), ("draw", 0), ("draw", 0)), "draw", (0, 0), False),
        ((("blue", 4), ("blue", 2), ("red", 6)), "draw", (3, 3), False),
    ],
)
def test_legs_count_by_their_place_and_level_sums_by_margins(legs, winner, sums, decisive):
    verdict = fought(*legs)
    assert (verdict.winner, tuple(verdict.legs[side] for side in SIDES), verdict.decisive) == (winner, sums, decisive)


def test_a_margin_counts_six_at_most():
    assert fought(("blue", 40), ("blue", 0), ("red", 7)).winner == "draw"
    assert fought(("blue", 40), ("blue", 1), ("red", 7)).winner == "blue"


def test_the_third_leg_can_level_what_the_first_two_were():
    first = fought(("red", 6), ("red", 6))
    assert (first.winner, first.legs) == ("red", {"blue": 0, "red": 3})
    assert fought(("red", 6), ("red", 6), ("blue", 0)).legs == {"blue": 3, "red": 3}


def test_two_legs_conceded_running_lose_the_war():
    assert fought(("red", 0, True), ("red", 0, True)) == fought(("red", 0, True), ("red", 0, True))._replace(
        winner="red", decisive=True
    )
    assert not fought(("red", 0, True), ("red", 0)).decisive
    assert fought(("blue", 6), ("red", 0, True), ("red", 0, True)).decisive
