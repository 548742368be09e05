"""Define the hex game's workloads: a half, a whole battle, an assault's odds."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

from benchmarks import replays
from benchmarks.measure import Workload, spend
from benchmarks.replays import Played, Unfit
from pbem.engine.terms import Orders
from pbem.games.peninsular import GAME
from pbem.games.peninsular.assault import assault_odds
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.scenario import case_state
from pbem.games.peninsular.state import State

FILE = Path(__file__).parent / "games" / "hexes.toml"
SCENARIO = "barrosa"
PLAYERS = {
    "french": ("random", "aggressive"),
    **dict.fromkeys(("british", "spanish", "portuguese"), ("random", "balanced")),
}


class Half(NamedTuple):
    """A position, the orders of both sides, and the number of executed lines."""

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


def half_adjudicated() -> Workload:
    """W3 Adjudicate a half: position and orders in, events and position out."""
    state, orders, _ = half()
    return replays.adjudicate_phase(GAME, state, orders)


def assault_evaluated() -> Workload:
    """W8 Evaluate the assault on the village anew each time, from fire to last test."""
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


def played_battle(seed: int) -> list[Played]:
    """Let bots play all of Barrosa and return its halves."""
    return replays.play_game(GAME, GAME.edition(SCENARIO, {}, {}), PLAYERS, seed)


def whole_game() -> Workload:
    """W4 Replay battles from their stored letters, comparing every event."""
    return replays.replay_games(GAME, GAME.edition(SCENARIO, {}, {}), [played_battle(seed) for seed in range(2)])
