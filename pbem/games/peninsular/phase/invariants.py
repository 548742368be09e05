"""What must be true of every position, whatever was ordered and rolled."""

from __future__ import annotations

from pbem.engine.deployment.rules import DEPLOYMENT
from pbem.games.peninsular.ground.camps import encamped
from pbem.games.peninsular.ground.stacking import stands
from pbem.games.peninsular.state import State


def invariants(state: State) -> tuple[str, ...]:
    """Return what is wrong with the position, in plain words.

    T3 is not held in the middle of a half: a square formed against a charge or a retreat may crowd a hex for a while,
    and so may those who are deployed until all are (K6).
    """
    wrong: list[str] = []
    for ident, unit in state.units.items():
        if ident != unit.id or ident in state.gone:
            wrong.append(f"{ident} is misfiled")
        if unit.at not in state.edition.map:
            wrong.append(f"{ident} is in {unit.at!r}, which is no hex of the map")
        if not 0 < unit.pf <= unit.full:
            wrong.append(f"{ident} has {unit.pf} of {unit.full} PF")
        if not 0 <= unit.fatigue <= 3:
            wrong.append(f"{ident} has {unit.fatigue} levels of fatigue")
    if state.camps != encamped(state.units):
        wrong.append("what is known of who stands where, and of the zones, is not so")
    for at in sorted({unit.at for unit in state.units.values()}):
        here = state.at(at)
        if len({unit.camp for unit in here}) > 1:
            wrong.append(f"both sides stand in {at}")
        for ours in sorted({unit.camp for unit in here}):
            own = [unit for unit in here if unit.camp == ours and unit.is_combat]
            if own and state.phase != DEPLOYMENT and not stands(state.edition, at, own):
                wrong.append(f"{ours} counters are overstacked in {at}")
    return tuple(wrong)
