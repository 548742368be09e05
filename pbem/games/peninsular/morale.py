"""T2 Will: morale tests and what they do to a counter; losses, and the commanders who share them (S13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event, event
from pbem.engine.map.charts import Applied, Bound
from pbem.engine.run.steps import Did, Outcome, Roll, Task, die, total
from pbem.games.peninsular.edition import WILLS
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import COVER, higher, in_zone
from pbem.games.peninsular.units import DISORDERED, NORMAL, ROUTED, Unit, grade


def summed(modifiers: Iterable[Applied]) -> int:
    """Return what modifiers add to a die."""
    return sum([item.value for item in modifiers])


def listed(modifiers: Iterable[Applied]) -> Json:
    """Return modifiers as an event holds them: rule, value, words."""
    return [list(item) for item in modifiers]


LOST = {"fire": 2, "shock": 3}
"""S13 The highest throw of two dice on which a commander is lost."""
ROUT = 2
"""S6 Hexes a counter retreats that becomes routed."""
REORGANISED = 1
"""S2 What an order to reorganise adds when a counter rallies."""


class Trial(NamedTuple):
    """A morale test: the counter, the hex of the enemy who caused it (or empty), and why it is made.

    `why` is ``charges``, ``receives`` (a charge), ``after charge``, ``rally`` or empty; `square` whether the charged
    infantry stands in square, `short` that the cavalry moved one hex.
    """

    state: State
    unit: Unit
    against: str = ""
    why: str = ""
    square: bool = False
    short: bool = False


def _commander(trial: Trial) -> int:
    found = trial.state.commanders(trial.unit.at, trial.unit.side)
    return max((max(1, unit.morale) for unit in found), default=0)


def _cover(trial: Trial) -> int:
    ground, at = trial.state.edition.map, trial.unit.at
    fortified = ground.behind_lines(at) if trial.state.edition.reread else ground.lines(at)
    covered = ground.terrain(at) in COVER or fortified
    return covered or bool(trial.against and higher(trial.state, at, trial.against))


def _pressed(trial: Trial) -> int:
    return trial.why == "rally" and in_zone(trial.state, trial.unit.at, trial.unit)


WILL_MODIFIERS: Mapping[str, Callable[[Trial], int]] = {
    "T2.1": _commander,
    "T2.2": _cover,
    "T2.3": _pressed,
    "T2.4": lambda trial: trial.unit.state == DISORDERED,
    "T2.5": lambda trial: trial.unit.state == ROUTED,
    "T2.6": lambda trial: max(0, trial.unit.full - trial.unit.pf - 1),
    "T2.7": lambda trial: trial.why == "charges" and not trial.square,
    "T2.8": lambda trial: trial.why == "receives" and trial.short,
    "T2.9": lambda trial: trial.why == "after charge",
    "T2.10": lambda trial: trial.unit.fatigue,
}
_modifiers = Bound("will", WILL_MODIFIERS)


def read_will(trial: Trial, value: int) -> tuple[tuple[Applied, ...], int, str, str]:
    """T2 Return modifiers, the die with them, the column (one worse when T2.3 holds) and the cell."""
    modifiers = _modifiers(trial.state.edition).holding(trial)
    if trial.why == "rally" and trial.state.order_of(trial.unit) == "REORGANISE":
        modifiers = (*modifiers, Applied("S2", REORGANISED, "order to reorganise"))
    worse = any(item.rule == "T2.3" for item in modifiers)
    column = WILLS[min(grade(trial.unit.will) + worse, len(WILLS) - 1)]
    row = value + summed(modifiers)
    return modifiers, row, column, trial.state.edition.chart("will").cell(row, column)


def try_each(where: str, ids: tuple[str, ...], against: str, why: str = "") -> tuple[Task, ...]:
    """Return the tasks of morale tests of several counters, one after another."""
    return tuple(Task("test", (where, ident, against, why, ())) for ident in ids)


def try_will(state: State, task: Task) -> Outcome:
    """T2 A counter tests its will. Arguments: address, counter, hex of the enemy, why, who tests if it is affected."""
    where, ident, against, why, follow = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    if not task.got:
        return Roll(where, f"morale {ident}", 1, 6)
    told, cell = told_test(Trial(state, unit, against, why), task)
    events, then = suffer(unit, cell, where, against)
    more = try_each(where, follow, against) if cell != "SE" else ()
    return Did((told, *events), (*then, *more))


def told_test(trial: Trial, task: Task, index: int = 0) -> tuple[Event, str]:
    """Return the event that tells of a test whose die is the task's answer number `index`, and its result."""
    label, value = die(task, index)
    modifiers, row, column, cell = read_will(trial, value)
    told = event(
        "test",
        "T2",
        side=trial.unit.side,
        unit=trial.unit.id,
        label=label,
        die=value,
        modifiers=listed(modifiers),
        total=row,
        column=column,
        cell=cell,
    )
    return told, cell


def suffer(unit: Unit, cell: str, where: str, against: str) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """T2, S6 Return what D or DE does to a counter in combat; SE leaves it as it is (R2).

    Who becomes routed retreats 2 hexes at once; unlimbered guns are lost.
    """
    if cell == "D" and unit.state == NORMAL:
        return (event("shaken", "T2", side=unit.side, unit=unit.id, state=DISORDERED),), ()
    if cell == "DE" and unit.state != ROUTED:
        routed = event("routed", "S6", side=unit.side, unit=unit.id)
        return (routed,), (Task("retreat", (where, unit.id, ROUT, against, "S6")),)
    return (), ()


def lose(state: State, unit: Unit, pf: int, how: str, where: str) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """T5, T6 Return what a loss of PF does: the counter may be eliminated; S13 commanders of the hex throw.

    `how` is ``fire`` or ``shock``.
    """
    lost = min(pf, unit.pf)
    rule = "T5" if how == "fire" else "T6"
    told = event("loses", rule, side=unit.side, unit=unit.id, pf=lost, left=unit.pf - lost)
    chiefs = state.commanders(unit.at, unit.side)
    then = tuple([Task("commander", (where, chief.id, how)) for chief in chiefs])
    return (told,), (*then, Task("bereft", (unit.at, unit.side))) if chiefs else ()


def commander(state: State, task: Task) -> Outcome:
    """S13 A commander whose hex has suffered a loss. Arguments: address, commander, ``fire`` or ``shock``."""
    where, ident, how = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    if not task.got:
        return Roll(where, f"commander {ident}", 2, 6)
    label, value = total(task, 0)
    told = event(
        "commander throws", "S13", side=unit.side, unit=ident, label=label, dice=value, lost=value <= LOST[how]
    )
    if value > LOST[how]:
        return Did((told,))
    return Did((told, event("commander lost", "S13", side=unit.side, unit=ident)))
