"""E5.4 E5.5 Who sits at which table of a board: mirrored tables, and sides that are bid for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import FIRST, NOBODY, name_of
from pbem.tournaments.arithmetic.pairing.drawn import Pair, Reason


class Seating(NamedTuple):
    """A table of a board, ``a`` or ``b`` where it is mirrored, else ``""``; who has the first side, who the second."""

    letter: str
    first: int
    second: int


def seatings(pair: Pair, sides: str) -> tuple[Seating, ...]:
    """E5.4 Return the tables of a board; none for a bye. Mirrored, table ``b`` has the sides the other way round."""
    if pair.second == NOBODY:
        return ()
    if sides == "mirror":
        return Seating("a", pair.first, pair.second), Seating("b", pair.second, pair.first)
    return (Seating("", pair.first, pair.second),)


class Bid(NamedTuple):
    """What an entrant would pay to have a side, in points of the scenario."""

    by: int
    side: int
    amount: int


class Award(NamedTuple):
    """Sides after bids: who has them, who pays how much for his (NOBODY and 0 if nobody does), and why."""

    first: int
    second: int
    payer: int
    amount: int
    why: Reason


def award_sides(pair: Pair, bids: Sequence[Bid]) -> Award:
    """E5.5 Return who has which side: who bids more for it has it and pays; alike, `pair.first`, who was drawn first.

    Those who bid for different sides have them and pay nothing. Who alone bids has his side for nothing. Without bids
    the sides are as drawn. The last bid of each counts; bids of others than the two are left out.
    """
    last = {one.by: one for one in bids if one.by in (pair.first, pair.second)}
    mine, his = last.get(pair.first), last.get(pair.second)
    values = {name_of(one.by): one.amount for one in (mine, his) if one}
    if mine and his and mine.side == his.side:
        best = mine if mine.amount >= his.amount else his
        what = "alike" if mine.amount == his.amount else "bid"
        return _award(pair, best.by, best.side, (best.amount, Reason("E5.5", what, values)))
    if one := mine or his:
        why = Reason("E5.5", "other sides" if mine and his else "one bid", values)
        return _award(pair, one.by, one.side, (0, why))
    return Award(pair.first, pair.second, NOBODY, 0, Reason("E5.5", "no bid", values))


def _award(pair: Pair, by: int, side: int, price: tuple[int, Reason]) -> Award:
    other = pair.second if by == pair.first else pair.first
    amount, why = price
    first, second = (by, other) if side == FIRST else (other, by)
    return Award(first, second, by if amount else NOBODY, amount, why)
