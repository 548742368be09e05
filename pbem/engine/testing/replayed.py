"""The same phase in another process, where sets and dictionaries lie otherwise: the same events, byte for byte.

How a set of words lies hangs on a number that a process draws at its start. Rules that walk over a set give other
events elsewhere, or the same in another order, and no replay in one process shows it.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from pbem.engine.data.canon import dumps
from pbem.engine.game import Game
from pbem.engine.run.runners import Done, play
from pbem.engine.saved_position import read_position, write_position
from pbem.engine.terms import Orders
from pbem.engine.testing.dice import Thrown
from pbem.engine.testing.games import Brief

SEEDS = ("1", "2", "3")
"""How sets are strewn in each of the processes."""


def differences(where: str, briefs: Sequence[Brief]) -> tuple[str, ...]:
    """Return the phases that come out otherwise in another process; `where` is the game, as ``MODULE:GAME``."""
    asked = {"path": sys.path, "where": where, "phases": [_written(brief) for brief in briefs]}
    here = [_events(brief.position.game, brief) for brief in briefs]
    wrong = []
    for seed in SEEDS:
        there = _elsewhere(json.dumps(asked), seed)
        for brief, mine, other in zip(briefs, here, there, strict=True):
            if mine != other:
                pair = next(pair for pair in zip_longest(mine, other) if pair[0] != pair[1])
                phase = brief.position.game.phase(brief.position.state)
                wrong.append(f"{phase} comes out otherwise where sets lie otherwise: {pair[0]} / {pair[1]}")
    return tuple(wrong)


def _elsewhere(asked: str, seed: str) -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", "from pbem.engine.testing.replayed import main; main()"],
        input=asked,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"another process could not play the phases: {done.stderr[-2000:]}")
    found: list[list[str]] = json.loads(done.stdout)
    return found


def _written(brief: Brief) -> dict[str, Any]:
    return {
        "position": write_position(brief.position),
        "letters": brief.letters,
        "standing": brief.standing,
        "beta": brief.beta.hex(),
    }


def _events(game: Game, brief: Brief) -> list[str]:
    """The events of a phase as they would be stored, and the position after them."""
    state = brief.position.state
    orders = {}
    for seat in game.seats(state):
        view = game.view(state, seat)
        written = game.parse(brief.letters.get(seat, ""), view, seat).orders
        in_force = game.parse(brief.standing.get(seat, ""), view, seat).orders
        orders[seat] = Orders(written.actions, written.standing or in_force.standing)
    done = play(game.rules, game.world(state, orders), Thrown(brief.beta), game.decisions(state, orders, {}))
    if not isinstance(done, Done):
        return ["it waits"]
    told: list[str] = [dumps(happened.to_json()) for happened in done.events]
    shown = [dumps(game.telling.report(game.view(done.state, seat), seat, []).to_json()) for seat in game.seats(state)]
    return [*told, hashlib.sha256(dumps(game.encode(done.state)).encode()).hexdigest(), *shown]


def main() -> None:
    """Play the phases of standard input, and write their events."""
    asked = json.load(sys.stdin)
    sys.path[:] = asked["path"]
    module, _, name = asked["where"].partition(":")
    game = getattr(importlib.import_module(module), name)
    briefs = [
        Brief(
            read_position(one["position"], lambda _: game),
            one["letters"],
            one["standing"],
            bytes.fromhex(one["beta"]),
            0,
        )
        for one in asked["phases"]
    ]
    json.dump([_events(game, brief) for brief in briefs], sys.stdout)
