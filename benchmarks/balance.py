"""``python -m benchmarks.balance``: a scenario played by bots again and again; who wins, how often, how fast.

Each game follows from its number: chance of the bots and dice alike. Shares are those of decided games, each with the
95 % interval of Wilson (E. B. Wilson, 1927), which stays within 0 and 1 for few games too.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.audit.dice import Stream
from pbem.core.game import Orders
from pbem.core.run.runners import Paused, play

__all__ = ["Battle", "Played", "Share", "longest", "play_out", "share"]

Z = 1.96


class Played(NamedTuple):
    """A game: who won (``draw`` or nobody else's name if none), its phases, the CPU seconds it took.

    `dead` holds the steps that each side had lost by the end of each turn, empty in a game that does not count them;
    `slowest` the CPU seconds that each seat's bot took for the phase that took it longest.
    """

    winner: str
    phases: int
    seconds: float
    dead: tuple[Mapping[str, int], ...] = ()
    slowest: Mapping[str, float] = MappingProxyType({})


class Share(NamedTuple):
    """A share of games and the ends of its interval."""

    value: float
    low: float
    high: float


def share(count: int, of: int) -> Share:
    """Return the share `count` / `of` with its interval; 0 to 1 if there was no game."""
    if not of:
        return Share(0.0, 0.0, 1.0)
    value, weight = count / of, Z * Z / of
    middle = (value + weight / 2) / (1 + weight)
    reach = sqrt(value * (1 - value) * weight + weight * weight / 4) / (1 + weight)
    return Share(value, middle - reach, middle + reach)


def play_out(
    name: str, scenario: str, players: Mapping[str, str], number: int, options: Mapping[str, str] | None = None
) -> Played:
    """Play a game to its end by the bots named for its seats (``forward`` where none is), under options of its own."""
    game: Any = importlib.import_module(f"pbem.games.{name}").GAME
    began, luck, phases, winner = time.process_time(), random.Random(number), 0, ""
    dead: dict[int, Mapping[str, int]] = {}
    slowest: dict[str, float] = {}
    state = game.start(game.edition(scenario, options or {}, {}))
    standing: dict[str, tuple[Any, ...]] = {}
    while (phase := game.phase(state)) is not None:
        orders: dict[str, Orders] = {}
        for seat in game.seats(state):
            view = game.view(state, seat)
            thought = time.process_time()
            text = game.bots[players.get(seat, "forward")](view, seat, luck.randrange)
            slowest[seat] = max(slowest.get(seat, 0.0), time.process_time() - thought)
            read = game.parse(text, view, seat)
            ordered = game.aids.in_order(read.orders)
            refused = read.rejected or game.check(view, seat, ordered)
            if refused:
                raise ValueError(f"game {number}, {phase}: a bot's line is refused: {refused[0]}")
            standing[seat] = read.orders.standing or standing.get(seat, ())
            orders[seat] = Orders(ordered.actions, standing[seat])
        dice = Stream(hashlib.sha512(f"{number} {phase}".encode()).digest())
        done = play(game.rules, game.world(state, orders), dice, game.decisions(state, orders, {}))
        if isinstance(done, Paused):
            raise ValueError(f"game {number}, {phase}: nobody answers {done.windows}")
        winner = next((event.data["winner"] for event in done.events if event.kind == "game over"), winner)
        state, phases = done.state, phases + 1
        if hasattr(state, "dead"):
            dead[phase[1]] = dict(state.dead)
    return Played(winner, phases, time.process_time() - began, tuple(dead.values()), slowest)


def longest(name: str) -> str:
    """Return the scenario of a game that has most turns."""
    game: Any = importlib.import_module(f"pbem.games.{name}").GAME
    return str(max(game.editions(), key=lambda ident: (game.edition(ident, {}, {}).scenario["turns"], ident)))


class Battle(NamedTuple):
    """A scenario played again and again: by which bots, under which options."""

    game: str
    scenario: str
    players: Mapping[str, str] = MappingProxyType({})
    options: Mapping[str, str] = MappingProxyType({})

    def played(self, numbers: Iterable[int], workers: int) -> list[Played]:
        """Play the games of these numbers."""
        with multiprocessing.Pool(workers) as pool:
            return pool.map(_one, [(*self._plain(), number) for number in numbers], chunksize=1)

    def _plain(self) -> tuple[str, str, dict[str, str], dict[str, str]]:
        return self.game, self.scenario, dict(self.players), dict(self.options)


def _one(task: tuple[str, str, Mapping[str, str], Mapping[str, str], int]) -> Played:
    name, scenario, players, options, number = task
    return play_out(name, scenario, players, number, options)


def table(played: Sequence[Played]) -> list[str]:
    """Return the figures, one a line."""
    won = Counter(game.winner for game in played)
    decided = len(played) - won["draw"]
    lines = [f"{len(played)} games, {decided} decided, {won.pop('draw', 0)} drawn"]
    for side, count in sorted(won.items()):
        found = share(count, decided)
        lines.append(f"  {side:10} {count:5}   {found.value:6.1%} of decided, {found.low:.1%} to {found.high:.1%}")
    phases = sorted(game.phases for game in played)
    seconds = sorted(game.seconds for game in played)
    lines.append(f"  phases a game {phases[0]} to {phases[-1]}")
    middle = seconds[len(seconds) // 2]
    lines.append(f"  CPU seconds a game {middle:.3f} (median), {seconds[-1]:.3f} (slowest)")
    return [*lines, *_losses(played)]


def _losses(played: Sequence[Played]) -> list[str]:
    """The steps lost by the end of each turn, on the average of the games that lasted so long."""
    lines = []
    for turn in range(max(len(game.dead) for game in played)):
        there = [game.dead[turn] for game in played if turn < len(game.dead)]
        sides = sorted({side for dead in there for side in dead})
        means = (f"{side} {sum(dead.get(side, 0) for dead in there) / len(there):.1f}" for side in sides)
        lines.append(f"  steps lost by the end of turn {turn + 1}: {', '.join(means)}")
    return lines


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.balance", description=__doc__)
    parser.add_argument("--game", default="africa1860")
    parser.add_argument("--scenario", default="", help="the longest of the game where none is named")
    parser.add_argument("--games", type=int, default=200, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--bot", action="append", default=[], metavar="SEAT=NAME", help="forward where none is named")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the rules")
    parser.add_argument("--workers", type=int, default=2)
    wanted = parser.parse_args()
    scenario = wanted.scenario or longest(wanted.game)
    players, options = (dict(pair.split("=", 1) for pair in pairs) for pairs in (wanted.bot, wanted.option))
    numbers = range(wanted.first, wanted.first + wanted.games)
    print("\n".join(table(Battle(wanted.game, scenario, players, options).played(numbers, wanted.workers))))


if __name__ == "__main__":
    main()
