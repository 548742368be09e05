"""The odds runner: the steps of the rules over a distribution of worlds, all faces of every die at once.

Worlds that have become equal are merged after each step, which makes it far cheaper than playing every path of the
dice. The dice of one roll are interchangeable in every rule, so a roll of many dice counts as the multisets of its
faces, each with its number of orders.

Where that leads to too many worlds it may play instead, so many times by dice of its own: then what comes out is about
right, and the same each time.

What it costs is counted in steps of the rules, the same on every machine: a `Purse` pays for so many and no more, and
remembers what it has paid for already.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import combinations_with_replacement
from math import factorial
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.data.sums import in_order
from pbem.engine.run.runners import Decisions, advance
from pbem.engine.run.steps import Ask, Choice, Did, Roll, Rolled, Rules, Task, World, folding

S = TypeVar("S")
T = TypeVar("T")


class Unanswered(Exception):
    """A window that nobody answers stands in the way of the odds."""


class TooMuch(Exception):
    """There are more possibilities than may be looked at."""


def free() -> None:
    """A step that costs nothing."""


class Course(NamedTuple, Generic[S]):
    """What is run over all dice: the world that it begins with, what tells its states apart, and where it ends.

    `key` maps a state to what tells it from others in all that can still matter; a world is at its end when it has
    nothing left to do, or ``until(world)`` holds.
    """

    world: World[S]
    key: Callable[[S], Hashable]
    until: Callable[[World[S]], bool] = lambda world: False


class Reckoning(NamedTuple):
    """In what numbers, and for how much: `one` is 1 in their type, ``Fraction(1)`` for exact arithmetic.

    `step` is called before each step of the rules and may raise. With `plays` it is played so many times instead of
    looking at all dice; the error of a share is then at most half of one by the root of `plays`.
    """

    one: Any = 1.0
    step: Callable[[], None] = free
    plays: int = 0


PLAYS = 600
"""Plays where a question would be too much otherwise: a share is then hardly ever five in a hundred off."""

FLOATS = Reckoning()
"""Floating point, for nothing."""


class Ending(NamedTuple):
    """A world at its end and its probability, in the number type asked for."""

    world: World[Any]
    weight: Any


class Memory:
    """What was weighed last, each with the steps it took; of more than `most` the oldest is forgotten."""

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._known: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def find(self, key: Hashable) -> tuple[Any, int] | None:
        """Return what was kept under a key, and its steps."""
        found = self._known.get(key)
        if found is not None:
            self._known.move_to_end(key)
        return found

    def keep(self, key: Hashable, found: object, steps: int) -> None:
        """Keep something under a key."""
        self._known[key] = (found, steps)
        if len(self._known) > self._most:
            self._known.popitem(last=False)


class Purse:
    """So many steps to spend on weighing. What is remembered costs what it cost, so that answers do not depend on it.

    `each` bounds what a single thing may take out of it. `short` counts what was not paid for.
    """

    def __init__(self, steps: int, memory: Memory | None = None, each: int | None = None) -> None:
        self.left = steps
        self.short = 0
        self._each = steps if each is None else each
        self._memory = Memory() if memory is None else memory

    def pay(self, key: Hashable, weigh: Callable[[Callable[[], None]], T]) -> T | None:
        """Return ``weigh(step)``, which calls `step` before each step; None, and nothing spent, if it takes too many.

        `key` names what is weighed: whoever comes with an equal one gets what was found then.
        """
        most = min(self.left, self._each)
        kept = self._memory.find(key)
        if kept is None or (kept[0] is _NOT_DONE and kept[1] <= most):
            kept = _weighed(weigh, most)
            self._memory.keep(key, *kept)
        found, steps = kept
        if steps > most:
            self.short += 1
            return None
        self.left -= steps
        value: T = found
        return value


_NOT_DONE = object()
"""Kept in the place of what took more steps than there were, which is not tried again for as few."""


def _weighed(weigh: Callable[[Callable[[], None]], T], most: int) -> tuple[Any, int]:
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


@lru_cache(maxsize=512)
def _rolls(n: int, sides: int) -> tuple[tuple[Rolled, int], ...]:
    """Every multiset of faces as a roll, with the number of orders it comes in.

    The label would keep equal worlds apart; no rule looks at it.
    """
    return tuple((Rolled("", n, sides, values), ways) for values, ways in faces(n, sides))


def changes(before: Mapping[str, object]) -> Callable[[Mapping[str, Any]], Hashable]:
    """Return what tells mappings that came of `before` from one another: their new values, and the keys they lost.

    Only values that are another object by now are compared, so it costs little where little has changed. A value that
    came back to what it was by way of another may keep equal worlds apart, which takes time and changes nothing.
    """

    def key(now: Mapping[str, object]) -> Hashable:
        changed = tuple([(name, value) for name, value in now.items() if value is not before.get(name)])
        lost = tuple([name for name in before if name not in now]) if len(now) < len(before) + len(changed) else ()
        return changed, lost

    return key


def apart(start: object, fields: Sequence[str]) -> Callable[[Any], Hashable]:
    """Return what tells states that came of `start` from one another by all of these fields, mappings among them."""
    mappings = {name: changes(value) for name in fields if isinstance(value := getattr(start, name), Mapping)}
    plain = [name for name in fields if name not in mappings]

    def key(state: object) -> Hashable:
        return (*(tell(getattr(state, name)) for name, tell in mappings.items()), *(getattr(state, n) for n in plain))

    return key


def spread(
    rules: Rules[S], course: Course[S], decisions: Decisions[S], reckoning: Reckoning = FLOATS
) -> tuple[Ending, ...]:
    """Run a world over all dice until it is at its end, and weigh what comes out.

    Unanswered if a window would have to be asked by letter.
    """
    return onward(rules, (Ending(course.world, reckoning.one),), course, decisions, reckoning)


def onward(
    rules: Rules[S],
    starts: Sequence[Ending],
    course: Course[S],
    decisions: Decisions[S],
    reckoning: Reckoning = FLOATS,
) -> tuple[Ending, ...]:
    """Do what `spread` does from several worlds at once, each with its weight; `course.world` is not looked at."""
    if reckoning.plays:
        return tuple(_played(rules, starts, course, decisions, reckoning))
    fold, chances = folding(rules), _Chances(rules, decisions, reckoning.step)
    _, key, until = course
    ends: list[Ending] = []
    # The longest agenda first: branches with more to do catch up, and meet the others.
    # Of each world: what tells its state from others, itself, its weight so far.
    waiting: dict[int, dict[Hashable, list[Any]]] = {}
    for first, one in starts:
        begins, near = (key(first.state), first.agenda), waiting.setdefault(len(first.agenda), {})
        if begins in near:
            near[begins][2] += one
        else:
            near[begins] = [begins[0], World(first.state, first.agenda), one]
    while waiting:
        longest = max(waiting)
        for name, here, weight in waiting.pop(longest).values():
            if not here.agenda or until(here):
                ends.append(Ending(here, weight))
                continue
            state, rest = here.state, here.agenda[1:]
            for done, share in chances.of(state, here.agenda[0], weight):
                after = fold(state, done.events) if done.events else state
                agenda = done.then + rest if done.then else rest
                # Much of what happens is only told.
                then = name if after is state else key(after)
                near = waiting.setdefault(len(agenda), {})
                met = near.get((then, agenda))
                if met is not None:
                    met[2] += share
                else:
                    near[then, agenda] = [then, World(after, agenda), share]
    return tuple(ends)


def _played(
    rules: Rules[S], starts: Sequence[Ending], course: Course[S], decisions: Decisions[S], reckoning: Reckoning
) -> Iterator[Ending]:
    """So many plays, shared out among the worlds by their weights, each to its end."""
    total = in_order(weight for _, weight in starts)
    share, passed, at = total / reckoning.plays, starts[0].weight, 0
    for number in range(reckoning.plays):
        while passed < share * number + share / 2 and at + 1 < len(starts):
            at += 1
            passed += starts[at].weight
        world: World[S] = starts[at].world
        while world.agenda and not course.until(world):
            reckoning.step()
            moment = advance(rules, world, _Throws(number), decisions)
            if isinstance(moment.outcome, Ask) and moment.choice is None:
                raise Unanswered(moment.outcome.window.id)
            world = moment.world
        yield Ending(world, share)


class _Throws(NamedTuple):
    """Dice of one of many plays: they follow from its number and what is rolled."""

    number: int

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return `n` values 1..`sides`."""
        seeds = (sha256(f"{self.number} {label} {die}".encode()).digest() for die in range(n))
        return tuple(1 + int.from_bytes(seed[:8], "big") % sides for seed in seeds)


class _Chances(NamedTuple, Generic[S]):
    """The possible outcomes of tasks, by the rules, the decisions and a callback that counts steps."""

    rules: Rules[S]
    decisions: Decisions[S]
    step: Callable[[], None]

    def of(self, state: S, task: Task, weight: Any) -> Iterator[tuple[Did, Any]]:
        """What a task may come to, each with its weight, over all its rolls: between them the state stays as it is."""
        self.step()
        outcome = self.rules.step(state, task)
        if isinstance(outcome, Did):
            yield outcome, weight
            return
        name, args, got = task
        if isinstance(outcome, Roll):
            total = outcome.sides**outcome.n
            for rolled, ways in _rolls(outcome.n, outcome.sides):
                yield from self.of(state, Task(name, args, (*got, rolled)), weight * ways / total)
        elif isinstance(outcome, Ask):
            choice: Choice | None = self.decisions.answer(state, outcome.window)
            if choice is None:
                raise Unanswered(outcome.window.id)
            yield from self.of(state, Task(name, args, (*got, choice)), weight)
