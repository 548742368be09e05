"""K3, K4 What is against a line of a camp: what it costs, and whether it can be done at all."""

from __future__ import annotations

from pbem.engine.data.messages import msg
from pbem.engine.orders.refusals import Refusal
from pbem.engine.orders.standing import Pass
from pbem.engine.war.ledger import AWAY, BROKEN, LEADER, Entry
from pbem.games.camp import actions
from pbem.games.camp.state import State


def price(state: State, action: actions.Action) -> int:
    """K4 Return what a line costs."""
    prices = state.edition.war.prices
    if isinstance(action, actions.Refit):
        return action.steps * prices["REFIT"]
    if isinstance(action, actions.Bring):
        return state.edition.war.formations[action.formation].price
    return prices.get(type(action).__name__.upper(), 0)


def problem(state: State, action: actions.Action, side: str) -> Refusal | None:
    """Return why a line of a side is not carried out, None if it is."""
    if isinstance(action, Pass):
        return None
    found = _cannot(state, action, side)
    if found is None and (cost := price(state, action)) > (left := state.points[side]):
        why = msg("it costs {cost} {cost:|point|points}, and {left} {left:|is|are} left", cost=cost, left=left)
        return Refusal(("K3", "K4"), why, str(cost))
    return found


def _cannot(state: State, action: actions.Action, side: str) -> Refusal | None:
    """K4 Why it cannot be done, whatever it costs."""
    if isinstance(action, actions.Refit | actions.Rebuild | actions.Replace):
        return _of_unit(state, action)
    if isinstance(action, actions.Bring):
        return _brought(state, action)
    if isinstance(action, actions.Hospital):
        if action.formation in state.hospitals:
            return _refused("{formation} has its hospital", action.formation, formation=action.formation)
        sick = state.edition.war.formations[action.formation].sickness
        return None if sick else _refused("nothing befalls {formation}", action.formation, formation=action.formation)
    if isinstance(action, actions.Entrench):
        return _entrenched(state, action, side)
    if isinstance(action, actions.Road):
        return _road(state, action, side)
    if isinstance(action, actions.Scout) and not state.edition.deploys:
        return Refusal(("K4", "K6"), msg("the next leg begins without a deployment: there is nothing to be scouted"))
    return _refused("your scouts are out", "") if side in state.scouted else None


def _refused(text: str, word: str, **values: str | int | tuple[str, ...]) -> Refusal:
    return Refusal(("K4",), msg(text, **values), word)


def _of_unit(state: State, action: actions.Refit | actions.Rebuild | actions.Replace) -> Refusal | None:
    unit = state.units[action.unit]
    if unit.role == LEADER:
        return _refused("{unit} leads, and is none of those that are fed or relieved", unit.id, unit=unit.id)
    if unit.standing == AWAY:
        return _refused("{unit} is away, where it is made whole for nothing", unit.id, unit=unit.id)
    if isinstance(action, actions.Refit):
        if unit.standing == BROKEN:
            return _refused("{unit} is broken: REBUILD brings it back", unit.id, unit=unit.id)
        if not unit.lacks:
            return _refused("{unit} lacks nothing", unit.id, unit=unit.id)
        if not 0 < action.steps <= unit.lacks:
            return _refused("{unit} lacks {lacks} {lacks:|step|steps}", unit.id, unit=unit.id, lacks=unit.lacks)
        return None
    if isinstance(action, actions.Rebuild):
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


def _brought(state: State, action: actions.Bring) -> Refusal | None:
    formation = state.edition.war.formations[action.formation]
    if state.edition.number not in formation.enters:
        return _refused("{formation} cannot come to the next leg", formation.id, formation=formation.id)
    here = [unit for unit in formation.units if state.units[unit].standing != AWAY]
    if formation.id in state.brought or here:
        return _refused("{formation} comes anyhow", formation.id, formation=formation.id)
    return None


def _entrenched(state: State, action: actions.Entrench, side: str) -> Refusal | None:
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


def edge_of(state: State, action: actions.Road) -> str:
    """Return the way that is meant as the file has it, whichever end is named first; empty if it has none."""
    ends = (f"{action.start}-{action.end}", f"{action.end}-{action.start}")
    return next((edge for edge in state.edition.camp.edges if edge in ends), "")


def _road(state: State, action: actions.Road, side: str) -> Refusal | None:
    camp = state.edition.camp
    if camp.builds != side:
        return _refused("no road may be built by your side", action.start)
    edge = edge_of(state, action)
    if not edge:
        return _refused("no road can be built there; between {ways} it can", action.start, ways=camp.edges)
    return _refused("it is a road", action.start) if edge in state.roads else None
