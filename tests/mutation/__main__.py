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

from pbem.engine.testing.checks import cases_of
from pbem.engine.testing.mutants import Case, MutantResult, Stale, Workshop, hunt, mutants
from tests.tournament.runner import read_titles

TESTS = Path(__file__).resolve().parents[1]


TOURNAMENT = "tournament"
"""What has rules and cases and is no game."""
GAMES = ("africa1860", "peninsular", TOURNAMENT)


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


def part(task: tuple[str, tuple[Path, ...], int, int]) -> list[MutantResult]:
    """Hunt every n-th mutant in a worker."""
    game, files, first, step = task
    workshop = find_workshop(game)
    mine = {mutant.name for mutant in list(mutants(workshop))[first::step]}
    return list(hunt(workshop, find_cases(files, game), mine))


def try_game(game: str, files: tuple[Path, ...], workers: int, show: bool) -> tuple[int, list[str]]:
    """Hunt all mutants of a game; return how many there are and the names of those that nobody caught."""
    files = files or tuple(sorted((TESTS.parent / find_home(game).replace(".", "/") / "cases").glob("*.toml")))
    tasks = [(game, files, first, workers) for first in range(workers)]
    if workers == 1:
        results = part(tasks[0])
    else:
        with multiprocessing.Pool(workers) as pool:
            results = [result for some in pool.map(part, tasks) for result in some]
    for result in results if show else ():
        print(f"caught {result.mutant}   by {result.caught_by}" if result.caught_by else f"ALIVE {result.mutant}")
    return len(results), sorted(result.mutant for result in results if not result.caught_by)


def main() -> None:
    """Hunt all mutants of the games, list those that nobody caught, and sum up; no game keeps another from its turn."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="cases; those of the game's tests if none are named")
    parser.add_argument("--game", choices=GAMES, help="one alone; all of them unless named")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="say for each mutant which case caught it")
    wanted = parser.parse_args()
    if wanted.files and not wanted.game:
        parser.error("files of cases are of one game: name it with --game")
    status, summary = 0, []
    for game in [wanted.game] if wanted.game else GAMES:
        began = time.perf_counter()
        try:
            count, survivors = try_game(game, tuple(wanted.files), wanted.workers, wanted.show)
        except (Stale, ValueError) as wrong:
            print(f"not checkable: {game}: {wrong}", file=sys.stderr)
            status = 2
            continue
        for name in survivors:
            print(f"SURVIVED {game} {name}", flush=True)
        seconds = time.perf_counter() - began
        caught = f"{count - len(survivors)} caught, {len(survivors)} survived"
        summary.append(f"{game}: {count} mutants, {caught}; {seconds:.0f} s")
        status = status or bool(survivors)
    print("\n".join(summary))
    sys.exit(int(status))


if __name__ == "__main__":
    main()
