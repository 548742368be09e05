"""S3, S5 What could be done where a move ends: turns and formations, and attacks on whom one comes next to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.map.hexes import DIRECTIONS, direction, distance, neighbours
from pbem.engine.run.foresight import foresee
from pbem.engine.run.steps import Rules, World
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.battle.shock import too_weak
from pbem.games.peninsular.ground.paths import Walk, paths, walk
from pbem.games.peninsular.orders.actions import Assault, Move, Order
from pbem.games.peninsular.orders.grammar import FORMATIONS
from pbem.games.peninsular.orders.legality import March, finish, problem
from pbem.games.peninsular.phase.sequence import task_of
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.units import Unit
from pbem.games.peninsular.state import State

_NEAR = 3
"""Hexes from the enemy within which it is asked how one stands at the end of a move."""
_MOST = 3
"""Ways to the same attack that are offered."""
KINDS: Mapping[str, tuple[str, ...]] = {"ASSAULT": ("inf", "cav"), "CHARGE": ("cav",)}


class Ends(NamedTuple):
    """Where a counter could end a move near the enemy, each with its way, and how it may face and form there."""

    ways: Mapping[str, March]
    facings: Mapping[str, tuple[str, ...]]
    forms: Mapping[str, tuple[str, ...]]


def ends(state: State, unit: Unit, hexes: Sequence[str]) -> Ends:
    """S3, S4a, T8 Return how a counter could stand at the end of its moves to those hexes that lie near the enemy."""
    foes = {foe.at for foe in state.enemies(unit.side) if foe.is_combat}
    found, ways, facings, forms = paths(state, [unit]), dict[str, March](), {}, {}
    for to in hexes if state.edition.reread and unit.faces else ():
        if to == unit.at or min((distance(to, foe) for foe in foes), default=99) > _NEAR:
            continue
        walked = walk(state, [unit], found[to]) if to in found else None
        if not isinstance(walked, Walk):
            continue
        way = ways[to] = March([unit], found[to], walked)
        plain = Move(0, (unit.id,), to=to)
        facings[to] = tuple(one for one in DIRECTIONS if finish(state, plain._replace(face=one), way) is None)
        wanted = (one for one in FORMATIONS if one.lower() != unit.formation and unit.kind != "art")
        forms[to] = tuple(one for one in wanted if finish(state, plain._replace(form=one), way) is None)
    return Ends(ways, facings, forms)


def attacks_alone(state: State, unit: Unit) -> Iterator[tuple[str, str]]:
    """S5, T6 What a counter could assault or charge by itself: the verb, and the hex."""
    for verb, kinds in KINDS.items():
        for target in neighbours(unit.at) if unit.kind in kinds else ():
            order = Assault(0, verb, target, (unit.id,))
            if problem(state, order) is None and too_weak(state, target, [unit]) is None:
                yield verb, target


def attacks_later(rules: Rules[State], state: State, own: Sequence[Unit], come: Mapping[str, Ends]) -> Later:
    """S4, S5 Return what counters could attack once they have moved, S2 or their division has the order to attack.

    What they could as things stand is not among it.
    """
    found = Later({})
    ordered = dict(_ordered(rules, state))
    for unit in own:
        if unit.kind not in KINDS["ASSAULT"]:
            continue
        known = {*attacks_alone(state, unit)}
        found.note(unit, _coming(state, unit, come[unit.id]), known)
        if unit.division in ordered:
            first, there = ordered[unit.division]
            at_once = ((verb, target, "") for verb, target in attacks_alone(there, unit))
            # Another order is another allowance (T7).
            moved = (*at_once, *_coming(there, unit, ends(there, unit, sorted(come[unit.id].ways))))
            lines = ((verb, target, f"{first}\n{line}".strip()) for verb, target, line in moved)
            found.note(unit, lines, known | {*found.of(unit)})
    return found


class Later(NamedTuple):
    """By counter, verb and hex, the lines after which it could be attacked."""

    after: dict[str, dict[str, dict[str, tuple[str, ...]]]]

    def of(self, unit: Unit) -> Iterator[tuple[str, str]]:
        """What is noted of a counter."""
        for verb, targets in self.after.get(unit.id, {}).items():
            yield from ((verb, target) for target in targets)

    def note(self, unit: Unit, attacks: Iterator[tuple[str, str, str]], known: set[tuple[str, str]]) -> None:
        """Note attacks that are not known yet, each with what goes before it."""
        for verb, target, line in attacks:
            if (verb, target) in known:
                continue
            lines = self.after.setdefault(unit.id, {}).setdefault(verb, {})
            if len(lines.get(target, ())) < _MOST:
                lines[target] = (*lines.get(target, ()), line)


def _ordered(rules: Rules[State], state: State) -> Iterator[tuple[str, tuple[str, State]]]:
    """S2 Divisions that would have the order to attack at once if they got it: the line, and the position then."""
    for name, division in sorted(state.divisions.items()):
        if camp(division.side) != camp(state.phase) or division.order == "ATTACK":
            continue
        task = task_of(Order(0, name, "ATTACK"))
        there = foresee(rules, World(state, (task,)), Doctrine({}), ()).state
        if there.divisions[name].order == "ATTACK":
            yield name, (f"ORDER {name} ATTACK", there)


def _coming(state: State, unit: Unit, come: Ends) -> Iterator[tuple[str, str, str]]:
    """What a counter could attack where its moves end, as it comes or turned there; the shortest move first."""
    foes = {foe.at for foe in state.enemies(unit.side) if foe.is_combat}
    close = [to for to in come.ways if not foes.isdisjoint(neighbours(to))]
    for to in sorted(close, key=lambda to: (len(come.ways[to].path), to)):
        ahead = direction((unit.at, *come.ways[to].path)[-2], to)
        open_to: set[tuple[str, str]] = set()
        for facing in (ahead, *(one for one in come.facings[to] if one != ahead)):
            there = unit.but(at=to, facing=facing)
            turned = "" if facing == ahead else f" FACE {facing}"
            for verb, target in attacks_alone(state.with_units({unit.id: there}), there):
                if (verb, target) not in open_to:
                    open_to.add((verb, target))
                    yield verb, target, f"MOVE {{units}} TO {to}{turned}"
