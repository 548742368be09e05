"""Take letters from the mail server of this machine while the daemon runs.

There is no mailbox. They come by LMTP, or `pbem mail deliver --pipe` stores them beside the daemon. As for a mailbox,
a phase closes only after a moment up to which all letters are known to be in.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from pbem.cli.settings import SystemClock
from pbem.lazy import Logger, lazily
from pbem.runtime.transaction import TRANSIENT_ERRORS
from pbem.server.local_delivery import SETTLE, LocalDelivery, NeverStored

with lazily():
    from pbem.mail import lmtp

if TYPE_CHECKING:
    from pbem.cli.daemon import Daemon
    from pbem.mail.lmtp import LmtpSettings

log = Logger(__name__)

EVERY = 10.0
"""Seconds between two notes that all letters are in: a phase closes so much later at most."""


class LocalWay(NamedTuple):
    """How letters are handed over: by LMTP, or, with None, by the pipe command alone.

    For `settle` after the start no phase closes (`LocalDelivery`).
    """

    lmtp: LmtpSettings | None = None
    every: float = EVERY
    settle: timedelta = SETTLE


async def take_letters(daemon: Daemon, way: LocalWay) -> None:
    """Take letters until the daemon is to stop, and note how far they are in."""
    delivery = LocalDelivery(daemon.server, daemon.at, daemon.wait_for, way.settle)

    # The loop keeps no task alive by itself.
    answering: set[asyncio.Future[None]] = set()

    async def take(raw: bytes) -> str:
        if daemon.stopped.is_set():
            return "451 4.3.2 this server stops"
        now = daemon.server.clock.now()
        try:
            outcome = await daemon.run_in_thread(lambda: delivery.take(raw, now), daemon.reader)
        except NeverStored:
            return "554 5.6.0 this letter has ended the server several times, the operator knows"
        except Exception as error:
            log.warning("a letter is put off", why=str(getattr(error, "orig", error))[:300])
            return "451 4.3.0 not stored, try again later"
        answering.add(task := asyncio.ensure_future(daemon.look_again()))
        task.add_done_callback(answering.discard)
        return f"250 2.0.0 stored as {outcome.inbox_id}"

    listener = lmtp.LmtpListener(way.lmtp, daemon.server.own, take) if way.lmtp is not None else None
    try:
        # After an outage deadlines are moved before letters are taken: those delayed by it are not late.
        await _note(daemon, delivery)
        if listener is not None and way.lmtp is not None:
            await listener.open()
            log.info("letters are taken by LMTP", listen=way.lmtp.listen)
        daemon.claimed = True
        while not daemon.stopped.is_set():
            if listener is not None:
                await listener.keep()
            await _note(daemon, delivery)
            with suppress(TimeoutError):
                await asyncio.wait_for(daemon.stopped.wait(), way.every)
    except (lmtp.SocketTaken, OSError) as wrong:
        daemon.ousted = f"letters cannot be taken at {way.lmtp.listen if way.lmtp else ''}: {wrong}"
        log.error("no letters are taken", why=str(wrong))
    finally:
        if listener is not None:
            listener.close()


async def _note(daemon: Daemon, delivery: LocalDelivery) -> None:
    now, guarded = daemon.server.clock.now(), isinstance(daemon.server.clock, SystemClock)
    try:
        # In the thread that takes letters: those that came before are in by then.
        await daemon.run_in_thread(lambda: delivery.note(now, guarded=guarded), daemon.reader)
    except TRANSIENT_ERRORS as away:
        log.warning("the database is away", why=str(getattr(away, "orig", away)))
        return
    daemon.heard, daemon.polled = time.monotonic(), now
