"""Checking a letter against the position: what is refused and why, in full, and second thoughts on what is legal."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import DEPLOYMENT, Deploy, too_late
from pbem.engine.map.hexes import neighbours
from pbem.engine.orders.refusals import Refusal, refused_lines
from pbem.engine.orders.speech import order_text
from pbem.engine.orders.standing import Rule, flat
from pbem.engine.run.runners import foresee
from pbem.engine.run.steps import Rules, Task, World
from pbem.engine.terms import Orders, OrderWarning, RejectedLine
from pbem.games.peninsular.assault import refuse_assault, tell_ground_of_charge
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.fire import able, may_fire, refuse_fire
from pbem.games.peninsular.morale import ROUT, way_back
from pbem.games.peninsular.movement import (
    refuse_face,
    refuse_form,
    refuse_limber,
    refuse_move,
    refuse_order,
    tell_no_room,
    tell_no_way,
    tell_out_of_reach,
)
from pbem.games.peninsular.orders import Action, Assault, Face, Fire, Form, Limber, Move, Order, spoken
from pbem.games.peninsular.sequence import AFTER, DEPLOYING, task_of
from pbem.games.peninsular.shock import no_shock, too_weak
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import NORMAL

REFUSALS: Mapping[type, Callable[[State, Any, bool], Refusal | None]] = {
    Order: lambda state, order, fixed: refuse_order(state, order),
    Move: refuse_move,
    Form: refuse_form,
    Limber: refuse_limber,
    Face: refuse_face,
    Fire: lambda state, order, fixed: refuse_fire(state, order),
    Assault: refuse_assault,
    Deploy: lambda state, order, fixed: too_late("K6"),
}
"""What says of each kind of order by which rule it may not be; with True only what no event can mend."""


def problem(state: State, action: Action, fixed: bool = False) -> Refusal | None:
    """Return what stands against an action; with `fixed` only what no event can mend."""
    refuse = REFUSALS.get(type(action))
    return refuse(state, action, fixed) if refuse is not None else None


def in_full(state: State, action: Action, why: Msg, late: Mapping[str, Msg]) -> Msg:
    """Why an action is refused in a position, with all that helps to mend it; `why` if there is no more to say.

    `late` says of divisions ordered to attack above why the order counts from next turn only.
    """
    if isinstance(action, Assault) and why.text == "the orders of {unit} forbid a shock":
        division = state.units[str(dict(why.args)["unit"])].division
        if not division:
            return why
        if division in late:
            return msg("{why}: {late}", why=why, late=late[division])
        return msg("{why}: it takes {order}", why=why, order=order_text(f"ORDER {division} ATTACK", spoken))
    if isinstance(action, Assault) and why.text == "{hex} cannot be charged from {at}":
        return tell_ground_of_charge(state, *(str(dict(why.args)[gap]) for gap in ("hex", "at")))
    if not isinstance(action, Move):
        return why
    if why.text == "{unit} has {mp} MP, and needs {cost}" and (action.face or action.form):
        both = msg("a turn and a change of formation") if action.face and action.form else None
        what = both or (
            msg("the turn, FACE {facing}", facing=action.face) if action.face else msg("the change of formation")
        )
        return msg("{why}, with {what} at the end", why=why, what=what)
    units = [state.units[ident] for ident in action.units if ident in state.units]
    if why.text == "no way to {hex} is within the MP of {unit}":
        return tell_no_way(state, units, action.to)
    if why.text == "there is no room for {unit} in {hex}":
        return tell_no_room(state, units, str(dict(why.args)["hex"]))
    return why


def hanging(why: Msg, units: Collection[str], refused: Collection[str]) -> Msg:
    """Why an order is refused whose counters were to be elsewhere by orders that are refused too."""
    stayed = sorted(set(units) & set(refused))
    return msg("{why}; an order above for {units} is refused", why=why, units=tuple(stayed)) if stayed else why


# Everything up to the first die, then what no die can change.


def check(rules: Rules[State], view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[RejectedLine, ...]:
    """Return the refused lines of a side's orders.

    All orders but FIRE are carried out before any die, so that the position is known to them; fire is looked at as
    far as no die or choice of the enemy's comes before it.
    """
    side = view.edition.seats[seat]
    if view.phase == DEPLOYMENT:
        return DEPLOYING.check(rules, view, side, orders)
    start = view if camp(view.phase) == camp(side) else view.change(phase=side)
    tasks = (Task("half begins"), *(task_of(action) for action in orders.actions), *(Task(name) for name in AFTER))
    seen = foresee(
        rules,
        World(start, tasks),
        Doctrine({}),
        (view.commanding,) if view.commanding else start.edition.seats_of(side),
    )
    by_line = {action.line: action for action in flat(orders.actions)}
    refusals: list[RejectedLine] = []
    stayed: set[str] = set()
    late: dict[str, Msg] = {}
    for happened, before in seen.events:
        if happened.kind == "ordered" and not happened.data["now"] and happened.data["order"] == "ATTACK":
            division = before.divisions[happened.data["division"]]
            late[division.name] = tell_out_of_reach(before, division)
        for _, bad in refused_lines([happened]):
            action = by_line.get(bad.line)
            units = getattr(action, "units", ())
            why = bad.why if action is None else hanging(in_full(before, action, bad.why, late), units, stayed)
            refusals.append(bad._replace(why=why))
            stayed.update(units)
    refusals += _new(
        refusals, _shots(seen.state, stayed, {one.data["unit"] for one, _ in seen.events if one.kind == "fires"})
    )
    refusals += _new(refusals, _hopeless(seen.state, orders.actions))
    refusals += _new(refusals, _fixed(start, orders.actions))
    return tuple(sorted(refusals, key=lambda line: line.line))


def _new(told: Iterable[RejectedLine], more: Iterable[RejectedLine]) -> list[RejectedLine]:
    """Those of lines that were not refused before."""
    lines = {bad.line for bad in told}
    return [bad for bad in more if bad.line not in lines]


def _shots(state: State, stayed: Collection[str], given: Collection[str]) -> Iterator[RejectedLine]:
    """S7 Fire that was ordered and that no die can mend, or whose counters stay where it cannot be given; what is
    `given` already, before any die, is done."""
    for units, at, line in state.shots:
        for unit in (state.units[ident] for ident in units if ident in state.units and ident not in given):
            found = able(state, unit) or (may_fire(state, unit, at) if unit.id in stayed else None)
            if found is not None:
                yield found._replace(why=hanging(found.why, (unit.id,), stayed)).rejected(line)
                break


def _hopeless(state: State, actions: Sequence[Action]) -> Iterator[RejectedLine]:
    """T6 Assaults after all movement that are too weak for a shock, with nothing to come that could mend that.

    Fire of one's own at the hex thins the defence, a charge may disorder it; the enemy's fire only makes it worse.
    """
    shot = {at for _, at, _ in state.shots}
    for action in flat(actions):
        if not isinstance(action, Assault) or action.target in shot:
            continue
        marked = state.marked(action.target)
        if not {unit.id for unit in marked} & set(action.units) or any(unit.charge for unit in marked):
            continue
        found = too_weak(state, action.target, marked)
        if found is not None:
            yield RejectedLine(action.line, -1, action.target, no_shock(*found), "T6", ())


def _fixed(state: State, actions: Iterable[Action]) -> Iterator[RejectedLine]:
    """Refusals that hold whatever happens, in branches not taken as well."""
    for action in flat(actions):
        found = problem(state, action, fixed=True)
        if found is not None:
            yield found.rejected(action.line)


# Second thoughts on a letter that is legal: counters left idle or cut off, standing orders that cannot matter.


def review(
    rules: Rules[State], view: State, seat: str, orders: Orders, begun: bool = False
) -> tuple[OrderWarning, ...]:
    """Return what a player may not have meant, in the order of his lines; lines of standing orders count as 0."""
    side = view.edition.seats[seat]
    every = tuple(flat(orders.actions))
    told = [*_leaders(every), *_standing(view, orders.standing)]
    if camp(view.phase) == camp(side) and every:
        tasks = (Task("half begins"), *(task_of(action) for action in orders.actions))
        seen = foresee(rules, World(view, tasks), Doctrine({}), view.edition.seats_of(view.phase))
        told += [*_late(seen.events, every), *_idle(view, side, every)]
        told += [*_cut_off(seen.state, every), *_fire(seen.state, every)]
    return tuple(told)


def _leaders(actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """S5 Assaults of several counters that do not say who leads."""
    for action in actions:
        if isinstance(action, Assault) and len(action.units) > 1 and not action.leader:
            why = msg("LED BY is left open at {hex}: the strongest leads", hex=action.target)
            yield OrderWarning(action.line, why, "S5")


def _late(seen: Iterable[tuple[Event, State]], actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """S2 Orders of divisions that come into force a turn late, since one commander is out of the other's reach."""
    lines = [action for action in actions if isinstance(action, Order)]
    for happened, before in seen:
        if happened.kind != "ordered" or happened.data["now"]:
            continue
        division = before.divisions[happened.data["division"]]
        line = next((one.line for one in lines if one.division == division.name), 0)
        yield OrderWarning(line, tell_out_of_reach(before, division), "S2")


def _idle(view: State, side: str, actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """Steady counters next to the enemy that no order names."""
    named = {ident for action in actions for ident in getattr(action, "units", ())}
    going = {action.to for action in actions if isinstance(action, Move)}
    for ident, unit in sorted(view.units.items()):
        if unit.camp != camp(side) or not unit.is_combat or ident in named or unit.state != NORMAL:
            continue
        if unit.at not in going and any(view.foes(near, side) for near in neighbours(unit.at)):
            yield OrderWarning(0, msg("{unit} stands next to the enemy and has no order", unit=ident), "S1")


def _cut_off(after: State, actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """S12 Disordered counters that go where they would find no way to retreat from: routed there, they are lost."""
    for action in actions:
        for ident in action.units if isinstance(action, Move) else ():
            unit = after.units.get(ident)
            if unit is None or not unit.is_combat or unit.state == NORMAL or way_back(after, unit, ROUT, ""):
                continue
            why = msg(
                "{unit} finds no way to retreat from {hex}: routed there, it is eliminated", unit=ident, hex=unit.at
            )
            yield OrderWarning(action.line, why, "S12")


def _fire(after: State, actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """S7 Fire that could not be given after all moves; dice come before it, and may mend that."""
    for action in (one for one in actions if isinstance(one, Fire)):
        for ident in action.units:
            found = may_fire(after, after.units[ident], action.at) if ident in after.units else None
            if found is not None:
                yield OrderWarning(action.line, msg("as things stand: {why}", why=found.why), found.rules[0])


def _standing(view: State, rules: Iterable[Rule]) -> Iterator[OrderWarning]:
    """Standing orders for counters out of play, and those behind one that always matches."""
    closed: set[tuple[object, str, tuple[str, ...]]] = set()
    for rule in rules:
        keywords = tuple(sorted({reaction.keyword for reaction in rule.reactions}))
        if rule.scope.kind in ("UNIT", "LEADER") and rule.scope.id not in view.units:
            yield OrderWarning(0, msg("{unit} is out of play: its standing orders wait", unit=rule.scope.id), "S1")
        if (rule.scope, rule.event, keywords) in closed:
            yield OrderWarning(0, msg("standing order {n} is never reached", n=rule.number), "S1")
        if rule.event == "ASSAULTED" and "SQUARE" in keywords:
            why = msg("standing order {n}: a square answers a charge alone, not those who come on foot", n=rule.number)
            yield OrderWarning(0, why, "S6")
        if not rule.condition and not rule.limit:
            closed.add((rule.scope, rule.event, keywords))
