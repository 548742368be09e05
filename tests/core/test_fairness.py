"""E-values against fair dice: never more than fair on the average, and large where dice are loaded."""

import hashlib
from fractions import Fraction
from itertools import product
from math import exp, isclose, log, prod

import pytest

from pbem.audit.dice import DiceStream
from pbem.engine.luck import BET_SHARES, PRIOR_CONCENTRATIONS, e_value, log_e_of_faces, log_e_of_luck


def counts(sides, values):
    return {sides: [values.count(face) for face in range(1, sides + 1)]}


@pytest.mark.parametrize(("sides", "thrown"), [(2, 8), (6, 4)])
def test_over_all_fair_dice_the_mean_is_exactly_one(sides, thrown):
    e_values = [exp(log_e_of_faces(counts(sides, values))) for values in product(range(1, sides + 1), repeat=thrown)]
    assert sum(e_values) / sides**thrown == pytest.approx(1, abs=1e-12)


def test_one_throw_tells_nothing_and_two_of_a_kind_what_can_be_reckoned_by_hand():
    assert log_e_of_faces({6: [0, 0, 0, 1, 0, 0]}) == pytest.approx(0, abs=1e-12)
    # The second die shows the face of the first with (1 + prior) of (1 + 6 prior), six times as likely as if fair.
    wanted = sum(Fraction(6 * (1 + prior), 1 + 6 * prior) for prior in PRIOR_CONCENTRATIONS) / len(PRIOR_CONCENTRATIONS)
    assert exp(log_e_of_faces({6: [2, 0, 0, 0, 0, 0]})) == pytest.approx(float(wanted))


def rising(start, times):
    return prod(range(start, start + times))


def exactly(sides, faces):
    """The same by whole numbers: what a mixture gives the faces in their order, over what fair dice give them."""
    thrown = sum(faces)
    terms = [
        Fraction(prod(rising(a, n) for n in faces) * sides**thrown, rising(sides * a, thrown))
        for a in PRIOR_CONCENTRATIONS
    ]
    return sum(terms) / len(terms)


@pytest.mark.parametrize(
    ("faces", "value"),
    [([20, 15, 18, 17, 16, 14], 0.29414), ([30, 15, 18, 17, 16, 4], 34.6724), ([3, 3], 0.772323), ([40, 20], 4.27034)],
)
def test_golden_values(faces, value):
    e_value = exp(log_e_of_faces({len(faces): faces}))
    assert e_value == pytest.approx(float(exactly(len(faces), faces)), rel=1e-9)
    assert e_value == pytest.approx(value, rel=1e-3)


def test_dice_of_other_sides_are_multiplied():
    both = log_e_of_faces({2: [4, 9], 6: [1, 0, 3, 0, 0, 2]})
    assert exp(both) == pytest.approx(float(exactly(2, [4, 9]) * exactly(6, [1, 0, 3, 0, 0, 2])))


def test_faces_and_sides_must_agree():
    with pytest.raises(ValueError, match="as many counts"):
        log_e_of_faces({6: [1, 2]})


def games(number, dice, load=0):
    """The faces of so many games from a fixed key; `load` of 36 throws show a six whatever was thrown."""
    for game in range(number):
        stream = DiceStream(hashlib.sha512(b"fair %d" % game).digest())
        values = stream.roll("end/faces", dice, 6)
        spoiled = stream.roll("end/loads", dice, 36)
        yield [6 if bad <= load else value for value, bad in zip(values, spoiled, strict=True)]


def test_fair_dice_of_a_fixed_key_come_to_twenty_no_oftener_than_they_may():
    ever, sums = 0, 0.0
    for values in games(120, 100):
        seen = [0] * 6
        largest = 0.0
        for value in values:
            seen[value - 1] += 1
            largest = max(largest, log_e_of_faces({6: seen}))
        ever += largest >= log(20)
        sums += exp(log_e_of_faces({6: seen}))
    assert ever <= 120 / 20
    assert 0.3 < sums / 120 < 1.5


def test_loaded_dice_are_found_out():
    # One throw in nine is made a six: 26 % instead of 17 %.
    e_values = [log_e_of_faces(counts(6, values)) for values in games(20, 600, load=4)]
    assert sum(value > log(100) for value in e_values) >= 15


def test_a_bet_on_luck_is_fair_on_every_die():
    rolls = [(face - 3.5, -2.5, 2.5) for face in range(1, 7)]
    e_values = [exp(log_e_of_luck(both)) for both in product(rolls, repeat=3)]
    assert sum(e_values) / 6**3 == pytest.approx(1, abs=1e-12)


def test_a_bet_on_luck_by_hand():
    assert log_e_of_luck([]) == 0
    wanted = sum((1 + stake) * (1 - stake / 2) for stake in BET_SHARES) / len(BET_SHARES)
    assert exp(log_e_of_luck([(2, -1, 2), (-1, -1, 2), (0, 0, 0)])) == pytest.approx(wanted)


def test_a_side_that_is_always_lucky_shows():
    assert log_e_of_luck([(1, -1, 1)] * 20) > log(100)
    assert log_e_of_luck([(-1, -1, 1)] * 20) < 0


def test_what_is_too_large_for_a_number_is_shown_all_the_same():
    assert e_value(0) == 1
    assert e_value(10_000) == float("inf")
    assert isclose(e_value(log(20)), 20)
