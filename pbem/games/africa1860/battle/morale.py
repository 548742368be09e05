"""C4 Morale checks, and the losses of steps that every chapter shares."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.engine.data.events import Event, event
from pbem.engine.dice import die
from pbem.engine.run.steps import Did, Outcome, Roll, Task
from pbem.games.africa1860.setup.units import Unit
from pbem.games.africa1860.state import State


def lose(unit: Unit, steps: int, cite: str) -> tuple[Event, ...]:
    """Return the loss of up to `steps` steps by a unit, none if it is zero; a unit with none left is eliminated."""
    taken = min(steps, unit.steps)
    if taken <= 0:
        return ()
    return (event("loses", cite, unit=unit.id, side=unit.side, steps=taken, left=unit.steps - taken),)


def checks(where: str, units: Iterable[Unit]) -> tuple[Task, ...]:
    """R20 Return a check for each unit, in id order, leaders last so that their bonus still counts for the others."""
    ordered = sorted(units, key=lambda unit: (unit.is_leader, unit.id))
    return tuple([Task("check", (where, unit.id)) for unit in ordered])


def check(state: State, task: Task) -> Outcome:
    """C4 A unit throws against its morale; O8.8.7 a leader who fails is a casualty.

    Arguments: address, unit. A unit that is gone by then does not throw.
    """
    where, ident = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    if not task.got:
        return Roll(where, f"morale {ident}", 1, 6)
    label, value = die(task, 0)
    leads = unit.is_leader
    bonus = 0 if leads else state.leader_bonus(unit)
    verdict = state.edition.chart("morale").cell(value, "check")
    passed = verdict == "pass" or (verdict == "test" and value <= unit.morale + bonus)
    cite = "O8.8.7" if leads else "C4"
    told = event(
        "check",
        cite,
        unit=ident,
        side=unit.side,
        label=label,
        die=value,
        morale=unit.morale,
        bonus=bonus,
        cell=verdict,
        passed=passed,
    )
    if passed:
        return Did((told,))
    if leads:
        return Did((told, event("casualty", "O8.8.7", unit=ident, side=unit.side)))
    if unit.demoralised:
        return Did((told, *lose(unit, 1, "C4")))
    return Did((told, event("demoralised", "C4", unit=ident, side=unit.side)))
