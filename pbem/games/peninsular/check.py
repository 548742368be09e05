"""Check a letter: refused lines with full reasons, and warnings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import DEPLOYMENT_PHASE, Deploy, deploy_too_late
from pbem.engine.map.hexes import FRONT, direction, distance, neighbours, sector, towards
from pbem.engine.orders.refusals import Refusal, refused_lines
from pbem.engine.orders.speech import order_text
from pbem.engine.orders.standing import Rule, flat
from pbem.engine.run.runners import foresee
from pbem.engine.run.steps import Rules, Task, Window, World
from pbem.engine.terms import Orders, OrderWarning, RejectedLine
from pbem.games.peninsular.assault import ground_of_charge_text, refuse_assault
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.fire import fire_range, may_fire, refuse_any_fire, refuse_fire
from pbem.games.peninsular.morale import ROUT_HEXES, retreat_path
from pbem.games.peninsular.movement import (
    LegalMove,
    find_move,
    no_room_text,
    no_way_text,
    out_of_reach_text,
    refuse_face,
    refuse_form,
    refuse_limber,
    refuse_move,
    refuse_order,
)
from pbem.games.peninsular.orders import Action, Assault, Face, Fire, Form, Limber, Move, Order, translate_orders
from pbem.games.peninsular.paths import cheapest_paths
from pbem.games.peninsular.sequence import DEPLOYMENT, TASKS_AFTER_ORDERS, task_of
from pbem.games.peninsular.shock import strengths_if_weak, weak_assault_text
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import has_room
from pbem.games.peninsular.units import NORMAL, ROUTED, Unit, best_unit

REFUSAL_FUNCTIONS: Mapping[type, Callable[[State, Any, bool], Refusal | None]] = {
    Order: lambda state, order, lasting_only: refuse_order(state, order),
    Move: refuse_move,
    Form: refuse_form,
    Limber: refuse_limber,
    Face: refuse_face,
    Fire: lambda state, order, lasting_only: refuse_fire(state, order),
    Assault: refuse_assault,
    Deploy: lambda state, order, lasting_only: deploy_too_late("K6"),
}
"""The function that refuses orders of each kind; with True it gives only reasons that no event can change."""


def refuse_action(state: State, action: Action, lasting_only: bool = False) -> Refusal | None:
    """Return why an action is refused.

    `lasting_only`: give only reasons that no event can change.
    """
    refuse = REFUSAL_FUNCTIONS.get(type(action))
    return refuse(state, action, lasting_only) if refuse is not None else None


def full_reason(state: State, action: Action, why: Msg, late: Mapping[str, Msg]) -> Msg:
    """Return the full reason for a refused action, with help to correct it.

    It is `why` itself if there is no more to say. `late` holds, for divisions ordered to attack above, why the
    order takes effect only next turn.
    """
    if isinstance(action, Assault) and why.text == "the orders of {unit} forbid a shock":
        division = state.units[str(dict(why.args)["unit"])].division
        if not division:
            return why
        if division in late:
            return msg("{why}: {late}", why=why, late=late[division])
        return _with_order(why, f"ORDER {division} ATTACK")
    if isinstance(action, Assault) and why.text == "{hex} cannot be charged from {at}":
        return ground_of_charge_text(state, *(str(dict(why.args)[gap]) for gap in ("hex", "at")))
    if isinstance(action, Limber) and why.text == "{unit} is so already":
        limbered = action.verb == "LIMBER"
        return why._replace(text="{unit} is limbered already" if limbered else "{unit} is unlimbered already")
    order = _order_before(state, action, why)
    if order:
        return _with_order(why, order)
    if isinstance(action, Assault | Fire):
        return _full_attack_reason(state, action, why)
    return _full_move_reason(state, action, why) if isinstance(action, Move) else why


def _with_order(why: Msg, order: str) -> Msg:
    return msg("{why}: it takes {order}", why=why, order=order_text(order, translate_orders))


def _full_attack_reason(state: State, action: Assault | Fire, why: Msg) -> Msg:
    """Return why an attack is refused, with numbers or what to do (S5, S7)."""
    unit = state.units.get(str(dict(why.args).get("unit")))
    if why.text == "{hex} is out of range of {unit}" and unit is not None and isinstance(action, Fire):
        far, most = distance(unit.at, action.at), fire_range(state, unit)
        return msg("{why}: it is {far} hexes away, and the range is {most}", why=why, far=far, most=most)
    if not isinstance(action, Assault):
        return why
    if why.text == "there is no enemy in {hex}":
        ids = tuple(ident for ident in action.units if state.units[ident].at == state.units[action.units[0]].at)
        if isinstance(find_move(state, Move(0, ids, to=action.target)), LegalMove):
            move = order_text(f"MOVE {', '.join(ids)} TO {action.target}", translate_orders)
            return msg("{why}: to occupy it, {order}", why=why, order=move)
    if why.text == "{unit} is disordered or routed" and unit is not None:
        if unit.state == ROUTED:
            return msg("{unit} is routed: it assaults once it has rallied", unit=unit.id)
        return msg("{unit} is disordered: it assaults once it has rallied", unit=unit.id)
    if why.text == "{hex} is assaulted already in this half":
        earlier = state.assaulters(action.target)
        names = ", ".join(sorted({*action.units, *(other.id for other in earlier)}))
        is_charge = action.verb == "CHARGE" and all(other.charge for other in earlier)
        order = f"CHARGE {names} AT {action.target}" if is_charge else f"ASSAULT {action.target} WITH {names}"
        return msg("{why}: name all in one line, {order}", why=why, order=order_text(order, translate_orders))
    return why


def _full_move_reason(state: State, action: Move, why: Msg) -> Msg:
    """Return why a MOVE is refused, with what to do instead (S4, T3)."""
    if why.text == "{unit} is in {at}, not in {hex}: those who go together start together":
        return why._replace(text="{unit} is in {at}, not in {hex}: move it on a line of its own")
    if why.text == "{unit} has {mp} MP, and needs {cost}" and (action.face or action.form):
        turn_and_form = msg("a turn and a change of formation") if action.face and action.form else None
        extra_action = turn_and_form or (
            msg("the turn, FACE {facing}", facing=action.face) if action.face else msg("the change of formation")
        )
        return msg("{why}, with {what} at the end", why=why, what=extra_action)
    units = [state.units[ident] for ident in action.units if ident in state.units]
    if why.text == "no way to {hex} is within the MP of {unit}":
        return no_way_text(state, units, action.to)
    if why.text == "there is no room for {unit} in {hex}":
        full = str(dict(why.args)["hex"])
        ways, no_room = cheapest_paths(state, units), no_room_text(state, units, full)
        rooms = [hex_id for hex_id in neighbours(full) if hex_id in ways and has_room(state, hex_id, units)]
        return msg("{why}; there is room in {hexes}", why=no_room, hexes=(*rooms[:3],)) if rooms else no_room
    return why


def _order_before(state: State, action: Action, why: Msg) -> str:
    """Return the order that makes a refused one possible, or empty.

    It is a way next to the target, a turn, LIMBER, UNLIMBER, a formation, or ASSAULT for CHARGE on foot;
    empty where it takes more than one order.
    """
    text, unit = why.text, state.units.get(str(dict(why.args).get("unit")))
    if unit is None:
        return ""
    if isinstance(action, Assault) and text == "only cavalry charges, {unit} is none":
        leader = f" LED BY {action.leader}" if action.leader else ""
        return f"ASSAULT {action.target} WITH {', '.join(action.units)}{leader}"
    if isinstance(action, Assault) and text == "{unit} is not next to {hex}":
        return way_next_to(state, _far_beside(state, action, unit), action.target).order
    if isinstance(action, Assault | Fire) and text == "{hex} is not in front of {unit}":
        target = action.target if isinstance(action, Assault) else action.at
        # Guns fire farther than at the next hex, which may lie between two sides.
        turns = [Face(action.line, (unit.id,), side) for side in towards(unit.at, target)]
        legal = (turn for turn in turns if sector(unit.at, turn.face, target) == FRONT)
        turn = next((turn for turn in legal if refuse_face(state, turn, False) is None), None)
        return f"FACE {unit.id} {turn.face}" if turn is not None else ""
    if text == "{unit} is limbered" and refuse_limber(state, Limber(0, (unit.id,), "UNLIMBER"), False) is None:
        return f"UNLIMBER {unit.id}"
    if text == "{unit} is unlimbered and does not move":
        is_legal = refuse_limber(state, Limber(0, (unit.id,), "LIMBER"), False) is None
        return f"LIMBER {unit.id}" if is_legal else ""
    if text in ("{unit} is in square", "{unit} is in square and does not move"):
        is_legal = refuse_form(state, Form(0, (unit.id,), "FORMED"), False) is None
        return f"FORM {unit.id} FORMED" if is_legal else ""
    return ""


def _far_beside(state: State, action: Assault, unit: Unit) -> tuple[Unit, ...]:
    """Return who of an assault stands with a counter that is not next to the target."""
    return tuple(state.units[ident] for ident in action.units if state.units[ident].at == unit.at)


class NextTo(NamedTuple):
    """A hex from which units can assault another, and the MOVE there; empty if none."""

    hex: str
    order: str


def way_next_to(state: State, units: Sequence[Unit], target: str) -> NextTo:
    """Return the shortest MOVE to where counters of a hex can assault another (S4)."""
    ids, ways = tuple(unit.id for unit in units), list[tuple[int, NextTo]]()
    for hex_id in neighbours(target):
        for face in ("", direction(hex_id, target)):
            way = find_move(state, Move(0, ids, to=hex_id, face=face))
            if not isinstance(way, LegalMove) or not way.path:
                continue
            facing = face or direction((units[0].at, *way.path)[-2], hex_id)
            if sector(hex_id, facing, target) == FRONT or not any(unit.faces for unit in units):
                order = f"MOVE {', '.join(ids)} TO {hex_id}" + (f" FACE {face}" if face else "")
                ways.append((len(way.path), NextTo(hex_id, order)))
                break
    return min(ways)[1] if ways else NextTo("", "")


def _reason_of_line(
    start: State, before: State, action: Action, cause: Msg, stayed_ids: Collection[str], late: Mapping[str, Msg]
) -> Msg:
    """Return the reason of a refused line as the letter tells it.

    It names another order of the letter that is the cause, or else what mends the line. Where a refused order keeps a
    counter from attacking, that order is to be mended, not this one.
    """
    if _is_own_doing(start, cause):
        return msg("{why}, by another order of this letter", why=cause)
    stayed = () if cause.text in _LASTING else tuple(sorted(set(getattr(action, "units", ())) & set(stayed_ids)))
    is_stuck = bool(stayed) and isinstance(action, Assault | Fire)
    why = cause if is_stuck else full_reason(before, action, cause, late)
    return msg("{why}; another order for {units} is refused", why=why, units=stayed) if stayed else why


def _is_own_doing(start: State, why: Msg) -> bool:
    """Return whether another order of the letter did what a refusal names."""
    unit = start.units.get(str(dict(why.args).get("unit")))
    if unit is None:
        return False
    was_so = {
        "{unit} is limbered": unit.limbered,
        "{unit} is unlimbered and does not move": unit.is_unlimbered,
        "{unit} is in square": unit.square,
        "{unit} is in square and does not move": unit.square,
    }
    return not was_so.get(why.text, True)


def _turned_away(start: State, events: Sequence[tuple[Event, State]], why: Msg, cause: Msg) -> Msg | None:
    """Return a refusal with the order that turned the counter from a hex.

    None if it never had that hex in front, or turned by itself.
    """
    gaps = dict(cause.args)
    unit = start.units.get(str(gaps.get("unit")))
    if (
        cause.text != "{hex} is not in front of {unit}"
        or unit is None
        or sector(unit.at, unit.facing, str(gaps["hex"])) != FRONT
    ):
        return None
    for (event, before), (_, after) in pairwise(events):
        others, now = [other for other in event.data.get("units", ()) if other != unit.id], after.units.get(unit.id)
        if others and now is not None and now.at == unit.at and now.facing != before.units[unit.id].facing:
            turned = msg(
                "{why}; the orders for {units} turned {unit} to {facing}",
                why=why,
                unit=unit.id,
                units=tuple(others),
                facing=now.facing,
            )
            return turned
    return None


_LASTING = frozenset(
    (
        "{unit} has no such formation (cavalry forms no square)",
        "{unit} has no formations",
        "{unit} never assaults",
        "only cavalry charges, {unit} is none",
        "{unit} is disordered or routed",
    )
)


# Everything up to the first die, then what no die can change.


def check_orders(
    rules: Rules[State], view: State, seat: str, orders: Orders, begun: bool = False
) -> tuple[RejectedLine, ...]:
    """Return the refused lines of a side's orders.

    All orders but FIRE are carried out before any die, so their position is known. FIRE comes after dice: an order is
    checked only if no die and no choice of the enemy can come before it.
    """
    side = view.edition.seats[seat]
    if view.phase == DEPLOYMENT_PHASE:
        return DEPLOYMENT.check(rules, view, side, orders)
    start = view if alliance_of(view.phase) == alliance_of(side) else view.change(phase=side)
    tasks = (
        Task("half begins"),
        *(task_of(action) for action in orders.actions),
        *(Task(name) for name in TASKS_AFTER_ORDERS),
    )
    foresight = foresee(
        rules,
        World(start, tasks),
        Doctrine({}),
        (view.commanding,) if view.commanding else start.edition.seats_of(side),
    )
    by_line = {action.line: action for action in flat(orders.actions)}
    refusals: list[RejectedLine] = []
    stayed_ids: set[str] = set()
    late: dict[str, Msg] = {}
    for event, before in foresight.events:
        if event.kind == "ordered" and not event.data["now"] and event.data["order"] == "ATTACK":
            division = before.divisions[event.data["division"]]
            late[division.name] = out_of_reach_text(before, division)
        for _, refused_line in refused_lines([event]):
            action = by_line.get(refused_line.line)
            units = getattr(action, "units", ())
            cause = why = refused_line.why
            if action is not None:
                why = _reason_of_line(start, before, action, cause, stayed_ids, late)
            why = _turned_away(start, foresight.events, why, cause) or why
            refusals.append(refused_line._replace(why=why))
            stayed_ids.update(units)
    refusals += _not_yet_refused(
        refusals,
        _refuse_shots(
            start,
            foresight.state,
            stayed_ids,
            {event.data["unit"] for event, _ in foresight.events if event.kind == "fires"},
        ),
    )
    refusals += _not_yet_refused(refusals, _refuse_weak_assaults(foresight.state, orders.actions))
    refusals += _not_yet_refused(refusals, _lasting_refusals(start, orders.actions))
    # In the order of the letter, whichever check found them.
    return tuple(sorted(refusals, key=lambda line: line.line))


def _not_yet_refused(old_lines: Iterable[RejectedLine], new_lines: Iterable[RejectedLine]) -> list[RejectedLine]:
    """Return the new lines whose numbers are not among the old ones."""
    lines = {bad.line for bad in old_lines}
    return [bad for bad in new_lines if bad.line not in lines]


def _refuse_shots(
    start: State, state: State, stayed_ids: Collection[str], fired_ids: Collection[str]
) -> Iterator[RejectedLine]:
    """Refuse fire that no die can make possible (S7).

    It covers ordered fire, and counters that stay where they cannot fire.
    """
    for units, hex_id, line in state.shots:
        for unit in (state.units[ident] for ident in units if ident in state.units and ident not in fired_ids):
            refusal = refuse_any_fire(state, unit) or (may_fire(state, unit, hex_id) if unit.id in stayed_ids else None)
            if refusal is not None:
                shot = Fire(line, (unit.id,), hex_id)
                why = _reason_of_line(start, state, shot, refusal.why, stayed_ids, {})
                yield refusal._replace(why=why).to_line(line)
                break


def _refuse_weak_assaults(state: State, actions: Sequence[Action]) -> Iterator[RejectedLine]:
    """Refuse assaults that stay too weak for a shock after all movement (T6).

    Own fire at the hex weakens the defence and a charge may disorder it; enemy fire only makes it worse.
    """
    shot_hexes = {hex_id for _, hex_id, _ in state.shots}
    for action in flat(actions):
        if not isinstance(action, Assault) or action.target in shot_hexes:
            continue
        attackers = state.assaulters(action.target)
        if not {unit.id for unit in attackers} & set(action.units) or any(unit.charge for unit in attackers):
            continue
        refusal = strengths_if_weak(state, action.target, attackers)
        if refusal is not None:
            yield RejectedLine(action.line, -1, action.target, weak_assault_text(*refusal), "T6", ())


def _lasting_refusals(state: State, actions: Iterable[Action]) -> Iterator[RejectedLine]:
    """Yield refusals that hold in any case, in untaken branches too."""
    for action in flat(actions):
        refusal = refuse_action(state, action, lasting_only=True)
        if refusal is not None:
            yield refusal.to_line(action.line)


# Second thoughts on a letter that is legal: counters left idle or cut off, standing orders that cannot matter.


def review_orders(
    rules: Rules[State], view: State, seat: str, orders: Orders, begun: bool = False
) -> tuple[OrderWarning, ...]:
    """Return warnings about possible oversights in the order of the lines.

    Lines of standing orders count as 0.
    """
    side = view.edition.seats[seat]
    every = tuple(flat(orders.actions))
    warnings = [*_warn_of_leaders(every), *_warn_of_standing(view, side, orders.standing)]
    if alliance_of(view.phase) == alliance_of(side) and every:
        tasks = (Task("half begins"), *(task_of(action) for action in orders.actions))
        foresight = foresee(rules, World(view, tasks), Doctrine({}), view.edition.seats_of(view.phase))
        warnings += [*_warn_of_late_orders(foresight.events, every), *_warn_of_idle_units(view, side, every)]
        warnings += [*_warn_of_no_retreat(foresight.state, every), *_warn_of_fire(foresight.state, every)]
        warnings += [*_warn_of_riders(view, seat, orders), *_warn_of_guns(foresight.state, side)]
    return tuple(warnings)


def _warn_of_leaders(actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """Warn of assaults by several counters without a named leader (S5)."""
    for action in actions:
        if isinstance(action, Assault) and len(action.units) > 1 and not action.leader:
            why = msg("LED BY is left open at {hex}: the strongest leads", hex=action.target)
            yield OrderWarning(action.line, why, "S5")


def _warn_of_late_orders(seen: Iterable[tuple[Event, State]], actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """Warn of division orders that take effect a turn late for lack of reach (S2)."""
    lines = [action for action in actions if isinstance(action, Order)]
    for event, before in seen:
        if event.kind != "ordered" or event.data["now"]:
            continue
        division = before.divisions[event.data["division"]]
        line = next((order.line for order in lines if order.division == division.name), 0)
        yield OrderWarning(line, out_of_reach_text(before, division), "S2")


def _warn_of_idle_units(view: State, side: str, actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """Warn of steady counters next to the enemy without an order."""
    named_ids = {ident for action in actions for ident in getattr(action, "units", ())}
    going = {action.to for action in actions if isinstance(action, Move)}
    for ident, unit in sorted(view.units.items()):
        if unit.camp != alliance_of(side) or not unit.is_combat or ident in named_ids or unit.state != NORMAL:
            continue
        if unit.at not in going and any(view.foes(near, side) for near in neighbours(unit.at)):
            yield OrderWarning(0, msg("{unit} stands next to the enemy and has no order", unit=ident), "S1")


def _warn_of_no_retreat(after: State, actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """Warn of disordered counters moving where they have no retreat (S12)."""
    for action in actions:
        for ident in action.units if isinstance(action, Move) else ():
            unit = after.units.get(ident)
            if unit is None or not unit.is_combat or unit.state == NORMAL or retreat_path(after, unit, ROUT_HEXES, ""):
                continue
            why = msg(
                "{unit} finds no way to retreat from {hex}: routed there, it is eliminated", unit=ident, hex=unit.at
            )
            yield OrderWarning(action.line, why, "S12")


def _warn_of_riders(view: State, seat: str, orders: Orders) -> Iterator[OrderWarning]:
    """Warn of cavalry that may ride on out of control after a won shock (S8, T9)."""
    doctrine = Doctrine({seat: orders.standing})
    for action in flat(orders.actions):
        units = [view.units[ident] for ident in action.units] if isinstance(action, Assault) else []
        leader = best_unit(units) if units else None
        if leader is None or not isinstance(action, Assault):
            continue
        head = view.units.get(action.leader, leader)
        window = Window(f"{head.at}>{action.target}", "advance", seat, head.id, ("YES", "NO"))
        riders = tuple(unit.id for unit in units if unit.kind == "cav")
        choice = doctrine.answer(view, window)
        if riders and choice is not None and choice.value[0] == "YES":
            why = msg(
                "{units} may get out of control after a won shock and ride on at other enemies; ADVANCE NO keeps "
                "cavalry where it stands",
                units=riders,
            )
            yield OrderWarning(action.line, why, "S8")


def _warn_of_guns(after: State, side: str) -> Iterator[OrderWarning]:
    """Warn of unlimbered guns next to the enemy (T6)."""
    for ident, unit in sorted(after.units.items()):
        if (
            unit.camp == alliance_of(side)
            and unit.kind == "art"
            and not unit.limbered
            and any(after.foes(near, side) for near in neighbours(unit.at))
        ):
            why = msg("{unit} is unlimbered next to the enemy: it is lost if its hex is driven back", unit=ident)
            yield OrderWarning(0, why, "T6")


def _warn_of_fire(after: State, actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """Warn of fire that is impossible after all moves; earlier dice may change that.

    Rule: S7.
    """
    for action in (order for order in actions if isinstance(order, Fire)):
        for ident in action.units:
            refusal = may_fire(after, after.units[ident], action.at) if ident in after.units else None
            if refusal is not None:
                yield OrderWarning(action.line, msg("as things stand: {why}", why=refusal.why), refusal.rules[0])


def _warn_of_standing(view: State, side: str, rules: Iterable[Rule]) -> Iterator[OrderWarning]:
    """Warn of standing orders that cannot act now or are never reached."""
    closed_scopes: set[tuple[object, str, tuple[str, ...]]] = set()
    for rule in rules:
        keywords = tuple(sorted({reaction.keyword for reaction in rule.reactions}))
        if rule.scope.kind in ("UNIT", "LEADER") and rule.scope.id not in view.units:
            yield OrderWarning(0, msg("{unit} is out of play: its standing orders wait", unit=rule.scope.id), "S1")
        if (rule.scope, rule.event, keywords) in closed_scopes:
            yield OrderWarning(0, msg("standing order {n} is never reached", n=rule.number), "S1")
        if rule.event == "ASSAULTED" and "SQUARE" in keywords:
            why = msg("standing order {n}: a square answers a charge alone, not those who come on foot", n=rule.number)
            yield OrderWarning(0, why, "S6")
        elif "SQUARE" in keywords and not any(unit.kind == "inf" for unit in _in_scope(view, side, rule)):
            yield OrderWarning(0, msg("standing order {n}: infantry alone forms a square", n=rule.number), "T8")
        if not rule.condition and not rule.limit:
            closed_scopes.add((rule.scope, rule.event, keywords))


def _in_scope(view: State, side: str, rule: Rule) -> Iterable[Unit]:
    """Return the counters that a standing order may be for.

    Any counter may come into its hex or command.
    """
    if rule.scope.kind == "UNIT":
        return [unit for unit in (view.units.get(rule.scope.id),) if unit is not None]
    return [unit for unit in view.units.values() if unit.camp == alliance_of(side)]
