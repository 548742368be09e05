"""A tournament as everybody may see it: standings, pairings, results.

Pages are made of it. It is plain data in one language, except the sentences in it.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.data.messages import Msg


class BoardSheet(NamedTuple):
    """A board: players, score (empty until it is decided), how it was decided, game.

    A match of teams is one too, above its boards. `second` is empty for a bye, `game` if no game was played.
    """

    first: str
    second: str
    score: str
    how: Msg | None
    game: str


class RoundSheet(NamedTuple):
    """A round: number, state, boards and lines.

    The lines are challenges before it is drawn, and ties of several games after it.
    """

    number: int
    stands: Msg
    boards: tuple[BoardSheet, ...]
    lines: tuple[Msg, ...] = ()


class StageSheet(NamedTuple):
    """A stage: its table and its crosstable as rows of cells, headings first.

    `members` are rows of team members' results, empty in individual tournaments.
    """

    number: int
    format: str
    standings: tuple[tuple[str, ...], ...]
    crosstable: tuple[tuple[str, ...], ...]
    members: tuple[tuple[str, ...], ...] = ()


class TournamentSheet(NamedTuple):
    """A tournament: name, title, state, prizes, stages and rounds, newest first."""

    name: str
    title: str
    stands: Msg
    over: bool
    prizes: tuple[Msg, ...]
    stages: tuple[StageSheet, ...]
    rounds: tuple[RoundSheet, ...]
