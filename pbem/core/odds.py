"""The odds runner: the steps of the rules over a distribution of worlds, all faces of every die at once.

Worlds that have become equal are merged after each step, which makes it far cheaper than playing every path of the
dice. The dice of one roll are interchangeable in every rule, so a roll of many dice counts as the multisets of its
faces, each with its number of orders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial
from typing import Any, NamedTuple, TypeVar

from pbem.core.runners import Decisions
from pbem.core.steps import Ask, Did, Roll, Rolled, Rules, World, folding

__all__ = ["Unanswered", "Weighed", "faces", "spread"]

S = TypeVar("S")


class Unanswered(Exception):
    """A window that nobody answers stands in the way of the odds."""


class Weighed(NamedTuple):
    """A world and its probability, in the number type asked for."""

    world: World[Any]
    weight: Any


@lru_cache(maxsize=512)
def faces(n: int, sides: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return every multiset of `n` faces 1..`sides` in ascending order, with the number of orders it comes in."""
    found = []
    for values in combinations_with_replacement(range(1, sides + 1), n):
        ways = factorial(n)
        for times in Counter(values).values():
            ways //= factorial(times)
        found.append((values, ways))
    return tuple(found)


def spread(
    rules: Rules[S],
    world: World[S],
    decisions: Decisions[S],
    key: Callable[[S], Hashable],
    until: Callable[[World[S]], bool],
    one: Any = 1.0,
) -> tuple[Weighed, ...]:
    """Run `world` over all dice until ``until(world)`` holds or nothing is left to do, and weigh what comes out.

    `key` maps a state to what tells it from others in all that can still matter; `one` is 1 in the number type of the
    weights (``Fraction(1)`` for exact arithmetic). Unanswered if a window would have to be asked by letter.
    """
    ends: dict[Hashable, Weighed] = {}
    # The longest agenda first: branches with more to do catch up, and meet the others.
    waiting: dict[int, dict[Hashable, Weighed]] = {}
    _add(waiting.setdefault(len(world.agenda), {}), key, World(world.state, world.agenda), one)
    while waiting:
        longest = max(waiting)
        for here, weight in waiting.pop(longest).values():
            if not here.agenda or until(here):
                _add(ends, key, here, weight)
                continue
            for then, share in _step(rules, here, decisions, one):
                _add(waiting.setdefault(len(then.agenda), {}), key, then, weight * share)
    return tuple(ends.values())


def _add(found: dict[Hashable, Weighed], key: Callable[[S], Hashable], world: World[S], weight: Any) -> None:
    name = (key(world.state), world.agenda)
    old = found.get(name)
    found[name] = Weighed(world, weight) if old is None else Weighed(old.world, old.weight + weight)


def _step(rules: Rules[S], world: World[S], decisions: Decisions[S], one: Any) -> Iterator[tuple[World[S], Any]]:
    """The worlds one step leads to, and the share of each."""
    task = world.agenda[0]
    outcome = rules.step(world.state, task)
    if isinstance(outcome, Did):
        state = folding(rules)(world.state, outcome.events)
        yield World(state, outcome.then + world.agenda[1:]), one
    elif isinstance(outcome, Roll):
        total = outcome.sides**outcome.n
        for values, ways in faces(outcome.n, outcome.sides):
            # The label would keep equal worlds apart; no rule looks at it.
            got = (*task.got, Rolled("", outcome.n, outcome.sides, values))
            yield World(world.state, (task._replace(got=got), *world.agenda[1:])), one * ways / total
    elif isinstance(outcome, Ask):
        choice = decisions.answer(world.state, outcome.window)
        if choice is None:
            raise Unanswered(outcome.window.id)
        yield World(world.state, (task._replace(got=(*task.got, choice)), *world.agenda[1:])), one
