"""Sums of what is no whole number, alike on every Python.

From Python 3.12 on its own `sum` makes up for what is lost in rounding. Words of letters and choices of bots follow
from such sums, and a game is played on, replayed and checked by other Pythons than those that began it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import TypeVar, cast

N = TypeVar("N")


def in_order(values: Iterable[N]) -> N:
    """Return the sum of numbers, one added after the other; 0 if there are none."""
    return reduce(add, values, cast(N, 0))
