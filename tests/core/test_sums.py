"""Sums that letters and bots go by, alike on every Python."""

from fractions import Fraction

from pbem.engine.data.sums import sum_in_order


def test_one_is_added_after_the_other_and_what_rounding_loses_stays_lost():
    assert sum_in_order([0.1] * 10) == 0.9999999999999999
    assert sum_in_order([1e16, 1.0, -1e16]) == 0.0


def test_fractions_stay_whole_and_nothing_is_nothing():
    assert sum_in_order([Fraction(1, 3)] * 3) == 1
    assert sum_in_order([]) == 0
