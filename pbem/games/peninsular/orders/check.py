"""Holding a letter against the position: everything up to the first die, then what no die can change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from pbem.engine.data.messages import Msg
from pbem.engine.deployment.rules import DEPLOYMENT
from pbem.engine.orders.actions import flat
from pbem.engine.orders.refusals import refused
from pbem.engine.run.foresight import foresee
from pbem.engine.run.steps import Rules, Task, World
from pbem.engine.terms import Orders, Rejected
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.battle.fire import able, may_fire
from pbem.games.peninsular.battle.shock import no_shock, too_weak
from pbem.games.peninsular.orders.actions import Action, Assault
from pbem.games.peninsular.orders.legality import problem
from pbem.games.peninsular.orders.reasons import hanging, in_full, out_of_reach
from pbem.games.peninsular.phase.deployment import DEPLOYING
from pbem.games.peninsular.phase.sequence import AFTER, task_of
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import State


def check(rules: Rules[State], view: State, side: str, orders: Orders) -> tuple[Rejected, ...]:
    """Return the refused lines of a side's orders.

    All orders but FIRE are carried out before any die, so that the position is known to them; fire is looked at as
    far as no die or choice of the enemy's comes before it.
    """
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
    told: list[Rejected] = []
    stayed: set[str] = set()
    late: dict[str, Msg] = {}
    for happened, before in seen.events:
        if happened.kind == "ordered" and not happened.data["now"] and happened.data["order"] == "ATTACK":
            division = before.divisions[happened.data["division"]]
            late[division.name] = out_of_reach(before, division)
        for _, bad in refused([happened]):
            action = by_line.get(bad.line)
            units = getattr(action, "units", ())
            why = bad.why if action is None else hanging(in_full(before, action, bad.why, late), units, stayed)
            told.append(bad._replace(why=why))
            stayed.update(units)
    told += _new(told, _shots(seen.state, stayed, {one.data["unit"] for one, _ in seen.events if one.kind == "fires"}))
    told += _new(told, _hopeless(seen.state, orders.actions))
    told += _new(told, _fixed(start, orders.actions))
    return tuple(sorted(told, key=lambda line: line.line))


def _new(told: Iterable[Rejected], more: Iterable[Rejected]) -> list[Rejected]:
    """Those of lines that were not refused before."""
    lines = {bad.line for bad in told}
    return [bad for bad in more if bad.line not in lines]


def _shots(state: State, stayed: Collection[str], given: Collection[str]) -> Iterator[Rejected]:
    """S7 Fire that was ordered and that no die can mend, or whose counters stay where it cannot be given; what is
    `given` already, before any die, is done."""
    for units, at, line in state.shots:
        for unit in (state.units[ident] for ident in units if ident in state.units and ident not in given):
            found = able(state, unit) or (may_fire(state, unit, at) if unit.id in stayed else None)
            if found is not None:
                yield found._replace(why=hanging(found.why, (unit.id,), stayed)).rejected(line)
                break


def _hopeless(state: State, actions: Sequence[Action]) -> Iterator[Rejected]:
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
            yield Rejected(action.line, -1, action.target, no_shock(*found), "T6", ())


def _fixed(state: State, actions: Iterable[Action]) -> Iterator[Rejected]:
    """Refusals that hold whatever happens, in branches not taken as well."""
    for action in flat(actions):
        found = problem(state, action, fixed=True)
        if found is not None:
            yield found.rejected(action.line)
