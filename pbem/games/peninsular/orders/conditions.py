"""What IF, STOP IF and standing orders can ask of the position, from one side's point of view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pbem.core.orders.measured import measured
from pbem.core.orders.standing import Condition, compare
from pbem.games.peninsular.phase.victory import count
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import NORMAL, State, Unit

__all__ = ["COUNTS", "Scene", "holds", "values"]

COUNTS: Mapping[str, Callable[[Unit], bool]] = {
    "PF": lambda unit: unit.is_combat,
    "UNITS": lambda unit: unit.is_combat,
    "CAV": lambda unit: unit.kind == "cav",
    "INF": lambda unit: unit.kind == "inf",
    "ART": lambda unit: unit.kind == "art",
}
"""What MY and ENEMY can count; PF adds up strength points, the others count counters."""


class Scene(NamedTuple):
    """Where a standing order is looked at: the hex, the counters of both sides, where the enemy comes from."""

    hex: str
    mine: tuple[Unit, ...]
    enemy: tuple[Unit, ...]
    origin: str = ""


def holds(state: State, condition: Condition, side: str, scene: Scene | None = None) -> bool:
    """Return whether a condition is true for `side`; without a scene MY and ENEMY count everything in play."""
    if not condition:
        return True
    kind = condition[0]
    if kind == "and":
        return holds(state, condition[1], side, scene) and holds(state, condition[2], side, scene)
    if kind == "or":
        return holds(state, condition[1], side, scene) or holds(state, condition[2], side, scene)
    if kind == "not":
        return not holds(state, condition[1], side, scene)
    return _test(state, condition, side, scene or _everywhere(state, side))


def _everywhere(state: State, side: str) -> Scene:
    return Scene("", tuple(state.counters(side)), tuple(state.enemies(side)))


def _test(state: State, condition: Condition, side: str, scene: Scene) -> bool:
    kind = condition[0]
    if kind == "odds":
        _, op, a, b = condition
        return compare(op, _strength(scene.enemy) * b, _strength(scene.mine) * a)
    if kind == "count":
        _, whose, what, op, n = condition
        return compare(op, _counted(scene, whose, what), n)
    if kind == "turn":
        return compare(condition[1], state.turn, condition[2])
    if kind == "vp":
        return compare(condition[1], _points(state, side), condition[2])
    if kind == "from":
        return bool(scene.origin == condition[1])
    if kind == "leader":
        return any(unit.id == condition[1] for unit in scene.enemy)
    if kind == "space":
        return bool(condition[2] == _holds(state, condition[1], side))
    return _unit(state, condition[1], condition[2], scene)


def _counted(scene: Scene, whose: str, what: str) -> int:
    group = [u for u in (scene.mine if whose == "MY" else scene.enemy) if COUNTS[what](u)]
    return sum(u.pf for u in group) if what == "PF" else len(group)


def _points(state: State, side: str) -> int:
    return next((n for name, n in count(state).items() if camp(name) == camp(side)), 0)


def _holds(state: State, at: str, side: str) -> str:
    holder = state.holder(at)
    return "EMPTY" if not holder else "MINE" if camp(holder) == camp(side) else "ENEMY"


def values(state: State, condition: Condition, side: str) -> tuple[str, ...]:
    """Return what the parts of a condition come to for `side`, each as it is written in orders."""
    scene = _everywhere(state, side)

    def value(one: Condition) -> str:
        if one[0] == "space":
            return _holds(state, one[1], side)
        if one[0] == "count":
            return str(_counted(scene, one[1], one[2]))
        if one[0] == "odds":
            return f"{_strength(scene.enemy)}:{_strength(scene.mine)}"
        return str(state.turn) if one[0] == "turn" else str(_points(state, side)) if one[0] == "vp" else ""

    return measured(condition, value)


def _unit(state: State, ident: str, how: str, scene: Scene) -> bool:
    """MY unit HERE, FRESH (steady, has not fired), DISORDERED (or routed), SPENT (has fired)."""
    unit = state.units.get(ident)
    if unit is None:
        return False
    if how == "HERE":
        return not scene.hex or unit.at == scene.hex
    if how == "DISORDERED":
        return unit.state != NORMAL
    return unit.fired if how == "SPENT" else unit.state == NORMAL and not unit.fired


def _strength(units: tuple[Unit, ...]) -> int:
    return sum(unit.pf for unit in units if unit.is_combat)
