"""K7 Who has won a war: by the legs won, each worth its place in the chain; then by how clearly they were won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

DRAW = "draw"
DECISIVE = 4
"""By how much a side has to lead to have won decisively."""
CLEAR = 6
"""What a leg's margin counts at most."""


class Outcome(NamedTuple):
    """How a leg ended: who won, ``draw`` if nobody did, by how many points more than he needed.

    `conceded` if the other gave up, or it was claimed against him.
    """

    winner: str
    margin: int = 0
    conceded: bool = False


class Verdict(NamedTuple):
    """How a war stands or ended: the leader, ``draw`` if there is none; each side's sum of legs and of margins; whether
    it is decisive, and whether the sums of legs alone say so."""

    winner: str
    legs: Mapping[str, int]
    margins: Mapping[str, int]
    decisive: bool = False
    level: bool = False


def verdict(sides: Sequence[str], outcomes: Sequence[Outcome]) -> Verdict:
    """K7 Return how a war stands after these legs, of which there may be more to come."""
    legs, margins = dict.fromkeys(sides, 0), dict.fromkeys(sides, 0)
    for place, one in enumerate(outcomes, start=1):
        if one.winner != DRAW:
            legs[one.winner] += place
            margins[one.winner] += min(one.margin, CLEAR)
    if (victor := given_up(outcomes)) and victor in legs:
        return Verdict(victor, legs, margins, decisive=True)
    return _weighed(sides, legs, margins)


def _weighed(sides: Sequence[str], legs: Mapping[str, int], margins: Mapping[str, int]) -> Verdict:
    """The higher sum of legs, of equal ones that of margins."""
    first, second = sides
    by_legs, by_margins = legs[first] - legs[second], margins[first] - margins[second]
    lead = by_legs or by_margins
    winner = DRAW if not lead else first if lead > 0 else second
    return Verdict(winner, legs, margins, abs(by_legs) >= DECISIVE, not by_legs)


def given_up(outcomes: Sequence[Outcome]) -> str:
    """K0.1 Return who has won because the other conceded two legs running; empty if nobody has."""
    for one, after in pairwise(outcomes):
        if one.conceded and after.conceded and one.winner == after.winner:
            return one.winner
    return ""


def by_will(outcome: Outcome, winner: str) -> Outcome:
    """K0.1 Return how a leg ended that was given up to `winner`, or claimed by him: `outcome` is how it stood then."""
    return Outcome(winner, outcome.margin if outcome.winner == winner else 0, conceded=True)


def peace(sides: Sequence[str], outcomes: Sequence[Outcome], sued: Sequence[str]) -> Verdict:
    """K7.1 Return how a war ends by peace that these sides sued for.

    Both: a draw. One: the sums as they are and one more for the other side; nobody wins decisively.
    """
    now = verdict(sides, outcomes)
    if len(sued) != 1:
        return now._replace(winner=DRAW, decisive=False, level=False)
    legs = {side: count + (side not in sued) for side, count in now.legs.items()}
    return _weighed(sides, legs, now.margins)._replace(decisive=False)
