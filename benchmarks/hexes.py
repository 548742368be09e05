"""The hex game's side of the workloads: a half of battle, a whole battle replayed, an assault weighed."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import Workload, spend
from pbem.audit.dice import Stream
from pbem.core.canon import dumps
from pbem.core.game import Orders
from pbem.core.runners import Done, play
from pbem.games.peninsular import GAME
from pbem.games.peninsular.bots import BOTS
from pbem.games.peninsular.cases import case_state
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import Edition
from pbem.games.peninsular.forecast import assault_odds
from pbem.games.peninsular.presets import PRESETS
from pbem.games.peninsular.state import State

__all__ = ["Half", "Played", "adjudicated", "half", "played", "replay", "weighed", "whole_game"]

FILE = Path(__file__).parent / "games" / "hexes.toml"
TEMPERS = {"french": "aggressive", "british": "balanced"}
"""The ready-made standing orders that the seats keep all battle."""


class Unfit(Exception):
    """A workload that is not what it says it is."""


class Half(NamedTuple):
    """A position, the orders of both sides, and how many order lines were carried out in it."""

    state: State
    orders: dict[str, Orders]
    lines: int


def half() -> Half:
    """Read the position and the orders for it."""
    table = tomllib.loads(FILE.read_text("utf-8"))
    state = case_state({}, table)
    reading, standing = GAME.parse(table["orders"], state, "french"), GAME.parse(table["standing"], state, "british")
    refused = (*reading.rejected, *standing.rejected, *GAME.check(state, "french", reading.orders))
    if refused:
        raise Unfit(str(refused[0]))
    lines = [
        line for line in table["orders"].split("\n") if line and line.split()[0] not in ("IF", "ELSE", "ENDIF", "END")
    ]
    return Half(state, {"french": reading.orders, "british": standing.orders}, len(lines))


def adjudicated() -> Workload:
    """W3 A half: position and orders in, events and position out, the dice derived from 64 bytes by label."""
    state, orders, _ = half()
    count = 0

    def phase() -> int:
        nonlocal count
        count += 1
        dice = Stream(count.to_bytes(64, "big"))
        if not isinstance(play(GAME.rules, GAME.world(state, orders), dice, GAME.decisions(state, orders, {})), Done):
            raise Unfit("the half waits for an answer")
        return 1

    return lambda budget: spend(budget, phase)


def weighed() -> Workload:
    """W8 The assault on the village, weighed each time anew, from the defensive fire to the tests after the shock."""
    table = tomllib.loads(FILE.read_text("utf-8"))
    state = case_state({}, table)
    units = {ident: state.units[ident]._replace(assault="0505") for ident in ("1/8", "2/8", "1/45")}
    marked = state.with_units(units).change(assaults=(("0505", "1/8"),))

    def assault() -> int:
        odds = assault_odds(GAME.rules, marked, "0505", Doctrine({}))
        if not 0 < odds.win < 1:
            raise Unfit(f"won by {odds.win}")
        return 1

    return lambda budget: spend(budget, assault)


class Played(NamedTuple):
    """A half of a battle as it is stored: the secret of its dice, the orders by seat, and the bytes of its events."""

    beta: bytes
    orders: dict[str, str]
    events: str


def resolve(state: State, beta: bytes, orders: Mapping[str, str]) -> tuple[State, str]:
    """Read canonical orders, adjudicate, and return the position after it and the events as canonical JSON."""
    given = {seat: GAME.parse(text, GAME.view(state, seat), seat).orders for seat, text in orders.items()}
    done = play(GAME.rules, GAME.world(state, given), Stream(beta), GAME.decisions(state, given, {}))
    if not isinstance(done, Done):
        raise Unfit("the half waits for an answer")
    return done.state, dumps([happened.to_json() for happened in done.events])


def played(edition: Edition, seed: int) -> list[Played]:
    """Let bots play all of Barrosa, each with standing orders, and return its halves."""
    state = GAME.start(edition)
    luck = random.Random(seed)
    out: list[Played] = []
    while (now := GAME.phase(state)) is not None:
        orders: dict[str, str] = {}
        for seat, side in edition.seats.items():
            view = GAME.view(state, seat)
            written = BOTS["random"](view, seat, luck.randrange) if side == now[0] else ""
            temper = PRESETS[TEMPERS.get(side, "balanced")]
            orders[seat] = GAME.canon(GAME.parse(f"{written}\n{temper}", view, seat).orders)
        beta = luck.randbytes(64)
        state, events = resolve(state, beta, orders)
        out.append(Played(beta, orders, events))
    return out


def replay(edition: Edition, game: list[Played]) -> None:
    """Resolve a whole battle again from its order texts; every event must come out byte for byte."""
    state = GAME.start(edition)
    for number, (beta, orders, stored) in enumerate(game, start=1):
        state, events = resolve(state, beta, orders)
        if events != stored:
            raise Unfit(f"half {number} came out otherwise")


def whole_game() -> Workload:
    """W4 Battles replayed from their stored letters, every event compared."""
    edition = GAME.edition("barrosa", {}, {})
    games = [played(edition, seed) for seed in range(2)]

    def replays() -> int:
        for game in games:
            replay(edition, game)
        return len(games)

    return lambda budget: spend(budget, replays)
