"""Resolve a camp: refusals, tasks and changes of position (K2 to K5).

Sides go in order, each set line by line; then come sickness and harvest by formation, in file order; then sides
below their least share get steps. The camp's position changes here only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pbem.engine.data.events import Data, Event, Handlers, event
from pbem.engine.data.messages import msg
from pbem.engine.orders.refusals import Giver, Refusal, not_carried_out
from pbem.engine.orders.standing import Pass
from pbem.engine.run.steps import Chapters, Did, Outcome, Roll, Table, Task, World, die
from pbem.engine.terms import Orders
from pbem.engine.war.chain import changes
from pbem.engine.war.file import Formation
from pbem.engine.war.ledger import AWAY, BROKEN, COMBAT, LEADER, READY, Entry, distribute_steps, floor_of, of_side
from pbem.games.camp import orders
from pbem.games.camp.orders import GRAMMAR, Action
from pbem.games.camp.state import State


def price(state: State, action: orders.Action) -> int:
    """Return the cost of a line (K4)."""
    prices = state.edition.war.prices
    if isinstance(action, orders.Refit):
        return action.steps * prices["REFIT"]
    if isinstance(action, orders.Bring):
        return state.edition.war.formations[action.formation].price
    return prices.get(type(action).__name__.upper(), 0)


def refuse_action(state: State, action: orders.Action, side: str) -> Refusal | None:
    """Return why a line of a side is not carried out; None if it is."""
    if isinstance(action, Pass):
        return None
    refusal = _refuse_action(state, action, side)
    if refusal is None and (cost := price(state, action)) > (remaining := state.points[side]):
        why = msg("it costs {cost} {cost:|point|points}, and {left} {left:|is|are} left", cost=cost, left=remaining)
        return Refusal(("K3", "K4"), why, str(cost))
    return refusal


def _refuse_action(state: State, action: orders.Action, side: str) -> Refusal | None:
    """Return why a line is impossible, whatever its cost (K4)."""
    if isinstance(action, orders.Refit | orders.Rebuild | orders.Replace):
        return _refuse_unit_order(state, action)
    if isinstance(action, orders.Bring):
        return _refuse_bringing(state, action)
    if isinstance(action, orders.Hospital):
        if action.formation in state.hospitals:
            return _refusal("{formation} has its hospital", action.formation, formation=action.formation)
        sick = state.edition.war.formations[action.formation].sickness
        return None if sick else _refusal("nothing befalls {formation}", action.formation, formation=action.formation)
    if isinstance(action, orders.Entrench):
        return _refuse_trench(state, action, side)
    if isinstance(action, orders.Road):
        return _refuse_road(state, action, side)
    if isinstance(action, orders.Scout) and not state.edition.deploys:
        return Refusal(("K4", "K6"), msg("the next leg begins without a deployment: there is nothing to be scouted"))
    return _refusal("your scouts are out", "") if side in state.scouted else None


def _refusal(text: str, word: str, **values: str | int | tuple[str, ...]) -> Refusal:
    return Refusal(("K4",), msg(text, **values), word)


def _refuse_unit_order(state: State, action: orders.Refit | orders.Rebuild | orders.Replace) -> Refusal | None:
    unit = state.units[action.unit]
    if unit.role == LEADER:
        return _refusal("{unit} leads, and is none of those that are fed or relieved", unit.id, unit=unit.id)
    if unit.standing == AWAY:
        return _refusal("{unit} is away, where it is made whole for nothing", unit.id, unit=unit.id)
    if isinstance(action, orders.Refit):
        if unit.standing == BROKEN:
            return _refusal("{unit} is broken: REBUILD brings it back", unit.id, unit=unit.id)
        if not unit.lacks:
            return _refusal("{unit} lacks nothing", unit.id, unit=unit.id)
        if not 0 < action.steps <= unit.lacks:
            return _refusal("{unit} lacks {lacks} {lacks:|step|steps}", unit.id, unit=unit.id, lacks=unit.lacks)
        return None
    if isinstance(action, orders.Rebuild):
        ready = unit.standing != BROKEN
        return _refusal("{unit} is not broken", unit.id, unit=unit.id) if ready else None
    return _refuse_replacement(state, unit, state.units[action.new])


def _refuse_replacement(state: State, old: Entry, new: Entry) -> Refusal | None:
    if new.standing != AWAY:
        return _refusal("{unit} is not away", new.id, unit=new.id)
    if new.code != old.code:
        return _refusal("{new} is no {code} as {unit} is", new.id, new=new.id, code=old.code, unit=old.id)
    if old.id in state.replaced or old.id in state.replaced.values():
        return _refusal("the place of {unit} has been taken once", old.id, unit=old.id)
    return None


def _refuse_bringing(state: State, action: orders.Bring) -> Refusal | None:
    formation = state.edition.war.formations[action.formation]
    if state.edition.number not in formation.enters:
        return _refusal("{formation} cannot come to the next leg", formation.id, formation=formation.id)
    units_here = [unit for unit in formation.units if state.units[unit].standing != AWAY]
    if formation.id in state.brought or units_here:
        return _refusal("{formation} comes anyhow", formation.id, formation=formation.id)
    return None


def _refuse_trench(state: State, action: orders.Entrench, side: str) -> Refusal | None:
    camp = state.edition.camp
    if camp.entrenches != side:
        return _refusal("no space may be entrenched by your side", action.space)
    if action.space not in camp.spaces:
        return _refusal(
            "{space} cannot be entrenched; {spaces} can", action.space, space=action.space, spaces=camp.spaces
        )
    if action.space in state.trenches:
        return _refusal("{space} is entrenched", action.space, space=action.space)
    if len(state.trenches) >= camp.most:
        return _refusal("at most {most} spaces are entrenched", action.space, most=camp.most)
    return None


def edge_of_road(state: State, action: orders.Road) -> str:
    """Return the edge of a ROAD order as the file writes it.

    The order may name its ends in either order; empty if there is no such edge.
    """
    ends = (f"{action.start}-{action.end}", f"{action.end}-{action.start}")
    return next((edge for edge in state.edition.camp.edges if edge in ends), "")


def _refuse_road(state: State, action: orders.Road, side: str) -> Refusal | None:
    camp = state.edition.camp
    if camp.builds != side:
        return _refusal("no road may be built by your side", action.start)
    edge = edge_of_road(state, action)
    if not edge:
        return _refusal("no road can be built there; between {ways} it can", action.start, ways=camp.edges)
    return _refusal("it is a road", action.start) if edge in state.roads else None


STORM_MOST = 2
"""K3 The highest die on which the sea keeps the fleet away."""
SEEN_LEAST = 4
"""K4 The lowest die on which scouts see the enemy's deployment."""
STRUCK_BY_CHOLERA = 3
"""K5 Units of a formation that cholera strikes."""
HARVEST_MOST = 1
"""K5 The highest die on which the harvest calls a unit home."""


def camp_world(
    state: State, orders: Mapping[str, Orders], letters: Sequence[Sequence[Action]] | None = None
) -> World[State]:
    """Return the phase with the orders of all seats."""
    tasks = [Task("returned"), Task("leaders")]
    for side in state.edition.sides:
        # M2 Of several commanders each is told alone what of his set was not carried out.
        orders_given = [
            (action, side, seat)
            for seat in state.edition.seats_of(side)
            if seat in orders
            for action in orders[seat].actions
        ]
        order_tasks = [Task("order", order) for order in orders_given] or [Task("nothing ordered", (side,))]
        tasks += [Task("points", (side,)), *order_tasks]
    tasks += [
        Task("sickness", (formation.id,)) for formation in state.edition.war.formations.values() if formation.sickness
    ]
    tasks += [Task("floor", (side,)) for side in state.edition.sides]
    return World(state, (*tasks, Task("camp over")))


def _side_event(state: State, kind: str, cite: str, side: str, **data: object) -> Event:
    """Return an event of one side, which fog hides from the other."""
    order_event = event(kind, cite, side=side, **data)
    return order_event._replace(seen_by=state.edition.seats_of(side)) if state.edition.fog else order_event


def _report_returns(state: State, task: Task) -> Outcome:
    """Report returned units, side by side (K2)."""
    returns = []
    for side in state.edition.sides:
        back = {unit: steps for unit, steps in state.fed.items() if state.units[unit].side == side}
        returns.append(_side_event(state, "returned", "K2", side, units=back, steps=sum(back.values())))
    return Did(tuple(returns))


def _report_leaders(state: State, task: Task) -> Outcome:
    """Report successors of lost leaders, and new commanders-in-chief (K1.2)."""
    edition, events = state.edition, []
    leg_changes = changes(edition.war, edition.number + 1, edition.listed_units, state.units, state.works)
    for old, new in leg_changes.successors.items():
        name, *gifts = new.split()
        events.append(
            _side_event(state, "follows", "K1.2", state.units[old].side, unit=old, new=name, gifts=" ".join(gifts))
        )
    for side, chief in leg_changes.chiefs.items():
        events.append(_side_event(state, "in chief", "K1.2", side, unit=chief))
    return Did(tuple(events))


def _points(state: State, task: Task) -> Outcome:
    """Add points to a side with a fleet, if the sea allows it (K3)."""
    (side,) = task.args
    fleet_points = state.edition.war.fleet.get(side, 0)
    if not fleet_points:
        return Did((_side_event(state, "points", "K3", side, points=state.points[side]),))
    if not task.got:
        return Roll("camp", "fleet", 1, 6)
    label, value = die(task, 0)
    points_gained = 0 if value <= STORM_MOST else fleet_points
    return Did(
        (
            _side_event(
                state,
                "points",
                "K3",
                side,
                points=state.points[side] + points_gained,
                fleet=points_gained,
                die=value,
                label=label,
            ),
        )
    )


def _order(state: State, task: Task) -> Outcome:
    """Carry out a line, or report to its side alone why not (K4)."""
    action, side, *by = task.args
    if (refusal := refuse_action(state, action, side)) is not None:
        giver = Giver(side, (*by,) or state.edition.seats_of(side))
        return Did((not_carried_out(action.line, GRAMMAR.line_of(action), refusal, giver),))
    if isinstance(action, Pass):
        return Did()
    cost = price(state, action)
    if isinstance(action, orders.Scout):
        if not task.got:
            return Roll("camp", f"scout {side}", 1, 6)
        label, value = die(task, 0)
        paid = {"cost": cost, "left": state.points[side] - cost}
        scouted_event = event("scouted", "K4", side=side, seen=value >= SEEN_LEAST, die=value, label=label, **paid)
        return Did((scouted_event._replace(seen_by=state.edition.seats_of(side)),))
    return Did((_order_done(state, action, side, cost),))


def _order_done(state: State, action: orders.Action, side: str, cost: int) -> Event:
    """Return the event of a line: its effect, cost and remaining points (K4)."""
    paid = {"cost": cost, "left": state.points[side] - cost}
    if isinstance(action, orders.Refit):
        return _side_event(state, "refitted", "K4", side, unit=action.unit, steps=action.steps, **paid)
    if isinstance(action, orders.Rebuild):
        half = -(-state.units[action.unit].full // 2)
        return _side_event(state, "rebuilt", "K4", side, unit=action.unit, steps=half, **paid)
    if isinstance(action, orders.Replace):
        return _side_event(state, "replaced", "K4", side, unit=action.unit, new=action.new, **paid)
    if isinstance(action, orders.Bring):
        return _side_event(state, "brought", "K4", side, formation=action.formation, **paid)
    if isinstance(action, orders.Hospital):
        return _side_event(state, "hospital", "K4", side, formation=action.formation, **paid)
    if isinstance(action, orders.Entrench):
        return _side_event(state, "entrenched", "K4", side, space=action.space, **paid)
    assert isinstance(action, orders.Road)  # noqa: S101 - there is no other order
    return _side_event(state, "road", "K4", side, edge=edge_of_road(state, action), **paid)


def default_orders(state: State, side: str) -> tuple[orders.Refit, ...]:
    """Refit the weakest units, step by step, for a side without orders (K3)."""
    own = {unit.id: unit.full for unit in of_side(state.units, side) if unit.standing == READY and unit.role != LEADER}
    steps = distribute_steps(state.units, own, state.points[side] // state.edition.war.prices["REFIT"])
    return tuple(orders.Refit(0, unit, steps.count(unit)) for unit in dict.fromkeys(steps))


def _nothing_ordered(state: State, task: Task) -> Outcome:
    (side,) = task.args
    events = _side_event(state, "nothing ordered", "K3", side)
    return Did((events,), tuple(Task("order", (action, side)) for action in default_orders(state, side)))


def _sickness(state: State, task: Task) -> Outcome:
    """Roll for a formation: cholera takes a step, the harvest a unit of levies (K5)."""
    formation = state.edition.war.formations[task.args[0]]
    units_there = _ready_units(state, formation)
    if len(units_there) < (STRUCK_BY_CHOLERA if formation.sickness == "cholera" else 1):
        return Did()
    if not task.got:
        return Roll("camp", f"{formation.sickness} {formation.id}", 1, 6)
    label, value = die(task, 0)
    care = int(formation.id in state.hospitals)
    limit = state.edition.camp.sick if formation.sickness == "cholera" else HARVEST_MOST
    unit = _unit_struck(units_there, formation) if value + care <= limit else None
    data = {"formation": formation.id, "die": value, "care": care, "limit": limit, "label": label}
    return Did((_side_event(state, formation.sickness, "K5", formation.side, **data, **_loss_data(unit, formation)),))


def _ready_units(state: State, formation: Formation) -> list[Entry]:
    """Return a formation's ready units that come to the next leg."""
    units = (state.units[unit] for unit in formation.units)
    return [unit for unit in units if unit.standing == READY and unit.role == COMBAT]


def _unit_struck(units_there: list[Entry], formation: Formation) -> Entry | None:
    """Return the unit struck.

    Cholera strikes the largest unit above one step, a bad harvest the smallest.
    """
    if formation.sickness == "cholera":
        unit = max(units_there, key=lambda listed: (listed.now, listed.id))
        return unit if unit.now > 1 else None
    return min(units_there, key=lambda listed: (listed.now, [-ord(sign) for sign in listed.id]))


def _loss_data(unit: Entry | None, formation: Formation) -> dict[str, object]:
    if unit is None:
        return {}
    return {"unit": unit.id, "steps": 1 if formation.sickness == "cholera" else unit.now}


def _floor(state: State, task: Task) -> Outcome:
    """Give steps to a side that would begin the next leg below its share (K5.1)."""
    (side,) = task.args
    steps_given = floor_of(state.units, side, state.edition.war.floor)
    if not steps_given:
        return Did()
    units = {unit: steps_given.count(unit) for unit in dict.fromkeys(steps_given)}
    return Did((_side_event(state, "fed", "K5.1", side, units=units, steps=len(steps_given)),))


def _over(state: State, task: Task) -> Outcome:
    return Did((event("camp over", "K3", camp=state.edition.number),))


STEP_FUNCTIONS: Table[State] = {
    "returned": _report_returns,
    "leaders": _report_leaders,
    "points": _points,
    "order": _order,
    "nothing ordered": _nothing_ordered,
    "sickness": _sickness,
    "floor": _floor,
    "camp over": _over,
}


def _enter(draft: State, entries: Iterable[Entry]) -> None:
    draft.units = draft.with_entries(*entries)


def _pay(draft: State, data: Data) -> None:
    draft.points = {**draft.points, data["side"]: draft.points[data["side"]] - data["cost"]}


def _add_steps(draft: State, units: Mapping[str, int]) -> Iterator[Entry]:
    for ident, steps in units.items():
        yield draft.units[ident].left_with(draft.units[ident].now + steps)


def _gains_points(draft: State, data: Data) -> None:
    draft.points = {**draft.points, data["side"]: data["points"]}


def _units_grow(draft: State, data: Data) -> None:
    _pay(draft, data)
    _enter(draft, _add_steps(draft, {data["unit"]: data["steps"]}))


def _units_exchange(draft: State, data: Data) -> None:
    _pay(draft, data)
    old, new = draft.units[data["unit"]], draft.units[data["new"]]
    _enter(draft, (old._replace(now=old.full, standing=AWAY), new._replace(standing=READY)))
    draft.replaced = {**draft.replaced, old.id: new.id}


def _formation_comes(draft: State, data: Data) -> None:
    _pay(draft, data)
    draft.brought = (*draft.brought, data["formation"])
    units = draft.edition.war.formations[data["formation"]].units
    _enter(draft, (draft.units[unit]._replace(standing=READY) for unit in units))


def _formation_treated(draft: State, data: Data) -> None:
    _pay(draft, data)
    draft.hospitals = (*draft.hospitals, data["formation"])


def _space_dug(draft: State, data: Data) -> None:
    _pay(draft, data)
    draft.trenches = (*draft.trenches, data["space"])


def _road_paved(draft: State, data: Data) -> None:
    _pay(draft, data)
    draft.roads = (*draft.roads, data["edge"])


def _scouts_look(draft: State, data: Data) -> None:
    _pay(draft, data)
    draft.scouted = {**draft.scouted, data["side"]: data["seen"]}


def _unit_falls(draft: State, data: Data) -> None:
    if "unit" in data:
        unit = draft.units[data["unit"]]
        _enter(draft, (unit.left_with(unit.now - data["steps"]),))


def _side_supplied(draft: State, data: Data) -> None:
    _enter(draft, _add_steps(draft, data["units"]))


def _camp_ends(draft: State, data: Data) -> None:
    draft.phase = "over"


EVENT_HANDLERS: Handlers[State] = {
    "points": _gains_points,
    "refitted": _units_grow,
    "rebuilt": _units_grow,
    "replaced": _units_exchange,
    "brought": _formation_comes,
    "hospital": _formation_treated,
    "entrenched": _space_dug,
    "road": _road_paved,
    "scouted": _scouts_look,
    "cholera": _unit_falls,
    "harvest": _unit_falls,
    "fed": _side_supplied,
    "camp over": _camp_ends,
}
RULES: Chapters[State] = Chapters(STEP_FUNCTIONS, EVENT_HANDLERS, frozenset({"order"}))
