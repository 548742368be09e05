"""Rank entrants by tie-break criteria; make the table and the crosstable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import (
    NOBODY,
    PENDING,
    Entrant,
    EntrantRecord,
    Lots,
    PairingRecord,
    TableResult,
    entrant_label,
    entrant_records,
)

# E7 Tie-break criteria, each a whole number of which more is better.
#
# Points are halves; Sonneborn's sums are quarters of a point, for halves are multiplied by halves. A round
# without an opponent counts for points alone.


NO_VALUES: Mapping[str, Mapping[int, int]] = MappingProxyType({})


class TieBreakInput(NamedTuple):
    """The input of criteria: all rounds, lots, and values counted elsewhere.

    `given` maps criteria to values by entrant: ``reached``, ``survived``, ``place`` and ``division`` of a stage's
    format (the last two are negative, since a higher value is better), and ``luck``, the margin without luck
    (E7.11).
    """

    tallies: Mapping[int, EntrantRecord]
    lots: Lots
    given: Mapping[str, Mapping[int, int]] = NO_VALUES


Values = Mapping[int, int]


class Criterion(NamedTuple):
    """A tie-break criterion: its rule, and its values for tied entrants.

    There are no values if it does not apply to them.
    """

    rule: str
    values: Callable[[TieBreakInput, Sequence[int]], Values]


def tie_lot_label(number: int) -> str:
    """Return the label of the lot that breaks a last tie; the higher lot is ahead."""
    return f"tie/{entrant_label(number)}"


def tie_break_parts(ground: TieBreakInput, number: int, name: str) -> list[tuple[int, int]]:
    """Return what each opponent adds to a sum: his number and his part.

    Empty if the criterion is not a sum over opponents.
    """
    count = _SUMS.get(name)
    return count(ground, number) if count else []


def _played_records(tally: EntrantRecord) -> list[PairingRecord]:
    return [record for record in tally.meetings if record.opponent != NOBODY and record.how != PENDING]


def _opponents(ground: TieBreakInput, number: int) -> list[tuple[int, int]]:
    """E7.2 Return all opponents with their points."""
    records = _played_records(ground.tallies[number])
    return [(row.opponent, ground.tallies[row.opponent].halves) for row in records if row.opponent in ground.tallies]


def _median(ground: TieBreakInput, number: int) -> list[tuple[int, int]]:
    """E7.7 Return the opponents' points without the best and the worst.

    Nothing is left of one or two opponents.
    """
    return _cut(_opponents(ground, number), 1, 1)


def _cut_one(ground: TieBreakInput, number: int) -> list[tuple[int, int]]:
    """E7.8 Return the opponents' points without the worst."""
    return _cut(_opponents(ground, number), 1, 0)


def _cut(parts: list[tuple[int, int]], low: int, high: int) -> list[tuple[int, int]]:
    """Drop so many of the lowest and highest parts; of equal ones, the earlier round."""
    order = sorted(range(len(parts)), key=lambda index: parts[index][1])
    kept = sorted(order[low : max(low, len(order) - high)])
    return [parts[index] for index in kept]


def _sonneborn(ground: TieBreakInput, number: int) -> list[tuple[int, int]]:
    """E7.4 Return the points of each opponent times the score against him."""
    records = _played_records(ground.tallies[number])
    counted = [record for record in records if record.opponent in ground.tallies]
    return [(record.opponent, record.halves * ground.tallies[record.opponent].halves) for record in counted]


_SUMS: Mapping[str, Callable[[TieBreakInput, int], list[tuple[int, int]]]] = MappingProxyType(
    {"buchholz": _opponents, "median": _median, "cut": _cut_one, "sonneborn": _sonneborn}
)


def _points(ground: TieBreakInput, level: Sequence[int]) -> Values:
    return {number: ground.tallies[number].halves for number in level}


def _sum_of(name: str) -> Callable[[TieBreakInput, Sequence[int]], Values]:
    return lambda ground, level: {number: sum(part for _, part in _SUMS[name](ground, number)) for number in level}


def _direct(ground: TieBreakInput, level: Sequence[int]) -> Values:
    """E7.3 Return the half points among the tied entrants.

    Empty unless each of them met all the others.
    """
    values = {}
    for number in level:
        mutual = [record for record in _played_records(ground.tallies[number]) if record.opponent in level]
        if len({record.opponent for record in mutual}) != len(level) - 1:
            return {}
        values[number] = sum(record.halves for record in mutual)
    return values


def _margin(ground: TieBreakInput, level: Sequence[int]) -> Values:
    return {number: ground.tallies[number].margin for number in level}


def _wins(ground: TieBreakInput, level: Sequence[int]) -> Values:
    return {number: ground.tallies[number].wins for number in level}


def _progress(ground: TieBreakInput, level: Sequence[int]) -> Values:
    """E7.10 Return the sum of the points after each round; early points count more."""
    values = {}
    for number in level:
        tally, sum_, running = ground.tallies[number], 0, ground.tallies[number].start
        for record in tally.meetings:
            running += record.halves
            sum_ += running
        values[number] = sum_
    return values


def _given_values(name: str) -> Callable[[TieBreakInput, Sequence[int]], Values]:
    """Return the criterion of values counted elsewhere.

    It does not apply if one of the tied entrants has no such value.
    """

    def values(ground: TieBreakInput, level: Sequence[int]) -> Values:
        counted = ground.given.get(name, {})
        return {number: counted[number] for number in level} if all(member in counted for member in level) else {}

    return values


def _lot(ground: TieBreakInput, level: Sequence[int]) -> Values:
    return {number: ground.lots(tie_lot_label(number)) for number in level}


CRITERIA: Mapping[str, Criterion] = MappingProxyType(
    {
        "points": Criterion("E7.1", _points),
        "buchholz": Criterion("E7.2", _sum_of("buchholz")),
        "direct": Criterion("E7.3", _direct),
        "sonneborn": Criterion("E7.4", _sum_of("sonneborn")),
        "margin": Criterion("E7.5", _margin),
        "lot": Criterion("E7.6", _lot),
        "median": Criterion("E7.7", _sum_of("median")),
        "cut": Criterion("E7.8", _sum_of("cut")),
        "wins": Criterion("E7.9", _wins),
        "progress": Criterion("E7.10", _progress),
        "luck": Criterion("E7.11", _given_values("luck")),
        "reached": Criterion("E3.3", _given_values("reached")),
        "third": Criterion("E3.14", _given_values("third")),
        "survived": Criterion("E3.4", _given_values("survived")),
        "place": Criterion("E3.6", _given_values("place")),
        "division": Criterion("E3.7", _given_values("division")),
    }
)
"""The criteria by their names in the rules."""


# E7 The table: criteria in turn, each only among entrants still tied.


class RankingInput(NamedTuple):
    """The input of a ranking: entrants, results, start points and criteria.

    `given` are values of criteria that are counted elsewhere (`TieBreakInput`).
    """

    entrants: Sequence[Entrant]
    results: Sequence[TableResult]
    order: Sequence[str]
    start: Mapping[int, int] | None = None
    given: Mapping[str, Mapping[int, int]] = NO_VALUES


class StandingsRow(NamedTuple):
    """A line of the table: rank, entrant and values.

    `rank` counts from 1 and is shared by those who stay tied; `values` are the values of the criteria that were
    used.
    """

    rank: int
    number: int
    values: Mapping[str, int]
    tally: EntrantRecord


class StandingsTable(NamedTuple):
    """The table from the top, and the input that it was computed from."""

    rows: tuple[StandingsRow, ...]
    ground: TieBreakInput
    order: tuple[str, ...]

    def row_of(self, number: int) -> StandingsRow:
        """Return an entrant's line; raise KeyError if he is not in it."""
        for row in self.rows:
            if row.number == number:
                return row
        raise KeyError(number)


def rank_entrants(ranking_input: RankingInput, lots: Lots) -> StandingsTable:
    """Rank the entrants; tied ones share a rank, in the order of their numbers."""
    ground = TieBreakInput(
        entrant_records(ranking_input.entrants, ranking_input.results, ranking_input.start), lots, ranking_input.given
    )
    values: dict[int, dict[str, int]] = {entrant.number: {} for entrant in ranking_input.entrants}
    groups = _split_ties(ground, sorted(values), tuple(ranking_input.order), values)
    rows: list[StandingsRow] = []
    for group in groups:
        rank = len(rows) + 1
        rows += [StandingsRow(rank, number, values[number], ground.tallies[number]) for number in group]
    return StandingsTable(tuple(rows), ground, tuple(ranking_input.order))


def _split_ties(
    ground: TieBreakInput, level: list[int], order: tuple[str, ...], values: dict[int, dict[str, int]]
) -> list[list[int]]:
    """Split tied entrants by the remaining criteria, and store the values used."""
    if len(level) < 2 and "points" not in order:
        return [level] if level else []
    if not order:
        return [level]
    found_values = CRITERIA[order[0]].values(ground, level)
    if not found_values:
        return _split_ties(ground, level, order[1:], values)
    for number, value in found_values.items():
        values[number][order[0]] = value
    # Those who stay tied are listed by their numbers.
    level = sorted(level, key=lambda number: (-found_values[number], number))
    groups = [list(members) for _, members in groupby(level, key=found_values.__getitem__)]
    return [part for group in groups for part in _split_ties(ground, group, order[1:], values)]


# The crosstable: a line for each entrant by rank, a cell for each round.


class CrosstableCell(NamedTuple):
    """A round of one entrant in the crosstable.

    `line` is the line of the opponent (0: nobody), `sides` are the sides that the entrant had.
    """

    round: int
    opponent: int
    line: int
    halves: int
    sides: tuple[int, ...]
    how: str


class CrosstableRow(NamedTuple):
    """A line of the crosstable: line from 1, rank, entrant, half points, cells.

    A cell is None for a round that he missed.
    """

    line: int
    rank: int
    number: int
    halves: int
    cells: tuple[CrosstableCell | None, ...]


def crosstable(table: StandingsTable) -> tuple[CrosstableRow, ...]:
    """Return the lines of the crosstable, with a cell for each round played."""
    lines = {row.number: line for line, row in enumerate(table.rows, start=1)}
    last = max((record.round for row in table.rows for record in row.tally.meetings), default=0)
    cross_rows = []
    for row in table.rows:
        cells: dict[int, CrosstableCell] = {}
        for record in row.tally.meetings:
            line = lines.get(record.opponent, 0) if record.opponent != NOBODY else 0
            cells[record.round] = CrosstableCell(
                record.round, record.opponent, line, record.halves, record.sides, record.how
            )
        rounds = tuple(cells.get(number) for number in range(1, last + 1))
        cross_rows.append(CrosstableRow(lines[row.number], row.rank, row.number, row.tally.halves, rounds))
    return tuple(cross_rows)


# The reasons of a rank, as data for a letter.
#
# ::
#
#     3. Ana (e3), 2.5 points: e9 won, e7 lost, e12 won, rested 0.5
#        ahead of Luis (e4): Buchholz 9.5 (e7 3, e9 2.5, e12 4) against 9 [E7.2]


class TieBreakComparison(NamedTuple):
    """The difference between two neighbours: rule, criterion, values and parts.

    `level` names the earlier criteria, which were equal or did not apply; `rule` is empty if nothing breaks the
    tie. `parts` add up to the value of the first neighbour.
    """

    other: int
    rule: str
    criterion: str
    mine: int
    his: int
    parts: tuple[tuple[int, int], ...]
    level: tuple[str, ...]


class RankReasons(NamedTuple):
    """The reasons of a rank: rounds in order, tie-breaks against both neighbours."""

    rank: int
    number: int
    halves: int
    start: int
    meetings: tuple[PairingRecord, ...]
    ahead: TieBreakComparison | None
    behind: TieBreakComparison | None


def explain_rank(table: StandingsTable, number: int) -> RankReasons:
    """E7 Explain an entrant's rank; raise KeyError if he is not in the table."""
    row = table.row_of(number)
    index = table.rows.index(row)
    behind_tie = _find_tie_break(table, row, table.rows[index + 1]) if index + 1 < len(table.rows) else None
    ahead_tie = _find_tie_break(table, row, table.rows[index - 1]) if index else None
    return RankReasons(row.rank, number, row.tally.halves, row.tally.start, row.tally.meetings, behind_tie, ahead_tie)


def _find_tie_break(table: StandingsTable, row: StandingsRow, other: StandingsRow) -> TieBreakComparison:
    """Return the first criterion that separates two rows."""
    level: list[str] = []
    for name in table.order:
        if name in row.values and name in other.values and row.values[name] != other.values[name]:
            parts = tuple(tie_break_parts(table.ground, row.number, name))
            values = row.values[name], other.values[name]
            return TieBreakComparison(other.number, CRITERIA[name].rule, name, *values, parts, tuple(level))
        level.append(name)
    return TieBreakComparison(other.number, "", "", 0, 0, (), tuple(level))
