"""Play every bot against ``forward`` in each seat of each battle.

``python -m benchmarks.levels`` prints a table.

The result is a table of battles.

``--write`` puts the table into docs/balance.md in place of the one there. Shares are of the games that were decided.
``--keep FILE`` keeps every game and plays none that is there already, ``--slow`` is for bots that take seconds a game.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.balance import played_or_kept
from benchmarks.battles import Battle, Played
from pbem.engine.data.sums import share_with_interval

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "balance.md"
BEGIN, END = "<!-- levels -->", "<!-- end of levels -->"
YARDSTICK, PRACTICE = "forward", ("brigades", "drill", "training")
SLOW = ("marshal",)
"""Bots that play plans on."""
HEAD = ("battle", "bot", "first seat", "second seat", "both", "beyond `forward`", "CPU s, slowest phase")


class Bout(NamedTuple):
    """Games of a bot in one seat against ``forward``.

    It has the seat, its wins, the decided games, and its slowest phase.
    """

    seat: str
    won: int
    decided: int
    slowest: float


def battles(named: str = "") -> Iterator[tuple[Any, str]]:
    """Yield the named scenario, else all but exercises, each with its game."""
    for name in ("africa1860", "peninsular"):
        game = importlib.import_module(f"pbem.games.{name}").GAME
        for scenario in game.editions():
            if named == scenario or not (named or scenario in PRACTICE):
                yield game, scenario


def bout(seat: str, played: Sequence[Played]) -> Bout:
    """Return the result of games for a seat."""
    decided = [game for game in played if game.winner != "draw"]
    slowest = max((game.slowest.get(seat, 0.0) for game in played), default=0.0)
    return Bout(seat, sum(game.winner == seat for game in decided), len(decided), slowest)


def rows(battle: str, bouts: Mapping[str, Sequence[Bout]]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of a battle, a bot each with its bouts, the yardstick first."""
    first, *others = [YARDSTICK, *(bot for bot in bouts if bot != YARDSTICK)]
    # Without decided games a share is 0: nothing is divided by their number then.
    usual = [yardstick_bout.won / max(1, yardstick_bout.decided) for yardstick_bout in bouts[first]]
    for bot in (first, *others):
        seats = bouts[bot]
        beyond = [bout_.won / max(1, bout_.decided) - as_usual for bout_, as_usual in zip(seats, usual, strict=True)]
        both = _share(sum(bout_.won for bout_ in seats), sum(bout_.decided for bout_ in seats))
        yield (
            battle,
            f"`{bot}`",
            *(f"{bout_.seat} {_share(bout_.won, bout_.decided)}" for bout_ in seats),
            both if bot != YARDSTICK else "",
            ", ".join(f"{100 * more:+.0f}" for more in beyond) if bot != YARDSTICK else "",
            f"{max(bout_.slowest for bout_ in seats):.2f}",
        )


def _share(won: int, decided: int) -> str:
    interval = share_with_interval(won, decided)
    return f"{100 * interval.value:.0f} % of {decided} ({100 * interval.low:.0f} to {100 * interval.high:.0f})"


class Series(NamedTuple):
    """The games to play: numbers from `first`, counts, workers, and file.

    `games` are played of most bots, `slow` of slow ones; `keep` is where they are kept.
    """

    first: int
    games: int
    slow: int
    workers: int
    keep: Path | None = None

    def play(self, battle: Battle, bot: str) -> list[Played]:
        """Play the games, or take those that are kept."""
        count = self.slow if bot in SLOW else self.games
        return played_or_kept(battle, range(self.first, self.first + count), self.workers, self.keep)


def bouts_of(game: Any, scenario: str, bots: Sequence[str], series: Series) -> dict[str, list[Bout]]:
    """Play bots of a game against the yardstick, and it against itself.

    Without `bots` all play but the one that does anything.
    """
    seats = tuple(game.seats(game.start(game.edition(scenario, {}, {}))))
    bouts: dict[str, list[Bout]] = {}
    yardstick_games = series.play(Battle(game.name, scenario), YARDSTICK)
    bouts[YARDSTICK] = [bout(seat, yardstick_games) for seat in seats]
    for bot in (bot for bot in bots or game.bots if bot not in (YARDSTICK, "random")):
        bouts[bot] = [bout(seat, series.play(Battle(game.name, scenario, {seat: bot}), bot)) for seat in seats]
    return bouts


def with_table(text: str, lines: Sequence[str]) -> str:
    """Return a document with its table replaced; raise ValueError without a place."""
    before, begins, rest = text.partition(BEGIN)
    _, ends, after = rest.partition(END)
    if not (begins and ends):
        raise ValueError(f"nothing between {BEGIN} and {END}")
    return f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}"


def main() -> None:
    """Play, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.levels", description=__doc__)
    parser.add_argument("--games", type=int, default=200, metavar="N", help="games of a bot in a seat")
    parser.add_argument("--slow", type=int, default=0, metavar="N", help="of a slow bot in a seat, else as many")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep games there, and play none twice")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--scenario", default="", help="this alone")
    parser.add_argument("--bot", action="append", default=[], metavar="NAME", help="these alone")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="into docs/balance.md")
    wanted = parser.parse_args()
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    print("\n".join(lines))
    series = Series(wanted.first, wanted.games, wanted.slow or wanted.games, wanted.workers, wanted.keep)
    for game, scenario in battles(wanted.scenario):
        for cells in rows(scenario, bouts_of(game, scenario, wanted.bot, series)):
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    if wanted.write:
        DOCUMENT.write_text(with_table(DOCUMENT.read_text("utf-8"), lines), "utf-8")


if __name__ == "__main__":
    main()
