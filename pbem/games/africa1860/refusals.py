"""Refuse orders of every kind, and name in a refusal what can be ordered instead.

The refusals of the chapters are also events, whose sentences stay as games under way have them. What is added here is
for letters alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import Deploy, deploy_too_late
from pbem.engine.orders.refusals import Refusal
from pbem.engine.orders.speech import order_text
from pbem.games.africa1860 import assault, cavalry, fire, movement, sequence
from pbem.games.africa1860.legality import fallback_spaces, retire_path
from pbem.games.africa1860.orders import (
    Action,
    Activate,
    Assault,
    Caracole,
    Fire,
    Move,
    Retire,
    line_of,
    translate_orders,
)
from pbem.games.africa1860.state import CAVALRY, COMBAT_CODES, LEADER, LIGHT, State, Unit, best_leader, enemy_of

REFUSAL_FUNCTIONS: Mapping[type, Callable[[State, Any, str, bool], Refusal | None]] = {
    Activate: sequence.refuse_activate,
    Move: movement.refuse_move,
    Fire: fire.refuse_fire,
    Assault: assault.refuse_assault,
    Caracole: cavalry.refuse_caracole,
    Retire: movement.refuse_retire,
    Deploy: lambda state, order, space, lasting_only: deploy_too_late("K6"),
}
"""The function that refuses orders of each kind, from its chapter."""


def refuse_action(state: State, action: Action, space: str, lasting_only: bool = False) -> Refusal | None:
    """Return why an action of the space's activation is refused.

    With `lasting_only` only reasons that no event can change.
    """
    refuse = REFUSAL_FUNCTIONS.get(type(action))
    return None if refuse is None else refuse(state, action, space, lasting_only)


class RefusedAction(NamedTuple):
    """A refused action with its space, its position and the orders above it."""

    state: State
    action: Any
    space: str
    above: Sequence[Action] = ()

    def allows(self, action: Action) -> bool:
        """Return whether another action of the same space would not be refused."""
        return refuse_action(self.state, action, self.space) is None


def why_in_full(refused: RefusedAction, why: Msg) -> Msg:
    """Return the reason of a refusal with what can be ordered instead, if any."""
    remedy = REMEDIES.get(why.text)
    return why if remedy is None else remedy(refused, why)


def elsewhere_text(state: State, why: Msg) -> Msg:
    """Return why a unit cannot act here, and how to order it where it is (O2, O5)."""
    own_space = str(dict(why.args)["at"])
    refusal = refuse_action(state, Activate(0, own_space), "")
    if refusal is None or own_space in state.used or refusal.why.text == "{space} was activated already in this phase":
        return msg("{why}; order it below ACTIVATE {space}", why=why, space=own_space)
    return msg("{why}; {other}", why=why, other=refusal.why)


def _argument(why: Msg, name: str) -> str:
    return str(dict(why.args).get(name, ""))


def _own(refused: RefusedAction, codes: Collection[str]) -> list[Unit]:
    """Return one's own units of some types in the activated space that can still act."""
    units = refused.state.own(refused.space, refused.state.phase)
    return [unit for unit in units if unit.code in codes and not unit.acted and not unit.demoralised]


def _ids(units: Iterable[Unit]) -> tuple[str, ...]:
    return tuple(unit.id for unit in units)


def _with_order(why: Msg, order: Action) -> Msg:
    return msg("{why}; it takes {order}", why=why, order=order_text(line_of(order), translate_orders))


def _with_targets(refused: RefusedAction, why: Msg) -> Msg:
    """Name the enemies that the order would reach (O3.1, O3.3, R13)."""
    state, action, space = refused.state, refused.action, refused.space
    if not isinstance(action, Assault | Fire | Caracole):
        return why
    spaces = [to for to in state.camping(enemy_of(state.phase)) if refused.allows(_at(action, to))]
    if spaces:
        text = "{why}; the enemy in {spaces} can be reached from {space}"
        return msg(text, why=why, spaces=(*spaces,), space=space)
    near = [to for to in state.edition.map.neighbours(space) if state.holder(to) == enemy_of(state.phase)]
    is_charge = isinstance(action, Assault) and action.verb == "CHARGE"
    return why if near or is_charge else msg("{why}; no enemy is next to {space}", why=why, space=space)


def _at(action: Assault | Fire | Caracole, to: str) -> Action:
    if isinstance(action, Assault):
        return action._replace(target=to, via="")
    return action._replace(at=to) if isinstance(action, Fire) else action._replace(at=to, back="")


def _with_goals(refused: RefusedAction, why: Msg) -> Msg:
    """Name the spaces that all units of a move reach together."""
    move = refused.action
    if not isinstance(move, Move):
        return why
    goals = tuple(to for to in sorted(refused.state.edition.map.spaces) if refused.allows(move._replace(to=to, via="")))
    if not goals:
        return why
    if len((*move.units, *move.leaders)) == 1:
        return msg("{why}; it can go to {spaces}", why=why, spaces=goals)
    return msg("{why}; they can go to {spaces}", why=why, spaces=goals)


def _with_reach(refused: RefusedAction, why: Msg) -> Msg:
    """Name the spaces that the unit that is too far away reaches (O3)."""
    state, move, unit, to = refused.state, refused.action, _argument(why, "unit"), _argument(why, "to")
    if unit in state.units and state.units[unit].at == to:
        return msg("{unit} is in {to} already: leave it out", unit=unit, to=to)
    alone = Move(0, (), (unit,), "") if unit in move.leaders else Move(0, (unit,), (), "")
    return _with_goals(refused._replace(action=alone), why)


def _with_attack(refused: RefusedAction, why: Msg) -> Msg:
    """Name the attack on a space of the enemy, or other goals of a move (O8)."""
    state, move = refused.state, refused.action
    units = [state.units[ident] for ident in move.units if state.units[ident].code in COMBAT_CODES]
    leader = (*move.leaders, *_ids(filter(None, [best_leader(_own(refused, {LEADER}))])))[:1]
    attack = Assault(0, "ASSAULT", move.to, _ids(units), *leader)
    if all(unit.code == CAVALRY for unit in units):
        attack = Assault(0, "CHARGE", move.to, _ids(units))
    return _with_order(why, attack) if units and refused.allows(attack) else _with_goals(refused, why)


def _with_leaders(refused: RefusedAction, why: Msg) -> Msg:
    """Name the leaders in the space, or the order above that takes one away (O8.1)."""
    used = _with_order_above(refused, why)
    leaders = _ids(_own(refused, {LEADER}))
    if used is not why:
        return used
    if leaders:
        return msg("{why}; leaders there: {leaders}", why=why, leaders=leaders)
    return msg("{why}; no leader of yours is there", why=why)


def _with_riders(refused: RefusedAction, why: Msg) -> Msg:
    """Name the assault in place of a charge, or the cavalry of the space (O3.3)."""
    action = refused.action
    if isinstance(action, Assault):
        leader = (action.leader, *_ids(filter(None, [best_leader(_own(refused, {LEADER}))])))
        order = action._replace(verb="ASSAULT", leader=next(filter(None, leader), ""))
        if refused.allows(order):
            return _with_order(why, order)
    riders = _ids(_own(refused, {CAVALRY}))
    if riders:
        return msg("{why}; cavalry there: {units}", why=why, units=riders)
    return msg("{why}; no cavalry of yours is there", why=why)


def _with_guns(refused: RefusedAction, why: Msg) -> Msg:
    """Name the batteries that may fire (O7, R22a)."""
    state, action = refused.state, refused.action
    target = action.at if isinstance(action, Fire) else action.target
    orders: dict[str, Action] = {}
    for unit in state.units.values():
        if unit.side == state.phase and unit.code == "ART":
            shots = ((unit.id,),)
            is_fire = isinstance(action, Fire)
            orders[unit.id] = Fire(0, shots, target) if is_fire else action._replace(support=shots)
    guns = tuple(gun for gun in sorted(orders) if refused.allows(orders[gun]))
    if guns:
        return msg("{why}; guns that can: {units}", why=why, units=guns)
    return msg("{why}; no gun of yours can", why=why)


def _with_fit(clause: str, codes: Collection[str], *others: str) -> Callable[[RefusedAction, Msg], Msg]:
    """Return the remedy of a clause of an assault: its units fit for it."""

    def with_units(refused: RefusedAction, why: Msg) -> Msg:
        order, units = refused.action, refused.state.units
        taken = {getattr(order, name) for name in others}
        fit = tuple(ident for ident in order.units if ident not in taken and units[ident].code in codes)
        if fit:
            return msg("{why}; it can be {units}", why=why, units=fit)
        written = order_text(f"{clause} {_argument(why, 'unit')}", translate_orders)
        return msg("{why}: leave {clause} out", why=why, clause=written)

    return with_units


def _with_support(refused: RefusedAction, why: Msg) -> Msg:
    """Tell how guns take part in an assault (O8.7)."""
    unit = refused.state.units[_argument(why, "unit")]
    return msg("{why}: SUPPORT lets it fire there", why=why) if unit.code == "ART" else why


def _with_own_units(refused: RefusedAction, why: Msg) -> Msg:
    """Name one's own units in the space."""
    ids = _ids(refused.state.own(refused.space, refused.state.phase)) if refused.space else ()
    return msg("{why}; yours there: {units}", why=why, units=ids) if ids else why


def _with_own_spaces(refused: RefusedAction, why: Msg) -> Msg:
    """Name the spaces that can be activated (O2, O5)."""
    state = refused.state
    spaces = [space for space in state.camping(state.phase) if refused.allows(Activate(0, space))]
    return msg("{why}; these can be activated: {spaces}", why=why, spaces=(*spaces,)) if spaces else why


def _with_order_above(refused: RefusedAction, why: Msg) -> Msg:
    """Name the order above that has made a unit act (R3, O7.1.1)."""
    ident = _argument(why, "unit")
    for action in refused.above:
        if ident in named_ids(action):
            used = order_text(line_of(action), translate_orders)
            return msg("{why}; an order above makes it act: {order}", why=why, order=used)
    return why


def named_ids(action: Action) -> frozenset[str]:
    """Return the units that an order makes act."""
    groups = (*getattr(action, "shots", ()), *getattr(action, "support", ()))
    leaders = (*getattr(action, "leaders", ()), getattr(action, "leader", ""))
    return frozenset((*getattr(action, "units", ()), *leaders, *(gun for group in groups for gun in group))) - {""}


def _with_fallback(refused: RefusedAction, why: Msg) -> Msg:
    """Name the spaces that a caracole can fall back to (R4)."""
    unit, order = refused.state.units[_argument(why, "unit")], refused.action
    spaces = fallback_spaces(refused.state, unit, order.at) if order.back else ()
    return msg("{why}; it can go back to {spaces}", why=why, spaces=spaces) if spaces else why


def _with_rear(refused: RefusedAction, why: Msg) -> Msg:
    """Name the space that a unit retires to (R8)."""
    path = retire_path(refused.state, refused.state.units[_argument(why, "unit")]) if refused.action.to else ()
    return msg("{why}; it can go to {spaces}", why=why, spaces=path[-1:]) if path else why


def _with_way(refused: RefusedAction, why: Msg) -> Msg:
    """Name the step that is missing in the way of a charge (O3.3)."""
    action, space, area = refused.action, refused.space, refused.state.edition.map
    if not action.via:
        return _with_targets(refused, why)
    end = space if not area.adjacent(space, action.via) else action.target
    return msg("{to} is not next to {space}", to=action.via, space=end)


REMEDIES: Mapping[str, Callable[[RefusedAction, Msg], Msg]] = {
    movement.OUT_OF_REACH: _with_reach,
    "{to} is held by the enemy: a move never enters it": _with_attack,
    "every way from {space} to {to} is barred": _with_goals,
    "{unit} cannot use the way from {space} to {to}": _with_goals,
    "{unit} stops behind the ford or bridge: {to} is a space too far": _with_goals,
    "more than {n} combat units would stand in {to}": _with_goals,
    "more than {n} batteries would stand in {to}": _with_goals,
    movement.STEADY: lambda refused, why: msg("{why}: MOVE leads it back", why=why),
    "{unit} finds no way towards its nearest rear town there": _with_rear,
    "{to} is not next to {space}": _with_targets,
    "there is no enemy in {to}": _with_targets,
    "you see no enemy in {to}: fog hides it": _with_targets,
    "the enemy stands between {space} and {to}": _with_targets,
    "{to} is more than two spaces from {space}": _with_way,
    "{unit} has no friends to fall back on in {to}": _with_fallback,
    "{unit} is no artillery": _with_guns,
    "{unit} is neither in {space} nor next to {to}": _with_guns,
    "{unit} is not in {space}: supporting guns fire from there": _with_guns,
    "{unit} has fired already in this turn": _with_order_above,
    "{unit} has acted already in this phase": _with_order_above,
    "{unit} never assaults": _with_support,
    "only cavalry charges, {unit} is none": _with_riders,
    "only cavalry caracoles, {unit} is none": _with_riders,
    "infantry assaults only under a leader of its space: LED BY names him": _with_leaders,
    assault.NO_SUCH_LEADER: _with_leaders,
    "{unit} is no leader": _with_leaders,
    "the vanguard is a combat unit of the assault, {unit} is none": _with_fit("VANGUARD", COMBAT_CODES, "screen"),
    "the screen is light infantry or cavalry of the assault, {unit} is none": _with_fit(
        "SCREEN", {LIGHT, CAVALRY}, "vanguard"
    ),
    "{unit} cannot be vanguard and screen at once": _with_fit("SCREEN", {LIGHT, CAVALRY}, "vanguard"),
    "{unit} cannot be detached: cavalry of the assault that is not its screen": _with_fit(
        "DETACH", {CAVALRY}, "screen", "vanguard"
    ),
    "{unit} is the vanguard and cannot be detached": _with_fit("DETACH", {CAVALRY}, "screen", "vanguard"),
    "LOSSES names combat units of the assault, {unit} is none": _with_fit("LOSSES", COMBAT_CODES),
    "{unit} is not yours": _with_own_units,
    "you have no unit in {space}": _with_own_spaces,
    "{space} was activated already in this phase": _with_own_spaces,
}
"""By the sentence of a refusal: the function that adds to it what can be ordered instead."""
