"""Play a scenario by bots: one game or many, each following from its number.

Chance of the bots and dice alike follow from the number. Shares have the 95 % interval of Wilson (E. B.
Wilson, 1927), which stays within 0 and 1 for few games too.
"""

from __future__ import annotations

import hashlib
import importlib
import multiprocessing
import random
import signal
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.audit.dice import DiceStream
from pbem.engine.run.runners import Done, Paused, play
from pbem.engine.terms import Orders


class Played(NamedTuple):
    """A game: its winner (``draw`` if none), its phases, and CPU seconds.

    `dead` holds the steps that each side had lost by the end of each turn, empty in a game that does not count them;
    `slowest` the CPU seconds that each seat's bot took for the phase that took it longest; `ahead` says who would have
    won if the game had ended with each turn, `points` what each side had then, `cited` how often each rule was cited.
    `counted` tells what the points at the end are made of: side, kind, what, points, how much of it.
    """

    winner: str
    phases: int
    seconds: float
    dead: tuple[Mapping[str, int], ...] = ()
    slowest: Mapping[str, float] = MappingProxyType({})
    ahead: tuple[str, ...] = ()
    points: tuple[Mapping[str, int], ...] = ()
    cited: Mapping[str, int] = MappingProxyType({})
    counted: tuple[tuple[str, str, str, int, int], ...] = ()

    @property
    def settled_turn(self) -> int:
        """Return the turn from whose end on the winner leads for good; 0 for a draw."""
        others = [turn for turn, side in enumerate(self.ahead, 1) if side != self.winner]
        return 0 if self.winner == "draw" else max(others, default=0) + 1


def play_on(
    game: Any,
    state: Any,
    players: Mapping[str, str],
    number: int | str,
    slowest: dict[str, float],
    board: int | str = "",
) -> Iterator[tuple[tuple[str, int], Done[Any]]]:
    """Play a position on by the named bots; yield each phase with its result.

    `slowest` takes the CPU seconds that each seat's bot took for the phase that took it longest. Chance of the bots and
    dice follow from `number`, the dice from `board` instead where there is one: all its tables have one luck.
    """
    luck = random.Random(number)
    standing: dict[str, tuple[Any, ...]] = {}
    while (phase := game.phase(state)) is not None:
        orders: dict[str, Orders] = {}
        for seat in game.seats(state):
            view = game.view(state, seat)
            thought = time.process_time()
            text = game.bots[players[seat]](view, seat, luck.randrange)
            slowest[seat] = max(slowest.get(seat, 0.0), time.process_time() - thought)
            read = game.parse(text, view, seat)
            ordered = game.aids.in_order(read.orders)
            refused = read.rejected or game.check(view, seat, ordered)
            if refused:
                raise ValueError(f"game {number}, {phase}: a bot's line is refused: {refused[0]}")
            standing[seat] = read.orders.standing or standing.get(seat, ())
            orders[seat] = Orders(ordered.actions, standing[seat])
        dice = DiceStream(hashlib.sha512(f"{board or number} {phase}".encode()).digest())
        done = play(game.rules, game.world(state, orders), dice, game.decisions(state, orders, {}))
        if isinstance(done, Paused):
            raise ValueError(f"game {number}, {phase}: nobody answers {done.windows}")
        state = done.state
        yield phase, done


def play_out(
    name: str, scenario: str, players: Mapping[str, str], number: int, options: Mapping[str, str] | None = None
) -> Played:
    """Play a game to its end by the named bots, by default ``forward``."""
    game: Any = importlib.import_module(f"pbem.games.{name}").GAME
    began, phases, winner = time.process_time(), 0, ""
    dead: dict[int, Mapping[str, int]] = {}
    slowest: dict[str, float] = {}
    ahead: dict[int, str] = {}
    points: dict[int, Mapping[str, int]] = {}
    cited: Counter[str] = Counter()
    state = game.start(game.edition(scenario, options or {}, {}))
    bots = {seat: players.get(seat, "forward") for seat in game.seats(state)}
    for phase, done in play_on(game, state, bots, number, slowest):
        winner = next((event.data["winner"] for event in done.events if event.kind == "game over"), winner)
        phases += 1
        if hasattr(done.state, "dead"):
            dead[phase[1]] = dict(done.state.dead)
        stakes = game.telling.stakes(done.state, next(iter(bots)), ())
        ahead[phase[1]] = stakes.leader
        points[phase[1]] = {score.side: score.points for score in stakes.scores}
        cited.update(event.cite for event in done.events)
    seconds = time.process_time() - began
    by_turn = tuple(dead.values()), slowest, tuple(ahead.values()), tuple(points.values())
    counted = tuple(
        (counted_points.side, counted_points.kind, counted_points.what, counted_points.points, counted_points.amount)
        for counted_points in stakes.counted
    )
    return Played(winner, phases, seconds, *by_turn, dict(cited), counted)


def lead_of(points: Mapping[str, int], sides: tuple[str, str]) -> int:
    """Return the lead of the first of two sides over the second."""
    return points[sides[0]] - points[sides[1]]


def longest(name: str) -> str:
    """Return the scenario of a game that has most turns."""
    game: Any = importlib.import_module(f"pbem.games.{name}").GAME
    return str(max(game.editions(), key=lambda ident: (game.edition(ident, {}, {}).scenario["turns"], ident)))


class Key(NamedTuple):
    """The common properties of games of one kind; `edition` is its hash."""

    game: str
    scenario: str
    edition: str
    players: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...] = ()


class Battle(NamedTuple):
    """A scenario played again and again, by its bots and options."""

    game: str
    scenario: str
    players: Mapping[str, str] = MappingProxyType({})
    options: Mapping[str, str] = MappingProxyType({})

    @property
    def key(self) -> Key:
        """Return the common properties of its games, as things are now."""
        edition = importlib.import_module(f"pbem.games.{self.game}").GAME.edition(self.scenario, self.options, {})
        players, options = (tuple(sorted(pairs.items())) for pairs in (self.players, self.options))
        return Key(self.game, self.scenario, edition.digest, players, options)

    def each(self, numbers: Iterable[int], workers: int) -> Iterator[tuple[int, Played]]:
        """Play the games of these numbers; yield each with its number as it is done."""
        # A worker must end by SIGTERM even if its parent handles that signal itself.
        with multiprocessing.Pool(workers, signal.signal, (signal.SIGTERM, signal.SIG_DFL)) as pool:
            yield from pool.imap_unordered(_one, [(*self._plain(), number) for number in numbers])

    def play(self, numbers: Iterable[int], workers: int) -> list[Played]:
        """Play the games of these numbers and return them in their order."""
        return [game for _, game in sorted(self.each(numbers, workers), key=lambda numbered: numbered[0])]

    def _plain(self) -> tuple[str, str, dict[str, str], dict[str, str]]:
        return self.game, self.scenario, dict(self.players), dict(self.options)


def _one(task: tuple[str, str, Mapping[str, str], Mapping[str, str], int]) -> tuple[int, Played]:
    name, scenario, players, options, number = task
    return number, play_out(name, scenario, players, number, options)
