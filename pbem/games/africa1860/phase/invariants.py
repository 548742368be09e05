"""What must be true of every position, whatever was ordered and rolled."""

from __future__ import annotations

from pbem.engine.deployment.rules import DEPLOYMENT
from pbem.games.africa1860.setup.edition import SIDES
from pbem.games.africa1860.state import State


def invariants(state: State) -> tuple[str, ...]:
    """Return what is wrong with the position, in plain words; a fight in progress may share a space.

    K6 While units are deployed they may crowd: who was there before gives way when all orders are carried out.
    """
    wrong: list[str] = []
    for ident, unit in state.units.items():
        if ident != unit.id or ident in state.gone:
            wrong.append(f"{ident} is misfiled")
        if unit.at not in state.edition.map.spaces:
            wrong.append(f"{ident} is in {unit.at!r}, which is no space")
        if not 0 < unit.steps <= unit.full:
            wrong.append(f"{ident} has {unit.steps} of {unit.full} steps")
    if state.fight is not None or state.phase == DEPLOYMENT:
        return tuple(wrong)
    combat, guns = state.edition.stacking
    for space in state.edition.map.spaces:
        here = state.at(space)
        if len({unit.side for unit in here}) > 1:
            wrong.append(f"both sides stand in {space}")
        for side in SIDES:
            own = [unit for unit in here if unit.side == side]
            if sum(unit.is_combat for unit in own) > combat or sum(unit.code == "ART" for unit in own) > guns:
                wrong.append(f"{side} is overstacked in {space}")
    return tuple(wrong)
