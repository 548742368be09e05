"""Resolve the advance after the shock, cavalry out of control and spent cavalry.

Rules: S8, T9, S9.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pbem.engine.data.events import event
from pbem.engine.data.messages import msg
from pbem.engine.map.charts import EditionModifiers
from pbem.engine.map.hexes import direction, distance, neighbours
from pbem.engine.reasons import Teller, sentence_teller
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Task, Window, choice, die
from pbem.games.peninsular.edition import OVERLAY_FACTS
from pbem.games.peninsular.morale import read_roll, roll_teller
from pbem.games.peninsular.paths import allowance
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import Step, has_room, in_zone, may_stand, nearest_enemy, shock_letter, step_cost
from pbem.games.peninsular.units import NORMAL, Unit, best_unit


def advance_attackers(state: State, task: Task) -> Outcome:
    """Let the attackers occupy a hex that was left (S8).

    Arguments: hex, leading unit, attackers, attacks out of control. The leading unit's stack advances, as far as T3
    and the terrain allow. Cavalry that advances must be controlled.
    """
    target, lead, ids, wild = task.args
    head = state.units.get(lead) or best_unit([state.units[i] for i in ids if i in state.units])
    if head is None or state.foes(target, head.side):
        return Did()
    stack = [unit for unit in state.fighting(head.at, head.side) if unit.id in ids and unit.state == NORMAL]
    going = _room(state, target, [head, *(unit for unit in stack if unit.id != head.id)])
    if not going or distance(head.at, target) != 1:
        return Did()
    address = f"{head.at}>{target}"
    if not task.got:
        return Ask(Window(address, "advance", state.answerer(head), lead, ("YES", "NO")))
    answer = choice(task, 0)
    if answer.value[0] == "NO":
        return Did((event("stands", "S8", side=head.side, unit=lead, by=answer.by),))
    moved_ids = [unit.id for unit in going]
    remaining = [unit for unit in state.fighting(head.at, head.side) if unit.id not in moved_ids]
    chiefs = [chief.id for chief in state.commanders(head.at, head.side)]
    if not remaining or head.id in moved_ids:
        moved_ids += chiefs
    facing = direction(head.at, target)
    ways = {"from": head.at, "to": target}
    advances_event = event("advances", "S8", side=head.side, units=moved_ids, facing=facing, by=answer.by, **ways)
    fallen_chiefs = [chief.id for chief in state.at(target) if chief.camp != head.camp]
    captures = (
        (event("captured", "S13", side=state.units[fallen_chiefs[0]].side, units=fallen_chiefs, at=target),)
        if fallen_chiefs
        else ()
    )
    riders = tuple(Task("control", (unit.id, target, wild)) for unit in going if unit.kind == "cav")
    return Did((*captures, advances_event), riders)


def _room(state: State, target: str, stack: list[Unit]) -> list[Unit]:
    """Return the first units of a stack that fit into a hex (T3, T1)."""
    going: list[Unit] = []
    units_there = state.fighting(target, stack[0].side)
    for unit in stack:
        passable = step_cost(state.edition, unit, Step(unit.at, target)) is not None
        if passable and unit.state == NORMAL and may_stand(state.edition, target, [*units_there, *going, unit]):
            going.append(unit)
    return going


MOST_PURSUITS = 2
"""S8 Attacks out of control that one counter may make in a half."""


class ControlFacts(NamedTuple):
    """A roll for control of cavalry in the hex it has advanced to."""

    state: State
    unit: Unit


def _commander(ride: ControlFacts) -> int:
    chiefs = ride.state.commanders(ride.unit.at, ride.unit.side)
    # T9.1 A morale factor of 0 counts as 1.
    return max((max(1, unit.morale) for unit in chiefs), default=0)


CONTROL_MODIFIERS: Mapping[str, Callable[[ControlFacts], int]] = {
    "T9.1": _commander,
    "T9.2": lambda ride: ride.unit.charge > 0 and not ride.unit.pursuits,
    "T9.3": lambda ride: ride.unit.nation == "british",
    "T9.4": lambda ride: ride.unit.nation != "british",
    "T9.5": lambda ride: ride.unit.pursuits,
}
_modifiers = EditionModifiers("control", CONTROL_MODIFIERS, facts=OVERLAY_FACTS["control"])


def roll_for_control(state: State, task: Task) -> Outcome:
    """Roll for control of cavalry that has advanced; uncontrolled it attacks again.

    Rules: T9, S8.

    Arguments: counter, hex, attacks.
    """
    ident, hex_id, _ = task.args
    unit = state.units.get(ident)
    if unit is None or unit.at != hex_id or unit.state != NORMAL:
        return Did()
    if not task.got:
        return Roll(hex_id, f"control {ident}", 1, 6)
    modifiers = _modifiers(state.edition).holding(ControlFacts(state, unit))
    roll = read_roll(state.edition, "control", unit.will, modifiers, die(task, 0))
    control_event = event("control", "T9", side=unit.side, unit=ident, **roll)
    return Did((control_event,), (Task("pursue", (ident,)),) if roll["cell"] == "NC" else ())


def pursue(state: State, task: Task) -> Outcome:
    """Send uncontrolled cavalry at the nearest enemy within half its MP, or spend it.

    Rule: S8.

    Argument: counter.
    """
    (ident,) = task.args
    unit = state.units[ident]
    chased = pursuit_target(state, unit) if unit.pursuits < MOST_PURSUITS else None
    if chased is None:
        foe = nearest_enemy(state, unit.at, unit.side)
        return Did((), (Task("spent", (ident, foe.at if foe is not None else unit.at)),))
    to, target = chased
    ways = {"from": unit.at, "to": to}
    pursues_event = event(
        "pursues", "S8", side=unit.side, units=[ident], target=target, facing=direction(to, target), **ways
    )
    return Did((pursues_event,), (Task("shock", (target, ident, (ident,), unit.pursuits + 1)),))


def pursuit_target(state: State, unit: Unit) -> tuple[str, str] | None:
    """Return the hex to ride to and the hex to attack.

    They are the nearest, then the cheapest, then the first by id. Rule: S8.
    """
    most_mp = (allowance(state, unit) + 1) // 2
    costs = _reach(state, unit, most_mp)
    targets = []
    for foe in state.enemies(unit.side):
        if not foe.is_combat:
            continue
        for near in neighbours(foe.at):
            if near in costs and shock_letter(state.edition, near, foe.at) != "P":
                targets.append((distance(unit.at, foe.at), foe.at, costs[near], near))
    if not targets:
        return None
    _, target, _, to = min(targets)
    return to, target


def _reach(state: State, unit: Unit, most_mp: int) -> dict[str, int]:
    """Return the hexes cavalry can ride to within the MP, with zones and T3 applied."""
    costs, waiting, enemy = {unit.at: 0}, [(0, unit.at)], state.enemy(unit.side)
    while waiting:
        cost, current = heapq.heappop(waiting)
        leaving = in_zone(state, current, unit)
        if cost > costs[current] or (leaving and current != unit.at):
            continue
        for near in neighbours(current):
            if near not in state.edition.map or near in enemy.hexes:
                continue
            step = step_cost(state.edition, unit, Step(current, near))
            if step is not None and cost + step + leaving <= min(most_mp, costs.get(near, most_mp + 1) - 1):
                costs[near] = cost + step + leaving
                heapq.heappush(waiting, (costs[near], near))
    return {hex_id: cost for hex_id, cost in costs.items() if hex_id == unit.at or has_room(state, hex_id, [unit])}


def spend_cavalry(state: State, task: Task) -> Outcome:
    """Mark cavalry without a target as spent (S8, S9).

    Arguments: counter, hex of the enemy.
    """
    ident, against = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    spent_event = event("spent", "S8", side=unit.side, unit=ident)
    return Did((spent_event,), (Task("withdraw", (unit.at, ident, against, "-")),))


# What a report says of all that.


DETAIL_SENTENCES: Mapping[str, Teller] = {
    "control": roll_teller(
        "control", msg("{unit}: control, die {die}, with modifiers {total}, column {column}: {effect}")
    ),
}
EFFECT_SENTENCES: Mapping[str, Teller] = {
    "advances": sentence_teller(msg("{units} {units:|advances|advance} to {to}")),
    "pursues": sentence_teller(msg("{units} {units:|rides on|ride on}")),
    "stands": sentence_teller(msg("{unit} does not advance")),
    "spent": sentence_teller(msg("{unit} is spent")),
}
CHART_READS = {"control": "control"}
QUESTION_SENTENCES = {"advance": msg("{hex} is free. Does {unit} advance into it from {origin}?")}
