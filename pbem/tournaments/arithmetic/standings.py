"""Who stands where and why: criteria as data, the table, crosstables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import (
    NOBODY,
    PENDING,
    Entrant,
    Lots,
    Meeting,
    Result,
    Tally,
    name_of,
    tallies,
)

# E7 What parts those level on points, each a whole number of which more is better.
#
# Points are halves; Sonneborn's sums are quarters of a point, for halves are multiplied by halves. Who passes a round
# without an opponent has nothing from it but its points.


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


# E7 The table: criteria one after another, each only among those whom all before it left level.


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


# The crosstable: a line for each entrant by rank, a cell for each round.


class Cell(NamedTuple):
    """A round of one: against whom and at which line he stands (0: nobody), halves, sides that he had, and how."""

    round: int
    opponent: int
    line: int
    halves: int
    sides: tuple[int, ...]
    how: str


class CrossRow(NamedTuple):
    """A line: where it stands from 1, the rank, the entrant, halves in all, a cell a round (None: not there)."""

    line: int
    rank: int
    number: int
    halves: int
    cells: tuple[Cell | None, ...]


def crosstable(table: Table) -> tuple[CrossRow, ...]:
    """Return the lines of the crosstable, as many cells in each as rounds were played."""
    lines = {row.number: line for line, row in enumerate(table.rows, start=1)}
    last = max((one.round for row in table.rows for one in row.tally.meetings), default=0)
    found = []
    for row in table.rows:
        cells: dict[int, Cell] = {}
        for one in row.tally.meetings:
            line = lines.get(one.opponent, 0) if one.opponent != NOBODY else 0
            cells[one.round] = Cell(one.round, one.opponent, line, one.halves, one.sides, one.how)
        rounds = tuple(cells.get(number) for number in range(1, last + 1))
        found.append(CrossRow(lines[row.number], row.rank, row.number, row.tally.halves, rounds))
    return tuple(found)


# Why somebody stands where he stands, as data for the letter that says it.
#
# ::
#
#     3. Ana (e3), 2.5 points: e9 won, e7 lost, e12 won, rested 0.5
#        ahead of Luis (e4): Buchholz 9.5 (e7 3, e9 2.5, e12 4) against 9 [E7.2]


class Parted(NamedTuple):
    """What parts two neighbours: the rule, the criterion, both values, and what the first's adds up from.

    `level` names the criteria before it that said nothing or the same; `rule` is empty if nothing parts them.
    """

    other: int
    rule: str
    criterion: str
    mine: int
    his: int
    parts: tuple[tuple[int, int], ...]
    level: tuple[str, ...]


class Why(NamedTuple):
    """A rank explained: rounds in order, what puts him before the next and what behind the one before."""

    rank: int
    number: int
    halves: int
    start: int
    meetings: tuple[Meeting, ...]
    ahead: Parted | None
    behind: Parted | None


def why_rank(table: Table, number: int) -> Why:
    """E7 Explain an entrant's rank; KeyError if he is not in the table."""
    row = table.row_of(number)
    at = table.rows.index(row)
    after = _parted_by(table, row, table.rows[at + 1]) if at + 1 < len(table.rows) else None
    before = _parted_by(table, row, table.rows[at - 1]) if at else None
    return Why(row.rank, number, row.tally.halves, row.tally.start, row.tally.meetings, after, before)


def _parted_by(table: Table, mine: Row, his: Row) -> Parted:
    """The first criterion that has them differ."""
    level: list[str] = []
    for name in table.order:
        if name in mine.values and name in his.values and mine.values[name] != his.values[name]:
            parts = tuple(parts_of(table.ground, mine.number, name))
            values = mine.values[name], his.values[name]
            return Parted(his.number, CRITERIA[name].rule, name, *values, parts, tuple(level))
        level.append(name)
    return Parted(his.number, "", "", 0, 0, (), tuple(level))
