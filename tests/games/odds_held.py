"""Odds held against the dice: against all paths of them where these are few, else against plays.

Paths are followed one by one with the game's own runner, each roll in every order of its faces, nothing merged; so what
is found there owes nothing to the runner of the odds. Plays are judged by their binomial spread, means by the spread
that was seen.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import copysign, floor, log, sqrt
from typing import Any, NamedTuple

from pbem.engine.run.runners import Decisions, advance
from pbem.engine.run.steps import Roll, Rules, World


class Figures(NamedTuple):
    """What is told of an attack: how likely it begins, how likely it wins then, mean losses of both sides then."""

    share: float
    win: float
    losses: tuple[float, float]


class Fought(NamedTuple):
    """How an attack went on one path: which, by its line or hex; whether it won; what both sides lost."""

    name: Any
    won: bool
    lost: tuple[int, int]


class Course(NamedTuple):
    """Orders as they are carried out, and how to see in it what came of the attacks.

    `watch` takes a mark, the world before and the world after a step to the next mark; `over` says when no attack is to
    come any more, `fought` what came of them.
    """

    rules: Rules[Any]
    world: World[Any]
    decisions: Decisions[Any]
    first: Any
    watch: Callable[[Any, World[Any], World[Any]], Any]
    over: Callable[[Any, World[Any]], bool]
    fought: Callable[[Any, World[Any]], Sequence[Fought]]


class Luck:
    """Dice that are thrown anew each time."""

    def __init__(self, seed: Any) -> None:
        self.random = random.Random(seed)

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        return tuple([self.random.randint(1, sides) for _ in range(n)])


class _Fixed(NamedTuple):
    values: tuple[int, ...]

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        return self.values


class Tally:
    """What came of attacks, path by path or play by play, each with its weight."""

    def __init__(self) -> None:
        self.total = 0.0
        self.begun: dict[Any, float] = {}
        self.won: dict[Any, float] = {}
        self.lost: dict[Any, list[tuple[float, tuple[int, int]]]] = {}

    def add(self, fought: Sequence[Fought], weight: float = 1.0) -> None:
        self.total += weight
        for name, won, lost in fought:
            self.begun[name] = self.begun.get(name, 0.0) + weight
            self.won[name] = self.won.get(name, 0.0) + weight * won
            self.lost.setdefault(name, []).append((weight, lost))

    def figures(self, name: Any) -> Figures | None:
        """What was told if it was true; None if it never began."""
        begun = self.begun.get(name, 0.0)
        if not begun:
            return None
        means = [sum(weight * lost[side] for weight, lost in self.lost[name]) / begun for side in (0, 1)]
        return Figures(begun / self.total, self.won[name] / begun, (means[0], means[1]))


def paths(course: Course, most: int) -> Tally | None:
    """Every path of the dice with its probability; None if there are more."""
    tally = Tally()
    count = 0
    waiting = [(course.world, course.first, 1.0)]
    while waiting:
        world, mark, weight = waiting.pop()
        while world.agenda and not course.over(mark, world):
            outcome = course.rules.step(world.state, world.agenda[0])
            if isinstance(outcome, Roll):
                waiting += _faces(course, (world, mark, weight), outcome)
                break
            after = advance(course.rules, world, _Fixed(()), course.decisions).world
            world, mark = after, course.watch(mark, world, after)
        else:
            count += 1
            if count > most:
                return None
            tally.add(course.fought(mark, world), weight)
        if len(waiting) > most:
            return None
    return tally


def _faces(course: Course, path: tuple[World[Any], Any, float], roll: Roll) -> Iterator[tuple[World[Any], Any, float]]:
    world, mark, weight = path
    share = weight / roll.sides**roll.n
    for values in product(range(1, roll.sides + 1), repeat=roll.n):
        after = advance(course.rules, world, _Fixed(values), course.decisions).world
        yield after, course.watch(mark, world, after), share


def plays(course: Course, many: int, seed: Any) -> Tally:
    """So many plays."""
    tally, luck = Tally(), Luck(seed)
    for _ in range(many):
        world, mark = course.world, course.first
        while world.agenda and not course.over(mark, world):
            after = advance(course.rules, world, luck, course.decisions).world
            world, mark = after, course.watch(mark, world, after)
        tally.add(course.fought(mark, world))
    return tally


CLOSE = 1e-9
FAR = 5.0


def wrong_by_paths(told_figures: dict[Any, Figures], held: Tally) -> list[str]:
    """What of the figures is not so, all paths being known."""
    faults = []
    for name in {*told_figures, *held.begun}:
        so = held.figures(name)
        figures = told_figures.get(name)
        if (figures is None or figures.share < CLOSE) and so is None:
            continue
        if (
            figures is None
            or so is None
            or not all(abs(a - b) < CLOSE for a, b in zip(flat(figures), flat(so), strict=True))
        ):
            faults.append(f"{name}: told {figures}, is {so}")
    return faults


def wrong_by_plays(told_figures: dict[Any, Figures], held: Tally) -> list[str]:
    """What of the figures lies too far from what the plays gave."""
    faults = []
    for name in {*told_figures, *held.begun}:
        figures = told_figures.get(name, Figures(0.0, 0.0, (0.0, 0.0)))
        begun, lost = held.begun.get(name, 0.0), held.lost.get(name, [])
        far = [z_of(figures.share, begun, held.total), z_of(figures.win, held.won.get(name, 0.0), begun)]
        far += [z_of_mean(figures.losses[side], [each[side] for _, each in lost]) for side in (0, 1)]
        if not all(abs(z) < FAR for z in far):
            faults.append(f"{name}: told {figures}, played {held.figures(name)}, z {far}")
    return faults


def flat(figures: Figures) -> tuple[float, ...]:
    return figures.share, figures.win, *figures.losses


def z_of(share: float, seen: float, tries: float) -> float:
    """How many standard deviations a count lies from what a share makes of so many tries."""
    off = seen - share * tries
    if abs(off) < 1e-6:
        return 0.0
    if not share * (1 - share):
        return float("inf")
    # Of rare things there is no bell curve: the deviance takes their long tail in.
    total = 0.0
    for part, of in ((seen, share), (tries - seen, 1 - share)):
        total += part * log(part / (of * tries)) if part else 0.0
    return copysign(sqrt(2 * max(total, 0.0)), off)


def z_of_mean(mean: float, values: Sequence[int]) -> float:
    """How many standard errors the mean of values lies from what it should be.

    Whole numbers of that mean are spread at least as if only the two next to it came.
    """
    if len(values) < 20:
        return 0.0
    seen = sum(values) / len(values)
    least = (mean - floor(mean)) * (1 - mean + floor(mean))
    varied = max(sum((value - seen) ** 2 for value in values) / (len(values) - 1), least)
    return 0.0 if abs(seen - mean) < 1e-6 else (seen - mean) / sqrt(varied / len(values)) if varied else float("inf")


class Together:
    """How far the plays of many attacks lie from their odds in all: a bias that no single one shows adds up."""

    def __init__(self) -> None:
        self.off = self.spread = 0.0

    def add(self, told_figures: dict[Any, Figures], held: Tally) -> None:
        """Those of one order set."""
        for name, figures in told_figures.items():
            begun = held.begun.get(name, 0.0)
            self.off += held.won.get(name, 0.0) - figures.win * begun
            self.spread += figures.win * (1 - figures.win) * begun

    @property
    def z(self) -> float:
        """In standard deviations."""
        return self.off / sqrt(self.spread) if self.spread else 0.0
