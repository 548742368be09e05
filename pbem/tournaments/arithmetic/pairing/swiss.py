"""E4 A Swiss round: the cheapest of all pairings, then sides and boards.

Everybody who is there is paired, but for one bye if their number is odd. What is drawn depends on the field and on lots
alone: whoever has both draws the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.tournaments.arithmetic.entrants import NOBODY, Lots, name_of
from pbem.tournaments.arithmetic.pairing.candidates import SMALL, Weighed, all_pairs, near_pairs
from pbem.tournaments.arithmetic.pairing.costs import Standing, owe_alike, pack, packing, standings_of, total
from pbem.tournaments.arithmetic.pairing.drawn import Drawn, Field, Pair
from pbem.tournaments.arithmetic.pairing.matching import Edge, cheapest, engine_for
from pbem.tournaments.arithmetic.pairing.reasons import reasons_of_bye, reasons_of_pair
from pbem.tournaments.arithmetic.pairing.sides import sides_of

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
