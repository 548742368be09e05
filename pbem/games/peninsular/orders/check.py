"""Holding a letter against the position: everything up to the first die, then what no die can change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pbem.core.data.messages import Msg
from pbem.core.game import Orders, Rejected
from pbem.core.run.foresight import foresee
from pbem.core.run.steps import Rules, Task, World
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.battle.shock import no_shock, too_weak
from pbem.games.peninsular.orders.actions import Action, Assault, If
from pbem.games.peninsular.orders.legality import problem
from pbem.games.peninsular.phase.sequence import AFTER, task_of
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import State

__all__ = ["check"]


def check(rules: Rules[State], view: State, side: str, orders: Orders) -> tuple[Rejected, ...]:
    """Return the refused lines of a side's orders.

    All orders but FIRE are carried out before any die, so that the position is known to them; fire is looked at as
    far as no die or choice of the enemy's comes before it.
    """
    start = view if camp(view.phase) == camp(side) else view.change(phase=side)
    tasks = (Task("half begins"), *(task_of(action) for action in orders.actions), *(Task(name) for name in AFTER))
    seen = foresee(rules, World(start, tasks), Doctrine({}), start.edition.seats_of(side))
    refused = [
        Rejected(e.data["line"], -1, e.data["word"], Msg.from_json(e.data["why"]), e.data["rules"][0], ())
        for e, _ in seen.events
        if e.kind == "not carried out"
    ]
    refused += _hopeless(seen.state, orders.actions)
    told = {item.line for item in refused}
    fixed = [item for item in _fixed(start, orders.actions) if item.line not in told]
    return tuple(sorted([*refused, *fixed], key=lambda item: item.line))


def _hopeless(state: State, actions: Sequence[Action]) -> Iterator[Rejected]:
    """T6 Assaults after all movement that are too weak for a shock, with nothing to come that could mend that.

    Fire of one's own at the hex thins the defence, a charge may disorder it; the enemy's fire only makes it worse.
    """
    shot = {at for _, at, _ in state.shots}
    for action in _flat(actions):
        if not isinstance(action, Assault) or action.target in shot:
            continue
        marked = state.marked(action.target)
        if not {unit.id for unit in marked} & set(action.units) or any(unit.charge for unit in marked):
            continue
        found = too_weak(state, action.target, marked)
        if found is not None:
            yield Rejected(action.line, -1, action.target, no_shock(*found), "T6", ())


def _flat(actions: Iterable[Action]) -> Iterator[Action]:
    for action in actions:
        if isinstance(action, If):
            yield from _flat((*action.then, *action.otherwise))
        else:
            yield action


def _fixed(state: State, actions: Iterable[Action]) -> Iterator[Rejected]:
    """Refusals that hold whatever happens, in branches not taken as well."""
    for action in actions:
        if isinstance(action, If):
            yield from _fixed(state, (*action.then, *action.otherwise))
            continue
        found = problem(state, action, fixed=True)
        if found is not None:
            yield Rejected(action.line, -1, found.word, found.why, found.rules[0], ())
