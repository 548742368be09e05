"""Our side of the workloads, each a process of its own: ``python -m benchmarks.ours WORKLOAD SECONDS``."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, NamedTuple, cast

from benchmarks.measure import Workload, main, spend
from pbem.audit.dice import Stream
from pbem.campaign.adjudication import Closed, resolve
from pbem.core.canon import dumps
from pbem.core.game import Game, Orders, Phase
from pbem.core.runners import Done, play
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.bots import BOTS
from pbem.games.africa1860.presets import PRESETS
from pbem.games.africa1860.roster import read_unit
from pbem.games.africa1860.state import State

__all__ = ["WORKLOADS", "Letter", "Played", "adjudicated", "letter", "played", "replay"]

HERE = Path(__file__).parent
GAMES = HERE / "games"
KEY = bytes(range(32))
PLAYERS = {"spain": ("forward", "balanced"), "morocco": ("random", "aggressive")}
"""The bot of each seat, and the ready-made standing orders it keeps all game."""


class Unfit(Exception):
    """A workload that is not what it says it is."""


class Letter(NamedTuple):
    """A letter of a position: its text, the orders it was understood as, the number of its order lines."""

    state: State
    text: str
    orders: Orders
    lines: int


def letter(name: str) -> Letter:
    """Read a position and a letter of the Spanish for it: the units, a blank line, the orders."""
    units, _, text = (GAMES / f"{name}.txt").read_text("utf-8").partition("\n\n")
    roster = {unit.id: unit for unit in map(read_unit, units.splitlines())}
    state = GAME.start(GAME.edition("castillejos", {}, {})).change(turn=8, units=roster)
    reading = GAME.parse(text, state, "spain")
    refused = (*reading.rejected, *GAME.check(state, "spain", reading.orders))
    if refused:
        raise Unfit(f"{name}: {refused[0]}")
    orders = [line for line in text.splitlines() if line.split()[0] not in ("IF", "ELSE", "ENDIF")]
    return Letter(state, text, reading.orders, len(orders))


def adjudicated(name: str) -> Workload:
    """W3 A phase: position and orders in, events and position out, the dice derived from 64 bytes by label."""
    state, _, orders, _ = letter(name)
    given = {"spain": orders}
    count = 0

    def phase() -> int:
        nonlocal count
        count += 1
        dice = Stream(count.to_bytes(64, "big"))
        done = play(GAME.rules, GAME.world(state, given), dice, GAME.decisions(state, given, {}))
        if not isinstance(done, Done):
            raise Unfit(f"{name} waits for an answer")
        return 1

    return lambda budget: spend(budget, phase)


def validated() -> Workload:
    """W2 Lines of a letter read and held against the position."""
    state, text, _, lines = letter("battle")

    def check() -> int:
        reading = GAME.parse(text, state, "spain")
        if reading.rejected or GAME.check(state, "spain", reading.orders):
            raise Unfit("the letter is refused")
        return lines

    return lambda budget: spend(budget, check)


class Played(NamedTuple):
    """A phase of a game as it is stored: the closed orders by seat, and the events as their bytes."""

    phase: Phase
    closed: dict[str, Closed]
    events: tuple[str, ...]


def played(seed: int) -> list[Played]:
    """Let two bots play all of Castillejos, each with standing orders, and return its phases."""
    edition = GAME.edition("castillejos", {}, {})
    state: Any = GAME.start(edition)
    luck = random.Random(seed)
    out: list[Played] = []
    while (now := GAME.phase(state)) is not None:
        name, turn = now
        closed: dict[str, Closed] = {}
        for seat, (bot, temper) in PLAYERS.items():
            view = GAME.view(state, seat)
            orders = BOTS[bot](view, seat, luck.randrange) if seat == name else ""
            closed[seat] = Closed(1, GAME.canon(GAME.parse(f"{orders}\n{PRESETS[temper]}", view, seat).orders))
        phase = Phase(turn, name)
        done = resolve(KEY, "bench", cast(Game, GAME), edition, state, phase, closed)
        out.append(Played(phase, closed, tuple(dumps(happened.to_json()) for happened in done.events)))
        state = GAME.decode(GAME.encode(done.states[-1]), edition)
    return out


def replay(game: list[Played]) -> None:
    """Resolve a whole game again from its order texts; every event must come out byte for byte."""
    edition = GAME.edition("castillejos", {}, {})
    state: Any = GAME.start(edition)
    for phase, closed, events in game:
        done = resolve(KEY, "bench", cast(Game, GAME), edition, state, phase, closed)
        if events != tuple(dumps(happened.to_json()) for happened in done.events):
            raise Unfit(f"{phase} came out otherwise")
        state = GAME.decode(GAME.encode(done.states[-1]), edition)


def whole_game() -> Workload:
    """W4 Games replayed from their stored letters, every event compared."""
    games = [played(seed) for seed in range(4)]

    def replays() -> int:
        for game in games:
            replay(game)
        return len(games)

    return lambda budget: spend(budget, replays)


WORKLOADS = {
    "lines": validated,
    "battle": lambda: adjudicated("battle"),
    "march": lambda: adjudicated("march"),
    "game": whole_game,
}

if __name__ == "__main__":
    main(WORKLOADS)
