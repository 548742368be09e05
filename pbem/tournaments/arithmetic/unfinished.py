"""E10 Decide a table cut off by the end of its round, by the rules.

::

    decide_by_rules(rules.unfinished.order, CutOffTable(margin=2))    # Decision(asks=Way("continue", 200, 75))
    decide_by_rules(rules.unfinished.order, CutOffTable(2, continued=(160, 10, 30)))
                                                      # Decision(halves=(2, 0), way=...)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import FIRST, SECOND
from pbem.tournaments.arithmetic.pairing.drawn import PairingReason
from pbem.tournaments.arithmetic.rules.records import UnfinishedGameMethod

DRAWN = 2
"""An outcome beside FIRST and SECOND: neither has won."""
HALVES = ((2, 0), (0, 2), (1, 1))
"""Half points of both sides by outcome."""
_HUNDRED = 100
"""Shares are compared in whole percent, without fractions."""


class CutOffTable(NamedTuple):
    """The known facts about a table that was cut off.

    `margin` is the lead of the first side; `continued` counts continuations: won by the first side, drawn, won by
    the second (None: not played yet); `votes` are the outcomes for which jurors voted (None: not asked yet).
    """

    margin: int
    continued: tuple[int, int, int] | None = None
    votes: Sequence[int] | None = None


class UnfinishedGameDecision(NamedTuple):
    """The decision about a table: half points, deciding way and reason.

    If there is no decision yet, `asks` is the way to try next.
    """

    halves: tuple[int, int] | None = None
    way: UnfinishedGameMethod | None = None
    why: PairingReason | None = None
    asks: UnfinishedGameMethod | None = None


def decide_by_points(margin: int, least: int) -> int | None:
    """Return the winner by points; None if the lead is too small."""
    return FIRST if margin >= least else SECOND if -margin >= least else None


def decide_by_continuations(counts: tuple[int, int, int], percent: int) -> int | None:
    """Return the outcome of enough percent of the continuations, or None."""
    first, drawn, second = counts
    for outcome, count in ((FIRST, first), (SECOND, second), (DRAWN, drawn)):
        if count and count * _HUNDRED >= percent * sum(counts):
            return outcome
    return None


def decide_by_votes(votes: Sequence[int]) -> int | None:
    """Return the outcome with more than half of the votes, or None."""
    return next((outcome for outcome in (FIRST, SECOND, DRAWN) if 2 * list(votes).count(outcome) > len(votes)), None)


def decide_by_rules(ways: Sequence[UnfinishedGameMethod], table: CutOffTable) -> UnfinishedGameDecision:
    """E10 Return what the first deciding way says of a table; a draw if none decides."""
    for way in ways:
        if way.word == "draw":
            break
        if (way.word == "continue" and table.continued is None) or (way.word == "jury" and table.votes is None):
            return UnfinishedGameDecision(asks=way)
        outcome, reason = _try_way(way, table)
        if outcome is not None:
            return UnfinishedGameDecision(HALVES[outcome], way, reason)
    return UnfinishedGameDecision(
        HALVES[DRAWN], UnfinishedGameMethod("draw"), PairingReason("E10", "draw", {"margin": table.margin})
    )


def _try_way(way: UnfinishedGameMethod, table: CutOffTable) -> tuple[int | None, PairingReason]:
    if way.word == "points":
        reason = PairingReason("E10", "points", {"margin": table.margin, "least": way.number})
        return decide_by_points(table.margin, way.number), reason
    if way.word == "continue":
        counts = table.continued or (0, 0, 0)
        values = dict(zip(("first", "drawn", "second"), counts, strict=True))
        return decide_by_continuations(counts, way.percent), PairingReason(
            "E10", "continue", {**values, "percent": way.percent}
        )
    votes = list(table.votes or ())
    values = {"first": votes.count(FIRST), "drawn": votes.count(DRAWN), "second": votes.count(SECOND)}
    return decide_by_votes(votes), PairingReason("E10", "jury", values)
