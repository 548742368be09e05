"""What each game tells of the attacks in an order set, and the course of the set that it is held against."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.run.odds import Reckoning, StepBudget
from pbem.engine.run.runners import foresee
from pbem.engine.run.steps import Task, World, procedure
from pbem.games import africa1860, peninsular
from pbem.games.africa1860 import forecast
from pbem.games.africa1860 import sequence as phases
from pbem.games.africa1860.doctrine import Doctrine as Africa
from pbem.games.africa1860.edition import SIDES
from pbem.games.peninsular import sequence as halves
from pbem.games.peninsular.assault import odds_of_half
from pbem.games.peninsular.doctrine import Doctrine as Peninsular
from pbem.games.peninsular.forecast import TASKS_TO_SHOCKS
from pbem.play.commands.questions.odds import PER_LETTER
from tests.games.odds_held import Course, Figures, Fought
from tests.games.odds_sets import OrderSet

AFRICA, PENINSULAR = africa1860.GAME, peninsular.GAME


class Mark(NamedTuple):
    """Where a course is: the assault that is on, what stood before it and comes later, and those that are over."""

    on: Any = None
    pair: str = ""
    bouts: int = 0
    later: int = 0
    steps: tuple[int, ...] = ()
    over: tuple[Fought, ...] = ()


def africa_course(order_set: OrderSet) -> Course:
    """The orders of a phase, each assault watched from its order to the last throw after its shock."""
    view, orders = order_set.at.view, order_set.orders
    tasks = tuple(phases.task_of(action) for action in orders.actions)
    start = view.change(stopped=False) if order_set.at.begun else view
    world = World(start, tasks if order_set.at.begun else (Task("begin phase"), *tasks))
    return Course(AFRICA.rules, world, Africa({}), Mark(), _watch, _no_more, lambda mark, world: mark.over)


def _watch(mark: Mark, before: World[Any], after: World[Any]) -> Mark:
    task, state = before.agenda[0], after.state
    if task.name == "assault order":
        order, space = task.args
        pair = f"{space}>{order.target}"
        bouts, later = before.state.bouts.get(pair, 0), len(before.agenda) - 1
        mark = Mark(order, pair, bouts, later, _steps(before.state), mark.over)
    if mark.on is not None and len(after.agenda) <= mark.later and state.bouts.get(mark.pair, 0) > mark.bouts:
        lost = [a - b for a, b in zip(mark.steps, _steps(state), strict=True)]
        won = state.holder(mark.on.target) == state.phase
        return Mark(over=(*mark.over, Fought(mark.on.line, won, (lost[0], lost[1]))))
    return mark


def _steps(state: Any) -> tuple[int, ...]:
    units = [unit for unit in state.units.values() if not unit.is_leader]
    return tuple(sum(unit.steps for unit in units if unit.side == side) for side in SIDES)


def _no_more(mark: Mark, world: World[Any]) -> bool:
    """Whether no assault is on or still in the orders."""
    if world.state.fight is not None or (mark.on is not None and world.agenda[0].name not in phases.ORDER_TASKS):
        return False
    actions = [task.args[0] for task in world.agenda if task.name in phases.ORDER_TASKS]
    return not any(True for _ in forecast.assaults(actions))


def africa_told(order_set: OrderSet) -> tuple[dict[Any, Figures], bool]:
    """What is told by line, and whether of all."""
    ordered = forecast.PhaseOrders(order_set.at.view, order_set.orders, order_set.at.begun)
    odds, whole = forecast.odds_in_turn(AFRICA.rules, ordered, Africa({}), StepBudget(PER_LETTER))
    figures = {
        each.line: Figures(each.share, each.odds.hold, (each.odds.losses[SIDES[0]], each.odds.losses[SIDES[1]]))
        for each in odds
        if each.odds is not None
    }
    return figures, whole


def _half(order_set: OrderSet) -> tuple[Any, World[Any]]:
    """A half before its first die: its position with the assaults marked, and what is left of it up to the shocks."""
    view = order_set.at.view
    tasks = (Task("half begins"), *(halves.task_of(action) for action in order_set.orders.actions))
    seen = foresee(PENINSULAR.rules, World(view, tasks), Peninsular({}), (order_set.at.seat,))
    return seen.state, World(seen.world.state, (*seen.world.agenda, *procedure(TASKS_TO_SHOCKS)))


def peninsular_course(order_set: OrderSet) -> Course:
    """A half to the end of its shocks, looked at then."""
    marked, world = _half(order_set)

    def fought(_: None, end: World[Any]) -> Iterator[Fought]:
        for target, _ in marked.assaults:
            from_ = {unit.at for unit in marked.assaulters(target)}
            ours = [unit for unit in marked.units.values() if unit.at in from_ and unit.is_combat]
            theirs = marked.foes(target, marked.phase)
            lost = _lost(ours, end.state), _lost(theirs, end.state)
            yield Fought(target, not end.state.foes(target, marked.phase), lost)

    return Course(
        PENINSULAR.rules,
        world,
        Peninsular({}),
        None,
        lambda mark, before, after: None,
        lambda mark, world: False,
        lambda mark, world: tuple(fought(mark, world)),
    )


def _lost(units: Sequence[Any], state: Any) -> int:
    """Strength points that units no longer have."""
    left: int = sum(state.units[unit.id].pf for unit in units if unit.id in state.units)
    full: int = sum(unit.pf for unit in units)
    return full - left


def peninsular_told(order_set: OrderSet) -> tuple[dict[Any, Figures], bool]:
    """What is told by hex, and whether of all."""
    marked, world = _half(order_set)
    if not marked.assaults:
        return {}, True

    def weigh(step: Callable[[], None]) -> Any:
        return odds_of_half(PENINSULAR.rules, world, marked, Peninsular({}), Reckoning(step=step))

    odds = StepBudget(PER_LETTER).pay("", weigh)
    if odds is None:
        return {}, False
    figures = {}
    for target, expected in odds.items():
        ours = marked.assaulters(target)[0].camp
        theirs = "french" if ours == "allied" else "allied"
        figures[target] = Figures(1.0, expected.win, (expected.losses[ours], expected.losses[theirs]))
    return figures, True


GAMES: Mapping[str, Any] = {
    "africa1860": (africa_course, africa_told),
    "peninsular": (peninsular_course, peninsular_told),
}
