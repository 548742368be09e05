"""How far a side's orders are certain: its phase run up to the first die, or to the first question to somebody else."""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.run.foresight import Foreseen, foresee
from pbem.engine.run.steps import Rules, World
from pbem.engine.terms import Orders
from pbem.games.africa1860.battle.doctrine import Doctrine
from pbem.games.africa1860.phase.sequence import SETS
from pbem.games.africa1860.state import State


class Certain(NamedTuple):
    """The position in which the orders are given, what is certain to come of them, and the lines that it comes of."""

    start: State
    known: Foreseen[State]
    passed: frozenset[int]


def foreseen(rules: Rules[State], view: State, side: str, orders: Orders, begun: bool = False) -> Certain:
    """Return what is certain of a side's orders; where its phase has `begun`, what letters before did counts too."""
    start = view if view.phase == side else view.change(phase=side)
    own = [seat for seat, holds in start.edition.seats.items() if holds == side and view.commanding in ("", seat)]
    tasks = SETS.own(orders.actions)
    known = foresee(rules, World(start.change(stopped=False) if begun else _fresh(start), tasks), Doctrine({}), own)
    lines = (task.args[0].line for task in known.done if task.args and hasattr(task.args[0], "line"))
    return Certain(start, known, frozenset(lines))


def _fresh(state: State) -> State:
    units = {ident: unit._replace(acted=False) for ident, unit in state.units.items()}
    return state.change(units=units, used=(), bouts={}, stopped=False, fight=None)
