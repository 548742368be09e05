"""What the fuzzer must know of this game: its words, its rule numbers, and what an event may not do to the counters."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.engine.data.events import Event
from pbem.engine.deployment import EVENT_KINDS
from pbem.engine.testing.checks import numbers_of
from pbem.engine.testing.laws import GameLaws
from pbem.games.peninsular import GAME
from pbem.games.peninsular.bots.at_random import random_orders
from pbem.games.peninsular.bots.forward import forward_orders
from pbem.games.peninsular.edition import GAME_FILES
from pbem.games.peninsular.orders import VOCABULARY
from pbem.games.peninsular.state import State
from tests.fuzz.housed import housed

SCENARIOS = ("training", "training", "usagre", "barrosa")
GOES = ("moves", "retreats", "withdraws", "follows", "advances", "pursues")


def wrong_step(before: State, happened: Event, after: State) -> Iterable[str]:
    """No counter is lost, doubled, healed or conjured up, and whoever goes somewhere comes from where he was."""
    yield from (wrong for wrong in GAME.invariants(after) if "overstacked" not in wrong)
    known = {*before.units, *before.gone}
    if happened.kind == "arrives":
        known |= set(happened.data["units"])
    if {*after.units, *after.gone} != known:
        yield f"units came or went: {known ^ {*after.units, *after.gone}}"
    fallen: dict[str, int] = {}
    for ident, unit in before.units.items():
        now = after.units.get(ident)
        if now is not None and (now.pf > unit.pf or now.full != unit.full or now.side != unit.side):
            yield f"{ident} was {unit} and is {now}"
        if unit.is_combat:
            left = now.pf if now is not None else 0
            fallen[unit.side] = fallen.get(unit.side, 0) + unit.pf - left
    for side, lost in fallen.items():
        counted = after.dead.get(side, 0) - before.dead.get(side, 0)
        if counted != lost:
            yield f"{side} lost {lost} PF, and {counted} were counted"
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
LAWS = housed(GameLaws(GAME, VOCABULARY, wrong_step, BOTS, SCENARIOS, {}, numbers_of(GAME_FILES)))
