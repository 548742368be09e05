"""What an order may not do, and by which rule: O3 for moves, O7 for fire, O8 for assaults, R1-R8 for who may act.

The same checks serve three moments: reading a letter before the first die (the position is known), reading what comes
after it (only what no die can change: types, owners, map), and carrying out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from pbem.engine.commanders.holding import anothers, command_of, seats_told
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import Deploy, too_late
from pbem.engine.orders import refusals
from pbem.engine.orders.refusals import Giver, Refusal
from pbem.games.africa1860.grammar import Action, Activate, Assault, Caracole, Fire, Move, Retire, line_of
from pbem.games.africa1860.paths import (
    fallbacks,
    falls_back,
    lacking,
    legs,
    middle,
    passable,
    retire_path,
    stops_behind,
    ways,
)
from pbem.games.africa1860.state import CAVALRY, COMBAT, INFANTRY, LIGHT, State, Unit
from pbem.games.africa1860.view import sight

ANYWHERE = "*"
"""In no space of its own: where units act that need not be in the activated one (R22a)."""
MOVE_RULE = {"ART": "O3.1", "CAB": "O3.3", "OF": "O3.4", "CNV": "O3"}


class Acting(NamedTuple):
    """R1-R3, O5 What units are to act in: the space, whether they move, and the rules of the order that say so too.

    With `fixed` only what no event can mend stands against it; `besides` are commands of a joint assault (M2.2).
    """

    space: str
    fixed: bool = False
    moving: bool = False
    extra: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()


def actors(state: State, ids: Iterable[str], acting: Acting) -> Refusal | None:
    """R1-R3, O5 Whether these units may act so now."""
    extra = acting.extra
    seen: set[str] = set()
    for ident in ids:
        if ident in seen:
            return Refusal(("R3", *extra), msg("{unit} is named twice", unit=ident), ident)
        seen.add(ident)
        found = actor(state, ident, acting)
        if found is not None:
            return found
    return None


def actor(state: State, ident: str, acting: Acting) -> Refusal | None:
    space, fixed, moving, extra, besides = acting
    unit = state.units.get(ident)
    if unit is None:
        return None if fixed else Refusal(("O3", *extra), msg("{unit} is no longer in play", unit=ident), ident)
    if unit.side != state.phase:
        return Refusal(("R2",), msg("{unit} is not yours", unit=ident), ident)
    holder = anothers(state, ident, besides)
    if holder:
        return Refusal(("M1",), msg("{unit} is under {command}", unit=ident, command=holder), ident)
    if fixed:
        return None
    if unit.acted:
        spent = ("O3.1",) if unit.code == "ART" else ()
        rules = ("R3", "R2", "O2", "O3", *spent, *(("O5",) if state.phase == "morocco" else ()), *extra)
        return Refusal(rules, msg("{unit} has acted already in this phase", unit=ident), ident)
    if unit.at != space != ANYWHERE:
        why = msg("{unit} is in {at}, not in {space}", unit=ident, at=unit.at, space=space or "-")
        return Refusal(("O3", "O2", *(("R13",) if "O8" in extra else ()), *extra), why, ident)
    if unit.demoralised:
        why = msg("{unit} is demoralised: it may only RETIRE", unit=ident)
        return Refusal(("R1", *extra), why, ident)
    if unit.activated and state.phase == "morocco" and not moving:
        return Refusal(("O5", *extra), msg("{unit} was activated by a reaction: it may only move", unit=ident), ident)
    if unit.activated and state.phase != "morocco":
        return Refusal(("R2", "O2", "O3", *extra), msg("{unit} is activated already", unit=ident), ident)
    return None


def barred(state: State, gun: Unit, space: str) -> tuple[str, ...]:
    """Return the rules that keep a gun from acting besides the one that it has fired."""
    found = actor(state, gun.id, Acting(space))
    return () if found is None else found.rules


_RIDERS = frozenset({CAVALRY})
_SCREENS = frozenset({LIGHT, CAVALRY})


def refusal(state: State, action: Action, space: str = "") -> Event | None:
    """Return the event that tells why `action` of the space's activation cannot be carried out now, or None.

    Only the side that gave the order sees it.
    """
    found = problem(state, action, space)
    if found is None:
        return None
    return not_carried_out(state, action, found)


def not_carried_out(state: State, action: Action, found: Refusal) -> Event:
    """Return the event that an order was not carried out."""
    seats = tuple(seat for seat, side in state.edition.seats.items() if side == state.phase)
    told = seats_told(state, seats, getattr(action, "jointly", ()))
    return refusals.not_carried_out(action.line, line_of(action), found, Giver(state.phase, told))


def problem(state: State, action: Action, space: str, fixed: bool = False) -> Refusal | None:
    """Return what stands against an action of the space's activation; with `fixed` only what no event can mend."""
    against = _AGAINST.get(type(action))
    return None if against is None else against(state, action, space, fixed)


def _activate(state: State, order: Activate, _: str, fixed: bool) -> Refusal | None:
    side, space = state.phase, order.space
    if fixed:
        return None
    if space in state.used:
        return Refusal(("R2",), msg("{space} was activated already in this phase", space=space), space)
    own = state.own(space, side)
    if own and all(anothers(state, unit.id) for unit in own):
        return Refusal(("M1", "R2"), msg("no unit of your command is in {space}", space=space), space)
    if not own:
        rules = ("O5", "O2") if side == "morocco" else ("O2", "O3")
        return Refusal(rules, msg("you have no unit in {space}", space=space), space)
    place = state.flagged(space, "locality") or state.terrain(space) == "camp"
    if side == "morocco" and not (place or any(unit.is_leader for unit in own)):
        why = msg("{space} holds no Moroccan locality, camp or leader: a leader must come first", space=space)
        return Refusal(("O5",), why, space)
    return None


def _move(state: State, order: Move, space: str, fixed: bool) -> Refusal | None:
    ids, known = (*order.units, *order.leaders), state.units
    found = actors(state, ids, Acting(space, fixed, moving=True))
    if found is not None:
        return found
    units = [*filter(None, map(known.get, ids))]
    to, reach = order.to, state.edition.allowance
    near = not order.via and state.edition.map.adjacent(space, to)
    steps = [((space, to),)] if near else legs(state, space, to, order.via)
    for unit in units:
        if not steps or reach[unit.code] < (1 if near else 2):
            return Refusal(
                (MOVE_RULE.get(unit.code, "O3.2"),),
                msg("{unit} cannot reach {to} from {space} in one move", unit=unit.id, to=to, space=space),
                to,
            )
    for unit in units:
        if not passable(state, unit, steps):
            why = msg("{unit} cannot use the way from {space} to {to}", unit=unit.id, space=space, to=to)
            return Refusal(("C11",), why, to)
    found = None if near else _river(state, units, (space, to), order.via)
    if found is not None or fixed:
        return found
    alone = ("R2", "O2") if order.units else ("R6", "R2", "O2")
    if state.holder(to) not in ("", state.phase):
        return Refusal(alone, msg("{to} is held by the enemy: a move never enters it", to=to), to)
    if not near and middle(state, space, to, units, order.via) == "":
        return Refusal(alone, msg("every way from {space} to {to} is barred", space=space, to=to), to)
    return _stacking(state, units, to)


def _river(state: State, units: Iterable[Unit], ends: tuple[str, str], via: str) -> Refusal | None:
    """C11.1 Cavalry that crosses a ford or bridge stops behind it: what bars a move or charge over two spaces."""
    space, to = ends
    between = ways(state, space, to, via)
    for unit in units:
        if between and all(stops_behind(state, unit.code, space, way) for way in between):
            why = msg("{unit} stops behind the ford or bridge: {to} is a space too far", unit=unit.id, to=to)
            return Refusal(("C11.1", "C11", MOVE_RULE.get(unit.code, "O3.2")), why, to)
    return None


def _stacking(state: State, units: list[Unit], to: str) -> Refusal | None:
    """C5 What may stand together at the end of a move."""
    lacks, limits = lacking(state, to, units), state.edition.stacking
    if lacks == "combat":
        return Refusal(("C5",), msg("more than {n} combat units would stand in {to}", n=limits[0], to=to), to)
    if lacks == "ART":
        return Refusal(("C5",), msg("more than {n} batteries would stand in {to}", n=limits[1], to=to), to)
    return None


def _fire(state: State, order: Fire, space: str, fixed: bool) -> Refusal | None:
    for group in order.shots:
        for gun in group:
            unit = state.units.get(gun)
            if unit is not None and unit.side == state.phase and unit.code != "ART":
                other = MOVE_RULE.get(unit.code, "O3.2")
                return Refusal(("O3.1", other), msg("{unit} is no artillery", unit=gun), gun)
            if unit is not None and not fixed and len(group) > 1 and unit.at != space:
                why = msg("{unit} is in another space: guns fire together from one space only", unit=gun)
                return Refusal(("O7.1.3", "O3", "O2"), why, gun)
            if unit is not None and not fixed and unit.side == state.phase and unit.fired:
                why = msg("{unit} has fired already in this turn", unit=gun)
                return Refusal(("O7.1.1", *barred(state, unit, space)), why, gun)
    found = actors(state, [gun for group in order.shots for gun in group], Acting(space, fixed))
    if found is not None:
        twice = found.rules == ("R3",)
        return found._replace(rules=("O7.1.1", *found.rules)) if twice else found
    if not state.edition.map.adjacent(space, order.at):
        why = msg("{to} is not next to {space}", to=order.at, space=space)
        return Refusal(("O3.1", "O7.1.6"), why, order.at)
    if not fixed and state.holder(order.at) in ("", state.phase):
        return Refusal(("O7.1.6",), nobody(state, order.at), order.at)
    return None


def nobody(state: State, space: str) -> Msg:
    """That no enemy is in a space, as far as fog lets the side see."""
    if space in sight(state, state.commanding or state.phase) or state.edition.options["fog"] == "off":
        return msg("there is no enemy in {to}", to=space)
    return msg("you see no enemy in {to}: fog hides it", to=space)


def _assault(state: State, order: Assault, space: str, fixed: bool) -> Refusal | None:
    if state.is_broken(state.phase):
        return Refusal(("C12", "O8"), msg("your side is broken: it neither assaults nor charges"), order.target)
    stack = (*order.units, *((order.leader,) if order.leader and order.leader not in order.units else ()))
    found = (
        _stack_types(state, order, space, fixed)
        or actors(state, stack, Acting(space, fixed, extra=("O8",), besides=order.jointly))
        or _roles(state, order)
        or _support(state, order, space, fixed)
        or _reach(state, order, space, fixed)
    )
    if found is not None or fixed:
        return found
    if state.holder(order.target) in ("", state.phase):
        return Refusal(("R2", "O2"), nobody(state, order.target), order.target)
    return None


def _stack_types(state: State, order: Assault, space: str, fixed: bool) -> Refusal | None:
    """O8.1 Types that may assault, and the leader that infantry needs."""
    units = [unit for i in order.units if (unit := state.units.get(i)) is not None]
    for unit in units:
        if unit.code in ("ART", "CNV"):
            return Refusal((MOVE_RULE[unit.code], "O8.2"), msg("{unit} never assaults", unit=unit.id), unit.id)
        if order.verb == "CHARGE" and unit.code != CAVALRY and not unit.is_leader:
            return Refusal(("O3.3",), msg("only cavalry charges, {unit} is none", unit=unit.id), unit.id)
    if units and COMBAT.isdisjoint([unit.code for unit in units]):
        return Refusal(("O8.2", "O8.1"), msg("an assault needs a combat unit"), order.target)
    leader = state.units.get(order.leader)
    if order.leader and leader is not None and not leader.is_leader:
        return Refusal(("O8.1",), msg("{unit} is no leader", unit=order.leader), order.leader)
    if (
        not fixed
        and order.leader
        and (leader is None or leader.at != space)
        and (leader is None or leader.side == state.phase)
    ):
        return Refusal(("O8.1",), msg("{unit} is not in {space} to lead", unit=order.leader, space=space), order.leader)
    if not order.leader and not order.joint and not INFANTRY.isdisjoint([unit.code for unit in units]):
        why = msg("infantry assaults only under a leader of its space: LED BY names him")
        return Refusal(("O8.1",), why, order.units[0])
    return None


def _roles(state: State, order: Assault) -> Refusal | None:
    """O8.2-O8.4 Vanguard, screen and detached cavalry are units of the stack of the right kind.

    M2.2 While the other line of a joint assault is not known they may be units that it may name.
    """

    def fits(ident: str, codes: frozenset[str]) -> bool:
        joins = bool(order.joint) and command_of(state, ident) == order.joint
        return (joins or ident in order.units) and ((unit := state.units.get(ident)) is None or unit.code in codes)

    if order.vanguard and not fits(order.vanguard, COMBAT):
        why = msg("the vanguard is a combat unit of the assault, {unit} is none", unit=order.vanguard)
        return Refusal(("O8.2",), why, order.vanguard)
    if order.screen not in ("", "NONE") and not fits(order.screen, _SCREENS):
        why = msg("the screen is light infantry or cavalry of the assault, {unit} is none", unit=order.screen)
        return Refusal(("O8.3",), why, order.screen)
    if order.screen and order.screen == order.vanguard:
        return Refusal(("O8.3",), msg("{unit} cannot be vanguard and screen at once", unit=order.screen), order.screen)
    for ident in order.detach:
        if not fits(ident, _RIDERS) or ident == order.screen:
            why = msg("{unit} cannot be detached: cavalry of the assault that is not its screen", unit=ident)
            return Refusal(("O8.4.4", *(("R21",) if ident == order.screen else ())), why, ident)
        if ident == order.vanguard:
            return Refusal(("R21", "O8.4.4"), msg("{unit} is the vanguard and cannot be detached", unit=ident), ident)
    for ident in order.losses:
        if not fits(ident, COMBAT):
            why = msg("LOSSES names combat units of the assault, {unit} is none", unit=ident)
            return Refusal(("R17",), why, ident)
    return None


def _support(state: State, order: Assault, space: str, fixed: bool) -> Refusal | None:
    """O8.7 R22 Supporting guns may still fire and stand in the origin space.

    R22a Or in another space next to the target, where a group stands in one space (O7.1.3).
    """
    anywhere = state.edition.reread
    rules = ("R22a", "R22") if anywhere else ("R22",)
    for group in order.support:
        places = {unit.at for gun in group if (unit := state.units.get(gun)) is not None}
        for gun in group:
            unit = state.units.get(gun)
            if unit is None or unit.side != state.phase:
                continue
            if unit.code != "ART":
                return Refusal(("O8.7", *rules), msg("{unit} is no artillery", unit=gun), gun)
            if fixed:
                continue
            if unit.at != space and not (anywhere and state.edition.map.adjacent(unit.at, order.target)):
                why = msg("{unit} is not in {space}: supporting guns fire from there", unit=gun, space=space)
                if anywhere:
                    why = msg("{unit} is neither in {space} nor next to {to}", unit=gun, space=space, to=order.target)
                return Refusal((*rules, "O8.7", "O7.1.3"), why, gun)
            if len(places) > 1:
                why = msg("{unit} is in another space: guns fire together from one space only", unit=gun)
                return Refusal(("O7.1.3", *rules, "O8.7"), why, gun)
            if unit.fired:
                why = msg("{unit} has fired already in this turn", unit=gun)
                more = (*rules, "O8.7") if anywhere else ()
                return Refusal(("O7.1.1", *barred(state, unit, unit.at), *more), why, gun)
    guns = [gun for group in order.support for gun in group]
    return actors(state, guns, Acting(ANYWHERE if anywhere else space, fixed, extra=rules, besides=order.jointly))


def _reach(state: State, order: Assault, space: str, fixed: bool) -> Refusal | None:
    """R13 An assault goes to an adjacent space; O3.3, R5 a charge also to one two spaces off with no enemy between."""
    area = state.edition.map
    if area.adjacent(space, order.target) and not order.via:
        return None
    far = msg("{to} is not next to {space}", to=order.target, space=space)
    units = [unit for i in order.units if (unit := state.units.get(i)) is not None]
    if order.verb != "CHARGE":
        return Refusal(("R13", *(("O3.2",) if any(u.code in INFANTRY for u in units) else ())), far, order.target)
    if order.target == space or not ways(state, space, order.target, order.via):
        why = msg("{to} is more than two spaces from {space}", to=order.target, space=space)
        return Refusal(("O3.3", "R13"), why, order.target)
    found = _river(state, units, (space, order.target), order.via)
    if found is not None:
        return found
    if not fixed and middle(state, space, order.target, units, order.via) == "":
        why = msg("the enemy stands between {space} and {to}", space=space, to=order.target)
        return Refusal(("R5",), why, order.target)
    return None


def _caracole(state: State, order: Caracole, space: str, fixed: bool) -> Refusal | None:
    for ident in order.units:
        unit = state.units.get(ident)
        if unit is not None and unit.side == state.phase and unit.code != CAVALRY:
            return Refusal(("O3.3",), msg("only cavalry caracoles, {unit} is none", unit=ident), ident)
    found = actors(state, order.units, Acting(space, fixed))
    if found is not None:
        return found
    if not state.edition.map.adjacent(space, order.at):
        return Refusal(("O3.3",), msg("{to} is not next to {space}", to=order.at, space=space), order.at)
    if fixed:
        return None
    if state.holder(order.at) in ("", state.phase):
        return Refusal(("O3.3", "R2"), nobody(state, order.at), order.at)
    for ident in order.units:
        unit = state.units[ident]
        if not (falls_back(state, unit, order.at, order.back) if order.back else fallbacks(state, unit, order.at)):
            why = msg("{unit} has no friends to fall back on in {to}", unit=ident, to=order.back or order.at)
            return Refusal(("R4", "O3.3"), why, order.back or order.at)
    return None


def _retire(state: State, order: Retire, _: str, fixed: bool) -> Refusal | None:
    for ident in order.units:
        unit = state.units.get(ident)
        if unit is None:
            if fixed:
                continue
            return Refusal(("O3",), msg("{unit} is no longer in play", unit=ident), ident)
        if unit.side != state.phase:
            return Refusal(("R2",), msg("{unit} is not yours", unit=ident), ident)
        holder = anothers(state, ident)
        if holder:
            return Refusal(("M1",), msg("{unit} is under {command}", unit=ident, command=holder), ident)
        found = None if fixed else _may_retire(state, unit, order.to)
        if found is not None:
            return found
    return None


def _may_retire(state: State, unit: Unit, to: str) -> Refusal | None:
    """R3, R8, O5 Whether a unit is one that retires, and has a way."""
    if not unit.demoralised:
        return Refusal(("R8", "O5"), msg("{unit} is not demoralised", unit=unit.id), unit.id)
    if unit.acted:
        return Refusal(("R3", "R8"), msg("{unit} has acted already in this phase", unit=unit.id), unit.id)
    path = retire_path(state, unit, to)
    if not path:
        why = msg("{unit} finds no way towards its nearest rear town there", unit=unit.id)
        return Refusal(("R8", "O5"), why, to or unit.id)
    return _stacking(state, [unit], path[-1])


_AGAINST: Mapping[type, Callable[[State, Any, str, bool], Refusal | None]] = {
    Activate: _activate,
    Move: _move,
    Fire: _fire,
    Assault: _assault,
    Caracole: _caracole,
    Retire: _retire,
    Deploy: lambda state, order, space, fixed: too_late("K6"),
}
