"""`pbem serve`: the daemon.

One asyncio loop ticks the clocks and sends what is queued; one thread reads the mailbox; one worker thread runs the
loop's transactions and adjudications. This is the one file that knows the scheduler: what is due are rows of the
database, and the scheduler does nothing but wake `tick` to look at them.
"""

from __future__ import annotations

import asyncio
import imaplib
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from pbem.campaign.office import Office
from pbem.campaign.postman import drain
from pbem.campaign.pump import InboundPump
from pbem.campaign.tick import tick
from pbem.cli.ends import Stop
from pbem.cli.log import Log, open_log
from pbem.cli.settings import Settings
from pbem.cli.wiring import imap_settings, open_office, settings, smtp_settings
from pbem.mail.imap import Fetched, ImapMailbox, ImapSettings, MailboxDown
from pbem.mail.smtp import Envelope, Reply, SmtpSettings, send_all

__all__ = ["Daemon", "serve_until_stopped"]

T = TypeVar("T")
SECONDS = 1
"""How often the clocks are looked at. A look is one short query."""


def serve_until_stopped(config: Path) -> None:
    """Run the server until SIGTERM or SIGINT, then finish what was begun; Stop if it cannot start."""
    read = settings(config)
    log = open_log(read.log.format)
    _refuse_a_moved_clock(read)
    office = open_office(read)
    try:
        asyncio.run(Daemon(office, imap_settings(read), smtp_settings(read), read.imap.poll, log).run())
    finally:
        office.engine.dispose()


class Daemon:
    """The server at work; `run` returns when it was told to stop and all its threads have ended."""

    def __init__(self, office: Office, imap: ImapSettings, smtp: SmtpSettings, poll: float, log: Log) -> None:
        self.office = office
        self.smtp = smtp
        self.poll = poll
        self.log = log
        self.mailbox = LoggedMailbox(imap, log)
        self.stopping = threading.Event()
        self.turning = asyncio.Lock()
        self.worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="transactions")

    async def run(self) -> None:
        """Serve until the process is told to end."""
        loop = asyncio.get_running_loop()
        stopped = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopped.set)
        scheduler = AsyncIOScheduler(timezone="UTC")
        scheduler.add_job(
            self.turn, "interval", seconds=SECONDS, coalesce=True, max_instances=1, misfire_grace_time=None
        )
        reader = threading.Thread(target=self.read_mailbox, args=(loop,), name="mailbox")
        self.log.info("serving", address=self.office.address)
        scheduler.start()
        reader.start()
        await stopped.wait()
        self.log.info("stopping")
        scheduler.shutdown(wait=False)
        self.stopping.set()
        self.mailbox.wake()
        await loop.run_in_executor(None, reader.join)
        # What the last letters asked for is still answered, if the server on the other side is there.
        await self.turn()
        self.worker.shutdown()
        self.log.info("stopped")

    async def turn(self) -> None:
        """Run what is due, then send what is queued; what goes wrong is logged and tried again at the next turn."""
        async with self.turning:
            try:
                ran = await self.work(lambda: tick(self.office))
                if ran:
                    self.log.info("ticked", ran=ran)
                await drain(self.office, self.send, worker=self.work)
            except Exception:
                # Whatever it is, the next turn starts from the database again, and other games must go on.
                self.log.exception("the turn failed")

    async def work(self, function: Callable[[], T]) -> T:
        """Run a function on the one thread of transactions."""
        return await asyncio.get_running_loop().run_in_executor(self.worker, function)

    async def send(self, envelopes: Sequence[Envelope]) -> Sequence[Reply]:
        """Send letters, and log what the server said to each."""
        replies = await send_all(self.smtp, envelopes)
        for envelope, reply in zip(envelopes, replies, strict=True):
            self.log.info("smtp", to=envelope.recipient, verdict=reply.verdict, code=reply.code, reply=reply.text)
        return replies

    def read_mailbox(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take letters in until told to stop; runs in a thread of its own, and outlives every outage."""
        pump = InboundPump(self.office, self.mailbox)
        try:
            while not self.stopping.is_set():
                step = pump.step()
                if step.taken:
                    self.log.info("taken", letters=step.taken)
                    asyncio.run_coroutine_threadsafe(self.turn(), loop)
                if step.retry_in is not None:
                    self.log.warning("mailbox down", retry_in=round(step.retry_in, 1))
                    self.stopping.wait(step.retry_in)
                    continue
                try:
                    self.mailbox.wait(self.poll)
                except MailboxDown as down:
                    self.log.warning("mailbox lost", why=str(down))
        except Exception:
            self.log.exception("the mailbox thread failed")
            signal.raise_signal(signal.SIGTERM)
        finally:
            self.mailbox.close()


class LoggedMailbox(ImapMailbox):
    """A mailbox that says in the log which letters it read and moved, by UID."""

    def __init__(self, settings: ImapSettings, log: Log) -> None:
        super().__init__(settings)
        self.log = log

    def connect(self) -> None:
        """Log in, and say so."""
        super().connect()
        self.log.info("imap connected", host=self.settings.host, uidvalidity=self.uidvalidity)

    def fetch_new(self, after_uid: int) -> list[Fetched]:
        """Return the letters above a UID, and name theirs."""
        found = super().fetch_new(after_uid)
        if found:
            self.log.info("imap fetched", folder=self.settings.folder, uids=[letter.uid for letter in found])
        return found

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Move letters, and name their UIDs."""
        super().move(uids, folder)
        if uids:
            self.log.info("imap moved", uids=list(uids), folder=folder)


def _refuse_a_moved_clock(read: Settings) -> None:
    """A clock that somebody can turn has no place where real people play: Stop unless the mail server is our own."""
    if read.clock.source == "system":
        return
    try:
        server = imaplib.IMAP4(read.imap.host, read.imap.port, timeout=10) if read.imap.security == "none" else None
        ours = server is not None and b"pbem ready" in server.welcome
    except (OSError, imaplib.IMAP4.error) as wrong:
        raise Stop(
            f"clock.source is a file, and the mail server cannot be asked whether it is a toy: {wrong}"
        ) from None
    if server is not None:
        server.shutdown()
    if not ours:
        raise Stop(
            'clock.source is a file: that is refused with any mail server but the one of pbem; set it to "system"'
        )
