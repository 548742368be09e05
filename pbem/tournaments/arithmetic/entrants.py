"""Who plays, and what became of the tables: all that pairing, standings and ratings know of a tournament.

Points are counted in halves, so that no fraction is ever rounded: a win is 2, a draw 1.
"""

from __future__ import annotations

from collections.abc import Callable
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
