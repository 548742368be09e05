"""W11 Draw the rounds of large tournaments: a Swiss of 9 rounds at each size.

``python -m benchmarks.pairings``

Results follow from strengths and from lots, 3 of 100 stay away a round. Prints the slowest and the median round in
seconds of this process; with STRICT=1 it ends with 1 if one took longer than its target.

    python -m benchmarks.pairings 1000          one size
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import BYE, NOBODY, Entrant, TableResult
from pbem.tournaments.arithmetic.pairing.draw import draw
from pbem.tournaments.arithmetic.pairing.drawn import PairingManner, RoundDraw, RoundInput
from tests.tournament.lots import lots

TARGETS = {64: 3.0, 256: 3.0, 500: 10.0, 1000: 30.0}
"""Seconds that a round may take at a size."""
ROUNDS, AWAY = 9, 0.03


class TimedRound(NamedTuple):
    """A round: seconds of its draw, rematches, and broken pairs.

    A broken pair owes one side to both.
    """

    seconds: float
    opened: int
    broken: int


def timed_rounds(count: int, rounds: int, seed: int = 1) -> Iterator[TimedRound]:
    """Draw and play a Swiss, and yield each of its rounds as it was drawn."""
    luck = random.Random(seed)
    entrants = tuple(Entrant(number, round(luck.gauss(1500, 200))) for number in range(1, count + 1))
    strengths = {entrant.number: entrant.strength for entrant in entrants}
    played: list[TableResult] = []
    for number in range(1, rounds + 1):
        away = frozenset(entrant.number for entrant in entrants if luck.random() < AWAY)
        began = time.process_time()
        drawn = draw(
            RoundInput(number, entrants, tuple(played), away, manner=PairingManner("swiss", rounds)),
            lots(seed * 100 + number),
        )
        seconds = time.process_time() - began
        played += _results(drawn, strengths, luck)
        yield TimedRound(seconds, len(drawn.opened), sum(pair.cost.sides > 0 for pair in drawn.pairs))


def _results(drawn: RoundDraw, strengths: dict[int, int], luck: random.Random) -> Iterator[TableResult]:
    for pair in drawn.pairs:
        if pair.second == NOBODY:
            yield TableResult(drawn.round, pair.board, pair.first, NOBODY, (2, 0), 0, BYE)
            continue
        lead = strengths[pair.first] - strengths[pair.second] + luck.gauss(0, 250)
        halves = (1, 1) if abs(lead) < 40 else (2, 0) if lead > 0 else (0, 2)
        yield TableResult(drawn.round, pair.board, pair.first, pair.second, halves, round(lead / 50))


def main() -> None:
    """Print a line a size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pairings", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=sorted(TARGETS))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    wanted = parser.parse_args()
    missed = False
    for size in wanted.sizes:
        rounds_found = list(timed_rounds(size, wanted.rounds))
        worst = max(round_.seconds for round_ in rounds_found)
        target = TARGETS.get(size)
        missed |= target is not None and worst > target
        middle = median(round_.seconds for round_ in rounds_found)
        figures = f"worst {worst:.2f} s, median {middle:.2f} s a round" + (f", target {target:.0f}" if target else "")
        print(
            f"{size} entrants: {figures}; {sum(round_.opened for round_ in rounds_found)} rematches,"
            f" {sum(round_.broken for round_ in rounds_found)} pairs owed one side"
        )
    sys.exit(1 if missed and os.environ.get("STRICT") == "1" else 0)


if __name__ == "__main__":
    main()
