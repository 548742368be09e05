"""Tournaments by many seeds: ``python -m tests.tournaments.seeds --seeds 200``, or with ``--season`` whole seasons.

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
from tests.tournaments.seeds.play import SILENT_PAIRS, play, play_season


def main() -> int:
    """Play them all, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.tournaments.seeds")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--plant", choices=sorted(PLANTS), default="")
    parser.add_argument("--season", action="store_true", help="two cups, a league and a team event at once")
    options = parser.parse_args()
    bad, pairs, whole, seconds = 0, 0, 0, list[float]()
    play_one = play_season if options.season else play
    with ProcessPoolExecutor(options.workers) as pool:
        numbers = range(options.first, options.first + options.seeds)
        for played in pool.map(partial(play_one, plant=options.plant), numbers):
            bad += bool(played.wrong)
            if not played.wrong:
                # Others may have broken off before anybody was silent.
                pairs, whole = pairs + played.pairs, whole + 1
            seconds.append(played.seconds)
            verdict = (
                "; ".join(played.wrong[:3]) + f" (see {played.folder})" if played.wrong else "from JOIN to its prizes"
            )
            print(
                f"seed {played.seed} ({played.name}): {verdict}; {played.letters} letters, {played.seconds:.1f} s",
                flush=True,
            )
            if not played.wrong:
                shutil.rmtree(played.folder, ignore_errors=True)
    print(
        f"{options.seeds} {'seasons' if options.season else 'tournaments'}, {bad} that were not as they should be; "
        f"{sum(seconds) / len(seconds):.1f} s of CPU each, {max(seconds):.1f} at most"
    )
    if options.season:
        print(f"{pairs} pairs were silent in {whole} whole seasons; at least {SILENT_PAIRS * whole} have to be")
        bad += pairs < SILENT_PAIRS * whole
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
