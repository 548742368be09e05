"""What the counters of a hex could be ordered to do now: where they can go, whom they can assault, charge or shoot."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby

from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.hexes import neighbours, within
from pbem.games.peninsular.battle.fire import may_fire, reach
from pbem.games.peninsular.battle.shock import too_weak
from pbem.games.peninsular.ground.paths import left
from pbem.games.peninsular.orders.actions import Assault, Move
from pbem.games.peninsular.orders.goals import in_reach, matters, way_out
from pbem.games.peninsular.orders.legality import problem
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.units import Unit, best
from pbem.games.peninsular.state import State


def fresh(view: State, side: str) -> State:
    """Return the position as the side's half begins."""
    begun = {
        i: u._replace(
            used=0, offroad=False, zoned=False, base=u.formation, start=u.at, assault="", charge=0, halted=False
        )
        for i, u in view.units.items()
    }
    return view.change(phase=side, units=begun, assaults=(), shots=(), stopped=False)


def moves(view: State, side: str, at: str) -> tuple[Msg, ...]:
    """Return, for each counter of the side in the hex, its MP, where it can end a move, and whom it can attack.

    Each counter is looked at by itself, as it stands and faces; then all who can move as they would go together (S4a).
    """
    state = fresh(view, side)
    own = [unit for unit in state.at(at) if unit.camp == camp(side)]
    possible = attacks(state, [unit for _, unit in sorted(state.units.items()) if unit.camp == camp(side)])
    lines = [line for unit in own for line in _of_unit(state, unit, possible)] + _of_all(state, own)
    return tuple(lines) or (msg("you have no unit in {hex}", hex=at),)


def places(view: State, side: str) -> tuple[Msg, ...]:
    """Return, for each hex where a side and its friends have counters, which they are."""
    found: dict[str, list[str]] = {}
    for unit in view.counters(side):
        found.setdefault(unit.at, []).append(unit.id)
    return tuple(msg("{hex}: {units}", hex=at, units=tuple(ids)) for at, ids in sorted(found.items()))


def mobile(state: State, units: Sequence[Unit]) -> list[Unit]:
    """S4 Return those of some counters that could be ordered to go anywhere."""
    return [unit for unit in units if problem(state, Move(0, (unit.id,), face=unit.facing)) is None]


def able(state: State, unit: Unit, verb: str) -> tuple[str, ...]:
    """Return the hexes a counter could be ordered to with MOVE, ASSAULT, CHARGE or FIRE."""
    if verb == "FIRE":
        near = within(unit.at, reach(state, unit)) if unit.is_combat else ()
        return tuple(at for at in near if at in state.edition.map and may_fire(state, unit, at) is None)
    if verb == "MOVE":
        return tuple(sorted(in_reach(state, [unit]))) if mobile(state, [unit]) else ()
    near = neighbours(unit.at)
    return tuple(sorted(at for at in near if problem(state, Assault(0, verb, at, (unit.id,))) is None))


def attacks(state: State, own: Sequence[Unit]) -> list[Assault]:
    """Return the assault on each hex with all of these counters who could, under the strongest, then the charges.

    T6 Where all of them together are too weak for a shock there is none.
    """
    found: list[Assault] = []
    for verb, kinds in (("ASSAULT", ("inf", "cav")), ("CHARGE", ("cav",))):
        against: dict[str, list[Unit]] = {}
        for unit in own:
            for at in able(state, unit, verb) if unit.kind in kinds else ():
                against.setdefault(at, []).append(unit)
        for at, units in sorted(against.items()):
            lead = best(units)
            leader = lead.id if lead is not None and len(units) > 1 else ""
            if too_weak(state, at, units) is None:
                found.append(Assault(0, verb, at, tuple(unit.id for unit in units), leader))
    return found


def may(state: State, unit: Unit, possible: Sequence[Assault]) -> dict[str, tuple[str, ...]]:
    """Return, by verb, the hexes that an order could name for a counter; what it cannot do is not there.

    What it could assault and charge is what it could in one of the attacks that are `possible`.
    """
    found = {verb: able(state, unit, verb) for verb in ("MOVE", "FIRE")}
    for verb in ("ASSAULT", "CHARGE"):
        found[verb] = tuple(sorted(one.target for one in possible if one.verb == verb and unit.id in one.units))
    return {verb: hexes for verb, hexes in found.items() if hexes}


def _of_unit(state: State, unit: Unit, possible: Sequence[Assault]) -> list[Msg]:
    lines, found = [msg("{unit}: {mp} MP", unit=unit.id, mp=left(state, unit))], may(state, unit, possible)
    for verb, said in _SAID.items():
        hexes = found.get(verb, ())
        if hexes:
            lines.append(msg(said.text, unit=unit.id, hexes=_runs(hexes) if verb == "MOVE" else hexes))
        if hexes and verb == "MOVE":
            lines += _what_matters(state, unit, hexes)
    return lines


def _what_matters(state: State, unit: Unit, hexes: Collection[str]) -> list[Msg]:
    """S14 Of the hexes in reach those that count, and those next to the enemy."""
    points, enemy = matters(state, unit, hexes)
    exits = tuple(at for at in hexes if at in way_out(state, unit))
    lines = [msg("{unit}: hexes with points in reach: {hexes}", unit=unit.id, hexes=points)] if points else []
    lines += [msg("{unit}: next to the enemy: {hexes}", unit=unit.id, hexes=_runs(enemy))] if enemy else []
    if exits:
        lines.append(msg("{unit}: the exit is in reach, {hexes} (S14)", unit=unit.id, hexes=exits))
    return lines


def _runs(hexes: Collection[str]) -> tuple[str, ...]:
    """Hexes in their order; three or more below each other as the first and the last of them: ``0905-0911``."""
    found: list[str] = []
    for _, group in groupby(enumerate(sorted(hexes)), key=lambda item: (item[1][:2], int(item[1][2:]) - item[0])):
        run = [at for _, at in group]
        found += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else run
    return tuple(found)


def _of_all(state: State, units: Sequence[Unit]) -> list[Msg]:
    """S4a Where all counters of a hex that can move could go together."""
    going = mobile(state, units)
    if len(going) < 2 or not state.edition.reread:
        return []
    hexes, ids = _runs(in_reach(state, going)), tuple(unit.id for unit in going)
    return [msg("together, {units}: MOVE to {hexes}", units=ids, hexes=hexes)] if hexes else []


_SAID = {
    "MOVE": msg("{unit}: MOVE to {hexes}"),
    "ASSAULT": msg("{unit}: ASSAULT {hexes}"),
    "CHARGE": msg("{unit}: CHARGE at {hexes}"),
    "FIRE": msg("{unit}: FIRE at {hexes}"),
}
