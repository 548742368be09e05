"""The assaults of a set of orders, each weighed when its turn comes: over all dice of what is ordered before it.

The orders are run as the phase will run them, on what their seat sees; the other side keeps to the default doctrine.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from pbem.engine.commanders.joint import alone
from pbem.engine.data.situation import parts_of
from pbem.engine.data.sums import in_order
from pbem.engine.run.odds import Course, Ending, Purse, Reckoning, apart, onward
from pbem.engine.run.steps import Rules, Task, World
from pbem.engine.terms import Orders
from pbem.games.africa1860.battle.doctrine import Doctrine
from pbem.games.africa1860.battle.odds import Attack, Odds, gather
from pbem.games.africa1860.orders.actions import Action, Assault, placed
from pbem.games.africa1860.orders.legality import problem
from pbem.games.africa1860.phase.sequence import SETS
from pbem.games.africa1860.state import State

_MARK = Task("assault is over")
"""Stands behind an assault in the agenda of a world in which it is weighed; no rule knows it."""


class Ordered(NamedTuple):
    """Orders of the side whose phase it is, and the position that it sees; `begun` if letters of the phase came before.

    The position is that before the phase, or after those letters.
    """

    view: State
    orders: Orders
    begun: bool = False


class InTurn(NamedTuple):
    """An assault of the orders: its line, out of which space, how likely it is that it begins, and its odds if it does.

    `odds` is None if it never begins.
    """

    line: int
    attack: Attack
    share: Any
    odds: Odds | None


def assaults(actions: Iterable[Action]) -> Iterator[tuple[str, Assault]]:
    """The assaults and charges in orders, each with the space out of which it is made, as they are written."""
    for space, action in placed(actions):
        if isinstance(action, Assault):
            yield space, action


class _Phase(NamedTuple):
    """What stays the same while the orders are run: rules, the position before them, decisions, how states differ.

    With `plays` they are played so many times, not over all dice.
    """

    rules: Rules[State]
    start: State
    own: Doctrine
    key: Callable[[State], Hashable]
    plays: int = 0

    def run(self, starts: Sequence[Ending], until: Callable[[World[State]], bool], step: Callable[[], None]) -> Any:
        """Run worlds over all dice until each is at its end."""
        course = Course(starts[0].world, self.key, until)
        return onward(self.rules, starts, course, self.own, Reckoning(step=step, plays=self.plays))


def in_turn(
    rules: Rules[State], ordered: Ordered, own: Doctrine, purse: Purse, plays: int = 0
) -> tuple[list[InTurn], bool]:
    """Return the assaults in the order in which they come, and whether they are all; the purse may not do for all.

    With `plays` the orders are played so many times, which costs less where much leads to much, and is about right.
    """
    view, orders, begun = ordered
    tasks = SETS.own(alone(orders.actions))
    world = World(view.change(stopped=False), tasks) if begun else World(view, (Task("begin phase"), *tasks))
    phase = _Phase(rules, world.state, own, apart(world.state, parts_of(State)), plays)
    name = (view.edition.digest, view.key(), orders.actions, orders.standing, begun, plays)
    found: list[InTurn] = []
    waiting: tuple[Ending, ...] = (Ending(world, 1.0),)
    passed: frozenset[int] = frozenset()
    wanted = {order.line for _, order in assaults(orders.actions)}
    while waiting and not wanted <= passed:
        there = purse.pay((*name, "reach", passed), partial(_reach, phase, waiting, passed))
        if there is None:
            return found, False
        lines = sorted({world.agenda[0].args[0].line for world, _ in there})
        if not lines:
            break
        weighed = purse.pay((*name, "weigh", passed), partial(_weigh, phase, there, lines[0]))
        if weighed is None:
            return found, False
        one, waiting = weighed
        found.append(one)
        passed |= {lines[0]}
    return found, True


def _reach(
    phase: _Phase, starts: Sequence[Ending], passed: frozenset[int], step: Callable[[], None]
) -> tuple[Ending, ...]:
    """The worlds in which another assault is about to begin; where STOP IF has struck none does."""

    def at_one(world: World[State]) -> bool:
        return (
            not world.state.stopped
            and world.agenda[0].name == "assault order"
            and world.agenda[0].args[0].line not in passed
        )

    return tuple(end for end in phase.run(starts, at_one, step) if end.world.agenda)


def _weigh(
    phase: _Phase, there: Sequence[Ending], line: int, step: Callable[[], None]
) -> tuple[InTurn, tuple[Ending, ...]]:
    """The assault of a line where it is about to begin, and all worlds after it; the others go on as they are."""
    begins: list[Ending] = []
    others: list[Ending] = []
    (attack,) = {Attack(*end.world.agenda[0].args) for end in there if end.world.agenda[0].args[0].line == line}
    for end in there:
        task = end.world.agenda[0]
        legal = task.args[0].line == line and problem(end.world.state, *task.args) is None
        (begins if legal else others).append(end)
    if not begins:
        return InTurn(line, attack, 0.0, None), tuple(others)
    share = in_order(end.weight for end in begins)
    ends = [after for some in _alike(begins, attack) for after in _fought(phase, some, attack, step)]
    odds = gather(
        phase.rules, [Ending(w, p / share) for w, p in begins], [Ending(w, p / share) for w, p in ends], attack
    )
    after = (
        Ending(World(world.state, tuple(t for t in world.agenda if t != _MARK), world.used), weight)
        for world, weight in ends
    )
    return InTurn(line, attack, share, odds), (*others, *after)


def _alike(begins: Sequence[Ending], attack: Attack) -> list[list[Ending]]:
    """The worlds before an assault by how many there were between the same spaces before."""
    groups: dict[int, list[Ending]] = {}
    for end in begins:
        groups.setdefault(end.world.state.bouts.get(attack.pair, 0), []).append(end)
    return list(groups.values())


def _fought(phase: _Phase, begins: Sequence[Ending], attack: Attack, step: Callable[[], None]) -> tuple[Ending, ...]:
    """The worlds after the shock, with what follows it still to be done."""
    before = begins[0].world.state.bouts.get(attack.pair, 0)

    def over(world: World[State]) -> bool:
        state = world.state
        return world.agenda[0] == _MARK or (state.fight is None and state.bouts.get(attack.pair, 0) > before)

    marked = [
        Ending(World(world.state, (world.agenda[0], _MARK, *world.agenda[1:]), world.used), weight)
        for world, weight in begins
    ]
    ends: tuple[Ending, ...] = phase.run(marked, over, step)
    return ends
