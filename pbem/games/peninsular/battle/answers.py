"""S6, S7, S5 What each answer to a question is worth: the assault that it belongs to, run to its end over all dice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.data.situation import parts_of
from pbem.engine.data.sums import in_order
from pbem.engine.run.odds import Course, Ending, Purse, Reckoning, apart, spread
from pbem.engine.run.questions import Asked
from pbem.engine.run.stakes import weigh_answers
from pbem.engine.run.steps import Rules, Task, Window, World
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.battle.forecast import concerned
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.units import NORMAL, Unit
from pbem.games.peninsular.state import State

NOTE = msg(
    "Behind each answer: how often the hex is yours after the assault, PF lost on average, and how many of yours who "
    "are there are disordered, routed or lost. Not counted are other assaults, fire from or at other hexes, and what "
    "you do not see of the other side: the orders of its divisions, and the fire that it has ordered."
)

_AFTER = ("rallies", "half over")
"""S1 With what the assaults of a half are over."""
_OF_A_HEX = ("charged", "charging", "shock", "advance")
"""Tasks whose first argument is the hex that they are about."""


def answer_stakes(
    rules: Rules[State], world: World[State], asked: Sequence[Asked], own: Doctrine, purse: Purse
) -> tuple[tuple[Msg | None, ...], ...]:
    """Return a sentence for each answer to each question of a defender about one assaulted hex, the first one's.

    `world` is what the seat that is asked sees. The fire that the other side has ordered and not yet given is sealed:
    it is left out, and so is whatever comes after the assaults.
    """
    if not asked or not world.agenda:
        return ()
    side = world.state.edition.seats[asked[0].window.seat]
    target = _assaulted(world.state, asked[0].window)
    if not target or camp(side) == camp(world.state.phase):
        return ()
    ours = tuple(world.state.foes(target, world.state.phase))

    def weigh(there: World[State]) -> Msg | None:
        name = ("answer", there.state.edition.digest, there.state.key(), there.agenda, own, target)
        ends = purse.pay(name, partial(_run, rules, there, own))
        return None if ends is None else _told(world.state, target, ours, ends)

    return tuple(tuple(row) for row in weigh_answers(rules, _alone(world, target, side), asked, own, weigh))


def _assaulted(state: State, window: Window) -> str:
    """The assaulted hex that a question is about; empty if it is about none."""
    unit = state.units.get(window.subject)
    at = unit.at if unit is not None else window.where.partition(">")[2]
    return at if any(target == at for target, _ in state.assaults) else ""


def _alone(world: World[State], target: str, side: str) -> World[State]:
    """The world as if the assault on the hex were the only one of the half, without what is sealed."""
    state = world.state
    units = {i: u if u.assault in ("", target) else u._replace(assault="", charge=0) for i, u in state.units.items()}
    alone = tuple(item for item in state.assaults if item[0] == target)
    start = state.change(units=units, assaults=alone, shots=())
    first, *rest = world.agenda
    return World(start, (first, *_kept(start, rest, target, side)), world.used)


def _kept(state: State, agenda: Sequence[Task], target: str, side: str) -> Iterator[Task]:
    """Of what is still to be done that of this hex; of the fire to come that of its defenders."""
    for task in agenda:
        if task.name in _AFTER:
            return
        if task.name == "defensive fire":
            yield from (Task("defend", (unit.id,)) for unit in state.foes(target, state.phase) if unit.is_combat)
        elif task.name in _OF_A_HEX:
            if task.args[0] == target:
                yield task
        elif task.name in ("defend", "fire at"):
            unit = state.units.get(task.args[0])
            if unit is not None and unit.at == target and unit.camp == camp(side):
                yield task
        elif task.name != "fire order":
            yield task


def _run(rules: Rules[State], there: World[State], own: Doctrine, step: Callable[[], None]) -> tuple[Ending, ...]:
    return spread(rules, Course(there, apart(there.state, parts_of(State))), own, Reckoning(step=step))


def _told(before: State, target: str, ours: Sequence[Unit], ends: Sequence[Ending]) -> Msg:
    """Who has the hex at the end, and what it costs those who fight for it; guns are lost with their stack (T6)."""
    theirs = [unit for unit in concerned(before, target)[camp(before.phase)] if unit.is_combat]
    share = in_order(weight for world, weight in ends if world.state.foes(target, before.phase))
    shaken = in_order(weight * sum(_worse(unit, world.state) for unit in ours) for world, weight in ends)
    lost = [in_order(weight * _lost(units, world.state) for world, weight in ends) for units in (ours, theirs)]
    return msg(
        "{hex} yours {share} %; PF lost: you {own}, the enemy {enemy}; disordered, routed or lost: {shaken}",
        hex=target,
        share=percent(share),
        own=decimal(lost[0]),
        enemy=decimal(lost[1]),
        shaken=decimal(shaken),
    )


def _lost(units: Sequence[Unit], after: State) -> int:
    return sum(unit.pf - (after.units[unit.id].pf if unit.id in after.units else 0) for unit in units)


def _worse(unit: Unit, after: State) -> bool:
    """Whether a counter is lost by then, or not in order and worse than before."""
    now = after.units.get(unit.id)
    return now is None or now.state not in (NORMAL, unit.state)
