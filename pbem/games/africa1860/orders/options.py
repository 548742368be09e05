"""What the units of a space could be ordered to do now: every way, target and shot the rules allow."""

from __future__ import annotations

from pbem.core.data.messages import Msg, msg
from pbem.games.africa1860.orders.actions import Action, Activate, Assault, Caracole, Fire, Move, Retire
from pbem.games.africa1860.orders.legality import problem
from pbem.games.africa1860.orders.offers import about_to_order, near
from pbem.games.africa1860.phase.paths import retire_path
from pbem.games.africa1860.state import CAVALRY, INFANTRY, State, Unit

__all__ = ["able", "moves", "places"]


def moves(view: State, side: str, space: str, begun: bool = False) -> tuple[Msg, ...]:
    """Return, for each unit of the side in the space, where it may move, what it may attack and fire at.

    Each unit is looked at by itself; an assault by infantry is shown where a leader of the space could lead it. What is
    asked between one's own phases is about the next of them (C12).
    """
    state = about_to_order(view, side, begun)
    own = state.own(space, side)
    refused = problem(state, Activate(0, space), space)
    lines = [msg("{space} cannot be activated: {why}", space=space, why=refused.why)] if refused else []
    leaders = [unit.id for unit in own if unit.is_leader and not (unit.activated or unit.acted)]
    for unit in own:
        lines += _of_unit(state, unit, space, leaders, bool(refused))
    return tuple(lines) or (msg("you have no unit in {space}", space=space),)


def places(view: State, side: str) -> tuple[Msg, ...]:
    """Return, for each space where a side has units, which they are."""
    return tuple(
        msg("{space}: {units}", space=space, units=view.camp(space, side))
        for space in sorted(view.edition.map.spaces)
        if view.camp(space, side)
    )


def _of_unit(state: State, unit: Unit, space: str, leaders: list[str], shut: bool) -> list[Msg]:
    if unit.demoralised:
        path = retire_path(state, unit)
        if path and problem(state, Retire(0, (unit.id,)), space) is None:
            return [msg("{unit}: RETIRE to {spaces}", unit=unit.id, spaces=path)]
        return [msg("{unit} is demoralised and finds no way to retire", unit=unit.id)]
    # R22a Guns that support need not stand in an activated space; C12 a broken side has no assault to support.
    supports = ("SUPPORT",) if state.edition.reread and not state.is_broken(unit.side) else ()
    verbs = supports if shut else [verb for verb in _SAID if verb != "SUPPORT" or supports]
    said = {verb: able(state, unit, space, verb, leaders) for verb in verbs}
    return [msg(_SAID[verb].text, unit=unit.id, spaces=spaces) for verb, spaces in said.items() if spaces]


_SAID = {
    "MOVE": msg("{unit}: MOVE to {spaces}"),
    "FIRE": msg("{unit}: FIRE at {spaces}"),
    "SUPPORT": msg("{unit}: SUPPORT an assault on {spaces}"),
    "ASSAULT": msg("{unit}: ASSAULT {spaces}"),
    "CHARGE": msg("{unit}: CHARGE {spaces}"),
    "CARACOLE": msg("{unit}: CARACOLE at {spaces}"),
}


def able(state: State, unit: Unit, space: str, verb: str, leaders: list[str]) -> tuple[str, ...]:
    """Return the spaces near by that an order of that kind could name for a unit; an assault needs one of `leaders`."""
    found = []
    for target in near(state, space):
        order = _order(unit, verb, target, leaders)
        if order is not None and problem(state, order, space) is None:
            found.append(target)
    return tuple(found)


def _order(unit: Unit, verb: str, target: str, leaders: list[str]) -> Action | None:
    """The plainest order of that kind for one unit, None if its type has none."""
    if verb == "MOVE":
        return Move(0, () if unit.is_leader else (unit.id,), (unit.id,) if unit.is_leader else (), target)
    if verb in ("FIRE", "SUPPORT") and unit.code == "ART":
        return Fire(0, ((unit.id,),), target)
    if verb == "ASSAULT" and unit.code in INFANTRY and leaders:
        return Assault(0, "ASSAULT", target, (unit.id,), leaders[0])
    if verb == "CHARGE" and unit.code == CAVALRY:
        return Assault(0, "CHARGE", target, (unit.id,))
    if verb == "CARACOLE" and unit.code == CAVALRY:
        return Caracole(0, (unit.id,), target)
    return None
