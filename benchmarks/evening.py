"""W5 Measure an evening on which the phases of many games end at one moment.

The games are on SQLite, or on PostgreSQL with workers.

``python -m benchmarks.evening GAMES WORKERS`` lets so many games fall due and tells how long it takes by the clock,
until the last report as text and page has gone into a sink, and what CPU that is, user and system; with 0 workers one
process does it on SQLite as `pbem serve` would. What the processes of PostgreSQL take is not in the CPU.
Nobody draws.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.due import EVENING, Clock, Sink, begin
from benchmarks.letters import NOW, new_server, quiet
from pbem.mail.smtp import Envelope, OnReply, SmtpReply
from pbem.runtime.transaction import WORKER_PREFIX, Server
from pbem.server.worker import WorkerTools, run_until_idle, work_until
from pbem.store import queries, tables
from pbem.store.engine import open_engine
from tests.harness.server import changed
from tests.postgresql import cluster, url

LOOK = 0.1
"""Seconds between two looks whether all is done, and of an idle worker for what is due."""


class Spent(NamedTuple):
    """The cost of an evening: wall seconds, and CPU seconds, user and system."""

    wall: float
    cpu: float


def fallen_due(games: int, workers: int) -> Spent:
    """Let games fall due, and wait for all reports.

    Raises LookupError if a letter or a phase is missing.
    """
    with quiet(), TemporaryDirectory() as folder, _where(workers) as place:
        clock = Clock()
        server = replace(new_server(Path(folder), place), clock=clock)
        clock.at = NOW
        begin(server, range(games))
        clock.at = NOW + EVENING
        with server.work() as work:
            work.session.merge(tables.Poll(account="file", folder="", begun=work.now))
        clock.start()
        began, spent = time.monotonic(), _cpu_seconds()
        if workers:
            _run_workers(server, place, workers)
        else:
            asyncio.run(run_until_idle(server, WorkerTools(Sink(clock))))
        took = Spent(time.monotonic() - began, _cpu_seconds() - spent)
        with server.reading() as work:
            left = _count_left(server)
            sent = queries.counts.sent_by_kind(work.session)
        server.close()
        if left or sent.get("report", 0) < 2 * games:
            raise LookupError(f"{left} are left, and {sent.get('report', 0)} reports of {games} games went out")
    return took


@contextmanager
def _where(workers: int) -> Iterator[str]:
    """Return the database of workers; empty where one process has its own file."""
    if not workers:
        yield ""
        return
    with cluster() as folder:
        yield url(folder)


def _count_left(server: Server) -> int:
    """Count the rows that are due and the letters that wait."""
    with server.reading() as work:
        due = queries.counts.count_due_by(work.session, work.now, "close")[0]
        return due + queries.counts.count_queued(work.session)[0]


def _run_workers(server: Server, place: str, workers: int) -> None:
    """Have workers in processes of their own do it all."""
    server.engine.dispose()
    living = [_begin(server, place, number) for number in range(workers)]
    while _count_left(server):
        time.sleep(LOOK)
    for pid in living:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)


def _begin(server: Server, place: str, number: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        mine = changed(server, engine=open_engine(place), owner=f"{WORKER_PREFIX}{number}", shared=True)
        asyncio.run(_day(mine))
    finally:
        os._exit(0)


async def _day(server: Server) -> None:
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    await work_until(server, WorkerTools(_take_all, look=LOOK), stopped)


async def _take_all(envelopes: Sequence[Envelope], on_reply: OnReply) -> None:
    for _ in envelopes:
        await on_reply(SmtpReply(250, "taken", "sent", "data"))


def _cpu_seconds() -> float:
    both = (resource.getrusage(whom) for whom in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def main() -> int:
    """Let many games fall due, and tell what that took."""
    games, workers = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wall, cpu = fallen_due(games, workers)
    who = f"{workers} workers on PostgreSQL" if workers else "one process on SQLite"
    print(f"{games} games, {who}: {wall:.1f} s by the clock, {cpu:.1f} s of CPU; load {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
