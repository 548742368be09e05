"""S8, T9, S9 After the shock: the advance, cavalry out of control, cavalry that is spent."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pbem.engine.data.events import event
from pbem.engine.data.messages import msg
from pbem.engine.map.charts import EditionModifiers
from pbem.engine.map.hexes import direction, distance, neighbours
from pbem.engine.reasons import Teller, says
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Task, Window, choice, die
from pbem.games.peninsular.morale import read_roll, tell_roll
from pbem.games.peninsular.paths import allowance
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import Step, fits, in_zone, nearest, shock_letter, stands, step_cost
from pbem.games.peninsular.units import NORMAL, Unit, best


def advance(state: State, task: Task) -> Outcome:
    """S8 The attackers may occupy a hex that was left. Arguments: hex, leading unit, attackers, attacks out of control.

    The leading unit's stack goes, as far as T3 and the ground let it; cavalry that advances must be controlled.
    """
    target, lead, ids, wild = task.args
    head = state.units.get(lead) or best([state.units[i] for i in ids if i in state.units])
    if head is None or state.foes(target, head.side):
        return Did()
    stack = [unit for unit in state.fighting(head.at, head.side) if unit.id in ids and unit.state == NORMAL]
    going = _room(state, target, [head, *(unit for unit in stack if unit.id != head.id)])
    if not going or distance(head.at, target) != 1:
        return Did()
    where = f"{head.at}>{target}"
    if not task.got:
        return Ask(Window(where, "advance", state.answerer(head), lead, ("YES", "NO")))
    chosen = choice(task, 0)
    if chosen.value[0] == "NO":
        return Did((event("stands", "S8", side=head.side, unit=lead, by=chosen.by),))
    moved = [unit.id for unit in going]
    left = [unit for unit in state.fighting(head.at, head.side) if unit.id not in moved]
    chiefs = [chief.id for chief in state.commanders(head.at, head.side)]
    if not left or head.id in moved:
        moved += chiefs
    facing = direction(head.at, target)
    ways = {"from": head.at, "to": target}
    told = event("advances", "S8", side=head.side, units=moved, facing=facing, by=chosen.by, **ways)
    found = [chief.id for chief in state.at(target) if chief.camp != head.camp]
    taken = (event("captured", "S13", side=state.units[found[0]].side, units=found, at=target),) if found else ()
    riders = tuple(Task("control", (unit.id, target, wild)) for unit in going if unit.kind == "cav")
    return Did((*taken, told), riders)


def _room(state: State, target: str, stack: list[Unit]) -> list[Unit]:
    """T3, T1 Who of a stack can go into a hex, the first first."""
    going: list[Unit] = []
    there = state.fighting(target, stack[0].side)
    for unit in stack:
        passable = step_cost(state.edition, unit, Step(unit.at, target)) is not None
        if passable and unit.state == NORMAL and stands(state.edition, target, [*there, *going, unit]):
            going.append(unit)
    return going


MOST_PURSUITS = 2
"""S8 Attacks out of control in a half."""


class Ride(NamedTuple):
    """A roll for control: the cavalry where it has advanced to."""

    state: State
    unit: Unit


def _commander(ride: Ride) -> int:
    found = ride.state.commanders(ride.unit.at, ride.unit.side)
    return max((max(1, unit.morale) for unit in found), default=0)


CONTROL_MODIFIERS: Mapping[str, Callable[[Ride], int]] = {
    "T9.1": _commander,
    "T9.2": lambda ride: ride.unit.charge > 0 and not ride.unit.pursuits,
    "T9.3": lambda ride: ride.unit.nation == "british",
    "T9.4": lambda ride: ride.unit.nation != "british",
    "T9.5": lambda ride: ride.unit.pursuits,
}
_modifiers = EditionModifiers("control", CONTROL_MODIFIERS)


def control(state: State, task: Task) -> Outcome:
    """T9, S8 Cavalry that has advanced is controlled, or attacks again at once. Arguments: counter, hex, attacks."""
    ident, at, _ = task.args
    unit = state.units.get(ident)
    if unit is None or unit.at != at or unit.state != NORMAL:
        return Did()
    if not task.got:
        return Roll(at, f"control {ident}", 1, 6)
    modifiers = _modifiers(state.edition).holding(Ride(state, unit))
    roll = read_roll(state.edition, "control", unit.will, modifiers, die(task, 0))
    told = event("control", "T9", side=unit.side, unit=ident, **roll)
    return Did((told,), (Task("pursue", (ident,)),) if roll["cell"] == "NC" else ())


def pursue(state: State, task: Task) -> Outcome:
    """S8 Cavalry out of control rides at the nearest enemy in reach of half its MP, or is spent. Argument: counter."""
    (ident,) = task.args
    unit = state.units[ident]
    found = prey(state, unit) if unit.pursuits < MOST_PURSUITS else None
    if found is None:
        foe = nearest(state, unit.at, unit.side)
        return Did((), (Task("spent", (ident, foe.at if foe is not None else unit.at)),))
    to, target = found
    ways = {"from": unit.at, "to": to}
    told = event("pursues", "S8", side=unit.side, units=[ident], target=target, facing=direction(to, target), **ways)
    return Did((told,), (Task("shock", (target, ident, (ident,), unit.pursuits + 1)),))


def prey(state: State, unit: Unit) -> tuple[str, str] | None:
    """S8 Return the hex to ride to and the hex to attack: the nearest enemy, then the cheapest way, then numbers."""
    most = (allowance(state, unit) + 1) // 2
    costs = _reach(state, unit, most)
    found = []
    for foe in state.enemies(unit.side):
        if not foe.is_combat:
            continue
        for near in neighbours(foe.at):
            if near in costs and shock_letter(state.edition, near, foe.at) != "P":
                found.append((distance(unit.at, foe.at), foe.at, costs[near], near))
    if not found:
        return None
    _, target, _, to = min(found)
    return to, target


def _reach(state: State, unit: Unit, most: int) -> dict[str, int]:
    """Where cavalry can ride within so many MP, zones heeded; where it may end (T3)."""
    costs, waiting, enemy = {unit.at: 0}, [(0, unit.at)], state.enemy(unit.side)
    while waiting:
        cost, here = heapq.heappop(waiting)
        leaving = in_zone(state, here, unit)
        if cost > costs[here] or (leaving and here != unit.at):
            continue
        for near in neighbours(here):
            if near not in state.edition.map or near in enemy.hexes:
                continue
            step = step_cost(state.edition, unit, Step(here, near))
            if step is not None and cost + step + leaving <= min(most, costs.get(near, most + 1) - 1):
                costs[near] = cost + step + leaving
                heapq.heappush(waiting, (costs[near], near))
    return {at: cost for at, cost in costs.items() if at == unit.at or fits(state, at, [unit])}


def spent(state: State, task: Task) -> Outcome:
    """S8, S9 Cavalry that finds nobody to ride at is spent. Arguments: counter, hex of the enemy."""
    ident, against = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    told = event("spent", "S8", side=unit.side, unit=ident)
    return Did((told,), (Task("withdraw", (unit.at, ident, against, "-")),))


# What a report says of all that.


DETAILS: Mapping[str, Teller] = {
    "control": tell_roll(
        "control", msg("{unit}: control, die {die}, with modifiers {total}, column {column}: {effect}")
    ),
}
EFFECTS: Mapping[str, Teller] = {
    "advances": says(msg("{units} {units:|advances|advance} from {start} to {to}")),
    "pursues": says(msg("{units} {units:|rides on|ride on} from {start} to {to}")),
    "stands": says(msg("{unit} does not advance")),
    "spent": says(msg("{unit} is spent")),
}
READ = {"control": "control"}
ASKED = {"advance": msg("{hex} is free. Does {unit} advance into it from {origin}?")}
