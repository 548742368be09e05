"""Half a year of a server in an hour: ``python -m tests.soak --weeks 26 --games 500``; ends with 1 if it is wrong.

It begins with the database of 1.0.0. Battles, wars and tournaments are played by letter on a moved clock, through
kills, restarts, two upgrades, nightly backups and lost patience; each week is measured. With ``--plant`` a fault is put
in that has to be found: ``leak``, ``scan`` or ``lost``.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import mkdtemp

from tests.soak.findings import compare
from tests.soak.year import HEAD, Plan, Year

PHASES = 28
"""Phases of a game-month, as in docs/scale.md."""
_MEMORY = Path("/dev/shm")


def main() -> int:
    """Live through it, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--weeks", type=int, default=26)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=7200, help="one that takes longer is a failed one")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--plant", choices=["", "leak", "scan", "lost"], default="")
    options = parser.parse_args()
    folder = options.out or Path(mkdtemp(prefix="pbem-soak-", dir=_MEMORY if _MEMORY.is_dir() else None))
    began = time.monotonic()
    year = Year(Plan(options.weeks, options.games, options.seed, folder, options.plant, options.seconds))
    print(f"{options.weeks} weeks, {options.games} games; all is kept in {folder}\n{HEAD}", flush=True)
    year.play()
    wrong = list(compare(year))
    print("\n".join(growth(year)))
    print(", ".join(f"{number} {what}" for what, number in year.happened.items()))
    print(f"{time.monotonic() - began:.0f} s by the clock; the server took {year.cpu:.0f} s of a processor")
    print("\n".join(f"WRONG: {line}" for line in wrong[:60]))
    print(f"{len(wrong)} things wrong" if wrong else "nothing lost, nothing grown")
    return 1 if wrong else 0


def growth(year: Year) -> list[str]:
    """What a game-month leaves on disk, by table, with what `[keep]` has emptied already taken away."""
    last, months = year.measured[-1], year.phases / PHASES
    largest = sorted(last.tables.items(), key=lambda row: -row[1])[:12]
    return [
        f"{year.phases} phases, {months:.1f} game-months; kB a game-month by table and index:",
        *(f"  {name:32} {size / 1000 / months:8.1f}" for name, size in largest),
        f"  {'all':32} {sum(last.tables.values()) / 1000 / months:8.1f}",
    ]


if __name__ == "__main__":
    sys.exit(main())
