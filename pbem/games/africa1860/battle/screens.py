"""O8.6 Screens: the skirmish before the vanguards meet."""

from __future__ import annotations

from pbem.engine.data.events import Event, event
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.games.africa1860.battle.fire import Shot
from pbem.games.africa1860.setup.units import other
from pbem.games.africa1860.state import Fight, State

Health = tuple[int, bool]
"""Steps, and whether demoralised."""


def screens(state: State, task: Task) -> Outcome:
    """O8.6 Two screens fire at each other; a lone one fires at the enemy's vanguard and rejoins (O8.6.1)."""
    fight = state.fight
    if fight is None:
        return Did()
    ours = fight.screen if fight.screen in state.units else ""
    theirs = fight.enemy_screen if fight.enemy_screen in state.units else ""
    if ours and theirs:
        shots = (Shot((ours,), theirs), Shot((theirs,), ours, bare=True))
        before = tuple((state.units[i].steps, state.units[i].demoralised) for i in (ours, theirs))
        return Did(
            (), (Task("volley", (fight.address, "O8.6", shots)), Task("compare screens", (ours, theirs, before)))
        )
    if not (ours or theirs):
        return Did()
    shot = Shot((ours,), fight.enemy_vanguard) if ours else Shot((theirs,), fight.vanguard, bare=True)
    then = (Task("volley", (fight.address, "O8.6.1", (shot,))), Task("rejoin", ("O8.6.1",)), Task("settle"))
    return Did((), then)


def compare_screens(state: State, task: Task) -> Outcome:
    """O8.6.2-O8.6.3, R15 The screen that hurt without being hurt fires at the enemy vanguard; then both rejoin.

    Arguments: the attacker's screen, the defender's, the health of both before the exchange.
    """
    fight = state.fight
    ours, theirs, before = task.args
    if fight is None:
        return Did()
    taken = tuple(_damage(state, ident, health) for ident, health in zip((ours, theirs), before, strict=True))
    hurt = tuple(damage != (0, False) for damage in taken)
    if hurt == (False, True) and fight.enemy_vanguard:
        shot = Shot((ours,), fight.enemy_vanguard)
    elif hurt == (True, False):
        shot = Shot((theirs,), fight.vanguard, bare=True)
    else:
        alike = taken[0] == taken[1] or (taken[0][1] and taken[1][1])
        return Did((), (Task("rejoin", ("O8.6.2" if alike else "R15",)), Task("settle")))
    fired = Task("volley", (fight.address, "O8.6.3", (shot,)))
    return Did((), (fired, Task("rejoin", ("O8.6.3",)), Task("settle")))


def _damage(state: State, ident: str, before: Health) -> Health:
    """O8.6.1 Damage is a step lost, or becoming demoralised, in this exchange."""
    unit = state.units.get(ident)
    if unit is None:
        return before[0], False
    return before[0] - unit.steps, unit.demoralised and not before[1]


def rejoin(state: State, task: Task) -> Outcome:
    """O8.6.1-3 Both screens rejoin their stacks. Argument: the rule cited."""
    fight: Fight | None = state.fight
    if fight is None:
        return Did()
    sides = ((fight.side, fight.screen), (other(fight.side), fight.enemy_screen))
    events: list[Event] = [event("rejoins", task.args[0], side=side, unit=unit) for side, unit in sides if unit]
    return Did(tuple(events))
