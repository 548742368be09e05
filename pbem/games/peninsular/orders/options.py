"""What the counters of a hex could be ordered to do now: where they can go, whom they can assault, charge or shoot."""

from __future__ import annotations

from pbem.core.data.messages import Msg, msg
from pbem.core.map.hexes import neighbours, within
from pbem.games.peninsular.battle.fire import may_fire, reach
from pbem.games.peninsular.ground.paths import left, reachable
from pbem.games.peninsular.ground.stacking import fits
from pbem.games.peninsular.orders.actions import Assault, Move
from pbem.games.peninsular.orders.legality import problem
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import State, Unit

__all__ = ["able", "fresh", "moves"]


def fresh(view: State, side: str) -> State:
    """Return the position as the side's half begins."""
    begun = {i: u._replace(used=0, offroad=False, zoned=False, base=u.formation, start=u.at, assault="", charge=0,
                           halted=False) for i, u in view.units.items()}  # fmt: skip
    return view.change(phase=side, units=begun, assaults=(), shots=(), stopped=False)


def moves(view: State, side: str, at: str) -> tuple[Msg, ...]:
    """Return, for each counter of the side in the hex, its MP, where it can end a move, and whom it can attack.

    Each counter is looked at by itself, as it stands and faces.
    """
    state = fresh(view, side)
    own = [unit for unit in state.at(at) if unit.camp == camp(side)]
    lines = [line for unit in own for line in _of_unit(state, unit)]
    return tuple(lines) or (msg("you have no unit in {hex}", hex=at),)


def able(state: State, unit: Unit, verb: str) -> tuple[str, ...]:
    """Return the hexes a counter could be ordered to with MOVE, ASSAULT, CHARGE or FIRE."""
    if verb == "FIRE":
        near = within(unit.at, reach(state, unit)) if unit.is_combat else ()
        return tuple(at for at in near if at in state.edition.ground and may_fire(state, unit, at) is None)
    if verb == "MOVE":
        if problem(state, Move(0, (unit.id,), face=unit.facing)) is not None:
            return ()
        found = sorted(reachable(state, [unit]))
        return tuple(at for at in found if fits(state, at, [unit]))
    near = neighbours(unit.at)
    return tuple(sorted(at for at in near if problem(state, Assault(0, verb, at, (unit.id,))) is None))


def _of_unit(state: State, unit: Unit) -> list[Msg]:
    lines = [msg("{unit}: {mp} MP", unit=unit.id, mp=left(state, unit))]
    for verb, said in _SAID.items():
        hexes = able(state, unit, verb)
        if hexes:
            lines.append(msg(said.text, unit=unit.id, hexes=hexes))
    return lines


_SAID = {
    "MOVE": msg("{unit}: MOVE to {hexes}"),
    "ASSAULT": msg("{unit}: ASSAULT {hexes}"),
    "CHARGE": msg("{unit}: CHARGE at {hexes}"),
    "FIRE": msg("{unit}: FIRE at {hexes}"),
}
