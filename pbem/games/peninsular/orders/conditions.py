"""S1 What IF, STOP IF and standing orders can ask of the position, from one side's point of view."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.engine.orders import conditions
from pbem.games.peninsular.phase.victory import count
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.units import NORMAL, Unit
from pbem.games.peninsular.state import State

Scene = conditions.Scene[Unit]


def _strength(unit: Unit) -> int:
    return unit.pf if unit.is_combat else 0


COUNTS: Mapping[str, Callable[[Unit], int]] = {
    "PF": _strength,
    "UNITS": lambda unit: unit.is_combat,
    "CAV": lambda unit: unit.kind == "cav",
    "INF": lambda unit: unit.kind == "inf",
    "ART": lambda unit: unit.kind == "art",
}
"""What one unit adds to what MY and ENEMY can count."""


class Conditions(conditions.Conditions[State, Unit]):
    """PF adds up strength points, the others count counters."""

    measure = "PF"
    counts = COUNTS

    def friends(self, one: str, other: str) -> bool:
        return camp(one) == camp(other)

    def sides(self, state: State, side: str) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
        return tuple(state.counters(side)), tuple(state.enemies(side))

    def fits(self, unit: Unit, how: str) -> bool:
        """FRESH is steady and has not fired, DISORDERED routed too, SPENT has fired."""
        if how == "DISORDERED":
            return unit.state != NORMAL
        return unit.fired if how == "SPENT" else unit.state == NORMAL and not unit.fired

    def points(self, state: State, side: str) -> int:
        return next((n for name, n in count(state).items() if camp(name) == camp(side)), 0)


CONDITIONS = Conditions()
