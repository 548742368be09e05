"""E5 Which side one gets: the one that is owed, else the other than last time, else a lot decides."""

from __future__ import annotations

from itertools import zip_longest

from pbem.tournaments.arithmetic.entrants import FIRST, SECOND, Lots, name_of
from pbem.tournaments.arithmetic.pairing.drawn import Reason
from pbem.tournaments.arithmetic.tally import Tally


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
