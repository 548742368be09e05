"""What results add up to for each entrant: points, whom he met, on which side, how often he floated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import BYE, FIRST, NOBODY, SECOND, Entrant, Result

DOWN, UP = "down", "up"
"""Floats: met somebody with fewer points, with more."""


class Meeting(NamedTuple):
    """A round of one entrant: tables against one opponent, or none (NOBODY).

    `sides` are those that he had, two where tables were mirrored; `drift` is DOWN, UP or empty.
    """

    round: int
    opponent: int
    halves: int
    against: int
    margin: int
    sides: tuple[int, ...]
    how: str
    drift: str


class Tally(NamedTuple):
    """All rounds of an entrant in order; `start` are halves he brought or was given for rounds before he came."""

    number: int
    start: int
    meetings: tuple[Meeting, ...]

    @property
    def halves(self) -> int:
        """His points, in halves."""
        return self.start + sum(one.halves for one in self.meetings)

    @property
    def met(self) -> tuple[int, ...]:
        """Whom he met, once for each time."""
        return tuple(one.opponent for one in self.meetings if one.opponent != NOBODY)

    @property
    def margin(self) -> int:
        """How far he was ahead at all his tables together."""
        return sum(one.margin for one in self.meetings)

    @property
    def wins(self) -> int:
        """Rounds in which he had more than his opponent."""
        return sum(one.opponent != NOBODY and one.halves > one.against for one in self.meetings)

    @property
    def byes(self) -> int:
        """How often nobody was left for him."""
        return sum(one.how == BYE for one in self.meetings)

    @property
    def owed(self) -> int:
        """E5.1 How often more he had the second side than the first: that often the first is owed to him."""
        sides = [side for one in self.meetings for side in one.sides]
        return sides.count(SECOND) - sides.count(FIRST)

    @property
    def order(self) -> tuple[int, ...]:
        """The sides that he had in rounds with one, the last first."""
        return tuple(one.sides[0] for one in reversed(self.meetings) if len(one.sides) == 1)


def tallies(
    entrants: Iterable[Entrant], results: Iterable[Result], start: Mapping[int, int] | None = None
) -> dict[int, Tally]:
    """Add up results in the order of rounds; `start` are halves that entrants bring along."""
    begun = start or {}
    found: dict[int, list[Meeting]] = {one.number: [] for one in entrants}
    points = {number: begun.get(number, 0) for number in found}
    ordered = sorted(results, key=attrgetter("round", "board", "first"))
    for _, played in groupby(ordered, key=attrgetter("round")):
        before = dict(points)
        for _, tables in groupby(played, key=lambda one: (one.board, frozenset((one.first, one.second)))):
            for number, meeting in _meetings(list(tables), before):
                if number in found:
                    found[number].append(meeting)
                    points[number] += meeting.halves
    return {number: Tally(number, begun.get(number, 0), tuple(some)) for number, some in found.items()}


def _meetings(tables: Sequence[Result], before: Mapping[int, int]) -> Iterable[tuple[int, Meeting]]:
    """What tables of one board are for each of the two at it."""
    one = tables[0]
    for number, other in ((one.first, one.second), (one.second, one.first)):
        if number == NOBODY:
            continue
        seats = [FIRST if table.first == number else SECOND for table in tables]
        halves = sum(table.halves[seat] for table, seat in zip(tables, seats, strict=True))
        against = sum(table.halves[1 - seat] for table, seat in zip(tables, seats, strict=True))
        margin = sum(-table.margin if seat else table.margin for table, seat in zip(tables, seats, strict=True))
        apart = before.get(number, 0) - before.get(other, 0) if other != NOBODY else 0
        drift = DOWN if apart > 0 else UP if apart < 0 else ""
        sides = () if other == NOBODY else tuple(seats)
        yield number, Meeting(one.round, other, halves, against, margin, sides, one.how, drift)
