"""Who plays, and what became of the tables: all that pairing, standings and ratings know of a tournament.

Points are counted in halves, so that no fraction is ever rounded: a win is 2, a draw 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

FIRST, SECOND = 0, 1
"""The sides of a table, in the order in which the scenario names them."""
NOBODY = 0
"""Stands for the opponent of who has none."""
BYE = "bye"
PENDING = "pending"
UNPLAYED = frozenset({BYE, "half-bye", "rest", "absent", "late"})
"""How a round passes without an opponent."""

Lots = Callable[[str], int]
"""The lot of a label, ``lot/e3-e7``, from 0 to 2**32 - 1: the same for the same label whenever it is asked."""


class Entrant(NamedTuple):
    """One who plays, a person or a team.

    `strength` is a rating, by which those level are ranked; `barred` are the numbers of those whom he never meets;
    `pace` hours between letters, `zone` minutes east of Greenwich; `since` the first round he may be paired in.
    """

    number: int
    strength: int = 1500
    team: str = ""
    barred: frozenset[int] = frozenset()
    pace: int = 24
    zone: int = 0
    since: int = 1


class Result(NamedTuple):
    """A table, or a round passed without one (`second` is NOBODY then, `how` one of UNPLAYED).

    `first` had the scenario's first side. `halves` are what counts for each, `margin` how far `first` was ahead.
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


def name_of(number: int) -> str:
    """Return how labels and letters call an entrant: ``e3``."""
    return f"e{number}"


# What results add up to for each entrant: points, whom he met, on which side, how often he floated.


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
