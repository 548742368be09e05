"""Boards of a round that is no Swiss one: who is there, sides, numbers, and pairs that should not have been."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest

from pbem.tournaments.arithmetic.entrants import FIRST, NOBODY, SECOND, Lots, Tally, name_of
from pbem.tournaments.arithmetic.pairing.drawn import Drawn, Field, Pair, Reason

# E5 Which side one gets: the one that is owed, else the other than last time, else a lot decides.


def side_label(a: int, b: int) -> str:
    """Return the label of the lot that decides a pair's sides: even, and the lower number has the first."""
    return f"side/{name_of(min(a, b))}-{name_of(max(a, b))}"


def sides_of(a: Tally, b: Tally, manner: str, lots: Lots) -> tuple[tuple[int, int], Reason]:
    """Return who has the first side and who the second, with the reason.

    `manner`: ``balanced`` and ``duplicate`` look at what was; with all others a lot decides (E5.3).
    """
    if manner in ("balanced", "duplicate"):
        if a.owed != b.owed:
            first, second = (a, b) if a.owed > b.owed else (b, a)
            owed = {name_of(first.number): first.owed, name_of(second.number): second.owed}
            return (first.number, second.number), Reason("E5.1", "owed", owed)
        for back, (mine, his) in enumerate(zip_longest(a.order, b.order), start=1):
            if mine != his and None not in (mine, his):
                first, second = (a, b) if mine == SECOND else (b, a)
                sides = {name_of(first.number): SECOND, name_of(second.number): FIRST, "back": back}
                return (first.number, second.number), Reason("E5.2", "alternate", sides)
    low, high = sorted((a.number, b.number))
    lot = lots(side_label(low, high))
    pair = (high, low) if lot % 2 else (low, high)
    return pair, Reason("E5.3", manner if manner in ("mirror", "bid") else "lot", {side_label(low, high): lot})


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
