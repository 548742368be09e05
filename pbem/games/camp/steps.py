"""K2 to K5 What happens in a camp, task by task, and what is against a line; the only place where its position changes.

The order is that of the sides, each set in the order of its lines; then sickness and harvest by formation, in the order
of the file; then who has too little is fed.
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
    """K4 Return what a line costs."""
    prices = state.edition.war.prices
    if isinstance(action, orders.Refit):
        return action.steps * prices["REFIT"]
    if isinstance(action, orders.Bring):
        return state.edition.war.formations[action.formation].price
    return prices.get(type(action).__name__.upper(), 0)


def problem(state: State, action: orders.Action, side: str) -> Refusal | None:
    """Return why a line of a side is not carried out, None if it is."""
    if isinstance(action, Pass):
        return None
    found = _cannot(state, action, side)
    if found is None and (cost := price(state, action)) > (left := state.points[side]):
        why = msg("it costs {cost} {cost:|point|points}, and {left} {left:|is|are} left", cost=cost, left=left)
        return Refusal(("K3", "K4"), why, str(cost))
    return found


def _cannot(state: State, action: orders.Action, side: str) -> Refusal | None:
    """K4 Why it cannot be done, whatever it costs."""
    if isinstance(action, orders.Refit | orders.Rebuild | orders.Replace):
        return _of_unit(state, action)
    if isinstance(action, orders.Bring):
        return _brought(state, action)
    if isinstance(action, orders.Hospital):
        if action.formation in state.hospitals:
            return _refused("{formation} has its hospital", action.formation, formation=action.formation)
        sick = state.edition.war.formations[action.formation].sickness
        return None if sick else _refused("nothing befalls {formation}", action.formation, formation=action.formation)
    if isinstance(action, orders.Entrench):
        return _entrenched(state, action, side)
    if isinstance(action, orders.Road):
        return _road(state, action, side)
    if isinstance(action, orders.Scout) and not state.edition.deploys:
        return Refusal(("K4", "K6"), msg("the next leg begins without a deployment: there is nothing to be scouted"))
    return _refused("your scouts are out", "") if side in state.scouted else None


def _refused(text: str, word: str, **values: str | int | tuple[str, ...]) -> Refusal:
    return Refusal(("K4",), msg(text, **values), word)


def _of_unit(state: State, action: orders.Refit | orders.Rebuild | orders.Replace) -> Refusal | None:
    unit = state.units[action.unit]
    if unit.role == LEADER:
        return _refused("{unit} leads, and is none of those that are fed or relieved", unit.id, unit=unit.id)
    if unit.standing == AWAY:
        return _refused("{unit} is away, where it is made whole for nothing", unit.id, unit=unit.id)
    if isinstance(action, orders.Refit):
        if unit.standing == BROKEN:
            return _refused("{unit} is broken: REBUILD brings it back", unit.id, unit=unit.id)
        if not unit.lacks:
            return _refused("{unit} lacks nothing", unit.id, unit=unit.id)
        if not 0 < action.steps <= unit.lacks:
            return _refused("{unit} lacks {lacks} {lacks:|step|steps}", unit.id, unit=unit.id, lacks=unit.lacks)
        return None
    if isinstance(action, orders.Rebuild):
        ready = unit.standing != BROKEN
        return _refused("{unit} is not broken", unit.id, unit=unit.id) if ready else None
    return _replaced(state, unit, state.units[action.new])


def _replaced(state: State, old: Entry, new: Entry) -> Refusal | None:
    if new.standing != AWAY:
        return _refused("{unit} is not away", new.id, unit=new.id)
    if new.code != old.code:
        return _refused("{new} is no {code} as {unit} is", new.id, new=new.id, code=old.code, unit=old.id)
    if old.id in state.replaced or old.id in state.replaced.values():
        return _refused("the place of {unit} has been taken once", old.id, unit=old.id)
    return None


def _brought(state: State, action: orders.Bring) -> Refusal | None:
    formation = state.edition.war.formations[action.formation]
    if state.edition.number not in formation.enters:
        return _refused("{formation} cannot come to the next leg", formation.id, formation=formation.id)
    here = [unit for unit in formation.units if state.units[unit].standing != AWAY]
    if formation.id in state.brought or here:
        return _refused("{formation} comes anyhow", formation.id, formation=formation.id)
    return None


def _entrenched(state: State, action: orders.Entrench, side: str) -> Refusal | None:
    camp = state.edition.camp
    if camp.entrenches != side:
        return _refused("no space may be entrenched by your side", action.space)
    if action.space not in camp.spaces:
        return _refused(
            "{space} cannot be entrenched; {spaces} can", action.space, space=action.space, spaces=camp.spaces
        )
    if action.space in state.trenches:
        return _refused("{space} is entrenched", action.space, space=action.space)
    if len(state.trenches) >= camp.most:
        return _refused("at most {most} spaces are entrenched", action.space, most=camp.most)
    return None


def edge_of(state: State, action: orders.Road) -> str:
    """Return the way that is meant as the file has it, whichever end is named first; empty if it has none."""
    ends = (f"{action.start}-{action.end}", f"{action.end}-{action.start}")
    return next((edge for edge in state.edition.camp.edges if edge in ends), "")


def _road(state: State, action: orders.Road, side: str) -> Refusal | None:
    camp = state.edition.camp
    if camp.builds != side:
        return _refused("no road may be built by your side", action.start)
    edge = edge_of(state, action)
    if not edge:
        return _refused("no road can be built there; between {ways} it can", action.start, ways=camp.edges)
    return _refused("it is a road", action.start) if edge in state.roads else None


STORM = 2
"""K3 The sea is against the fleet on a die of so much or less."""
SEEN = 4
"""K4 Scouts see on a die of so much or more."""
MANY = 3
"""K5 So many units of a formation are struck by cholera."""
HARVEST = 1
"""K5 The harvest calls a unit home on a die of so much or less."""


def camp_world(
    state: State, orders: Mapping[str, Orders], letters: Sequence[Sequence[Action]] | None = None
) -> World[State]:
    """Return the phase with the orders of all seats."""
    tasks = [Task("returned"), Task("leaders")]
    for side in state.edition.sides:
        # M2 Of several commanders each is told alone what of his set was not carried out.
        given = [
            (action, side, seat)
            for seat in state.edition.seats_of(side)
            if seat in orders
            for action in orders[seat].actions
        ]
        carried = [Task("order", one) for one in given] or [Task("nothing ordered", (side,))]
        tasks += [Task("points", (side,)), *carried]
    tasks += [Task("sickness", (one.id,)) for one in state.edition.war.formations.values() if one.sickness]
    tasks += [Task("floor", (side,)) for side in state.edition.sides]
    return World(state, (*tasks, Task("camp over")))


def _told(state: State, kind: str, cite: str, side: str, **data: object) -> Event:
    """An event of one side, which the other is not told of under fog."""
    told = event(kind, cite, side=side, **data)
    return told._replace(seen_by=state.edition.seats_of(side)) if state.edition.fog else told


def _returned(state: State, task: Task) -> Outcome:
    """K2 Who came back is told, side by side."""
    found = []
    for side in state.edition.sides:
        back = {unit: steps for unit, steps in state.fed.items() if state.units[unit].side == side}
        found.append(_told(state, "returned", "K2", side, units=back, steps=sum(back.values())))
    return Did(tuple(found))


def _leaders(state: State, task: Task) -> Outcome:
    """K1.2 Who follows the leaders that were lost is told, and who commands in chief in place of one of them."""
    edition, found = state.edition, []
    wanted = changes(edition.war, edition.number + 1, edition.listed, state.units, state.works)
    for old, new in wanted.successors.items():
        name, *gifts = new.split()
        found.append(_told(state, "follows", "K1.2", state.units[old].side, unit=old, new=name, gifts=" ".join(gifts)))
    for side, chief in wanted.chiefs.items():
        found.append(_told(state, "in chief", "K1.2", side, unit=chief))
    return Did(tuple(found))


def _points(state: State, task: Task) -> Outcome:
    """K3 A side with a fleet has more points, if the sea lets it."""
    (side,) = task.args
    more = state.edition.war.fleet.get(side, 0)
    if not more:
        return Did((_told(state, "points", "K3", side, points=state.points[side]),))
    if not task.got:
        return Roll("camp", "fleet", 1, 6)
    label, rolled = die(task, 0)
    gained = 0 if rolled <= STORM else more
    return Did(
        (_told(state, "points", "K3", side, points=state.points[side] + gained, fleet=gained, die=rolled, label=label),)
    )


def _order(state: State, task: Task) -> Outcome:
    """K4 A line is carried out, or told to its side alone why not."""
    action, side, *by = task.args
    if (found := problem(state, action, side)) is not None:
        giver = Giver(side, (*by,) or state.edition.seats_of(side))
        return Did((not_carried_out(action.line, GRAMMAR.line_of(action), found, giver),))
    if isinstance(action, Pass):
        return Did()
    cost = price(state, action)
    if isinstance(action, orders.Scout):
        if not task.got:
            return Roll("camp", f"scout {side}", 1, 6)
        label, rolled = die(task, 0)
        paid = {"cost": cost, "left": state.points[side] - cost}
        scouted = event("scouted", "K4", side=side, seen=rolled >= SEEN, die=rolled, label=label, **paid)
        return Did((scouted._replace(seen_by=state.edition.seats_of(side)),))
    return Did((_done(state, action, side, cost),))


def _done(state: State, action: orders.Action, side: str, cost: int) -> Event:
    """K4 What a line does, what it costs and what is left then."""
    paid = {"cost": cost, "left": state.points[side] - cost}
    if isinstance(action, orders.Refit):
        return _told(state, "refitted", "K4", side, unit=action.unit, steps=action.steps, **paid)
    if isinstance(action, orders.Rebuild):
        half = -(-state.units[action.unit].full // 2)
        return _told(state, "rebuilt", "K4", side, unit=action.unit, steps=half, **paid)
    if isinstance(action, orders.Replace):
        return _told(state, "replaced", "K4", side, unit=action.unit, new=action.new, **paid)
    if isinstance(action, orders.Bring):
        return _told(state, "brought", "K4", side, formation=action.formation, **paid)
    if isinstance(action, orders.Hospital):
        return _told(state, "hospital", "K4", side, formation=action.formation, **paid)
    if isinstance(action, orders.Entrench):
        return _told(state, "entrenched", "K4", side, space=action.space, **paid)
    assert isinstance(action, orders.Road)  # noqa: S101 - there is no other order
    return _told(state, "road", "K4", side, edge=edge_of(state, action), **paid)


def by_default(state: State, side: str) -> tuple[orders.Refit, ...]:
    """K3 Return what is done for a side that orders nothing: what lacks most is fed, step by step."""
    own = {unit.id: unit.full for unit in of_side(state.units, side) if unit.standing == READY and unit.role != LEADER}
    steps = distribute_steps(state.units, own, state.points[side] // state.edition.war.prices["REFIT"])
    return tuple(orders.Refit(0, unit, steps.count(unit)) for unit in dict.fromkeys(steps))


def _nothing_ordered(state: State, task: Task) -> Outcome:
    (side,) = task.args
    told = _told(state, "nothing ordered", "K3", side)
    return Did((told,), tuple(Task("order", (action, side)) for action in by_default(state, side)))


def _sickness(state: State, task: Task) -> Outcome:
    """K5 A formation's die: cholera takes a step, the harvest a unit of levies."""
    formation = state.edition.war.formations[task.args[0]]
    there = _present(state, formation)
    if len(there) < (MANY if formation.sickness == "cholera" else 1):
        return Did()
    if not task.got:
        return Roll("camp", f"{formation.sickness} {formation.id}", 1, 6)
    label, rolled = die(task, 0)
    care = int(formation.id in state.hospitals)
    limit = state.edition.camp.sick if formation.sickness == "cholera" else HARVEST
    unit = _struck(there, formation) if rolled + care <= limit else None
    data = {"formation": formation.id, "die": rolled, "care": care, "limit": limit, "label": label}
    return Did((_told(state, formation.sickness, "K5", formation.side, **data, **_lost(unit, formation)),))


def _present(state: State, formation: Formation) -> list[Entry]:
    """Units of a formation that are ready and come to the next leg."""
    units = (state.units[unit] for unit in formation.units)
    return [unit for unit in units if unit.standing == READY and unit.role == COMBAT]


def _struck(there: list[Entry], formation: Formation) -> Entry | None:
    """Whom it strikes: cholera the unit with most steps, unless that has but one; the harvest that with fewest."""
    if formation.sickness == "cholera":
        unit = max(there, key=lambda one: (one.now, one.id))
        return unit if unit.now > 1 else None
    return min(there, key=lambda one: (one.now, [-ord(sign) for sign in one.id]))


def _lost(unit: Entry | None, formation: Formation) -> dict[str, object]:
    if unit is None:
        return {}
    return {"unit": unit.id, "steps": 1 if formation.sickness == "cholera" else unit.now}


def _floor(state: State, task: Task) -> Outcome:
    """K5.1 A side that would come with too little is fed."""
    (side,) = task.args
    given = floor_of(state.units, side, state.edition.war.floor)
    if not given:
        return Did()
    units = {unit: given.count(unit) for unit in dict.fromkeys(given)}
    return Did((_told(state, "fed", "K5.1", side, units=units, steps=len(given)),))


def _over(state: State, task: Task) -> Outcome:
    return Did((event("camp over", "K3", camp=state.edition.number),))


STEPS: Table[State] = {
    "returned": _returned,
    "leaders": _leaders,
    "points": _points,
    "order": _order,
    "nothing ordered": _nothing_ordered,
    "sickness": _sickness,
    "floor": _floor,
    "camp over": _over,
}


def _put(draft: State, entries: Iterable[Entry]) -> None:
    draft.units = draft.changed(*entries)


def _pay(draft: State, data: Data) -> None:
    draft.points = {**draft.points, data["side"]: draft.points[data["side"]] - data["cost"]}


def _more(draft: State, units: Mapping[str, int]) -> Iterator[Entry]:
    for ident, steps in units.items():
        yield draft.units[ident].left_with(draft.units[ident].now + steps)


def _gained(draft: State, data: Data) -> None:
    draft.points = {**draft.points, data["side"]: data["points"]}


def _grown(draft: State, data: Data) -> None:
    _pay(draft, data)
    _put(draft, _more(draft, {data["unit"]: data["steps"]}))


def _exchanged(draft: State, data: Data) -> None:
    _pay(draft, data)
    old, new = draft.units[data["unit"]], draft.units[data["new"]]
    _put(draft, (old._replace(now=old.full, standing=AWAY), new._replace(standing=READY)))
    draft.replaced = {**draft.replaced, old.id: new.id}


def _came(draft: State, data: Data) -> None:
    _pay(draft, data)
    draft.brought = (*draft.brought, data["formation"])
    units = draft.edition.war.formations[data["formation"]].units
    _put(draft, (draft.units[unit]._replace(standing=READY) for unit in units))


def _cared(draft: State, data: Data) -> None:
    _pay(draft, data)
    draft.hospitals = (*draft.hospitals, data["formation"])


def _dug(draft: State, data: Data) -> None:
    _pay(draft, data)
    draft.trenches = (*draft.trenches, data["space"])


def _paved(draft: State, data: Data) -> None:
    _pay(draft, data)
    draft.roads = (*draft.roads, data["edge"])


def _looked(draft: State, data: Data) -> None:
    _pay(draft, data)
    draft.scouted = {**draft.scouted, data["side"]: data["seen"]}


def _fell(draft: State, data: Data) -> None:
    if "unit" in data:
        unit = draft.units[data["unit"]]
        _put(draft, (unit.left_with(unit.now - data["steps"]),))


def _supplied(draft: State, data: Data) -> None:
    _put(draft, _more(draft, data["units"]))


def _ended(draft: State, data: Data) -> None:
    draft.phase = "over"


HANDLERS: Handlers[State] = {
    "points": _gained,
    "refitted": _grown,
    "rebuilt": _grown,
    "replaced": _exchanged,
    "brought": _came,
    "hospital": _cared,
    "entrenched": _dug,
    "road": _paved,
    "scouted": _looked,
    "cholera": _fell,
    "harvest": _fell,
    "fed": _supplied,
    "camp over": _ended,
}
RULES: Chapters[State] = Chapters(STEPS, HANDLERS, frozenset({"order"}))
