"""E10 A table that the end of its round cuts off: the ways of the rules one after another, until one decides.

::

    decide_by_rules(rules.unfinished.order, Cut(margin=2))                     # Decision(asks=Way("continue", 200, 75))
    decide_by_rules(rules.unfinished.order, Cut(2, continued=(160, 10, 30)))   # Decision(halves=(2, 0), way=...)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import FIRST, SECOND
from pbem.tournaments.arithmetic.pairing.drawn import Reason
from pbem.tournaments.arithmetic.rules.records import Way

DRAWN = 2
"""An outcome beside FIRST and SECOND: neither has won."""
HALVES = ((2, 0), (0, 2), (1, 1))
"""By outcome."""
_HUNDRED = 100


class Cut(NamedTuple):
    """What is known of a table: how far the first side is ahead; how many continuations the first won, were drawn,
    the second won (None: not played on yet); the outcomes that jurors voted for (None: not asked yet)."""

    margin: int
    continued: tuple[int, int, int] | None = None
    votes: Sequence[int] | None = None


class Decision(NamedTuple):
    """The halves of both and the way that decided, with its reason; or the way that must be gone first (`asks`)."""

    halves: tuple[int, int] | None = None
    way: Way | None = None
    why: Reason | None = None
    asks: Way | None = None


def by_points(margin: int, least: int) -> int | None:
    """Return who has won by points, None if neither is as far ahead as it takes."""
    return FIRST if margin >= least else SECOND if -margin >= least else None


def by_continuations(counts: tuple[int, int, int], percent: int) -> int | None:
    """Return the outcome in which as many percent of the continuations agree, None if they do not."""
    first, drawn, second = counts
    for outcome, count in ((FIRST, first), (SECOND, second), (DRAWN, drawn)):
        if count and count * _HUNDRED >= percent * sum(counts):
            return outcome
    return None


def by_votes(votes: Sequence[int]) -> int | None:
    """Return the outcome that more than half of the jurors voted for, None if there is none."""
    return next((one for one in (FIRST, SECOND, DRAWN) if 2 * list(votes).count(one) > len(votes)), None)


def decide_by_rules(ways: Sequence[Way], cut: Cut) -> Decision:
    """E10 Return what the ways make of a table; where none of them decides it is a draw."""
    for way in ways:
        if way.word == "draw":
            break
        if (way.word == "continue" and cut.continued is None) or (way.word == "jury" and cut.votes is None):
            return Decision(asks=way)
        outcome, why = _tried(way, cut)
        if outcome is not None:
            return Decision(HALVES[outcome], way, why)
    return Decision(HALVES[DRAWN], Way("draw"), Reason("E10", "draw", {"margin": cut.margin}))


def _tried(way: Way, cut: Cut) -> tuple[int | None, Reason]:
    if way.word == "points":
        why = Reason("E10", "points", {"margin": cut.margin, "least": way.number})
        return by_points(cut.margin, way.number), why
    if way.word == "continue":
        counts = cut.continued or (0, 0, 0)
        values = dict(zip(("first", "drawn", "second"), counts, strict=True))
        return by_continuations(counts, way.percent), Reason("E10", "continue", {**values, "percent": way.percent})
    votes = list(cut.votes or ())
    values = {"first": votes.count(FIRST), "drawn": votes.count(DRAWN), "second": votes.count(SECOND)}
    return by_votes(votes), Reason("E10", "jury", values)
