"""Our side of the workloads, each a process of its own: ``python -m benchmarks.ours WORKLOAD SECONDS``."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks import audited, hexes, letters, post
from benchmarks.measure import Workload, main, spend
from pbem.audit.dice import Stream
from pbem.campaign import weighing
from pbem.core.canon import dumps
from pbem.core.game import Orders
from pbem.core.odds import Memory, Purse
from pbem.core.runners import Done, play
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.bots import BOTS
from pbem.games.africa1860.edition import Edition
from pbem.games.africa1860.presets import PRESETS
from pbem.games.africa1860.roster import read_unit
from pbem.games.africa1860.state import State

__all__ = ["WORKLOADS", "Letter", "Played", "adjudicated", "letter", "played", "replay"]

HERE = Path(__file__).parent
GAMES = HERE / "games"
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


def weighed() -> Workload:
    """W8 The assault of the letters of W1, weighed each time anew."""
    state = GAME.start(GAME.edition("castillejos", {}, {}))
    orders = GAME.parse("\n".join(letters.LETTER.splitlines()[1:-1]), state, "spain").orders

    def weigh() -> int:
        told = GAME.odds(state, "spain", orders, Purse(weighing.PER_LETTER))
        if told.left or "wins" not in told.said[0][1].text:
            raise Unfit("the letter holds no assault that can be weighed")
        return 1

    return lambda budget: spend(budget, weigh)


class Played(NamedTuple):
    """A phase of a game as it is stored: the secret of its dice, the orders by seat, and the bytes of its events."""

    beta: bytes
    orders: dict[str, str]
    events: str


def resolve(state: State, beta: bytes, orders: Mapping[str, str]) -> tuple[State, str]:
    """Read canonical orders, adjudicate, and return the position after it and the events as canonical JSON."""
    given = {}
    for seat, text in orders.items():
        reading = GAME.parse(text, GAME.view(state, seat), seat)
        if reading.rejected:
            raise Unfit(f"stored orders are refused: {reading.rejected[0]}")
        given[seat] = reading.orders
    done = play(GAME.rules, GAME.world(state, given), Stream(beta), GAME.decisions(state, given, {}))
    if not isinstance(done, Done):
        raise Unfit("the phase waits for an answer")
    return done.state, dumps([happened.to_json() for happened in done.events])


def played(edition: Edition, seed: int) -> list[Played]:
    """Let two bots play all of Castillejos, each with standing orders, and return its phases."""
    state = GAME.start(edition)
    luck = random.Random(seed)
    out: list[Played] = []
    while (now := GAME.phase(state)) is not None:
        orders: dict[str, str] = {}
        for seat, (bot, temper) in PLAYERS.items():
            view = GAME.view(state, seat)
            written = BOTS[bot](view, seat, luck.randrange) if seat == now[0] else ""
            orders[seat] = GAME.canon(GAME.parse(f"{written}\n{PRESETS[temper]}", view, seat).orders)
        beta = luck.randbytes(64)
        state, events = resolve(state, beta, orders)
        out.append(Played(beta, orders, events))
    return out


def replay(edition: Edition, game: list[Played]) -> None:
    """Resolve a whole game again from its order texts; every event must come out byte for byte."""
    state = GAME.start(edition)
    for number, (beta, orders, stored) in enumerate(game, start=1):
        state, events = resolve(state, beta, orders)
        if events != stored:
            raise Unfit(f"phase {number} came out otherwise")


def whole_game() -> Workload:
    """W4 Games replayed from their stored letters, every event compared."""
    edition = GAME.edition("castillejos", {}, {})
    games = [played(edition, seed) for seed in range(4)]

    def replays() -> int:
        for game in games:
            replay(edition, game)
        return len(games)

    return lambda budget: spend(budget, replays)


WORKLOADS = {
    "letters": lambda: letters.taken(10),
    "letters-anew": lambda: letters.taken(10, Memory(0)),
    "odds": weighed,
    "lines": validated,
    "battle": lambda: adjudicated("battle"),
    "march": lambda: adjudicated("march"),
    "game": whole_game,
    "hex-half": hexes.adjudicated,
    "hex-odds": hexes.weighed,
    "hex-game": hexes.whole_game,
    "labels": audited.labels,
    "proven": audited.proven,
    "verified": audited.verified,
    "post": lambda: post.answered,
    "post-bare": lambda: post.handed_in,
}

if __name__ == "__main__":
    main(WORKLOADS)
