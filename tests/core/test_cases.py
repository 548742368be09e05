"""Rule cases: what makes one pass, and every way of not passing."""

from typing import Any

import pytest

from pbem.engine.cases import CaseFailed, ScriptedDice, run_case
from tests.core.bridge import Bridge

GAME: Any = Bridge()


def run(**case):
    return run_case(GAME, {}, {"title": "X1 a case", "phase": "near", "expect": [], **case})


CROSS = {"orders": {"near": "CROSS Ann\nCROSS Bob\n"[:10]}}
ANN = {"orders": {"near": "CROSS Ann"}, "dice": ["crossing Ann1: 4"]}


def test_a_case_that_is_as_expected_says_nothing():
    assert run(**ANN, expect=["Ann1 across", "cited X1", "not cited X2"]) == ()


@pytest.mark.parametrize("phrase", ["Bob across", "no bridge", "cited X2", "not cited X1", "rejected 1 X1"])
def test_what_is_not_so_is_told(phrase):
    assert run(**ANN, expect=["Ann1 across", phrase]) == (f"not so: {phrase}",)


def test_everything_that_is_not_so_is_told_at_once():
    wrong = run(**{**ANN, "dice": [*ANN["dice"], "toss coins: 1"]}, expect=["no bridge", "cited X2"])
    assert wrong == ("dice given for 'toss coins' were not used", "not so: no bridge", "not so: cited X2")


def test_a_position_may_be_given():
    assert run(across=["Zoe"], expect=["Zoe across"]) == ()


def test_the_phase_called_end():
    assert run(phase="end", dice=["toss coins: 1 0 1"], expect=["cited X3"]) == ()


# Dice


def test_a_roll_without_dice_fails_the_case():
    assert run(orders=ANN["orders"]) == ("no dice are given for 'crossing Ann1' (1 of 6 sides)",)


def test_dice_without_a_roll_fail_the_case():
    assert run(dice=["toss coins: 0 0 0"]) == ("dice given for 'toss coins' were not used",)


def test_equal_labels_are_used_in_order():
    dice = ScriptedDice(["again: 1", "again: 2 3"], lambda what: False)
    assert dice.unused_labels == ("again",)
    assert dice.roll("near/again", 1, 6) == (1,)
    assert dice.roll("far/again#2", 2, 6) == (2, 3)
    assert not dice.unused_labels
    with pytest.raises(CaseFailed, match="no dice are given for 'again'"):
        dice.roll("near/again#3", 1, 6)


def test_a_label_may_hold_colons_and_slashes():
    dice = ScriptedDice(["fire 1/54 > 2/8: 5"], lambda what: False)
    assert dice.roll("0505>0504/fire 1/54 > 2/8", 1, 6) == (5,)
    assert ScriptedDice(["odds 2:1: 3"], lambda what: False).roll("a/odds 2:1", 1, 6) == (3,)


def test_coins_are_written_heads_one_and_tails_none():
    dice = ScriptedDice(["toss: 0 1 1", "draw: 2"], lambda what: what == "toss")
    assert dice.roll("a/toss", 3, 2) == (1, 2, 2)
    assert dice.roll("a/draw", 1, 2) == (2,)


@pytest.mark.parametrize("line", ["crossing Ann1", "crossing Ann1:", "crossing Ann1: x", "4", ""])
def test_a_line_that_gives_no_dice(line):
    assert run(**{**ANN, "dice": [line]}) == (f"dice read LABEL: VALUES, got {line!r}",)


@pytest.mark.parametrize("values", ["7", "0", "1 2", "-1"])
def test_dice_of_the_wrong_kind(values):
    (wrong,) = run(**{**ANN, "dice": [f"crossing Ann1: {values}"]})
    assert wrong.startswith("'crossing Ann1' wants 1 of 6 sides, the case gives (")


@pytest.mark.parametrize("values", ["2 0 0", "1 1", "0 0 0 0"])
def test_coins_of_the_wrong_kind(values):
    (wrong,) = run(phase="end", dice=[f"toss coins: {values}"])
    assert wrong.startswith("'toss coins' wants 3 of 2 sides")


# Letters


def test_a_refused_line_is_reported_and_the_others_run():
    case = {"orders": {"near": "SWIM Ann\nCROSS Ann\n"}, "dice": ["crossing Ann2: 4"]}
    assert run(**case, expect=["Ann2 across", "rejected 1 X0"]) == ()
    assert run(**case, expect=["rejected 2 X0", "rejected 1 X1"]) == (
        "not so: rejected 2 X0",
        "not so: rejected 1 X1",
    )


def test_an_order_that_came_to_nothing_is_refused_by_any_of_its_rules():
    case = {
        "standing": {"far": "BLOW"},
        "orders": {"near": "CROSS Ann\nCROSS Ann\n"},
        "dice": ["crossing Ann1: 4"],
    }
    assert run(**case, expect=["no bridge", "rejected 2 X4", "rejected 2 X1", "cited X4"]) == ()
    assert run(**case, expect=["rejected 2 X2"]) == ("not so: rejected 2 X2",)


def test_lines_are_counted_without_a_blank_first_one():
    assert run(orders={"near": "\nSWIM\n"}, expect=["rejected 1 X0"]) == ()
    assert run(orders={"near": "\n\nSWIM\n"}, expect=["rejected 2 X0"]) == ()


def test_orders_and_standing_orders_of_a_seat_go_together():
    case = {"standing": {"far": "BLOW"}, "orders": {"far": "CROSS Ann", "near": "CROSS Ann"}}
    assert run(**case, dice=["crossing Ann1: 4"], expect=["no bridge"]) == ()


def test_refused_standing_orders_fail_the_case():
    (wrong,) = run(standing={"far": "BLOW\nDANCE"})
    assert wrong.startswith("standing orders of far: ")
    assert "DANCE" in wrong


def test_a_window_that_nobody_answers_fails_the_case():
    assert run(orders={"near": "CROSS Bob"}, dice=["crossing Bob1: 3"]) == ("nobody answers near>far/blow up Bob1",)


# Look-ups


def test_a_case_of_look_ups_alone():
    assert run_case(GAME, {}, {"title": "X5", "lookup": ["X5 die 1 = splash"]}) == ()
    assert run_case(GAME, {}, {"title": "X5", "lookup": ["X5 die 1 = dry"]}) == ("not so: X5 die 1 = dry",)


def test_look_ups_beside_a_phase():
    assert run(**ANN, lookup=["X5 die 1 = splash"], expect=["Ann1 across"]) == ()
    assert run(**ANN, lookup=["X5 die 1 = dry"], expect=["no bridge"]) == (
        "not so: X5 die 1 = dry",
        "not so: no bridge",
    )


def test_a_look_up_beyond_the_chart():
    assert run_case(GAME, {}, {"lookup": ["X5 die 2 = splash"]}) == (
        "'X5 die 2 = splash' looks for 'X5 die 2', which the chart does not have",
    )


# Cases that cannot be run


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ({"bridge": "missing"}, "there is no bridge"),
        ({"expect": ["it rains"]}, "'it rains' is no expectation"),
        ({"expect": [""]}, "'' is no expectation"),
        ({"expect": ["cited"]}, "'cited' is no expectation"),
        ({"expect": ["not cited"]}, "'not cited' is no expectation"),
        ({"expect": ["rejected 2"]}, "'rejected 2' is no expectation"),
        ({"expect": ["rejected two X0"]}, "'rejected two X0' is no expectation"),
        ({"lookup": ["X5"]}, "'X5' is no look-up"),
    ],
)
def test_a_case_that_cannot_be_run(case, why):
    assert run(**case) == (why,)


@pytest.mark.parametrize("key", ["phase", "expect"])
def test_a_case_without_its_parts(key):
    case = {"title": "X1", "phase": "near", "expect": []}
    del case[key]
    assert run_case(GAME, {}, case) == (f"the case has no {key}",)
