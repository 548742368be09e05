"""Define entrants, results and tallies, the facts behind pairing and standings.

Points are counted in halves, so that no fraction is ever rounded: a win is 2, a draw 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

FIRST, SECOND = 0, 1
"""The sides of a table, in the order in which the scenario names them."""
# The numbers of entrants begin with 1.
NOBODY = 0
"""The opponent of an entrant without one."""
BYE = "bye"
PENDING = "pending"
UNPLAYED = frozenset({BYE, "half-bye", "rest", "absent", "late"})
"""The kinds of rounds without an opponent."""

Lots = Callable[[str], int]
"""The lot of a label, ``lot/e3-e7``, from 0 to 2**32 - 1: the same for the same label whenever it is asked."""


class Entrant(NamedTuple):
    """An entrant, a person or a team.

    `strength` is a rating, by which tied entrants are ranked; `barred` are the numbers of entrants that are never
    his opponents; `pace` is in hours between letters, `zone` in minutes east of Greenwich; `since` is the first
    round he may be paired in.
    """

    number: int
    strength: int = 1500
    team: str = ""
    barred: frozenset[int] = frozenset()
    pace: int = 24
    zone: int = 0
    since: int = 1


class TableResult(NamedTuple):
    """A table, or a round without one (`second` is NOBODY, `how` one of UNPLAYED).

    `first` had the scenario's first side. `halves` are the half points of each, `margin` the lead of `first`.
    `how`: ``played``, ``forfeit``, ``adjudicated``, ``pending`` (halves are 0), or one of UNPLAYED.
    Mirrored tables are two results of one round and board.
    """

    round: int
    board: int
    first: int
    second: int = NOBODY
    halves: tuple[int, int] = (0, 0)
    margin: int = 0
    how: str = "played"


def entrant_label(number: int) -> str:
    """Return an entrant's name in labels and letters: ``e3``."""
    return f"e{number}"


# Tallies of results for each entrant: points, opponents, sides and floats.


DOWN, UP = "down", "up"
"""Floats: the opponent has fewer points, or more."""


class PairingRecord(NamedTuple):
    """A round of one entrant: tables against one opponent, or none (NOBODY).

    `sides` are those the entrant had, two where tables were mirrored; `drift` is the float: DOWN, UP or empty.
    """

    round: int
    opponent: int
    halves: int
    against: int
    margin: int
    sides: tuple[int, ...]
    how: str
    drift: str


class EntrantRecord(NamedTuple):
    """All rounds of an entrant in order; `start` are half points given at entry."""

    number: int
    start: int
    meetings: tuple[PairingRecord, ...]

    @property
    def halves(self) -> int:
        """Return his points, in halves."""
        return self.start + sum(record.halves for record in self.meetings)

    @property
    def opponents(self) -> tuple[int, ...]:
        """Return his opponents, one for each meeting."""
        return tuple(record.opponent for record in self.meetings if record.opponent != NOBODY)

    @property
    def margin(self) -> int:
        """Return his lead summed over all his tables."""
        return sum(record.margin for record in self.meetings)

    @property
    def wins(self) -> int:
        """Return the rounds in which he had more than his opponent."""
        return sum(record.opponent != NOBODY and record.halves > record.against for record in self.meetings)

    @property
    def byes(self) -> int:
        """Return the number of his byes."""
        return sum(record.how == BYE for record in self.meetings)

    @property
    def side_due(self) -> int:
        """E5.1 Return how many more tables he had on the second side than on the first.

        A positive number means that the first side is due to him.
        """
        sides = [side for record in self.meetings for side in record.sides]
        return sides.count(SECOND) - sides.count(FIRST)

    @property
    def order(self) -> tuple[int, ...]:
        """Return his sides in rounds in which he had only one, the last round first."""
        return tuple(record.sides[0] for record in reversed(self.meetings) if len(record.sides) == 1)


def entrant_records(
    entrants: Iterable[Entrant], results: Iterable[TableResult], start: Mapping[int, int] | None = None
) -> dict[int, EntrantRecord]:
    """Add up results by round; `start` are half points that entrants bring along."""
    start_halves = start or {}
    records: dict[int, list[PairingRecord]] = {entrant.number: [] for entrant in entrants}
    points = {number: start_halves.get(number, 0) for number in records}
    # `groupby` needs rounds, and tables of a board, one behind another; points before a round come of earlier ones.
    ordered = sorted(results, key=attrgetter("round", "board", "first"))
    for _, round_results in groupby(ordered, key=attrgetter("round")):
        points_before = dict(points)
        for _, tables in groupby(
            round_results, key=lambda table: (table.board, frozenset((table.first, table.second)))
        ):
            for number, record in _board_records(list(tables), points_before):
                if number in records:
                    records[number].append(record)
                    points[number] += record.halves
    return {
        number: EntrantRecord(number, start_halves.get(number, 0), tuple(entrant_records))
        for number, entrant_records in records.items()
    }


def _board_records(
    tables: Sequence[TableResult], points_before: Mapping[int, int]
) -> Iterable[tuple[int, PairingRecord]]:
    """Yield the tables of one board as records of its two entrants."""
    first_table = tables[0]
    for number, opponent in ((first_table.first, first_table.second), (first_table.second, first_table.first)):
        if number == NOBODY:
            continue
        seats = [FIRST if table.first == number else SECOND for table in tables]
        halves = sum(table.halves[seat] for table, seat in zip(tables, seats, strict=True))
        against = sum(table.halves[1 - seat] for table, seat in zip(tables, seats, strict=True))
        margin = sum(-table.margin if seat else table.margin for table, seat in zip(tables, seats, strict=True))
        difference = points_before.get(number, 0) - points_before.get(opponent, 0) if opponent != NOBODY else 0
        float_word = DOWN if difference > 0 else UP if difference < 0 else ""
        sides = () if opponent == NOBODY else tuple(seats)
        yield (
            number,
            PairingRecord(first_table.round, opponent, halves, against, margin, sides, first_table.how, float_word),
        )
