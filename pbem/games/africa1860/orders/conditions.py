"""C10 What IF, STOP IF and standing orders can ask of the position, from one side's point of view."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.engine.orders import conditions
from pbem.games.africa1860.phase.victory import count
from pbem.games.africa1860.setup.units import CAVALRY, COMBAT, INFANTRY, Unit
from pbem.games.africa1860.state import State
from pbem.games.africa1860.view import as_seen

Scene = conditions.Scene[Unit]


def _steps(unit: Unit) -> int:
    return unit.steps if unit.is_combat else 0


COUNTS: Mapping[str, Callable[[Unit], int]] = {
    "STEPS": _steps,
    "UNITS": lambda unit: unit.code in COMBAT,
    "CAV": lambda unit: unit.code == CAVALRY,
    "INF": lambda unit: unit.code in INFANTRY,
    "ART": lambda unit: unit.code == "ART",
}
"""What one unit adds to what MY and ENEMY can count."""


class Conditions(conditions.Conditions[State, Unit]):
    """STEPS adds up steps, the others count units."""

    measure = "STEPS"
    counts = COUNTS

    def seen(self, state: State, side: str) -> State:
        return as_seen(state, side)

    def sides(self, state: State, side: str) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
        mine: list[Unit] = []
        enemy: list[Unit] = []
        for unit in state.units.values():
            (mine if unit.side == side else enemy).append(unit)
        return tuple(mine), tuple(enemy)

    def fits(self, unit: Unit, how: str) -> bool:
        """FRESH is neither activated nor demoralised, SPENT is activated or has fired."""
        if how == "DEMORALISED":
            return unit.demoralised
        spent = unit.activated or unit.fired
        return spent if how == "SPENT" else not (spent or unit.demoralised)

    def points(self, state: State, side: str) -> int:
        return count(state)[side]


CONDITIONS = Conditions()
