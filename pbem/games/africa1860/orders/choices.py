"""What each unit could be ordered to do now, for a page to choose from."""

from __future__ import annotations

from pbem.core.data.messages import msg
from pbem.core.orders.choices import BOTH, LED, PLAIN, Choices, Verb
from pbem.games.africa1860.orders.actions import Activate, Retire
from pbem.games.africa1860.orders.grammar import GRAMMAR
from pbem.games.africa1860.orders.legality import problem
from pbem.games.africa1860.orders.offers import about_to_order
from pbem.games.africa1860.orders.options import able
from pbem.games.africa1860.phase.paths import retire_path
from pbem.games.africa1860.state import State

__all__ = ["choices"]

VERBS = (
    Verb("MOVE", msg("Move to"), {PLAIN: "MOVE {units} TO {to}", BOTH: "MOVE {units} WITH {leaders} TO {to}"}),
    Verb("ASSAULT", msg("Assault"), {LED: "ASSAULT {to} WITH {units} LED BY {leader}"}, attack=True),
    Verb("CHARGE", msg("Charge"), {PLAIN: "CHARGE {units} AT {to}"}, attack=True),
    Verb("FIRE", msg("Fire at"), {PLAIN: "FIRE {units} AT {to}"}, attack=True, written=True),
    Verb("CARACOLE", msg("Caracole at"), {PLAIN: "CARACOLE {units} AT {to}"}, attack=True, written=True),
    Verb("RETIRE", msg("Retire to"), {PLAIN: "RETIRE {units} TO {to}"}, alone=True),
)


def choices(view: State, side: str, begun: bool = False) -> Choices:
    """O2, R8 Return what the units of spaces that can be activated may do, and what the demoralised may."""
    state = about_to_order(view, side, begun)
    offers: dict[str, dict[str, tuple[str, ...]]] = {}
    for space in state.camping(side):
        own = state.own(space, side)
        leaders = [unit.id for unit in own if unit.is_leader and not (unit.activated or unit.acted)]
        shut = problem(state, Activate(0, space), space) is not None
        for unit in own:
            if unit.demoralised:
                path = retire_path(state, unit)
                found = {"RETIRE": tuple(to for to in path if _may_retire(state, unit.id, to))}
            elif shut:
                continue
            else:
                found = {one.verb: able(state, unit, space, one.verb, leaders) for one in VERBS if not one.alone}
            if any(found.values()):
                offers[unit.id] = {verb: spaces for verb, spaces in found.items() if spaces}
    chiefs = sorted(
        (u for u in state.units.values() if u.is_leader and u.side == side), key=lambda u: (-u.assault, -u.bonus, u.id)
    )
    return Choices(VERBS, offers, "ACTIVATE {place}", tuple(unit.id for unit in chiefs), GRAMMAR.idiom)


def _may_retire(state: State, ident: str, to: str) -> bool:
    return problem(state, Retire(0, (ident,), to), state.units[ident].at) is None
