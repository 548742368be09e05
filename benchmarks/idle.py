"""W9 Measure an idle server after a year: ``python -m benchmarks.idle``.

Arguments: GAMES LETTERS, by default 10,000 games and 100 letters of each.

The past is written into a database of its own by statements. Then it prints what a look at the clocks costs that finds
nothing, a look at the numbers and a letter of orders, beside the same in a database with one game, in
milliseconds of this process; and how much memory it has at last.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.letters import quiet
from benchmarks.measure import Measured, Workload, spend
from pbem.server import outbox_sender
from pbem.server.health import read_health, update_tallies
from pbem.server.scheduler import run_due_jobs
from tests.campaign.past import grow
from tests.harness.game import PlayedGame

# A choice: calls of which the mean is taken, since one is too short to measure.
TIMES = 100
GAMES, LONG = 10_000, 4.0
"""Games beside a daemon, and the seconds of a measurement from which on there are as many."""


def _idle(house: PlayedGame) -> None:
    run_due_jobs(house.server)
    asyncio.run(outbox_sender.send_due_letters(house.server, _nobody))


async def _nobody(envelopes: object, on_reply: object) -> None:
    raise LookupError("nothing is to be sent")


def _look(house: PlayedGame) -> None:
    with house.server.reading() as work:
        read_health(work.session, work.now)


def _cost(times: int, act: Callable[[], object]) -> float:
    began = time.process_time()
    for _ in range(times):
        act()
    return 1000 * (time.process_time() - began) / times


def _costs(house: PlayedGame) -> dict[str, float]:
    orders = "ORDERS T1\nMOVE {} TO {}\nEND\n"
    words = cycle([("Ant", "s2"), ("Bee", "s3")])
    house.clock.forward(hours=2)
    house.poll()
    run_due_jobs(house.server)
    house.sent()
    return {
        "a turn with nothing to do": _cost(TIMES, lambda: _idle(house)),
        "a look at the numbers": _cost(TIMES, lambda: _look(house)),
        "a letter of orders": _cost(20, lambda: house.write("north", orders.format(*next(words)))),
    }


def turns(stored: bool) -> Workload:
    """Run turns of a daemon with nothing to do, beside many games or alone."""

    def run(budget: float) -> Measured:
        with quiet(), TemporaryDirectory() as folder:
            house = PlayedGame(Path(folder))
            if stored:
                grow(house.server.engine, GAMES if budget >= LONG else GAMES // 10, 2)
            house.clock.forward(hours=2)
            house.poll()
            run_due_jobs(house.server)
            house.sent()
            update_tallies(house.server)
            done = spend(budget, lambda: _turn(house))
            house.server.close()
        return done

    return run


def _turn(house: PlayedGame) -> int:
    _idle(house)
    return 1


def main() -> int:
    """Print the costs."""
    games, each = (int(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) > 2 else (10_000, 100)
    with quiet(), TemporaryDirectory() as folder:
        houses = []
        for name in ("small", "large"):
            place = Path(folder, name)
            place.mkdir()
            houses.append(PlayedGame(place))
        small, large = houses
        began = time.monotonic()
        grow(large.server.engine, games, each)
        update_tallies(large.server)
        size = sum(path.stat().st_size for path in Path(folder, "large").iterdir()) / 1e6
        print(
            f"{games:,} games, {games * each:,} letters in, {2 * games * each:,} out: {size:,.0f} MB, "
            f"written in {time.monotonic() - began:.0f} s; load {os.getloadavg()[0]:.1f}"
        )
        rows = [_costs(small), _costs(large), _costs(small), _costs(large)]
        for act in rows[0]:
            alone, beside = (min(row[act] for row in pair) for pair in (rows[::2], rows[1::2]))
            print(f"  {act:<26} {alone:7.2f} ms alone, {beside:7.2f} ms, {beside / alone:.2f} times")
        print(f"  memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
        for house in houses:
            house.server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
