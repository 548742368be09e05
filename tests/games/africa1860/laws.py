"""What the fuzzer must know of this game: its words, its rule numbers, and what an event may not do to the counters."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.engine.data.events import Event
from pbem.engine.deployment import EVENT_KINDS
from pbem.engine.testing.checks import numbers_of
from pbem.engine.testing.laws import GameLaws
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.bots.at_random import random_orders
from pbem.games.africa1860.bots.forward import forward_orders
from pbem.games.africa1860.edition import GAME_FILES, OPTIONS, SIDES
from pbem.games.africa1860.orders import VOCABULARY
from pbem.games.africa1860.state import State
from tests.fuzz.housed import housed

SCENARIOS = ("castillejos", "tetuan", "wadras", "drill")
GOES = ("moves", "retreats", "returns", "occupies", "falls back")


def wrong_step(before: State, happened: Event, after: State) -> Iterable[str]:
    """No counter is lost, doubled, healed or conjured up, and whoever goes somewhere comes from where he was.

    Room (C5) is wanted at the end of a move alone: cavalry may pass through a full space.
    """
    yield from (wrong for wrong in GAME.invariants(after) if "overstacked" not in wrong)
    known = {*before.units, *before.gone}
    if happened.kind == "enters":
        known.add(happened.data["id"])
    if {*after.units, *after.gone} != known:
        yield f"units came or went: {known ^ {*after.units, *after.gone}}"
    fallen = dict.fromkeys(SIDES, 0)
    for ident, unit in before.units.items():
        now = after.units.get(ident)
        if now is not None and (now.steps > unit.steps or now.full != unit.full or now.side != unit.side):
            yield f"{ident} was {unit} and is {now}"
        if now is not None:
            fallen[unit.side] += unit.steps - now.steps
        elif after.gone.get(ident) == "eliminated":
            fallen[unit.side] += unit.steps
    for side in SIDES:
        counted = after.dead.get(side, 0) - before.dead.get(side, 0)
        if counted != fallen[side]:
            yield f"{side} lost {fallen[side]} steps, and {counted} were counted"
    if happened.kind in GOES:
        for ident in happened.data["units"]:
            if before.units[ident].at != happened.data["from"]:
                yield f"{ident} goes from {happened.data['from']} and was in {before.units[ident].at}"
    elif happened.kind in EVENT_KINDS:
        return
    elif any(unit.at != after.units[i].at for i, unit in before.units.items() if i in after.units):
        yield f"{happened.kind} moves somebody"


BOTS = {"forward": forward_orders, "random": random_orders}
"""As they are, with all that is refused of theirs."""
DRAWN = {name: values for name, values in OPTIONS.items() if name not in ("deploy", "commands", "couriers")}
"""Options of any scenario: no zones (`tests/games/test_deployment.py`), commands (`test_commands.py`) or couriers."""
LAWS = housed(GameLaws(GAME, VOCABULARY, wrong_step, BOTS, SCENARIOS, DRAWN, numbers_of(GAME_FILES)))
