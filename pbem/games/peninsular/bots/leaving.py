"""S14 The way out: which battalions a bot sends to the exit of its side, where the scenario counts one."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.map.hexes import distance
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.units import NORMAL
from pbem.games.peninsular.state import State

PACE = 2
"""Hexes a turn that a battalion makes on the average, through the wood and past the enemy."""


def leaving(state: State, side: str) -> Mapping[str, str]:
    """Return the battalions that go to the exit, each with its hex: as many as count, the nearest of the steady.

    None go as long as one of them could not be there in time.
    """
    way_out = state.edition.scenario.get("victory", {}).get("exit", {})
    if not way_out or camp(way_out["side"]) != camp(side):
        return {}
    reach = PACE * (state.edition.scenario.get("turns", 0) - state.turn + 1)
    steady = [unit for unit in state.counters(side) if unit.kind == "inf" and unit.state == NORMAL]
    ways = sorted((*min((distance(unit.at, at), at) for at in way_out["hexes"]), unit.id) for unit in steady)
    going = [(ident, at) for far, at, ident in ways[: way_out["battalions"]] if far <= reach]
    return dict(going) if len(going) == way_out["battalions"] else {}
