"""What IF, STOP IF and standing orders can ask of the position, from one side's point of view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pbem.core.orders.measured import measured
from pbem.core.orders.standing import Condition, compare
from pbem.games.africa1860.phase.victory import count
from pbem.games.africa1860.state import CAVALRY, COMBAT, INFANTRY, State, Unit
from pbem.games.africa1860.view import as_seen

__all__ = ["Scene", "holds", "values"]

COUNTS: Mapping[str, frozenset[str]] = {
    "STEPS": COMBAT,
    "UNITS": COMBAT,
    "CAV": frozenset({CAVALRY}),
    "INF": INFANTRY,
    "ART": frozenset({"ART"}),
}
"""The types of unit that MY and ENEMY can count; STEPS adds up steps, the others count units."""


class Scene(NamedTuple):
    """Where a standing order is looked at: the space, the units of both sides, where the enemy comes from."""

    space: str
    mine: tuple[Unit, ...]
    enemy: tuple[Unit, ...]
    origin: str = ""


def holds(state: State, condition: Condition, side: str, scene: Scene | None = None) -> bool:
    """Return whether a condition is true for `side`, as far as it sees; with no scene MY and ENEMY count everything."""
    if not condition:
        return True
    state = as_seen(state, side)
    kind = condition[0]
    if kind == "and":
        return holds(state, condition[1], side, scene) and holds(state, condition[2], side, scene)
    if kind == "or":
        return holds(state, condition[1], side, scene) or holds(state, condition[2], side, scene)
    if kind == "not":
        return not holds(state, condition[1], side, scene)
    if kind == "space":
        # Asked of every scene alike: the commonest question needs none.
        holder = state.holder(condition[1])
        return bool(condition[2] == ("EMPTY" if not holder else "MINE" if holder == side else "ENEMY"))
    return _test(state, condition, side, scene or _everywhere(state, side))


def _everywhere(state: State, side: str) -> Scene:
    mine: list[Unit] = []
    enemy: list[Unit] = []
    for unit in state.units.values():
        (mine if unit.side == side else enemy).append(unit)
    return Scene("", tuple(mine), tuple(enemy))


def _test(state: State, condition: Condition, side: str, scene: Scene) -> bool:
    kind = condition[0]
    if kind == "odds":
        _, op, a, b = condition
        return compare(op, _steps(scene.enemy) * b, _steps(scene.mine) * a)
    if kind == "count":
        _, whose, what, op, n = condition
        return compare(op, _counted(scene, whose, what), n)
    if kind == "turn":
        return compare(condition[1], state.turn, condition[2])
    if kind == "vp":
        return compare(condition[1], count(state)[side], condition[2])
    if kind == "from":
        return bool(scene.origin == condition[1])
    if kind == "leader":
        return any(unit.id == condition[1] for unit in scene.enemy)
    return _unit(state, condition[1], condition[2], scene)


def _counted(scene: Scene, whose: str, what: str) -> int:
    group = [u.steps for u in (scene.mine if whose == "MY" else scene.enemy) if u.code in COUNTS[what]]
    return sum(group) if what == "STEPS" else len(group)


def values(state: State, condition: Condition, side: str) -> tuple[str, ...]:
    """Return what the parts of a condition come to for `side`, as far as it sees, each as it is written in orders."""
    state = as_seen(state, side)
    scene = _everywhere(state, side)

    def value(one: Condition) -> str:
        if one[0] == "space":
            holder = state.holder(one[1])
            return "EMPTY" if not holder else "MINE" if holder == side else "ENEMY"
        if one[0] == "count":
            return str(_counted(scene, one[1], one[2]))
        if one[0] == "odds":
            return f"{_steps(scene.enemy)}:{_steps(scene.mine)}"
        return str(state.turn) if one[0] == "turn" else str(count(state)[side]) if one[0] == "vp" else ""

    return measured(condition, value)


def _unit(state: State, ident: str, how: str, scene: Scene) -> bool:
    """MY unit HERE, FRESH (neither activated nor demoralised), DEMORALISED, SPENT (activated or fired)."""
    unit = state.units.get(ident)
    if unit is None:
        return False
    if how == "HERE":
        return not scene.space or unit.at == scene.space
    if how == "DEMORALISED":
        return unit.demoralised
    spent = unit.activated or unit.fired
    return spent if how == "SPENT" else not (spent or unit.demoralised)


def _steps(units: tuple[Unit, ...]) -> int:
    return sum([unit.steps for unit in units if unit.is_combat])
