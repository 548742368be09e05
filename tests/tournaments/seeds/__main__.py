"""Tournaments by many seeds: ``python -m tests.tournaments.seeds --seeds 200``.

Each is played by letter from JOIN to its prizes, on a moved clock and without a network, its format, sides, hours and
people by its seed. What is stuck, twice at a table, lost on its way or not as it was signed ends it with 1. With
``--plant NAME`` a fault is put in that has to be found.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.tournaments.seeds.plants import PLANTS
from tests.tournaments.seeds.play import play


def main() -> int:
    """Play them all, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.tournaments.seeds")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--plant", choices=sorted(PLANTS), default="")
    told = parser.parse_args()
    bad, seconds = 0, list[float]()
    with ProcessPoolExecutor(told.workers) as pool:
        for one in pool.map(partial(play, plant=told.plant), range(told.first, told.first + told.seeds)):
            bad += bool(one.wrong)
            seconds.append(one.seconds)
            said = "; ".join(one.wrong[:3]) + f" (see {one.folder})" if one.wrong else "from JOIN to its prizes"
            print(f"seed {one.seed} ({one.name}): {said}; {one.letters} letters, {one.seconds:.1f} s", flush=True)
            if not one.wrong:
                shutil.rmtree(one.folder, ignore_errors=True)
    print(
        f"{told.seeds} tournaments, {bad} that were not as they should be; "
        f"{sum(seconds) / len(seconds):.1f} s of CPU each, {max(seconds):.1f} at most"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
