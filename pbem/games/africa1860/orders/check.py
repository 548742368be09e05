"""Holding a letter against the position: everything up to the first die, then what no die can change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.core.data.messages import msg
from pbem.core.game import Orders, Rejected
from pbem.core.run.foresight import foresee
from pbem.core.run.steps import Rules, World
from pbem.games.africa1860.battle.doctrine import Doctrine
from pbem.games.africa1860.orders.actions import Action, Assault, placed
from pbem.games.africa1860.orders.legality import problem
from pbem.games.africa1860.phase.sequence import task_of
from pbem.games.africa1860.state import State
from pbem.kit.orders.refusals import refused

__all__ = ["check"]


def check(rules: Rules[State], view: State, side: str, orders: Orders, begun: bool = False) -> tuple[Rejected, ...]:
    """Return the refused lines of a side's orders.

    Until something must be rolled or somebody else asked the position is known, and every rule counts; after that
    only types, owners and the map do. Lines under a refused ACTIVATE fall with it. Where the phase has `begun`, what
    letters before did in it counts too.
    """
    start = view if view.phase == side else view.change(phase=side)
    own = [seat for seat, holds in start.edition.seats.items() if holds == side]
    tasks = tuple(task_of(action) for action in orders.actions)
    known = foresee(rules, World(start.change(stopped=False) if begun else _fresh(start), tasks), Doctrine({}), own)
    told = {(line.line, order): line for order, line in refused([happened for happened, _ in known.events])}
    by_line = {action.line: action for action in orders.actions}
    told = {at: _in_full(start, by_line.get(line.line), line) for at, line in told.items()}
    passed = {task.args[0].line for task in known.done if task.args and hasattr(task.args[0], "line")}
    later = [item for item in _fixed(start, orders.actions) if item.line not in passed]
    return tuple(sorted([*told.values(), *later], key=lambda item: item.line))


def _in_full(state: State, action: Action | None, bad: Rejected) -> Rejected:
    """A charge that is refused for the way that it names: which step of that way there is not."""
    if bad.why.text != "{to} is more than two spaces from {space}" or not isinstance(action, Assault) or not action.via:
        return bad
    area, space = state.edition.map, str(dict(bad.why.args)["space"])
    for one, other in ((space, action.via), (action.via, action.target)):
        if not area.adjacent(one, other):
            why = msg(
                "{to} is not next to {space}", to=action.via, space=space if other == action.via else action.target
            )
            return bad._replace(why=why, word=action.via, column=-1)
    return bad


def _fresh(state: State) -> State:
    units = {ident: unit._replace(acted=False) for ident, unit in state.units.items()}
    return state.change(units=units, used=(), bouts={}, stopped=False, fight=None)


def _fixed(state: State, actions: Iterable[Action]) -> Iterator[Rejected]:
    """Refusals that hold whatever the dice bring."""
    for space, action in placed(actions):
        found = problem(state, action, space, fixed=True)
        if found is not None:
            yield found.rejected(action.line)
