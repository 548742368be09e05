"""E7 What parts those level on points, each a whole number of which more is better.

Points are halves; Sonneborn's sums are quarters of a point, for halves are multiplied by halves. Who passes a round
without an opponent has nothing from it but its points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import NOBODY, PENDING, Lots, name_of
from pbem.tournaments.arithmetic.tally import Meeting, Tally

NOTHING_GIVEN: Mapping[str, Mapping[int, int]] = MappingProxyType({})


class Ground(NamedTuple):
    """What criteria count on: everybody's rounds, lots, and values counted elsewhere by their criterion's name.

    `given` may hold ``reached``, ``survived``, ``place`` and ``division`` of a stage's format (the last two below
    zero, since more is better), and ``luck``, the margin that E7.11 leaves.
    """

    tallies: Mapping[int, Tally]
    lots: Lots
    given: Mapping[str, Mapping[int, int]] = NOTHING_GIVEN


Values = Mapping[int, int]


class Criterion(NamedTuple):
    """A criterion: its rule, and the values of those who are level so far; none if it says nothing of them."""

    rule: str
    values: Callable[[Ground, Sequence[int]], Values]


def tie_label(number: int) -> str:
    """Return the label of the lot that parts those whom nothing else parts; the higher is ahead."""
    return f"tie/{name_of(number)}"


def parts_of(ground: Ground, number: int, name: str) -> list[tuple[int, int]]:
    """Return what each opponent adds to a sum: his number, and what of it counts; empty if it is no such sum."""
    parts = _SUMS.get(name)
    return parts(ground, number) if parts else []


def _played(tally: Tally) -> list[Meeting]:
    return [one for one in tally.meetings if one.opponent != NOBODY and one.how != PENDING]


def _opponents(ground: Ground, number: int) -> list[tuple[int, int]]:
    """E7.2 The points of all whom he met."""
    met = _played(ground.tallies[number])
    return [(one.opponent, ground.tallies[one.opponent].halves) for one in met if one.opponent in ground.tallies]


def _median(ground: Ground, number: int) -> list[tuple[int, int]]:
    """E7.7 The same without the best and the worst of them; nothing is left of one or two."""
    return _cut(_opponents(ground, number), 1, 1)


def _cut_one(ground: Ground, number: int) -> list[tuple[int, int]]:
    """E7.8 The same without the worst of them."""
    return _cut(_opponents(ground, number), 1, 0)


def _cut(found: list[tuple[int, int]], low: int, high: int) -> list[tuple[int, int]]:
    """Without so many at either end; of those alike the earlier round goes."""
    order = sorted(range(len(found)), key=lambda at: found[at][1])
    left = sorted(order[low : max(low, len(order) - high)])
    return [found[at] for at in left]


def _sonneborn(ground: Ground, number: int) -> list[tuple[int, int]]:
    """E7.4 The points of each whom he met, times what he had of him."""
    met = _played(ground.tallies[number])
    known = [one for one in met if one.opponent in ground.tallies]
    return [(one.opponent, one.halves * ground.tallies[one.opponent].halves) for one in known]


_SUMS: Mapping[str, Callable[[Ground, int], list[tuple[int, int]]]] = MappingProxyType(
    {"buchholz": _opponents, "median": _median, "cut": _cut_one, "sonneborn": _sonneborn}
)


def _points(ground: Ground, level: Sequence[int]) -> Values:
    return {number: ground.tallies[number].halves for number in level}


def _summed(name: str) -> Callable[[Ground, Sequence[int]], Values]:
    return lambda ground, level: {one: sum(part for _, part in _SUMS[name](ground, one)) for one in level}


def _direct(ground: Ground, level: Sequence[int]) -> Values:
    """E7.3 Halves at the tables of those level, if each of them met each of the others; else it says nothing."""
    found = {}
    for number in level:
        mutual = [one for one in _played(ground.tallies[number]) if one.opponent in level]
        if len({one.opponent for one in mutual}) != len(level) - 1:
            return {}
        found[number] = sum(one.halves for one in mutual)
    return found


def _margin(ground: Ground, level: Sequence[int]) -> Values:
    return {number: ground.tallies[number].margin for number in level}


def _wins(ground: Ground, level: Sequence[int]) -> Values:
    return {number: ground.tallies[number].wins for number in level}


def _progress(ground: Ground, level: Sequence[int]) -> Values:
    """E7.10 The points after each round, added up: early points count more often."""
    found = {}
    for number in level:
        tally, sum_, running = ground.tallies[number], 0, ground.tallies[number].start
        for one in tally.meetings:
            running += one.halves
            sum_ += running
        found[number] = sum_
    return found


def _given(name: str) -> Callable[[Ground, Sequence[int]], Values]:
    """What was counted elsewhere, of those whom it was counted for; nothing if one of them is not among these."""

    def values(ground: Ground, level: Sequence[int]) -> Values:
        known = ground.given.get(name, {})
        return {number: known[number] for number in level} if all(one in known for one in level) else {}

    return values


def _lot(ground: Ground, level: Sequence[int]) -> Values:
    return {number: ground.lots(tie_label(number)) for number in level}


CRITERIA: Mapping[str, Criterion] = MappingProxyType(
    {
        "points": Criterion("E7.1", _points),
        "buchholz": Criterion("E7.2", _summed("buchholz")),
        "direct": Criterion("E7.3", _direct),
        "sonneborn": Criterion("E7.4", _summed("sonneborn")),
        "margin": Criterion("E7.5", _margin),
        "lot": Criterion("E7.6", _lot),
        "median": Criterion("E7.7", _summed("median")),
        "cut": Criterion("E7.8", _summed("cut")),
        "wins": Criterion("E7.9", _wins),
        "progress": Criterion("E7.10", _progress),
        "luck": Criterion("E7.11", _given("luck")),
        "reached": Criterion("E3.3", _given("reached")),
        "survived": Criterion("E3.4", _given("survived")),
        "place": Criterion("E3.6", _given("place")),
        "division": Criterion("E3.7", _given("division")),
    }
)
"""By the names that rules give them."""
