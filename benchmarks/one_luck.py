"""Measure how much duplicate dice change the results of games.

``python -m benchmarks.one_luck [--boards 200] [--percent 10]``

Each board is played at two tables by bots. Both tables have its dice; so many turns in a hundred are played at random,
otherwise at one table than at the other, so that plans part as those of people do. What is told is the share of the
variance of final margins that the board accounts for (the intraclass correlation of its two tables): 1 if the dice
alone decided, 0 if they told nothing. Beside it stands the same of tables that have dice of their own.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any, NamedTuple

from benchmarks.battles import lead_of, play_on


class Board(NamedTuple):
    """A board: its game, scenario, number, and percentage of random turns."""

    game: str
    scenario: str
    number: int
    percent: int


class Common(NamedTuple):
    """The share of the variance that is common to a board's tables, and its error.

    The error is the standard error.
    """

    share: float
    error: float


class _Wavering:
    """A game with a bot ``wavering``.

    It plays so many turns in a hundred at random, and the others as ``forward`` does.
    """

    def __init__(self, game: Any, percent: int) -> None:
        self._game = game
        self.bots = {**game.bots, "wavering": self._bot(percent)}

    def _bot(self, percent: int) -> Callable[..., str]:
        bots = self._game.bots

        def wavering(view: Any, seat: str, luck: Callable[[int], int]) -> str:
            return str(bots["random" if luck(100) < percent else "forward"](view, seat, luck))

        return wavering

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


def margin(board: Board, table: int, own: bool) -> int:
    """Return the first side's lead at a table's end, with shared or `own` dice."""
    game = _Wavering(importlib.import_module(f"pbem.games.{board.game}").GAME, board.percent)
    state = game.start(game.edition(board.scenario, {}, {}))
    bots = dict.fromkeys(game.seats(state), "wavering")
    dice = "" if own else f"board {board.number}"
    for _, done in play_on(game, state, bots, f"{board.number} {table}", {}, dice):
        state = done.state
    scores = {score.side: score.points for score in game.telling.stakes(state, next(iter(bots)), ()).scores}
    first, second = scores
    return lead_of(scores, (first, second))


def correlation(pairs: Sequence[tuple[int, int]]) -> Common:
    """Return the intraclass correlation of pairs, with its standard error.

    The source is R. A. Fisher, 1925. Raises ValueError below three pairs.
    """
    if len(pairs) < 3:
        raise ValueError("three boards at least")
    count = len(pairs)
    mean = sum(map(sum, pairs)) / (2 * count)
    between = 2 * sum(((a + b) / 2 - mean) ** 2 for a, b in pairs) / (count - 1)
    within = sum((a - b) ** 2 for a, b in pairs) / 2 / count
    value = (between - within) / (between + within) if between + within else 1.0
    return Common(value, (1 - value * value) / sqrt(count - 1))


def _pairs(task: tuple[Board, bool]) -> tuple[int, int]:
    board, own = task
    return margin(board, 1, own), margin(board, 2, own)


def play_boards(game: str, scenario: str, percent: int, boards: int, workers: int, own: bool = False) -> Common:
    """Play so many boards at two tables each; return what they have in common."""
    tasks = [(Board(game, scenario, number, percent), own) for number in range(boards)]
    with multiprocessing.Pool(workers) as pool:
        return correlation(pool.map(_pairs, tasks, chunksize=1))


def main() -> None:
    """Measure both games, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.one_luck", description=__doc__)
    parser.add_argument("--boards", type=int, default=200)
    parser.add_argument("--percent", type=int, nargs="+", default=[0, 10, 30])
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    for game, scenario in (("africa1860", "castillejos"), ("peninsular", "barrosa")):
        for percent in args.percent:
            result = play_boards(game, scenario, percent, args.boards, args.workers)
            print(
                f"{scenario}, {percent} turns of 100 at random, {args.boards} boards: "
                f"{result.share:.2f} +- {result.error:.2f} of the variance",
                flush=True,
            )
        result = play_boards(game, scenario, min(args.percent), args.boards, args.workers, own=True)
        print(f"{scenario}, dice of their own: {result.share:.2f} +- {result.error:.2f}", flush=True)


if __name__ == "__main__":
    main()
