"""Measure any game: adjudicate a phase, play and replay a whole game.

Bots play it; it is replayed from its letters.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.measure import Workload, spend
from pbem.audit.dice import DiceStream
from pbem.engine.data.canon import dumps
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import Orders

Players = Mapping[str, tuple[str, str]]
"""By side: the bot that writes its orders, and the ready-made standing orders it keeps all game."""


class Unfit(Exception):
    """A workload that is not what it says it is."""


class Played(NamedTuple):
    """A stored phase: secret of its dice, orders by seat, bytes of its events."""

    beta: bytes
    orders: dict[str, str]
    events: str


def adjudicate(game: Any, state: Any, orders: Mapping[str, Orders], beta: bytes) -> Done[Any]:
    """Return what a phase comes to, the dice derived from 64 bytes by label."""
    done = play(game.rules, game.world(state, orders), DiceStream(beta), game.decisions(state, orders, {}))
    if not isinstance(done, Done):
        raise Unfit("the phase waits for an answer")
    return done


def adjudicate_phase(game: Any, state: Any, orders: Mapping[str, Orders]) -> Workload:
    """W3 Adjudicate a phase, each time with other dice.

    Position and orders go in, events and position come out.
    """
    count = 0

    def phase() -> int:
        nonlocal count
        count += 1
        adjudicate(game, state, orders, count.to_bytes(64, "big"))
        return 1

    return lambda budget: spend(budget, phase)


def resolve(game: Any, state: Any, beta: bytes, orders: Mapping[str, str]) -> tuple[Any, str]:
    """Adjudicate canonical orders; return the position and events as canonical JSON."""
    given = {}
    for seat, text in orders.items():
        reading = game.parse(text, game.view(state, seat), seat)
        if reading.rejected:
            raise Unfit(f"stored orders are refused: {reading.rejected[0]}")
        given[seat] = reading.orders
    done = adjudicate(game, state, given, beta)
    return done.state, dumps([happened.to_json() for happened in done.events])


def play_game(game: Any, edition: Any, players: Players, seed: int) -> list[Played]:
    """Let bots play a whole game, each with standing orders, and return its phases."""
    state = game.start(edition)
    luck = random.Random(seed)
    out: list[Played] = []
    while (now := game.phase(state)) is not None:
        orders: dict[str, str] = {}
        for seat, side in game.seats(state).items():
            view = game.view(state, seat)
            bot, temper = players[side]
            written = game.bots[bot](view, seat, luck.randrange) if side == now[0] else ""
            orders[seat] = game.canon(game.parse(f"{written}\n{game.rulebook.preset(temper)}", view, seat).orders)
        beta = luck.randbytes(64)
        state, events = resolve(game, state, beta, orders)
        out.append(Played(beta, orders, events))
    return out


def replay(game: Any, edition: Any, phases: Sequence[Played]) -> None:
    """Resolve a whole game again from its orders; all events must be the same bytes."""
    state = game.start(edition)
    for number, (beta, orders, stored) in enumerate(phases, start=1):
        state, events = resolve(game, state, beta, orders)
        if events != stored:
            raise Unfit(f"phase {number} came out otherwise")


def replay_games(game: Any, edition: Any, games: Sequence[Sequence[Played]]) -> Workload:
    """W4 Replay games from their stored letters, and compare every event."""

    def replays() -> int:
        for phases in games:
            replay(game, edition, phases)
        return len(games)

    return lambda budget: spend(budget, replays)
