"""Sums of fractional numbers that are equal on every Python.

The `sum` of Python compensates rounding errors from 3.12 on, and not before. Words of letters and choices of bots
follow from such sums, and a game is continued, replayed and checked by other versions of Python than the one that
began it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from math import sqrt
from operator import add
from typing import NamedTuple, TypeVar, cast

N = TypeVar("N")


def sum_in_order(values: Iterable[N]) -> N:
    """Return the sum of numbers, added one after the other."""
    return reduce(add, values, cast(N, 0))


_Z = 1.96
"""Standard deviations around the mean within which 95 % of a normal distribution lie."""


class ShareInterval(NamedTuple):
    """A share of games and the ends of its interval, from 0 to 1."""

    value: float
    low: float
    high: float


def share_with_interval(count: int, of: int) -> ShareInterval:
    """Return the share `count` / `of` with its 95 % interval by Wilson's score.

    Without any game the interval is 0 to 1. E. B. Wilson, 1927: it stays within 0 and 1 for few games too.
    """
    if not of:
        return ShareInterval(0.0, 0.0, 1.0)
    value, weight = count / of, _Z * _Z / of
    middle = (value + weight / 2) / (1 + weight)
    reach = sqrt(value * (1 - value) * weight + weight * weight / 4) / (1 + weight)
    return ShareInterval(value, middle - reach, middle + reach)
