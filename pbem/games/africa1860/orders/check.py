"""Holding a letter against the position: everything up to the first die, then what no die can change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.core.data.messages import Msg
from pbem.core.game import Orders, Rejected
from pbem.core.run.runners import advance
from pbem.core.run.steps import Ask, Did, Rules, World
from pbem.games.africa1860.battle.doctrine import Doctrine
from pbem.games.africa1860.orders.actions import Action, Activate, If, Stop
from pbem.games.africa1860.orders.legality import problem
from pbem.games.africa1860.phase.sequence import task_of
from pbem.games.africa1860.state import State

__all__ = ["check"]


class _FirstDie(Exception):
    """The foreseeable part of a phase is over."""


class _NoDice:
    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        raise _FirstDie


def check(rules: Rules[State], view: State, side: str, orders: Orders, begun: bool = False) -> tuple[Rejected, ...]:
    """Return the refused lines of a side's orders.

    Until something must be rolled or somebody else asked the position is known, and every rule counts; after that
    only types, owners and the map do. Lines under a refused ACTIVATE fall with it. Where the phase has `begun`, what
    letters before did in it counts too.
    """
    start = view if view.phase == side else view.change(phase=side)
    refused: dict[tuple[int, str], Rejected] = {}
    passed: set[int] = set()
    world: World[State] = World(
        start.change(stopped=False) if begun else _fresh(start), tuple(task_of(action) for action in orders.actions)
    )
    while world.agenda:
        task = world.agenda[0]
        try:
            moment = advance(rules, world, _NoDice(), Doctrine({}))
        except _FirstDie:
            break
        if isinstance(moment.outcome, Ask) and side != world.state.edition.seats[moment.outcome.window.seat]:
            break
        if isinstance(moment.outcome, Did):
            for told in moment.outcome.events:
                if told.kind == "not carried out":
                    found = told.data
                    why = Msg.from_json(found["why"])
                    refused[found["line"], found["order"]] = Rejected(
                        found["line"], -1, found["word"], why, found["rules"][0], ()
                    )
            if task.args and hasattr(task.args[0], "line"):
                passed.add(task.args[0].line)
        world = moment.world
    later = [item for item in _fixed(start, orders.actions, "") if item.line not in passed]
    return tuple(sorted([*refused.values(), *later], key=lambda item: item.line))


def _fresh(state: State) -> State:
    units = {ident: unit._replace(acted=False) for ident, unit in state.units.items()}
    return state.change(units=units, used=(), bouts={}, stopped=False, fight=None)


def _fixed(state: State, actions: Iterable[Action], space: str) -> Iterator[Rejected]:
    """Refusals that hold whatever the dice bring."""
    for action in actions:
        if isinstance(action, If):
            yield from _fixed(state, (*action.then, *action.otherwise), space)
        elif isinstance(action, Activate):
            yield from _fixed(state, action.actions, action.space)
        elif not isinstance(action, Stop):
            found = problem(state, action, space, fixed=True)
            if found is not None:
                yield Rejected(action.line, -1, found.word, found.why, found.rules[0], ())
