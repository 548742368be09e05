"""Tournaments of the demo by many seeds: ``python -m tests.tournaments.seeds --seeds 200``.

Each is played from JOIN to its prizes; what is stuck, twice at a table, or not as it was signed ends it with 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import shutil
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from pbem.cli.demo.demo_event import played
from pbem.cli.exit_codes import Stop

MOST = 3600.0


def one(seed: int) -> tuple[int, str]:
    """Play the tournament of a seed; what is wrong with it, or nothing."""
    folder = Path(tempfile.mkdtemp(prefix=f"cup-{seed}-"))
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            played(folder, seed, MOST)
    except Stop as wrong:
        return seed, str(wrong)
    except Exception as wrong:
        return seed, f"{type(wrong).__name__}: {wrong} (see {folder})"
    shutil.rmtree(folder, ignore_errors=True)
    return seed, ""


def main() -> int:
    """Play them all, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.tournaments.seeds")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    told = parser.parse_args()
    show = partial(print, flush=True)
    bad = 0
    with ProcessPoolExecutor(told.workers) as pool:
        for seed, wrong in pool.map(one, range(told.first, told.first + told.seeds)):
            bad += bool(wrong)
            show(f"seed {seed}: {wrong or 'from JOIN to its prizes'}")
    show(f"{told.seeds} tournaments, {bad} that were not as they should be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
