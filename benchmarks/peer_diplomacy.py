"""Run the workloads by diplomacy, in its own interpreter.

``python peer_diplomacy.py WORKLOAD SECONDS``
"""

from __future__ import annotations

import random
from itertools import pairwise
from time import process_time

from diplomacy import Game
from diplomacy.utils.export import to_saved_game_format
from measure import Measured, Workload, main, spend

PHASES = 28
"""As many as our stored game has."""


def legal_orders(game: Game, luck: random.Random) -> dict[str, list[str]]:
    """Return one legal order for each unit that may have one, by power."""
    possible = game.get_all_possible_orders()
    places = game.get_orderable_locations()
    return {
        power: [luck.choice(possible[place]) for place in spots if possible[place]] for power, spots in places.items()
    }


def order_sets(count: int) -> list[dict[str, list[str]]]:
    """Return legal orders of all 22 units for the opening phase."""
    return [legal_orders(Game(), random.Random(seed)) for seed in range(count)]


def validate() -> Workload:
    """W2 Read and validate order texts against the opening position."""
    sets = order_sets(8)
    game = Game()

    def check() -> int:
        lines = 0
        for orders in sets:
            for power, texts in orders.items():
                game.set_orders(power, texts)
                lines += len(texts)
        if game.error:
            raise RuntimeError(game.error)
        return lines

    return lambda budget: spend(budget, check)


def adjudicate() -> Workload:
    """W3 Adjudicate the opening phase, 22 orders, set before the clock starts."""
    sets = order_sets(8)

    def phases(budget: float) -> Measured:
        units, seconds = 0, 0.0
        while seconds < budget:
            game = Game()
            for power, texts in sets[units % len(sets)].items():
                game.set_orders(power, texts)
            start = process_time()
            game.process()
            seconds += process_time() - start
            units += 1
        return Measured(units, seconds)

    return phases


def whole_game() -> Workload:
    """W4 Replay a saved game of random legal orders, comparing each phase's state."""
    luck = random.Random(1)
    game = Game()
    while len(game.state_history) < PHASES:
        for power, texts in legal_orders(game, luck).items():
            game.set_orders(power, texts)
        game.process()
    saved = to_saved_game_format(game)["phases"]

    def replay() -> int:
        again = Game()
        for before, after in pairwise(saved):
            for power, texts in before["orders"].items():
                if texts:
                    again.set_orders(power, texts)
            again.process()
            state = again.get_state()
            if any(state[part] != after["state"][part] for part in ("units", "centers", "retreats", "builds")):
                raise RuntimeError(f"{before['name']} came out otherwise")
        return 1

    return lambda budget: spend(budget, replay)


if __name__ == "__main__":
    main({"lines": validate, "phase": adjudicate, "game": whole_game})
