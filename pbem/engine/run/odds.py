"""Compute odds: run the rules over all faces of every die.

The runner has a distribution of worlds. Worlds that have become equal are merged after each step, which makes it
far cheaper than playing every path of the dice. The dice of one roll are interchangeable in every rule, so a roll
of many dice counts as the multisets of its faces, each with its number of orders.

If there would be too many worlds, it may instead play a number of times with dice of its own: the result is then
approximate, but the same each time.

The cost is counted in steps of the rules, the same on every machine: a `StepBudget` limits them, and caches
results.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import combinations_with_replacement, compress
from math import factorial
from operator import is_not
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.data.sums import sum_in_order
from pbem.engine.run.runners import Decisions, advance
from pbem.engine.run.steps import Ask, Choice, Did, Roll, Rolled, Rules, Task, World, fold_of

S = TypeVar("S")
T = TypeVar("T")


class Unanswered(Exception):
    """Raised when odds depend on a window that nobody answers."""


class TooMuch(Exception):
    """Raised when there are too many possibilities."""


def free() -> None:
    """Do nothing: the callback of a step without cost."""


class Experiment(NamedTuple, Generic[S]):
    """A computation over all dice: first world, key of states, end.

    `key` returns a state's differences that can still matter; a world is at its end when it has nothing left to
    do, or ``until(world)`` is true.
    """

    world: World[S]
    key: Callable[[S], Hashable]
    until: Callable[[World[S]], bool] = lambda world: False


class Reckoning(NamedTuple):
    """Number type and cost of a computation.

    `one` is 1 in that type, ``Fraction(1)`` for exact arithmetic. `step` is called before each step of the rules
    and may raise. With `plays`, so many games are played instead of using all dice; the standard error of a share
    is then at most 0.5 / sqrt(plays).
    """

    one: Any = 1.0
    step: Callable[[], None] = free
    plays: int = 0


PLAYS = 600
"""Sample games where all dice would be too much: a share is then hardly ever five in a hundred off."""

FLOATS = Reckoning()
"""Floating-point arithmetic, without counting steps."""


class Ending(NamedTuple):
    """A course of a phase with nothing left to do (`World`), and its probability."""

    world: World[Any]
    weight: Any


class Memory:
    """A cache of results with the steps each took, for the `most` recent keys."""

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._known: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def find(self, key: Hashable) -> tuple[Any, int] | None:
        """Return the cached value of a key, and its steps."""
        entry = self._known.get(key)
        if entry is not None:
            self._known.move_to_end(key)
        return entry

    def keep(self, key: Hashable, value: object, steps: int) -> None:
        """Cache a value under a key."""
        self._known[key] = (value, steps)
        if len(self._known) > self._most:
            self._known.popitem(last=False)


class StepBudget:
    """A budget of steps for odds; cached results cost the same as computed ones.

    `each` limits a single computation. `short` counts those that were not affordable.
    """

    def __init__(self, steps: int, memory: Memory | None = None, each: int | None = None) -> None:
        self.left = steps
        self.short = 0
        self._each = steps if each is None else each
        self._memory = Memory() if memory is None else memory

    def pay(self, key: Hashable, weigh: Callable[[Callable[[], None]], T]) -> T | None:
        """Return ``weigh(step)``, which calls `step` before each step.

        Returns None, and spends nothing, if it takes too many. `key` identifies the computation: an equal key gets
        the cached result.
        """
        most = min(self.left, self._each)
        entry = self._memory.find(key)
        if entry is None or (entry[0] is _NOT_DONE and entry[1] <= most):
            entry = _run_within(weigh, most)
            self._memory.keep(key, *entry)
        result, steps = entry
        if steps > most:
            self.short += 1
            return None
        self.left -= steps
        value: T = result
        return value


_NOT_DONE = object()
"""The cached result of a computation that took too many steps, so that it is not tried again with as few."""


def _run_within(weigh: Callable[[Callable[[], None]], T], most: int) -> tuple[Any, int]:
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1
        if taken > most:
            raise TooMuch(most)

    try:
        return weigh(step), taken
    except TooMuch:
        return _NOT_DONE, most + 1


# Few pairs of numbers occur in a game, and the table of each is asked for again and again.
@lru_cache(maxsize=512)
def faces(n: int, sides: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return every multiset of `n` faces 1..`sides`, and its number of orders.

    The faces are ascending.
    """
    result = []
    for values in combinations_with_replacement(range(1, sides + 1), n):
        ways = factorial(n)
        for times in Counter(values).values():
            ways //= factorial(times)
        result.append((values, ways))
    return tuple(result)


@lru_cache(maxsize=512)
def _rolls(n: int, sides: int) -> tuple[tuple[Rolled, int], ...]:
    """Return every multiset of faces as a roll, with its number of orders.

    Rolls have no label, because labels would keep equal worlds apart, and no rule uses them.
    """
    return tuple((Rolled("", n, sides, values), ways) for values, ways in faces(n, sides))


def changes(before: Mapping[str, object]) -> Callable[[Mapping[str, Any]], Hashable]:
    """Return a key function for mappings derived from `before`.

    The key has new values and lost keys. Only values that are no longer the same object are compared, which is
    cheap if little has changed. A value that changed and changed back may keep equal worlds apart, which costs time
    but gives correct results.
    """

    names, values = list(before), list(before.values())

    def key(now: Mapping[str, object]) -> Hashable:
        if now is before:
            return (), ()
        if len(now) == len(names) and list(now) == names:
            return tuple(compress(now.items(), map(is_not, now.values(), values))), ()
        changed = tuple([(name, value) for name, value in now.items() if value is not before.get(name)])
        return changed, tuple([name for name in names if name not in now])

    return key


def apart(start: object, fields: Sequence[str]) -> Callable[[Any], Hashable]:
    """Return a key function for states after `start`, from all of these fields."""
    mappings = {name: changes(value) for name in fields if isinstance(value := getattr(start, name), Mapping)}
    plain = [name for name in fields if name not in mappings]

    def key(state: object) -> Hashable:
        return (
            *(key_of(getattr(state, name)) for name, key_of in mappings.items()),
            *(getattr(state, n) for n in plain),
        )

    return key


def spread(
    rules: Rules[S], experiment: Experiment[S], decisions: Decisions[S], reckoning: Reckoning = FLOATS
) -> tuple[Ending, ...]:
    """Run a world over all dice until it is at its end, and return the endings.

    Raises Unanswered if a window would have to be asked by letter.
    """
    return onward(rules, (Ending(experiment.world, reckoning.one),), experiment, decisions, reckoning)


def onward(
    rules: Rules[S],
    starts: Sequence[Ending],
    experiment: Experiment[S],
    decisions: Decisions[S],
    reckoning: Reckoning = FLOATS,
) -> tuple[Ending, ...]:
    """Run several weighted worlds as `spread` runs one; `course.world` is unused."""
    if reckoning.plays:
        return tuple(_play_out(rules, starts, experiment, decisions, reckoning))
    fold, chances = fold_of(rules), _Chances(rules, decisions, reckoning.step)
    _, key, until = experiment
    ends: list[Ending] = []
    # The longest agenda first: branches with more to do catch up, and meet the others.
    # Of each world: key of its state, the world, its weight so far.
    waiting: dict[int, dict[Hashable, list[Any]]] = {}
    for start, start_weight in starts:
        start_key, bucket = (key(start.state), start.agenda), waiting.setdefault(len(start.agenda), {})
        if start_key in bucket:
            bucket[start_key][2] += start_weight
        else:
            bucket[start_key] = [start_key[0], World(start.state, start.agenda), start_weight]
    while waiting:
        longest = max(waiting)
        for old_key, current, weight in waiting.pop(longest).values():
            if not current.agenda or until(current):
                ends.append(Ending(current, weight))
                continue
            state, rest = current.state, current.agenda[1:]
            outcomes: list[tuple[Did, Any]] = []
            chances.add(state, current.agenda[0], weight, outcomes)
            for outcome, share in outcomes:
                after = fold(state, outcome.events) if outcome.events else state
                agenda = outcome.then + rest if outcome.then else rest
                # Many events do not change the state.
                new_key = old_key if after is state else key(after)
                bucket = waiting.setdefault(len(agenda), {})
                equal = bucket.get((new_key, agenda))
                if equal is not None:
                    equal[2] += share
                else:
                    bucket[new_key, agenda] = [new_key, World(after, agenda), share]
    return tuple(ends)


def _play_out(
    rules: Rules[S], starts: Sequence[Ending], experiment: Experiment[S], decisions: Decisions[S], reckoning: Reckoning
) -> Iterator[Ending]:
    """Yield the ends of plays, divided among the worlds by their weights."""
    total = sum_in_order(weight for _, weight in starts)
    share, used, index = total / reckoning.plays, starts[0].weight, 0
    for number in range(reckoning.plays):
        while used < share * number + share / 2 and index + 1 < len(starts):
            index += 1
            used += starts[index].weight
        world: World[S] = starts[index].world
        while world.agenda and not experiment.until(world):
            reckoning.step()
            moment = advance(rules, world, _Throws(number), decisions)
            if isinstance(moment.outcome, Ask) and moment.choice is None:
                raise Unanswered(moment.outcome.window.id)
            world = moment.world
        yield Ending(world, share)


class _Throws(NamedTuple):
    """The dice of one of many plays, by its number and the roll."""

    number: int

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return `n` values 1..`sides`."""
        # Of 64 bits the remainder favours no face that could be noticed.
        seeds = (sha256(f"{self.number} {label} {die}".encode()).digest() for die in range(n))
        return tuple(1 + int.from_bytes(seed[:8], "big") % sides for seed in seeds)


class _Chances(NamedTuple, Generic[S]):
    """The possible outcomes of tasks, by rules, decisions and a step counter."""

    rules: Rules[S]
    decisions: Decisions[S]
    step: Callable[[], None]

    def add(self, state: S, task: Task, weight: Any, outcomes: list[tuple[Did, Any]]) -> None:
        """Add a task's possible outcomes, each with its weight, over all its rolls.

        Between the rolls the state does not change.
        """
        self.step()
        outcome = self.rules.step(state, task)
        if isinstance(outcome, Did):
            outcomes.append((outcome, weight))
            return
        name, args, results = task
        if isinstance(outcome, Roll):
            total = outcome.sides**outcome.n
            for rolled, ways in _rolls(outcome.n, outcome.sides):
                self.add(state, Task(name, args, (*results, rolled)), weight * ways / total, outcomes)
        else:
            choice: Choice | None = self.decisions.answer(state, outcome.window)
            if choice is None:
                raise Unanswered(outcome.window.id)
            self.add(state, Task(name, args, (*results, choice)), weight, outcomes)
