"""E-values: what speaks against fair dice, in numbers that hold whenever one looks.

An e-value is what one would have by now, had one begun with 1 and bet on the dice at fair odds. With fair dice it is 1
on the average, however long one plays and whenever one stops, so that it ever comes to 20 has at most one chance in
20, to 100 one in 100. Those of several games may be multiplied, where the dice of each are its own, or averaged.

Two bets are made. `of_faces` bets that some faces come up more often than others, not knowing which (a mixture of
multinomials over Dirichlet priors). `of_luck` bets that the rolls favour a side, by any means, so a server is seen as
well whose faces come up alike, but not when it matters.

All values are natural logarithms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp, inf, lgamma, log, log1p

from pbem.engine.data.sums import in_order

PRIORS = (1, 10, 100)
"""Concentrations of the Dirichlet priors, each as likely: of dice that may be anything, and of nearly fair ones."""
STAKES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
"""Shares of the capital that are bet on each roll; the e-value is the mean over them, each weighing the same."""


def of_faces(counts: Mapping[int, Sequence[int]]) -> float:
    """Return the log e-value of the faces: by the number of sides, how often each of 1..sides came up."""
    return in_order(_of_one(sides, faces) for sides, faces in counts.items())


def _of_one(sides: int, faces: Sequence[int]) -> float:
    if len(faces) != sides:
        raise ValueError(f"a die of {sides} sides has as many counts, got {len(faces)}")
    rolled = sum(faces)
    return _mean(
        [
            lgamma(sides * prior)
            - lgamma(sides * prior + rolled)
            + in_order(lgamma(prior + face) - lgamma(prior) for face in faces)
            + rolled * log(sides)
            for prior in PRIORS
        ]
    )


def of_luck(rolls: Iterable[tuple[float, float, float]]) -> float:
    """Return what says that rolls favour a side: each its luck, and the least and the most that this could be.

    Of each roll as large a share is at stake as the worst that could come, so no bet loses all there is.
    """
    sums = [0.0] * len(STAKES)
    for luck, least, most in rolls:
        largest = max(-least, most)
        if largest > 0:
            for place, stake in enumerate(STAKES):
                sums[place] += log1p(stake * luck / largest)
    return _mean(sums)


def _mean(logs: Sequence[float]) -> float:
    top = max(logs)
    return top + log(in_order(exp(value - top) for value in logs) / len(logs))


def shown(value: float) -> float:
    """Return an e-value from its logarithm, infinite where no number is large enough."""
    return exp(value) if value < 700 else inf
