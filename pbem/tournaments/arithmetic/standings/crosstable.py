"""The crosstable: a line for each entrant by rank, a cell for each round."""

from __future__ import annotations

from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import NOBODY
from pbem.tournaments.arithmetic.standings.ranking import Table


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
