"""The odds of an assault, exact: the rules run over all dice, from the order to the last throw after the shock.

What the asking side cannot know, the enemy's standing orders, is taken to be the default doctrine (C10).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.data.sums import in_order
from pbem.engine.run.odds import FLOATS, Course, Ending, Reckoning, changes, spread
from pbem.engine.run.steps import Did, Roll, Rolled, Rules, Task, World, folding
from pbem.games.africa1860.battle.doctrine import Doctrine
from pbem.games.africa1860.orders.actions import Assault
from pbem.games.africa1860.phase.sequence import task_of
from pbem.games.africa1860.setup.units import other
from pbem.games.africa1860.state import State


class Odds(NamedTuple):
    """What an assault is worth, as probabilities and mean numbers of steps.

    `win`: the space is the attackers' when the shock is over; `hold`: it is theirs after the throws that follow as well
    (O8.8.7, O8.8.8); `losses`: mean steps lost by side, to the end; `shaken`: for each unit, the chance to end
    demoralised, poorer by a step or lost by those throws, all outcomes taken together.
    """

    win: Any
    hold: Any
    losses: Mapping[str, Any]
    shaken: Mapping[str, Any]


def since(start: State) -> Callable[[State], Hashable]:
    """Return what tells positions that came of `start` apart, in all that an assault can still change or ask."""
    changed = changes(start.units)
    return lambda state: (changed(state.units), state.fight, tuple(state.uses.items()) if state.uses else ())


class Attack(NamedTuple):
    """O8 An assault or charge as it was ordered, out of an activated space."""

    order: Assault
    space: str

    @property
    def pair(self) -> str:
        """The spaces between which it is, as assaults are counted by."""
        return f"{self.space}>{self.order.target}"


def assault_odds(
    rules: Rules[State], state: State, attack: Attack, own: Doctrine, reckoning: Reckoning = FLOATS
) -> Odds:
    """Return the odds of an order that is legal in `state`.

    `own` answers for the attacker's side (and C10 for the enemy).
    """
    start, (order, space) = state.change(fight=None), attack
    before = start.bouts.get(attack.pair, 0)

    def over(world: World[State]) -> bool:
        return world.state.fight is None and world.state.bouts.get(attack.pair, 0) > before

    world = World(start, (task_of(order, space),))
    ends = spread(rules, Course(world, since(start), over), own, reckoning)
    return gather(rules, (Ending(world, reckoning.one),), ends, attack)


def gather(rules: Rules[State], begins: Sequence[Ending], ends: Sequence[Ending], attack: Attack) -> Odds:
    """Return what an assault is worth by the worlds before it and those after its shock, both of weight one in all.

    The throws that follow the shock are of one unit each and do not hang together: leaders throw last (R20).
    """
    side = begins[0].world.state.phase
    sides = (side, other(side))
    zero = begins[0].weight - begins[0].weight
    one = in_order(weight for _, weight in begins)
    win, hold, losses = zero, zero, dict.fromkeys(sides, zero)
    shaken: dict[str, Any] = {}
    known: dict[Hashable, _Fate] = {}
    for world, weight in begins:
        for each in sides:
            losses[each] += weight * _steps(world.state, each)
    for world, weight in ends:
        state = world.state
        gone: dict[str, Any] = {}
        for each in sides:
            losses[each] -= weight * _steps(state, each)
        for ident, task in _throws(world):
            unit = state.units[ident]
            alike = (task.name, unit, state.leader_bonus(unit))
            if alike not in known:
                known[alike] = _fate(rules, state, task, one)
            fate = known[alike]
            shaken[ident] = shaken.get(ident, zero) + weight * fate.bad
            losses[unit.side] += zero if unit.is_leader else weight * fate.steps
            gone[ident] = fate.gone
        if state.holder(attack.order.target) == side:
            win += weight
            none_left = one
            for unit in state.own(attack.order.target, side):
                none_left *= gone.get(unit.id, zero)
            hold += weight * (one - none_left)
    return Odds(win, hold, losses, shaken)


def _steps(state: State, side: str) -> int:
    return sum(unit.steps for unit in state.units.values() if unit.side == side and not unit.is_leader)


def _throws(world: World[State]) -> Iterator[tuple[str, Task]]:
    """The throws that follow the shock, each with its unit."""
    for task in world.agenda:
        ident = task.args[1] if task.name in ("check", "victorious leader") else ""
        if ident in world.state.units:
            yield ident, task


class _Fate(NamedTuple):
    """What a throw does to its unit: the chance that it is the worse for it, the mean steps, the chance to be lost."""

    bad: Any
    steps: Any
    gone: Any


def _fate(rules: Rules[State], state: State, task: Task, one: Any) -> _Fate:
    """What a throw does, over all faces."""
    before = state.units[task.args[1]]
    fold, asked = folding(rules), rules.step(state, task)
    bad = steps = gone = one - one
    if not isinstance(asked, Roll):
        return _Fate(bad, steps, gone)
    face_share = one / asked.sides
    for face in range(1, asked.sides + 1):
        told = rules.step(state, task._replace(got=(Rolled("", 1, asked.sides, (face,)),)))
        after = fold(state, told.events).units.get(before.id) if isinstance(told, Did) else before
        bad += face_share * (after != before)
        steps += face_share * (before.steps - (0 if after is None else after.steps))
        gone += face_share * (after is None)
    return _Fate(bad, steps, gone)
