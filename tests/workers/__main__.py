"""The drill of workers at length: ``python -m tests.workers --games 1000 --workers 4``; ``--event 40`` is one of a
tournament of so many entrants instead, three rounds of it.

They share two databases and nothing else, as if each were on a machine of its own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from tests.postgresql import cluster, other, url
from tests.workers.event_drill import EventPlan, drilled
from tests.workers.run import Plan, Where, play, prepared


def main() -> int:
    """Play one drill and tell what came of it; 1 if anything was lost or done twice without need."""
    read = argparse.ArgumentParser()
    read.add_argument("--games", type=int, default=1000)
    read.add_argument("--workers", type=int, default=4)
    read.add_argument("--between", type=float, default=1.0, help="seconds between two kills; 0 for none")
    read.add_argument("--event", type=int, default=0, metavar="ENTRANTS", help="a tournament of so many instead")
    given = read.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    with TemporaryDirectory() as folder, cluster() as database:
        where = Where(Path(folder), url(database), other(database, "kept"))
        if given.event:
            return _event(given.event, given.workers, where)
        house = prepared(where, given.games)
        results = play(Plan(given.games, given.workers, given.between, limit=3600), house, where)
        house.server.close()
    twice = sum(count - 1 for count in results.sent.values())
    print(f"{given.games} games, {given.workers} workers, {results.kills} killed: {results.seconds:.1f} s")
    print(f"  {len(results.sent)} letters, {twice} of them twice; {results.leaves} leaves")
    for fault in results.faults(given.games):
        print(f"  {fault}")
    return 1 if results.faults(given.games) else 0


def _event(entrants: int, workers: int, where: Where) -> int:
    plan = EventPlan(entrants, 3, workers, limit=3600, most=100)
    drill = drilled(plan, where)
    print(f"{entrants} entrants, {workers} workers, {drill.kills} killed: {drill.seconds:.1f} s")
    print(f"  {drill.letters} letters, {drill.twice} of them twice")
    for fault in drill.wrong:
        print(f"  {fault}")
    return 1 if drill.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
