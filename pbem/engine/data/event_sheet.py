"""A tournament as everybody may see it: how all stand, who met whom, and what came of each board. Pages are made of it.

It is plain data in one language, but for the sentences in it.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.data.messages import Msg


class BoardSheet(NamedTuple):
    """A board: who sat there, what each got (empty as long as nothing is decided), how it came, and its game.

    A match of teams stands as one above its boards.

    `second` is empty of who passed the round without an opponent, `game` where there was none.
    """

    first: str
    second: str
    score: str
    how: Msg | None
    game: str


class RoundSheet(NamedTuple):
    """A round by its number: how it stands, its boards, and as long as there are none the challenges for it."""

    number: int
    stands: Msg
    boards: tuple[BoardSheet, ...]
    challenges: tuple[Msg, ...] = ()


class StageSheet(NamedTuple):
    """A stage: its table and its crosstable as rows of cells, their heads first.

    `members` are rows of what the members of teams have made, none where everybody plays for himself.
    """

    number: int
    format: str
    standings: tuple[tuple[str, ...], ...]
    crosstable: tuple[tuple[str, ...], ...]
    members: tuple[tuple[str, ...], ...] = ()


class EventSheet(NamedTuple):
    """A tournament: its name and title, how it stands, prizes, stages and rounds, the newest of both first."""

    name: str
    title: str
    stands: Msg
    over: bool
    prizes: tuple[Msg, ...]
    stages: tuple[StageSheet, ...]
    rounds: tuple[RoundSheet, ...]
