"""The fuzzer by hand: ``python -m tests.fuzz --games 2000``. Ends with 1 if a game broke a law, 2 for wrong usage."""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from pbem.engine.testing.games import Crashed, Tally, play_game
from pbem.engine.testing.laws import GameLaws


def find_laws(game: str) -> GameLaws:
    """The laws of a game, which lie beside its tests."""
    laws: GameLaws = importlib.import_module(f"tests.games.{game}.laws").LAWS
    return laws


def one_game(task: tuple[str, int, Path]) -> Tally | str:
    """Play a game in a worker; a crash comes back as text."""
    game, seed, crashes = task
    try:
        return play_game(find_laws(game), seed, crashes)
    except Crashed as crashed:
        return str(crashed)


def outcomes(game: str, seeds: range, crashes: Path, workers: int) -> Iterator[Tally | str]:
    tasks = [(game, seed, crashes) for seed in seeds]
    if workers == 1:
        yield from map(one_game, tasks)
        return
    with multiprocessing.Pool(workers) as pool:
        yield from pool.imap_unordered(one_game, tasks, chunksize=4)


def main() -> None:
    """Play games until all are played or ten have crashed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--game", default="africa1860")
    parser.add_argument("--games", type=int, default=2000, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="seed of the first game")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--crashes", type=Path, default=Path("build/crashes"), metavar="DIR")
    wanted = parser.parse_args()
    seeds = range(wanted.first, wanted.first + wanted.games)
    total, broken, began = Tally(), 0, time.perf_counter()
    for outcome in outcomes(wanted.game, seeds, wanted.crashes, wanted.workers):
        if isinstance(outcome, Tally):
            total.join(outcome)
            continue
        broken += 1
        print(f"BROKEN {outcome}", flush=True)
        if broken == 10:
            break
    seconds = time.perf_counter() - began
    print(", ".join(f"{kind} {n}" for kind, n in total.kinds.most_common()))
    print(f"{total}; {total.games / seconds:.1f} games a second; {broken} broken")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
