"""Why somebody stands where he stands, as data for the letter that says it.

::

    3. Ana (e3), 2.5 points: e9 won, e7 lost, e12 won, rested 0.5
       ahead of Luis (e4): Buchholz 9.5 (e7 3, e9 2.5, e12 4) against 9 [E7.2]
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.tournaments.arithmetic.standings.criteria import CRITERIA, parts_of
from pbem.tournaments.arithmetic.standings.ranking import Row, Table
from pbem.tournaments.arithmetic.tally import Meeting


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
