"""Looking ahead by playing on: plans are tried out on dice of one's own, and the one that does best is taken.

The dice follow from their seed, the number of the trial and the label of the roll alone. So the same plans in the same
position give the same answer on every machine, and what two plans have in common falls alike for both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from pbem.engine.data.sums import in_order

P = TypeVar("P")


class Trials(NamedTuple):
    """How often plans are tried: each `first` times, then the `left` best of them `last` times in all."""

    first: int
    left: int
    last: int


def best_of(plans: Sequence[P], weigh: Callable[[P, int], float], trials: Trials) -> P:
    """Return the plan with the best mean of ``weigh(plan, number)`` over trials 0, 1 ...; of equal ones the first.

    There is at least one plan.
    """
    if len(plans) == 1:
        return plans[0]
    found = [[weigh(plan, number) for number in range(trials.first)] for plan in plans]
    ranked = sorted(range(len(plans)), key=lambda index: -in_order(found[index]))[: trials.left]
    for index in ranked:
        found[index] += [weigh(plans[index], number) for number in range(trials.first, trials.last)]
    return plans[max(ranked, key=lambda index: in_order(found[index]))]
