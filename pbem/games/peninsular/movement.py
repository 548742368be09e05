"""S2-S5 The orders of a half before any die: divisions, moves, formations, turns, markers of assault and charge."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.commanders.holding import seats_told
from pbem.engine.commanders.sequence import joined, met, waits
from pbem.engine.data.events import Event, event
from pbem.engine.map.hexes import direction, distance
from pbem.engine.orders.refusals import Refusal
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.legality import march, not_carried_out, problem
from pbem.games.peninsular.orders import Assault, Face, Fire, Form, Limber, Move, Order
from pbem.games.peninsular.paths import turn_cost, wheeling
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import Unit, best


def chief(state: State, side: str) -> Unit | None:
    """S2 Return the commander-in-chief: the scenario's, else the commander of the longest range, then by id."""
    named = state.edition.scenario.get("chief", {}).get(side, "")
    own = [unit for unit in state.units.values() if unit.kind == "cmd" and unit.camp == camp(side)]
    return min(own, key=lambda unit: (unit.id != named, -unit.range, unit.id), default=None)


def division_order(state: State, task: Task) -> Outcome:
    """S2 ORDER: in force at once if the commander-in-chief reaches the division's commander, else from next turn."""
    order: Order = task.args[0]
    refused = problem(state, order)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    division = state.divisions[order.division]
    leader, head = state.units.get(division.commander), chief(state, division.side)
    near = leader is not None and head is not None and distance(head.at, leader.at) <= head.range
    new = "" if order.order == "NONE" else order.order
    data = {"side": division.side, "division": division.name, "order": new, "now": near}
    return Did((Event("ordered", "S2", data, state.edition.seats_of(division.side)),))


def move_order(state: State, task: Task) -> Outcome:
    """S4 MOVE: along the path, then turned or formed anew."""
    order: Move = task.args[0]
    found = march(state, order)
    if isinstance(found, Refusal):
        return Did((not_carried_out(state, order, found),))
    units, path, walked = found
    start = units[0].at
    events: list[Event] = []
    facing = units[0].facing
    if path:
        facing = direction((start, *path)[-2], path[-1])
        events.append(
            event(
                "moves",
                "S4",
                side=state.phase,
                units=list(order.units),
                path=list(path),
                costs=walked.costs,
                offroad=walked.offroad,
                zoned=walked.zoned,
                facing=facing,
                **{"from": start, "to": path[-1]},
            )
        )
    if order.face:
        events.append(turned(state, units, facing if path else "", order.face, path[-1] if path else start))
    if order.form:
        events += formed(state, units, order.form)
    return Did(tuple(events))


def turned(state: State, units: Sequence[Unit], facing: str, face: str, at: str) -> Event:
    """S3 Return the event of a turn: 1 MP for one or two sides, 2 for three, free for skirmishers.

    `facing` is what they face after their move, empty if they have not moved. Whoever shares the hex turns with them,
    and pays for it too unless they have just arrived.
    """
    turning = units if facing else wheeling(state, units)
    costs = {unit.id: turn_cost(unit, facing or unit.facing, face) for unit in turning}
    return event("faces", "S3", side=state.phase, units=[u.id for u in units], facing=face, costs=costs, at=at)


def formed(state: State, units: Sequence[Unit], form: str) -> list[Event]:
    """T8 Return the events of changes of formation, those already in it left out."""
    chart = state.edition.chart("formation")
    wanted = form.lower()
    return [
        event(
            "forms",
            "T8",
            side=unit.side,
            unit=unit.id,
            formation=wanted,
            cost=int(chart.cell(f"{unit.kind} {unit.formation}", wanted)),
        )
        for unit in units
        if unit.kind in ("inf", "cav") and unit.formation != wanted
    ]


def form_order(state: State, task: Task) -> Outcome:
    """T8 FORM."""
    order: Form = task.args[0]
    refused = problem(state, order)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    return Did(tuple(formed(state, [state.units[ident] for ident in order.units], order.form)))


def limber_order(state: State, task: Task) -> Outcome:
    """T8 LIMBER, UNLIMBER."""
    order: Limber = task.args[0]
    refused = problem(state, order)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    chart = state.edition.chart("formation")
    row, column = ("unlimbered", "limbered") if order.verb == "LIMBER" else ("limbered", "unlimbered")
    cost, limbered = int(chart.cell(row, column)), order.verb == "LIMBER"
    told = [event("limbers", "T8", side=state.phase, unit=ident, limbered=limbered, cost=cost) for ident in order.units]
    return Did(tuple(told))


def face_order(state: State, task: Task) -> Outcome:
    """S3 FACE."""
    order: Face = task.args[0]
    refused = problem(state, order)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    units = [state.units[ident] for ident in order.units]
    return Did((turned(state, units, "", order.face, units[0].at),))


def hold_fire(state: State, task: Task) -> Outcome:
    """S1 FIRE is kept until the fire of the half."""
    order: Fire = task.args[0]
    refused = problem(state, order, fixed=True)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    data = {"side": state.phase, "units": list(order.units), "at": order.at, "line": order.line}
    return Did((Event("fire ordered", "S1", data, seats_told(state, state.edition.seats_of(state.phase))),))


def assault_order(state: State, task: Task) -> Outcome:
    """S5 ASSAULT, CHARGE: those named get markers against the hex."""
    order: Assault = task.args[0]
    refused = problem(state, order)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    if order.joint:
        both = met(state, order, "")
        if both is None:
            return Did((waits(state, order, ""),))
        return Did((joined(state, both),), (Task("assault order", (both,)),))
    units = [state.units[ident] for ident in order.units]
    first = best(units)
    lead = order.leader or (first.id if first is not None else "")
    charges = {unit.id: run(unit, order.target) for unit in units} if order.verb == "CHARGE" else {}
    told = event(
        "charge" if charges else "assault",
        "S5",
        side=state.phase,
        units=list(order.units),
        at=order.target,
        unit=lead,
        charges=charges,
    )
    return Did((told,))


def run(unit: Unit, target: str) -> int:
    """S5 Return the length of a charge: the hexes at the end of the way ridden in line with the target, at least 1."""
    facing, hexes = unit.run
    return hexes if facing == direction(unit.at, target) else 1
