"""A turn, in which what is due is run and what is queued is sent; and the day of a worker, made of turns.

A worker works beside whoever reads the mailbox, and knows nothing of the others: games and letters that somebody else
has taken on are passed over (`due`, `postman`). It may end at any moment, be it killed; what it had begun is rolled
back, or held no longer after a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import NamedTuple

import structlog
from sqlalchemy.exc import DBAPIError

from pbem.campaign.base.server import Server
from pbem.campaign.door.due import tick
from pbem.campaign.door.postman import Send, Worker, drain, inline, nowhere
from pbem.campaign.tournaments.running import step
from pbem.store.durable import Unwritten

__all__ = ["Tools", "labour", "run", "turn"]

log = structlog.get_logger(__name__)

_SELDOM = 10
_ROWS = 20
"""Rows of what is due that are run before letters are sent: nobody waits for his report until all games are done."""


class Tools(NamedTuple):
    """What a worker works with: a way out for letters, where blocking work is run, who is told of points reached.

    The clocks are looked at every `look` seconds. `may` is asked every tenth time, and raises what ends the day,
    such as that the database has become one of a newer program.
    """

    send: Send
    worker: Worker = inline
    at: Callable[[str], None] = nowhere
    look: float = 1.0
    may: Callable[[], None] = lambda: None


async def turn(server: Server, tools: Tools, goes_on: Callable[[], bool] = lambda: True) -> None:
    """Run what is due and send what is queued until there is nothing of both; some of the one, then some of the other.

    The report of the first game is out before the last game is looked at, and whoever writes meanwhile is answered.
    Where it is not to go on, what was begun is ended.
    """

    def more() -> int:
        return run(server, tools.at, _ROWS) if goes_on() else 0

    ran = await tools.worker(lambda: run(server, tools.at, _ROWS))
    await drain(server, tools.send, tools.worker, tools.at, more)
    while ran and goes_on():
        ran = await tools.worker(more)
        await drain(server, tools.send, tools.worker, tools.at, more)


def run(server: Server, at: Callable[[str], None] = nowhere, most: int | None = None) -> int:
    """Run what is due, of games and then of tournaments, so many of each at `most`, and return how much ran."""
    return tick(server, at, most) + step(server, at, most)


async def labour(server: Server, tools: Tools, stopped: asyncio.Event) -> None:
    """Work until it is over; a turn that was begun is ended. What `may` raises passes, a database that is away not."""
    log.info("working", owner=server.owner)
    for number in count():
        if stopped.is_set():
            break
        try:
            if number % _SELDOM == 0:
                await tools.worker(tools.may)
            await turn(server, tools, lambda: not stopped.is_set())
        except (DBAPIError, Unwritten) as away:
            log.warning("the database is away", why=str(getattr(away, "orig", away)))
        with suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), tools.look)
