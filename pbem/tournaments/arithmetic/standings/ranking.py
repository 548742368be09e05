"""E7 The table: criteria one after another, each only among those whom all before it left level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import Entrant, Lots, Result
from pbem.tournaments.arithmetic.standings.criteria import CRITERIA, NOTHING_GIVEN, Ground
from pbem.tournaments.arithmetic.tally import Tally, tallies


class Contest(NamedTuple):
    """What is ranked: entrants, results, halves that some bring along, and the names of the criteria in order.

    `given` are values of criteria that are counted elsewhere (`criteria.Ground`).
    """

    entrants: Sequence[Entrant]
    results: Sequence[Result]
    order: Sequence[str]
    start: Mapping[int, int] | None = None
    given: Mapping[str, Mapping[int, int]] = NOTHING_GIVEN


class Row(NamedTuple):
    """A line of the table: `rank` from 1, shared by those whom nothing parts; `values` of criteria that were asked."""

    rank: int
    number: int
    values: Mapping[str, int]
    tally: Tally


class Table(NamedTuple):
    """The table from the top, and what it was counted from."""

    rows: tuple[Row, ...]
    ground: Ground
    order: tuple[str, ...]

    def row_of(self, number: int) -> Row:
        """Return an entrant's line; KeyError if he is not in it."""
        for row in self.rows:
            if row.number == number:
                return row
        raise KeyError(number)


def standing(contest: Contest, lots: Lots) -> Table:
    """Rank the entrants; those whom nothing parts share a rank and stand in the order of their numbers."""
    ground = Ground(tallies(contest.entrants, contest.results, contest.start), lots, contest.given)
    values: dict[int, dict[str, int]] = {one.number: {} for one in contest.entrants}
    groups = _parted(ground, sorted(values), tuple(contest.order), values)
    rows: list[Row] = []
    for group in groups:
        rank = len(rows) + 1
        rows += [Row(rank, number, values[number], ground.tallies[number]) for number in group]
    return Table(tuple(rows), ground, tuple(contest.order))


def _parted(
    ground: Ground, level: list[int], order: tuple[str, ...], values: dict[int, dict[str, int]]
) -> list[list[int]]:
    """Those level, parted by what is left of the order; what was asked is written down for each."""
    if len(level) < 2 and "points" not in order:
        return [level] if level else []
    if not order:
        return [level]
    found = CRITERIA[order[0]].values(ground, level)
    if not found:
        return _parted(ground, level, order[1:], values)
    for number, value in found.items():
        values[number][order[0]] = value
    level = sorted(level, key=lambda number: (-found[number], number))
    groups = [list(some) for _, some in groupby(level, key=found.__getitem__)]
    return [one for some in groups for one in _parted(ground, some, order[1:], values)]
