"""Second thoughts on a letter that is legal: counters left idle, standing orders that cannot matter, ways found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pbem.core.data.messages import msg
from pbem.core.game import Orders, Warned
from pbem.core.map.hexes import neighbours
from pbem.core.orders.standing import Rule
from pbem.core.run.foresight import foresee
from pbem.core.run.steps import Rules, Task, World
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.battle.fire import may_fire
from pbem.games.peninsular.orders.actions import Action, Assault, Fire, Move
from pbem.games.peninsular.phase.sequence import task_of
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import NORMAL, State
from pbem.kit.orders.actions import flat

__all__ = ["review"]


def review(rules: Rules[State], view: State, side: str, orders: Orders) -> tuple[Warned, ...]:
    """Return what a player may not have meant, in the order of his lines; lines of standing orders count as 0.

    S4a To that belong the ways that his MOVE TO will take.
    """
    every = tuple(flat(orders.actions))
    told = [*_leaders(every), *_standing(view, orders.standing)]
    if camp(view.phase) == camp(side) and every:
        told += [*_idle(view, side, every), *_ways(rules, view, orders.actions), *_fire(rules, view, orders.actions)]
    return tuple(told)


def _leaders(actions: Iterable[Action]) -> Iterator[Warned]:
    """S5 Assaults of several counters that do not say who leads."""
    for action in actions:
        if isinstance(action, Assault) and len(action.units) > 1 and not action.leader:
            why = msg("LED BY is left open at {hex}: the strongest leads", hex=action.target)
            yield Warned(action.line, why, "S5")


def _idle(view: State, side: str, actions: Iterable[Action]) -> Iterator[Warned]:
    """Steady counters next to the enemy that no order names."""
    named = {ident for action in actions for ident in getattr(action, "units", ())}
    going = {action.to for action in actions if isinstance(action, Move)}
    for ident, unit in sorted(view.units.items()):
        if unit.camp != camp(side) or not unit.is_combat or ident in named or unit.state != NORMAL:
            continue
        if unit.at not in going and any(view.foes(near, side) for near in neighbours(unit.at)):
            yield Warned(0, msg("{unit} stands next to the enemy and has no order", unit=ident), "S1")


def _ways(rules: Rules[State], view: State, actions: Sequence[Action]) -> Iterator[Warned]:
    """S4a The path of each MOVE TO, as it is found when its turn comes."""
    open_ended = [action for action in flat(actions) if isinstance(action, Move) and action.to]
    if not (open_ended and view.edition.reread):
        return
    tasks = (Task("half begins"), *(task_of(action) for action in actions))
    for happened, _ in foresee(rules, World(view, tasks), Doctrine({}), view.edition.seats_of(view.phase)).events:
        data = happened.data
        if happened.kind == "moves":
            said = (move for move in open_ended if (list(move.units), move.to) == (data["units"], data["to"]))
            found = next(said, None)
            if found is not None:
                open_ended.remove(found)
                why = msg("to {hex} by {path}", hex=found.to, path=tuple(data["path"]))
                yield Warned(found.line, why, "S4a")


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
