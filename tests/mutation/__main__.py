"""Mutants by hand: ``python -m tests.mutation``.

Ends with 1 if one survives, with 2 if cases fail by themselves or rewrites no longer fit the source.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pbem.kit.testing.checks import cases_of
from pbem.kit.testing.mutants import Case, Found, Stale, Workshop, hunt, mutants
from tests.tournament.runner import read_titles

TESTS = Path(__file__).resolve().parents[1]


TOURNAMENT = "tournament"
"""What has rules and cases and is no game."""


def find_home(game: str) -> str:
    """The package in which a game's tests lie, or those of tournaments."""
    return "tests.tournament" if game == TOURNAMENT else f"tests.games.{game}"


def find_workshop(game: str) -> Workshop:
    """The workshop of a game, which lies beside its tests."""
    workshop: Workshop = importlib.import_module(f"{find_home(game)}.mutations").WORKSHOP
    return workshop


def find_cases(files: Sequence[Path], game: str = "") -> list[Case]:
    """All cases of the files; those of tournaments are look-ups by their titles."""
    if game == TOURNAMENT:
        return [(title, {}, {"lookup": (title,)}) for title in read_titles(files)]
    return cases_of(files)


def part(task: tuple[str, tuple[Path, ...], int, int]) -> list[Found]:
    """Hunt every n-th mutant in a worker."""
    game, files, first, step = task
    workshop = find_workshop(game)
    mine = {mutant.name for mutant in list(mutants(workshop))[first::step]}
    return list(hunt(workshop, find_cases(files, game), mine))


def main() -> None:
    """Hunt all mutants and list those that nobody caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="cases; those of the game's tests if none are named")
    parser.add_argument("--game", default="africa1860")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="say for each mutant which case caught it")
    wanted = parser.parse_args()
    files = tuple(
        wanted.files or sorted((TESTS.parent / find_home(wanted.game).replace(".", "/") / "cases").glob("*.toml"))
    )
    began = time.perf_counter()
    try:
        tasks = [(wanted.game, files, first, wanted.workers) for first in range(wanted.workers)]
        if wanted.workers == 1:
            found = part(tasks[0])
        else:
            with multiprocessing.Pool(wanted.workers) as pool:
                found = [one for some in pool.map(part, tasks) for one in some]
    except (Stale, ValueError) as wrong:
        print(f"not checkable: {wrong}", file=sys.stderr)
        sys.exit(2)
    survivors = sorted(one.mutant for one in found if not one.caught_by)
    for one in found if wanted.show else ():
        print(f"caught {one.mutant}   by {one.caught_by}" if one.caught_by else f"ALIVE {one.mutant}")
    for name in survivors:
        print(f"SURVIVED {name}")
    seconds = time.perf_counter() - began
    print(f"{len(found)} mutants, {len(found) - len(survivors)} caught, {len(survivors)} survived; {seconds:.0f} s")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
