"""Boards of a round that is no Swiss one: who is there, sides, numbers, and pairs that should not have been."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pbem.tournaments.arithmetic.entrants import NOBODY, Lots, name_of
from pbem.tournaments.arithmetic.pairing.drawn import Drawn, Field, Pair, Reason
from pbem.tournaments.arithmetic.pairing.sides import sides_of
from pbem.tournaments.arithmetic.tally import Tally


def here(field: Field) -> frozenset[int]:
    """Return the numbers of those who are there this round."""
    return frozenset(one.number for one in field.entrants if one.number not in field.away and one.since <= field.round)


def met_as(a: int, b: int, why: tuple[Reason, ...], ground: tuple[Field, Mapping[int, Tally], Lots]) -> Pair:
    """Return the pair of two with the sides that E5 gives them; the board is numbered by `round_of`."""
    field, counted, lots = ground
    (first, second), side = sides_of(counted[a], counted[b], field.manner.sides, lots)
    return Pair(0, first, second, why=(*why, side))


def bye(number: int, rule: str, other: int = NOBODY, round_: int = 1) -> Pair:
    """Return the bye of one whom nobody was drawn for, or whose opponent `other` is not there.

    In a later `round_` of a bracket nobody was drawn for one because neither of two has gone on.
    """
    why = Reason(rule, "away", {"with": name_of(other)})
    if other == NOBODY:
        why = Reason(rule, "bye" if round_ == 1 else "neither", {})
    return Pair(0, number, NOBODY, why=(why,))


def round_of(field: Field, pairs: Iterable[Pair]) -> Drawn:
    """Return the round with its boards numbered, byes last; `opened` are pairs of those barred from each other."""
    found = sorted(pairs, key=lambda pair: pair.second == NOBODY)
    barred = {(one.number, other) for one in field.entrants for other in one.barred}
    barred |= {(b, a) for a, b in barred}
    opened = tuple((pair.first, pair.second) for pair in found if (pair.first, pair.second) in barred)
    return Drawn(field.round, tuple(pair._replace(board=at) for at, pair in enumerate(found, start=1)), opened=opened)
