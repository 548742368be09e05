"""Holding a letter against the position: everything up to the first die, then what no die can change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pbem.core.data.messages import Msg
from pbem.core.game import Orders, Rejected
from pbem.core.run.foresight import foresee
from pbem.core.run.steps import Rules, Task, World
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.battle.fire import able, may_fire
from pbem.games.peninsular.orders.actions import Action, If
from pbem.games.peninsular.orders.legality import problem
from pbem.games.peninsular.orders.reasons import hanging, in_full
from pbem.games.peninsular.phase.sequence import AFTER, task_of
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import State
from pbem.kit.orders.actions import flat

__all__ = ["check"]


def check(rules: Rules[State], view: State, side: str, orders: Orders) -> tuple[Rejected, ...]:
    """Return the refused lines of a side's orders.

    All orders but FIRE are carried out before any die, so that the position is known to them; fire is looked at as
    far as no die or choice of the enemy's comes before it.
    """
    start = view if camp(view.phase) == camp(side) else view.change(phase=side)
    tasks = (Task("half begins"), *(task_of(action) for action in orders.actions), *(Task(name) for name in AFTER))
    seen = foresee(rules, World(start, tasks), Doctrine({}), start.edition.seats_of(side))
    by_line = {action.line: action for action in flat(orders.actions)}
    refused: list[Rejected] = []
    stayed: set[str] = set()
    for e, before in seen.events:
        if e.kind == "not carried out":
            action, units = by_line.get(e.data["line"]), getattr(by_line.get(e.data["line"]), "units", ())
            why = Msg.from_json(e.data["why"])
            why = hanging(in_full(before, action, why) if action is not None else why, units, stayed)
            refused.append(Rejected(e.data["line"], -1, e.data["word"], why, e.data["rules"][0], ()))
            stayed.update(units)
    told = {item.line for item in refused}
    refused += [item for item in _shots(seen.state, stayed) if item.line not in told]
    told = {item.line for item in refused}
    fixed = [item for item in _fixed(start, orders.actions) if item.line not in told]
    return tuple(sorted([*refused, *fixed], key=lambda item: item.line))


def _shots(state: State, stayed: Collection[str]) -> Iterator[Rejected]:
    """S7 Fire that was ordered and that no die can mend, or whose counters stay where it cannot be given."""
    for units, at, line in state.shots:
        for unit in (state.units[ident] for ident in units if ident in state.units):
            found = able(state, unit) or (may_fire(state, unit, at) if unit.id in stayed else None)
            if found is not None:
                yield Rejected(line, -1, found.word, hanging(found.why, (unit.id,), stayed), found.rules[0], ())
                break


def _fixed(state: State, actions: Iterable[Action]) -> Iterator[Rejected]:
    """Refusals that hold whatever happens, in branches not taken as well."""
    for action in actions:
        if isinstance(action, If):
            yield from _fixed(state, (*action.then, *action.otherwise))
            continue
        found = problem(state, action, fixed=True)
        if found is not None:
            yield Rejected(action.line, -1, found.word, found.why, found.rules[0], ())
