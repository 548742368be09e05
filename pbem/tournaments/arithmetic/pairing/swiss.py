"""E4 A Swiss round: the cheapest of all pairings, then sides and boards.

Everybody who is there is paired, but for one bye if their number is odd. What is drawn depends on the field and on lots
alone: whoever has both draws the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from pbem.tournaments.arithmetic.entrants import NOBODY, Lots, name_of
from pbem.tournaments.arithmetic.pairing.boards import sides_of
from pbem.tournaments.arithmetic.pairing.costs import (
    Edge,
    Standing,
    cheapest,
    cost_of,
    engine_for,
    lot_label,
    may_meet,
    owe_alike,
    pack,
    packing,
    standings_of,
    total,
)
from pbem.tournaments.arithmetic.pairing.drawn import Cost, Drawn, Field, Pair, Reason

# E4.10 Which pairs are weighed at all: every one in a small field, the nearest in a large one.
#
# Of a large field each entrant is weighed against the nearest by place and the nearest to the place that folding his
# group of points would give him, as many as `breadth` whose side fits, and a quarter as many whose side does not.


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


# Why two meet, as data: what was owed, points, floats, halves, and the lots that stood to choose between.


_OTHERS = 3


def reasons_of_pair(a: Standing, b: Standing, cost: Cost, others: Mapping[tuple[int, int], Cost]) -> tuple[Reason, ...]:
    """Return why these two: a line for each field that says something; `others` are the pairs `a` was weighed in.

    E4.7 is cited where others cost the same but for the lot, with the lots of up to three of them.
    """
    mine, his = name_of(a.number), name_of(b.number)
    found = []
    if cost.forbidden:
        found.append(Reason("E4.1", "opened", {"met": a.met.get(b.number, 0), "team": a.entrant.team, "with": his}))
    if a.owed or b.owed:
        found.append(Reason("E4.2", "both owed" if cost.sides else "owed", {mine: a.owed, his: b.owed}))
    found.append(Reason("E4.3", "points", {mine: a.tally.halves, his: b.tally.halves}))
    if cost.points:
        found.append(Reason("E4.4", "floated" if cost.floats else "floats", {"again": cost.floats}))
    if cost.halves:
        found.append(Reason("E4.5", "one half", {mine: int(a.upper), his: int(b.upper)}))
    if cost.pace:
        found.append(Reason("E4.6", "pace", {"apart": cost.pace}))
    alike = sorted((other.lot, pair) for pair, other in others.items() if other[:-1] == cost[:-1])
    pair = (min(a.number, b.number), max(a.number, b.number))
    rivals = [(lot, one) for lot, one in alike if one != pair][:_OTHERS]
    if rivals:
        found.append(Reason("E4.7", "lots", {lot_label(*one): lot for lot, one in ((cost.lot, pair), *rivals)}))
    return tuple(found)


def reasons_of_bye(one: Standing, lots: Lots) -> tuple[Reason, ...]:
    """Return why this one rests: points, byes before, and the lot among those alike."""
    label = f"bye/{name_of(one.number)}"
    values = {"points": one.tally.halves, "before": one.tally.byes, label: lots(label)}
    return (Reason("E4.8", "bye", values),)


_BREADTHS = (8, 24, 72)
Matched = tuple[list[tuple[int, int]], Weighed]


def bye_label(number: int) -> str:
    """Return the label of the lot that decides who of those alike has the bye."""
    return f"bye/{name_of(number)}"


def pair_swiss(field: Field, lots: Lots) -> Drawn:
    """E4 Pair a round of the field; nobody there, no pairs."""
    here = standings_of(field)
    resting: Standing | None = None
    if len(here) % 2:
        here, resting = _without_bye(here, lots)
    pairs, weighed = _matched(here, lots)
    boards = sorted(pairs, key=lambda pair: (-here[pair[0]].tally.halves - here[pair[1]].tally.halves, pair))
    drawn = [_board(here, pair, weighed, (at, field, lots)) for at, pair in enumerate(boards, start=1)]
    opened = tuple((one.first, one.second) for one in drawn if one.cost.forbidden)
    if resting is not None:
        drawn.append(Pair(len(drawn) + 1, resting.number, NOBODY, why=reasons_of_bye(resting, lots)))
    return Drawn(field.round, tuple(drawn), total(one.cost for one in drawn), opened)


def _board(here: Sequence[Standing], pair: tuple[int, int], weighed: Weighed, round_: tuple[int, Field, Lots]) -> Pair:
    """A board with its sides and reasons."""
    at, field, lots = round_
    a, b = here[pair[0]], here[pair[1]]
    (first, second), side = sides_of(a.tally, b.tally, field.manner.sides, lots)
    others = {_names(here, edge): cost for edge, cost in weighed.items() if pair[0] in edge}
    why = reasons_of_pair(a, b, weighed[pair], others)
    return Pair(at, first, second, weighed[pair], (*why, side))


def _names(here: Sequence[Standing], edge: tuple[int, int]) -> tuple[int, int]:
    """The numbers of two places, the lower first."""
    a, b = here[edge[0]].number, here[edge[1]].number
    return min(a, b), max(a, b)


def _without_bye(here: list[Standing], lots: Lots) -> tuple[list[Standing], Standing]:
    """E4.8 Who rests, and the others: of those who rested least the last, by lot if alike.

    Where the others could then be paired only against E4.1, the next; the first if that helps nowhere.
    """
    order = sorted(here, key=lambda one: (one.tally.byes, one.tally.halves, lots(bye_label(one.number))))
    for resting in order:
        others = [one for one in here if one is not resting]
        if _possible(others):
            return others, resting
    return [one for one in here if one is not order[0]], order[0]


def _possible(here: Sequence[Standing]) -> bool:
    """Whether all can be paired with nothing forbidden; the near are asked first."""
    free = lambda label: 0  # noqa: E731 - which pair it would be is not asked
    return any(_solve(here, some) is not None for some in _ever_more(here, free))


def _ever_more(here: Sequence[Standing], lots: Lots) -> Iterator[Weighed]:
    """E4.10 The pairs to be weighed, more and more of them, none forbidden."""
    if len(here) > SMALL:
        for breadth in _BREADTHS:
            yield near_pairs(here, lots, breadth)
    yield all_pairs(here, lots)


def _matched(here: Sequence[Standing], lots: Lots) -> Matched:
    """The cheapest pairs and what was weighed: more where more sides break than must, all where nothing else helps."""
    if not here:
        return [], {}
    best: Matched | None = None
    forced = forced_breaks(here)
    for weighed in _ever_more(here, lots):
        if best is not None and len(weighed) == len(here) * (len(here) - 1) // 2:
            break
        pairs = _solve(here, weighed)
        if pairs is None:
            continue
        broken = sum(owe_alike(here[a], here[b]) for a, b in pairs)
        best = pairs, weighed
        if broken <= forced:
            break
    if best is not None:
        return best
    weighed = all_pairs(here, lots, forbidden=True)
    pairs = _solve(here, weighed)
    if pairs is None:
        raise ArithmeticError("an even field can always be paired")
    return pairs, weighed


def forced_breaks(here: Sequence[Standing]) -> int:
    """E4.2 How many pairs must at least owe one side to both, by numbers alone."""
    first = sum(one.owed > 0 for one in here)
    second = sum(one.owed < 0 for one in here)
    return max(0, (abs(first - second) - (len(here) - first - second)) // 2)


def _solve(here: Sequence[Standing], weighed: Weighed) -> list[tuple[int, int]] | None:
    """The cheapest pairs of those weighed; None if they do not pair all."""
    fields = packing(weighed.values(), len(here) // 2)
    edges = [Edge(a, b, pack(cost, fields)) for (a, b), cost in weighed.items()]
    pairs = cheapest(len(here), edges, engine_for(len(here), fields.bits))
    if pairs is not None:
        # The sum of all pairs fits, or ArithmeticError: no field has run over into the next.
        summed = pack(total(weighed[pair] for pair in pairs), fields)
        if summed != sum(pack(weighed[pair], fields) for pair in pairs):
            raise ArithmeticError("the packed costs do not add up")
    return pairs
