"""Run due jobs and send queued letters in turns, as a worker does all day.

A worker runs beside the mailbox poller, and knows nothing of the others: it skips games and letters that another
process has reserved (`scheduler`, `outbox_sender`). It may end at any moment, even be killed; its open transaction
is rolled back, and its reservations expire. A process that makes work for others wakes them, and they look at once
(`store.coordination`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from sqlalchemy.exc import DBAPIError

from pbem.lazy import Logger
from pbem.runtime.transaction import Server
from pbem.server.outbox_sender import RunBlocking, Send, ignore_point, run_inline, send_due_letters
from pbem.server.scheduler import run_due_jobs
from pbem.store.coordination import WakeUps, WakeUpsLost, wake_others
from pbem.store.durable import UnwritableFile
from pbem.tournaments.running import advance_tournaments

log = Logger(__name__)

_SELDOM = 10
"""Turns between two checks whether this worker may go on: the answer changes only with versions or keys, and each
check is a query."""
_ROWS = 20
"""Due rows that run before letters are sent, so that no report waits for all games: on a busy evening a thousand rows
are due at once."""


class WorkerTools(NamedTuple):
    """The tools of a worker: sending, running blocking work, noting steps.

    The worker looks for due jobs every `look` seconds, and when it is woken. `may` is called every tenth time, and
    raises the reason to stop, such as a database migrated by a newer program.
    """

    send: Send
    worker: RunBlocking = run_inline
    at: Callable[[str], None] = ignore_point
    look: float = 1.0
    may: Callable[[], None] = lambda: None
    wake_ups: WakeUps | None = None


class _WakeUpListener:
    """A listener for wake-ups in the event loop; each sets `woken`.

    `listen` reconnects a lost connection.
    """

    def __init__(self, wake_ups: WakeUps | None) -> None:
        self._wake_ups, self._descriptor = wake_ups, -1
        self.woken = asyncio.Event()

    def listen(self) -> None:
        if self._wake_ups is not None and not self._wake_ups.is_open:
            self._descriptor = self._wake_ups.open()
            asyncio.get_running_loop().add_reader(self._descriptor, self._hear)

    def _hear(self) -> None:
        if self._wake_ups is not None:
            try:
                if self._wake_ups.was_woken():
                    self.woken.set()
            except WakeUpsLost:
                # Until `listen` connects again, the worker looks every so many seconds anyway.
                self.close()

    def close(self) -> None:
        if self._wake_ups is not None and self._wake_ups.is_open:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._wake_ups.close()


async def run_until_idle(server: Server, tools: WorkerTools, goes_on: Callable[[], bool] = lambda: True) -> None:
    """Run due jobs and send queued letters until none is left, some of each in turn.

    So the report of the first game is sent before the last game is run, and letters are answered meanwhile. If
    `goes_on` returns False, only work that was begun is finished.
    """

    def run_some() -> int:
        return run_all_jobs(server, tools.at, _ROWS) if goes_on() else 0

    ran = await tools.worker(lambda: run_all_jobs(server, tools.at, _ROWS))
    if ran and server.settings.shared:
        await tools.worker(lambda: wake_others(server.engine, server.settings.owner))
    await send_due_letters(server, tools.send, tools.worker, tools.at, run_some)
    while ran and goes_on():
        ran = await tools.worker(run_some)
        await send_due_letters(server, tools.send, tools.worker, tools.at, run_some)


def run_all_jobs(server: Server, on_step: Callable[[str], None] = ignore_point, limit: int | None = None) -> int:
    """Run due jobs of games and tournaments, at most `limit` each; count them."""
    return run_due_jobs(server, on_step, limit) + advance_tournaments(server, on_step, limit)


async def work_until(server: Server, tools: WorkerTools, stopped: asyncio.Event) -> None:
    """Run turns until stopped.

    Errors of `may` are passed on; a missing database is waited for.
    """
    log.info("working", owner=server.settings.owner)
    listener = _WakeUpListener(tools.wake_ups)
    try:
        for number in count():
            if stopped.is_set():
                break
            try:
                if number % _SELDOM == 0:
                    await tools.worker(tools.may)
                    listener.listen()
                await run_until_idle(server, tools, lambda: not stopped.is_set())
            except (DBAPIError, UnwritableFile) as error:
                log.warning("the database is away", why=str(getattr(error, "orig", error)))
            await _rest(tools.look, stopped, listener.woken)
    finally:
        listener.close()


async def _rest(seconds: float, *events: asyncio.Event) -> None:
    """Wait some seconds, or for the first of these events; clear the last event."""
    waiters = [asyncio.ensure_future(event.wait()) for event in events]
    await asyncio.wait(waiters, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for waiter in waiters:
        waiter.cancel()
    events[-1].clear()
