"""The odds of order sets held against the dice, at length: ``python -m tests.games.odds``, which ``make odds`` runs.

Order sets of both games come from positions that bots have played to. What is told of one is held against every path
of the dice if there are at most so many, else against plays.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple

from tests.games.odds_held import Figures, Together, paths, plays, wrong_by_paths, wrong_by_plays
from tests.games.odds_sets import OrderSet, order_sets
from tests.games.odds_told import GAMES

Told = tuple[dict[Any, Figures], bool]


class Depth(NamedTuple):
    """How many paths are followed at most, and how many plays are played where there are more."""

    paths: int
    plays: int


class Outcome(NamedTuple):
    """What was found: faults, how many sets were held how, and how far all plays together lie from what was told."""

    wrong: list[str]
    tally: Counter[str]
    z: float


def hold(
    name: str,
    sets: Iterable[OrderSet],
    depth: Depth,
    bend: Callable[[OrderSet], OrderSet] = lambda order_set: order_set,
    is_enough: Callable[[Counter[str]], bool] = lambda tally: False,
) -> Outcome:
    """Hold what is told of order sets, of all or until that is enough.

    `bend` makes what is told that of another set, for a fault to be found.
    """
    course_of, told_of = GAMES[name]
    wrong: list[str] = []
    tally: Counter[str] = Counter()
    together = Together()
    for number, order_set in enumerate(sets):
        if is_enough(tally):
            break
        figures, whole = told_of(bend(order_set))
        tally["sets"] += 1
        tally["attacks"] += len(figures)
        tally[order_set.kind] += 1
        if not whole:
            tally["too much"] += 1
            continue
        course = course_of(order_set)
        held = paths(course, depth.paths)
        if held is not None:
            tally["by paths"] += 1
            faults = wrong_by_paths(figures, held)
        else:
            tally["by plays"] += 1
            held = plays(course, depth.plays, number)
            faults = wrong_by_plays(figures, held)
            together.add(figures, held)
        wrong += [f"{name} {number}, {order_set.at.seat}: {' | '.join(order_set.text)}: {each}" for each in faults]
    return Outcome(wrong, tally, together.z)


def main() -> None:
    """Hold as many order sets as asked for; ends with 1 if what is told of one is not so."""
    parser = argparse.ArgumentParser(prog="python -m tests.games.odds", description=__doc__)
    parser.add_argument("--sets", type=int, default=200, help="order sets of each game")
    parser.add_argument("--paths", type=int, default=100_000, help="paths of the dice that are followed at most")
    parser.add_argument("--plays", type=int, default=5_000, help="plays where there are more paths")
    parser.add_argument("--first", type=int, default=0, help="seed of the first game")
    wanted = parser.parse_args()
    failed = False
    for name in GAMES:
        sets = islice(order_sets(name, wanted.first), wanted.sets)
        result = hold(name, sets, Depth(wanted.paths, wanted.plays))
        print(f"{name}: {dict(result.tally)}; all plays together: z {result.z:.2f}")
        print(*result.wrong, sep="\n", end="\n" if result.wrong else "")
        failed |= bool(result.wrong) or abs(result.z) > 5
    sys.exit(failed)


if __name__ == "__main__":
    main()
