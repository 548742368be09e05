"""E4.10 Which pairs are weighed at all: every one in a small field, the nearest in a large one.

Of a large field each entrant is weighed against the nearest by place and the nearest to the place that folding his
group of points would give him, as many as `breadth` whose side fits, and a quarter as many whose side does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from pbem.tournaments.arithmetic.entrants import Lots
from pbem.tournaments.arithmetic.pairing.costs import Standing, cost_of, may_meet, owe_alike
from pbem.tournaments.arithmetic.pairing.drawn import Cost

SMALL = 40
"""Up to so many entrants every pair is weighed."""
Weighed = dict[tuple[int, int], Cost]
"""Costs by the two places, the lower first."""


def all_pairs(here: Sequence[Standing], lots: Lots, forbidden: bool = False) -> Weighed:
    """Return the costs of all pairs; of those that E4.1 forbids too if it is said."""
    pairs = combinations(range(len(here)), 2)
    return {(a, b): cost_of(here[a], here[b], lots) for a, b in pairs if forbidden or may_meet(here[a], here[b])}


def near_pairs(here: Sequence[Standing], lots: Lots, breadth: int) -> Weighed:
    """Return the costs of the pairs that are near, none of them forbidden."""
    folds = _folds(here)
    found: Weighed = {}
    for place in range(len(here)):
        for centre in (place, folds[place]):
            for other in _nearest(here, place, centre, breadth):
                pair = (min(place, other), max(place, other))
                if pair not in found:
                    found[pair] = cost_of(here[place], here[other], lots)
    return found


def _folds(here: Sequence[Standing]) -> list[int]:
    """The place that each one's group, laid half on half, puts opposite him."""
    groups: dict[int, list[int]] = {}
    for place, one in enumerate(here):
        groups.setdefault(one.tally.halves, []).append(place)
    return [group[(at + len(group) // 2) % len(group)] for group in groups.values() for at in range(len(group))]


def _nearest(here: Sequence[Standing], place: int, centre: int, breadth: int) -> Iterator[int]:
    """Those nearest to a place, of each kind as many as are wanted."""
    left = {True: breadth, False: breadth // 4}
    for other in _outwards(centre, len(here)):
        if other == place or not may_meet(here[place], here[other]):
            continue
        fits = not owe_alike(here[place], here[other])
        if left[fits]:
            left[fits] -= 1
            yield other
            if not any(left.values()):
                return


def _outwards(centre: int, count: int) -> Iterator[int]:
    """All places, those next to the centre first."""
    yield centre
    for away in range(1, count):
        if centre - away >= 0:
            yield centre - away
        if centre + away < count:
            yield centre + away
