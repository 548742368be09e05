"""E3.2 Robin: all meet all in the order of a circle, once or twice.

The last stands still, the others go round him: in round r those at the same distance from place r, on its two sides,
meet. Over the whole circle everybody has each side as often as the other, or once more where the number is odd.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.tournaments.arithmetic.entrants import NOBODY, Entrant, Lots, name_of, tallies
from pbem.tournaments.arithmetic.pairing.boards import bye, here, met_as, round_of
from pbem.tournaments.arithmetic.pairing.costs import BALANCED
from pbem.tournaments.arithmetic.pairing.drawn import Drawn, Field, Pair, Reason


def circle_rounds(count: int, double: bool) -> int:
    """Return how many rounds all need to meet all, once or twice."""
    return max(0, count - 1 + count % 2) * (2 if double else 1)


def circle(numbers: Sequence[int], round_: int) -> list[tuple[int, int]]:
    """Return who meets whom in a round from 1, who has the first side first; NOBODY makes up an odd number.

    The circle is gone through again and again; each second time the sides are the other way round.
    """
    order = [*numbers, NOBODY] if len(numbers) % 2 else list(numbers)
    *ring, fixed = order
    turn, at = divmod(round_ - 1, len(ring))
    pairs = [(fixed, ring[at]) if at % 2 else (ring[at], fixed)]
    for away in range(1, len(ring) // 2 + 1):
        one, other = ring[(at + away) % len(ring)], ring[at - away]
        pairs.append((one, other) if away % 2 else (other, one))
    return [(b, a) for a, b in pairs] if turn % 2 else pairs


def pair_robin(field: Field, lots: Lots) -> Drawn:
    """E3.2 Draw the round; over when all have met."""
    if field.round > circle_rounds(len(field.entrants), field.manner.double):
        return Drawn(field.round, over=True)
    return round_of(field, robin_pairs(field, field.entrants, lots))


def robin_pairs(field: Field, entrants: Sequence[Entrant], lots: Lots) -> Iterator[Pair]:
    """Yield the pairs of some of the field in its round; who has nobody, or one who is not there, has a bye."""
    there = here(field)
    by_circle = field.manner.sides in BALANCED
    counted = {} if by_circle else tallies(field.entrants, field.results, field.start)
    again = field.round > circle_rounds(len(entrants), False)
    for a, b in circle([one.number for one in entrants], field.round):
        if a in there and b in there:
            if by_circle:
                why = Reason("E3.2", "circle", {name_of(a): 0, name_of(b): 1, "again": int(again)})
                yield Pair(0, a, b, why=(why,))
            else:
                yield _second(field, a, b) or met_as(a, b, (), (field, counted, lots))
        elif a in there or b in there:
            yield bye(a, "E3.2", b) if a in there else bye(b, "E3.2", a)


def _second(field: Field, a: int, b: int) -> Pair | None:
    """Two who meet the second time: the other way round than the first; None if this is the first."""
    for one in field.results:
        if {one.first, one.second} == {a, b} and one.round < field.round:
            values = {name_of(one.second): 0, name_of(one.first): 1, "again": 1}
            return Pair(0, one.second, one.first, why=(Reason("E3.2", "circle", values),))
    return None


# E3.7 League: divisions play by themselves, each a robin; then so many at the top go up and so many go down.


def divisions_of(field: Field) -> list[tuple[Entrant, ...]]:
    """Return the divisions from the top, by seeds, as even as can be; the larger ones are the upper."""
    each, over = divmod(len(field.entrants), field.manner.divisions)
    found, at = [], 0
    for number in range(field.manner.divisions):
        size = each + (number < over)
        found.append(field.entrants[at : at + size])
        at += size
    return found


def pair_league(field: Field, lots: Lots) -> Drawn:
    """E3.7 Draw the round of all divisions, the boards of the upper first; over when the largest has met."""
    divisions = divisions_of(field)
    rounds = [circle_rounds(len(one), field.manner.double) for one in divisions]
    if field.round > max(rounds, default=0):
        return Drawn(field.round, over=True)
    playing = [one for one, last in zip(divisions, rounds, strict=True) if field.round <= last]
    return round_of(field, [pair for one in playing for pair in robin_pairs(field, one, lots)])


def moved(divisions: Sequence[Sequence[int]], moving: int) -> list[list[int]]:
    """E3.7 Return the divisions of the next season from final orders: who came down first, who came up last."""
    found = []
    for at, order in enumerate(divisions):
        down = list(divisions[at - 1][-moving:]) if at and moving else []
        up = list(divisions[at + 1][:moving]) if at + 1 < len(divisions) and moving else []
        stay = list(order[moving if at else 0 : len(order) - (moving if at + 1 < len(divisions) else 0)])
        found.append([*down, *stay, *up])
    return found
