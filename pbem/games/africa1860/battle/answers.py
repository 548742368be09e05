"""C10 What each answer to a question is worth: the fight that it belongs to, run to its end over all dice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile

from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.data.situation import parts_of
from pbem.engine.data.sums import in_order
from pbem.engine.run.odds import Course, Ending, Purse, Reckoning, apart, spread
from pbem.engine.run.questions import Asked
from pbem.engine.run.stakes import weigh_answers
from pbem.engine.run.steps import Rules, World
from pbem.games.africa1860.battle.doctrine import Doctrine, default_screen, default_vanguard
from pbem.games.africa1860.phase.sequence import AFTER_ORDERS, ORDER_TASKS
from pbem.games.africa1860.setup.units import other
from pbem.games.africa1860.state import Fight, State


def answer_stakes(
    rules: Rules[State], world: World[State], asked: Sequence[Asked], own: Doctrine, purse: Purse
) -> tuple[tuple[Msg | None, ...], ...]:
    """Return a sentence for each answer to each question, None where the purse does not do.

    `world` is what the seat that is asked sees; the orders that are still to come are nobody's business yet, and what
    the enemy keeps sealed is taken to be the default (C10a).
    """
    if not asked or not world.agenda:
        return ()
    side = world.state.edition.seats[asked[0].window.seat]
    later = (*ORDER_TASKS, *AFTER_ORDERS)
    fight = tuple(takewhile(lambda task: task.name not in later, world.agenda))
    if not fight:
        return ()

    def weigh(there: World[State], doctrine: Doctrine = own) -> Msg | None:
        name = (there.state.edition.digest, there.state.key(), there.agenda, doctrine, side)
        ends = purse.pay(name, partial(_run, rules, there, doctrine))
        return None if ends is None else _told(world.state, ends, side)

    begin = _sealed(World(world.state, fight, world.used), side)
    rows = weigh_answers(rules, begin, asked, own, weigh)
    for one in asked[len(rows) :]:
        # It comes up after dice, so that the answer is given beforehand.
        answers = ({one.window.id: option.value} for option in one.question.options)
        rows.append([weigh(begin, Doctrine(own.standing, given)) for given in answers])
    return tuple(tuple(row) for row in rows)


def _sealed(world: World[State], side: str) -> World[State]:
    """O8.2, O8.3, R17, O8.4.4 The world with what the enemy's order of assault says by the default in its place."""
    state = world.state
    if state.fight is not None:
        state = state.change(fight=_by_default(state, state.fight, side))
    agenda = tuple(
        task._replace(args=(_by_default(state, Fight(*task.args[0]), side),)) if task.name == "begin" else task
        for task in world.agenda
    )
    return World(state, agenda, world.used)


def _by_default(state: State, fight: Fight, side: str) -> Fight:
    """A fight of the enemy's as one knows it; vanguards are open once the defender has named his."""
    if fight.side == side:
        return fight
    fight = fight._replace(losses=(), detach=())
    if fight.enemy_vanguard:
        return fight
    units = [state.units[ident] for ident in fight.stack if ident in state.units]
    vanguard = default_vanguard([unit for unit in units if unit.is_combat], frozenset())
    screen = default_screen(units, vanguard)
    return fight._replace(vanguard=vanguard, screen="" if screen == "NONE" else screen)


def _run(rules: Rules[State], there: World[State], own: Doctrine, step: Callable[[], None]) -> tuple[Ending, ...]:
    course = Course(there, apart(there.state, parts_of(State)))
    return spread(rules, course, own, Reckoning(step=step))


def _told(before: State, ends: Sequence[Ending], side: str) -> Msg:
    """Who has the space at the end, and what it costs both."""
    lost = {
        each: decimal(_steps(before, each) - in_order(weight * _steps(world.state, each) for world, weight in ends))
        for each in (side, other(side))
    }
    shaken = in_order(weight * _shaken(before, world.state, side) for world, weight in ends)
    gaps = {"own": lost[side], "enemy": lost[other(side)], "shaken": decimal(shaken)}
    if before.fight is None:
        return msg("steps lost: you {own}, the enemy {enemy}; shaken or lost: {shaken}", **gaps)
    target = before.fight.target
    ours = in_order(weight for world, weight in ends if world.state.holder(target) == side)
    return msg(
        "{space} yours {share} %; steps lost: you {own}, the enemy {enemy}; shaken or lost: {shaken}",
        space=target,
        share=percent(ours),
        **gaps,
    )


def _shaken(before: State, after: State, side: str) -> int:
    """How many units of a side are demoralised by then and were not, or are lost."""
    mine = [unit for unit in before.units.values() if unit.side == side and not unit.demoralised]
    return sum((now := after.units.get(unit.id)) is None or now.demoralised for unit in mine)


def _steps(state: State, side: str) -> int:
    return sum(unit.steps for unit in state.units.values() if unit.side == side)
