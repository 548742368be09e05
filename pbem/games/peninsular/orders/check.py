"""Holding a letter against the position: everything up to the first die, then what no die can change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.core.game import Orders, Rejected
from pbem.core.run.foresight import foresee
from pbem.core.run.steps import Rules, Task, World
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.orders.actions import Action
from pbem.games.peninsular.orders.legality import problem
from pbem.games.peninsular.phase.sequence import AFTER, task_of
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import State
from pbem.kit.orders.actions import flat
from pbem.kit.orders.refusals import refused

__all__ = ["check"]


def check(rules: Rules[State], view: State, side: str, orders: Orders) -> tuple[Rejected, ...]:
    """Return the refused lines of a side's orders.

    All orders but FIRE are carried out before any die, so that the position is known to them; fire is looked at as
    far as no die or choice of the enemy's comes before it.
    """
    start = view if camp(view.phase) == camp(side) else view.change(phase=side)
    tasks = (Task("half begins"), *(task_of(action) for action in orders.actions), *(Task(name) for name in AFTER))
    seen = foresee(rules, World(start, tasks), Doctrine({}), start.edition.seats_of(side))
    told = [line for _, line in refused([happened for happened, _ in seen.events])]
    lines = {line.line for line in told}
    fixed = [line for line in _fixed(start, orders.actions) if line.line not in lines]
    return tuple(sorted([*told, *fixed], key=lambda line: line.line))


def _fixed(state: State, actions: Iterable[Action]) -> Iterator[Rejected]:
    """Refusals that hold whatever happens, in branches not taken as well."""
    for action in flat(actions):
        found = problem(state, action, fixed=True)
        if found is not None:
            yield found.rejected(action.line)
