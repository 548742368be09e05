"""Second thoughts on a letter that is legal: counters left idle or cut off, standing orders that cannot matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pbem.engine.data.messages import msg
from pbem.engine.map.hexes import neighbours
from pbem.engine.orders.actions import flat
from pbem.engine.orders.standing import Rule
from pbem.engine.run.foresight import foresee
from pbem.engine.run.steps import Rules, Task, World
from pbem.engine.terms import Orders, Warned
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.battle.fire import may_fire
from pbem.games.peninsular.battle.morale import ROUT
from pbem.games.peninsular.battle.retreat import way_back
from pbem.games.peninsular.orders.actions import Action, Assault, Fire, Move, Order
from pbem.games.peninsular.orders.reasons import out_of_reach
from pbem.games.peninsular.phase.sequence import task_of
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.units import NORMAL
from pbem.games.peninsular.state import State


def review(rules: Rules[State], view: State, side: str, orders: Orders) -> tuple[Warned, ...]:
    """Return what a player may not have meant, in the order of his lines; lines of standing orders count as 0."""
    every = tuple(flat(orders.actions))
    told = [*_leaders(every), *_standing(view, orders.standing)]
    if camp(view.phase) == camp(side) and every:
        told += [*_late(rules, view, orders.actions)]
        told += [*_idle(view, side, every), *_cut_off(rules, view, orders.actions), *_fire(rules, view, orders.actions)]
    return tuple(told)


def _leaders(actions: Iterable[Action]) -> Iterator[Warned]:
    """S5 Assaults of several counters that do not say who leads."""
    for action in actions:
        if isinstance(action, Assault) and len(action.units) > 1 and not action.leader:
            why = msg("LED BY is left open at {hex}: the strongest leads", hex=action.target)
            yield Warned(action.line, why, "S5")


def _late(rules: Rules[State], view: State, actions: Sequence[Action]) -> Iterator[Warned]:
    """S2 Orders of divisions that come into force a turn late, since one commander is out of the other's reach."""
    lines = [action for action in flat(actions) if isinstance(action, Order)]
    if not lines:
        return
    tasks = (Task("half begins"), *(task_of(action) for action in actions))
    for happened, before in foresee(rules, World(view, tasks), Doctrine({}), view.edition.seats_of(view.phase)).events:
        if happened.kind != "ordered" or happened.data["now"]:
            continue
        division = before.divisions[happened.data["division"]]
        line = next((one.line for one in lines if one.division == division.name), 0)
        yield Warned(line, out_of_reach(before, division), "S2")


def _idle(view: State, side: str, actions: Iterable[Action]) -> Iterator[Warned]:
    """Steady counters next to the enemy that no order names."""
    named = {ident for action in actions for ident in getattr(action, "units", ())}
    going = {action.to for action in actions if isinstance(action, Move)}
    for ident, unit in sorted(view.units.items()):
        if unit.camp != camp(side) or not unit.is_combat or ident in named or unit.state != NORMAL:
            continue
        if unit.at not in going and any(view.foes(near, side) for near in neighbours(unit.at)):
            yield Warned(0, msg("{unit} stands next to the enemy and has no order", unit=ident), "S1")


def _cut_off(rules: Rules[State], view: State, actions: Sequence[Action]) -> Iterator[Warned]:
    """S12 Disordered counters that go where they would find no way to retreat from: routed there, they are lost."""
    tasks = (Task("half begins"), *(task_of(action) for action in actions))
    after = foresee(rules, World(view, tasks), Doctrine({}), view.edition.seats_of(view.phase)).state
    for action in flat(actions):
        for ident in action.units if isinstance(action, Move) else ():
            unit = after.units.get(ident)
            if unit is None or not unit.is_combat or unit.state == NORMAL or way_back(after, unit, ROUT, ""):
                continue
            why = msg(
                "{unit} finds no way to retreat from {hex}: routed there, it is eliminated", unit=ident, hex=unit.at
            )
            yield Warned(action.line, why, "S12")


def _fire(rules: Rules[State], view: State, actions: Sequence[Action]) -> Iterator[Warned]:
    """S7 Fire that could not be given after all moves; dice come before it, and may mend that."""
    wanted = [action for action in flat(actions) if isinstance(action, Fire)]
    if not wanted:
        return
    tasks = (Task("half begins"), *(task_of(action) for action in actions))
    state = foresee(rules, World(view, tasks), Doctrine({}), view.edition.seats_of(view.phase)).state
    for action in wanted:
        for ident in action.units:
            found = may_fire(state, state.units[ident], action.at) if ident in state.units else None
            if found is not None:
                yield Warned(action.line, msg("as things stand: {why}", why=found.why), found.rules[0])


def _standing(view: State, rules: Iterable[Rule]) -> Iterator[Warned]:
    """Standing orders for counters out of play, and those behind one that always matches."""
    closed: set[tuple[object, str, tuple[str, ...]]] = set()
    for rule in rules:
        keywords = tuple(sorted({reaction.keyword for reaction in rule.reactions}))
        if rule.scope.kind in ("UNIT", "LEADER") and rule.scope.id not in view.units:
            yield Warned(0, msg("{unit} is out of play: its standing orders wait", unit=rule.scope.id), "S1")
        if (rule.scope, rule.event, keywords) in closed:
            yield Warned(0, msg("standing order {n} is never reached", n=rule.number), "S1")
        if rule.event == "ASSAULTED" and "SQUARE" in keywords:
            why = msg("standing order {n}: a square answers a charge alone, not those who come on foot", n=rule.number)
            yield Warned(0, why, "S6")
        if not rule.condition and not rule.limit:
            closed.add((rule.scope, rule.event, keywords))
