"""A turn, in which what is due is run and what is queued is sent; and the day of a worker, made of turns.

A worker works beside whoever reads the mailbox, and knows nothing of the others: games and letters that somebody else
has taken on are passed over (`scheduler`, `outbox_sender`). It may end at any moment, be it killed; what it began is
rolled back, or held no longer after a while. Who finds something to do gives a hint, and the others look at once
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
from pbem.server.outbox_sender import Send, Worker, drain, inline, nowhere
from pbem.server.scheduler import tick
from pbem.store.coordination import Hints, Lost, tell
from pbem.store.durable import Unwritten
from pbem.tournaments.running import advance_tournaments

log = Logger(__name__)

_SELDOM = 10
_ROWS = 20
"""Rows of what is due that are run before letters are sent: nobody waits for his report until all games are done."""


class Tools(NamedTuple):
    """What a worker works with: a way out for letters, where blocking work is run, who is told of points reached.

    The clocks are looked at every `look` seconds, and when `hints` tell of something. `may` is asked every tenth time,
    and raises what ends the day, such as that the database has become one of a newer program.
    """

    send: Send
    worker: Worker = inline
    at: Callable[[str], None] = nowhere
    look: float = 1.0
    may: Callable[[], None] = lambda: None
    hints: Hints | None = None


class _Ear:
    """Hints, heard in the loop: one sets `woken`. A connection that was lost is made again when it is to `listen`."""

    def __init__(self, hints: Hints | None) -> None:
        self._hints, self._descriptor = hints, -1
        self.woken = asyncio.Event()

    def listen(self) -> None:
        if self._hints is not None and not self._hints.is_open:
            self._descriptor = self._hints.open()
            asyncio.get_running_loop().add_reader(self._descriptor, self._hear)

    def _hear(self) -> None:
        if self._hints is not None:
            try:
                if self._hints.heard():
                    self.woken.set()
            except Lost:
                self.close()

    def close(self) -> None:
        if self._hints is not None and self._hints.is_open:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._hints.close()


async def turn(server: Server, tools: Tools, goes_on: Callable[[], bool] = lambda: True) -> None:
    """Run what is due and send what is queued until there is nothing of both; some of the one, then some of the other.

    The report of the first game is out before the last game is looked at, and whoever writes meanwhile is answered.
    Where it is not to go on, what was begun is ended.
    """

    def more() -> int:
        return run(server, tools.at, _ROWS) if goes_on() else 0

    ran = await tools.worker(lambda: run(server, tools.at, _ROWS))
    if ran and server.settings.shared:
        await tools.worker(lambda: tell(server.engine, server.settings.owner))
    await drain(server, tools.send, tools.worker, tools.at, more)
    while ran and goes_on():
        ran = await tools.worker(more)
        await drain(server, tools.send, tools.worker, tools.at, more)


def run(server: Server, at: Callable[[str], None] = nowhere, most: int | None = None) -> int:
    """Run what is due, of games and then of tournaments, so many of each at `most`, and return how much ran."""
    return tick(server, at, most) + advance_tournaments(server, at, most)


async def labour(server: Server, tools: Tools, stopped: asyncio.Event) -> None:
    """Work until it is over; a turn that was begun is ended. What `may` raises passes, a database that is away not."""
    log.info("working", owner=server.settings.owner)
    ear = _Ear(tools.hints)
    try:
        for number in count():
            if stopped.is_set():
                break
            try:
                if number % _SELDOM == 0:
                    await tools.worker(tools.may)
                    ear.listen()
                await turn(server, tools, lambda: not stopped.is_set())
            except (DBAPIError, Unwritten) as away:
                log.warning("the database is away", why=str(getattr(away, "orig", away)))
            await _rest(tools.look, stopped, ear.woken)
    finally:
        ear.close()


async def _rest(seconds: float, *events: asyncio.Event) -> None:
    """Wait so long, or for the first of these events; the last is over with that."""
    waits = [asyncio.ensure_future(one.wait()) for one in events]
    await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for one in waits:
        one.cancel()
    events[-1].clear()
