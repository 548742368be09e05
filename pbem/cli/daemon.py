"""Run the daemon of `pbem serve`.

One asyncio loop runs the clocks and sends what is queued; one thread takes letters in; one worker thread runs
every transaction and adjudication of both. This is the only file that uses APScheduler: due jobs are rows of the
database, and that library only wakes `turn` to look at them.
"""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from secrets import SystemRandom
from typing import NamedTuple, TypeVar

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from sqlalchemy.exc import DBAPIError

from pbem.cli import metrics
from pbem.cli.alerts import (
    FULL,
    MAILBOX,
    PAST_THE_OUTBOX,
    SENTENCES,
    Alarms,
    Heartbeat,
    is_backup_late,
    is_disk_full,
    last_backup,
    tell_supervisor,
    trouble_letter,
    troubles_in,
    write_heartbeat,
)
from pbem.cli.exit_codes import CommandError, Unavailable
from pbem.cli.local_intake import LocalWay, take_letters
from pbem.cli.log_output import Log
from pbem.cli.settings import SystemClock
from pbem.cli.status_page import make_status_page
from pbem.lazy import load_all
from pbem.log import log_health
from pbem.mail.imap import ImapMailbox, ImapSettings, MailboxDown
from pbem.mail.smtp import Envelope, OnReply, SmtpSettings, ignore_reply, send_all
from pbem.pages.site import Site
from pbem.play import beacons
from pbem.play.beacons import Ask
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server, UserError
from pbem.server.health import read_health, update_tallies
from pbem.server.mailbox_lock import MailboxLock, MailboxTaken
from pbem.server.mailbox_poller import MailboxPoller, PollOptions
from pbem.server.outbox_sender import ignore_point, release_all
from pbem.server.worker import WorkerTools, run_until_idle
from pbem.store.coordination import DatabaseLock, LockTaken
from pbem.store.durable import UnwritableFile
from pbem.store.engine import database_size
from pbem.store.migrations import NewerDatabase, refuse_newer

T = TypeVar("T")
ANOTHER = "another `pbem serve` works on this database and its mailbox"
BEAT = 10.0
"""Seconds between two signs of life: `doctor` warns after two minutes."""
ROOM = 600.0
"""Seconds between two checks how full the mailbox is: a check costs a command of IMAP, and the answer changes slowly.
"""
ROUNDS = 3
"""Seconds between two requests for an awaited round: as long as the beacon takes from one to the next."""
FAILURES = 3
"""Failures of a chore in a row that make a trouble of it: one may be an outage that is over at the next try."""
STUCK = 300.0
"""Seconds without a point reached in a turn, after which the supervisor is no longer told that the server works."""
SECONDS = 1
"""Seconds between two looks at the clock: a look is one short query, and players see minutes."""


class PeriodicJob(NamedTuple):
    """Work beside the letters, done in a thread of its own every so many `seconds`.

    The interval counts from the last run. `do` gets the server, and a function that returns whether to go on;
    errors are logged, and stop nothing else.
    """

    name: str
    seconds: float
    do: Callable[[Server, Callable[[], bool]], object]


class DaemonSettings(NamedTuple):
    """The settings of a daemon.

    Letters come from the mailbox `imap` or, with None, in the `local` way. The mailbox is polled at least every `poll`
    seconds, and due jobs are looked for every `look` seconds. `at` is
    called with each point that the poller and the scheduler reach (their modules have POINTS). Signs of life go
    into the file `heartbeat`, metrics to the address and port `metrics`; without these settings there are none.
    Beside the metrics is a page of the status of the `site`, for those whom `status` names: "off", "local" or "any".
    `network` is asked for the beacon's rounds, in a thread of its own. `alerts` are a program and its first
    arguments, which is called for troubles that need a person; one is that the last backup is older than
    `backup_hours`. `chores` run in threads of their own. `claim` is the file with the names of this server's locks on
    its mailbox; without it the mailbox is not locked.
    """

    imap: ImapSettings | None
    smtp: SmtpSettings
    poll: float
    look: float = SECONDS
    at: Callable[[str], None] = ignore_point
    heartbeat: Path | None = None
    metrics: tuple[str, int] = ("127.0.0.1", 0)
    status: str = "local"
    site: Site = Site("", "")
    network: Ask | None = None
    alerts: Sequence[str] = ()
    backup_hours: int = 0
    chores: Sequence[PeriodicJob] = ()
    claim: Path | None = None
    local: LocalWay = LocalWay()


class Daemon:
    """The running server; `run` returns once all its threads have ended.

    A caller that already holds the `lock` of the database passes it in.
    """

    def __init__(self, server: Server, duties: DaemonSettings, log: Log, lock: DatabaseLock | None = None) -> None:
        self.server = server
        self.duties = duties
        self.log = log
        self.polled: datetime | None = None
        self.taken: datetime | None = None
        self.beating = threading.Lock()
        self.beaten = self.watched = self.measured = -math.inf
        self.troubled: tuple[str, ...] = ()
        self.heard = time.monotonic()
        self.used: float | None = None
        self.away = False
        self.timings, self.started = metrics.Timings(), server.clock.now()
        self.page, self.paged, self.paging = "", -math.inf, asyncio.Lock()
        self.alerts = Alarms(duties.alerts, log)
        self.rounds = 0
        self.failures: Counter[str] = Counter()
        self.moved = time.monotonic()
        self.stopping = threading.Event()
        self.turning = asyncio.Lock()
        self.asking = asyncio.Lock()
        load_all()
        self.worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="transactions")
        self.watcher = ThreadPoolExecutor(max_workers=1, thread_name_prefix="watcher")
        self.reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mailbox")
        self.relays = ThreadPoolExecutor(max_workers=1, thread_name_prefix="relays")
        self.apart = ThreadPoolExecutor(max_workers=2, thread_name_prefix="chores")
        self.mailbox = ImapMailbox(duties.imap) if duties.imap is not None else None
        self.pump: MailboxPoller | None = None
        self.lock = lock or DatabaseLock(server.engine, server.settings.owner)
        self.stopped = asyncio.Event()
        self.ousted = ""
        self.robbed = False
        # Another server's claim is looked for before anything is sent.
        self.claimed = duties.claim is None

    async def run(self) -> None:
        """Serve until the process is told to end.

        Raise CommandError if another one serves the same database or mailbox.
        """
        self.take_over()
        try:
            await self.serve()
        finally:
            self.lock.release()
        if self.ousted:
            raise CommandError(self.ousted)

    def take_over(self) -> None:
        """Take the lock of the database, also after a crash; raise CommandError."""
        try:
            self.lock.take()
            release_all(self.server)
        except LockTaken as other:
            raise Unavailable(f"{ANOTHER}: {other}") from None
        except DBAPIError as away:
            raise Unavailable(f"the database does not answer: {away.orig}") from None

    async def serve(self) -> None:
        """Run scheduler and mailbox until the end is requested."""
        loop = asyncio.get_running_loop()
        stopped = self.stopped
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopped.set)
        scheduler = AsyncIOScheduler(timezone="UTC")
        scheduler.add_job(
            self.look_again,
            "interval",
            seconds=self.duties.look,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
        )
        scheduler.add_job(self.tell_alive, "interval", seconds=BEAT, max_instances=1, misfire_grace_time=None)
        scheduler.add_job(self.keep_lock, "interval", seconds=BEAT, max_instances=1, misfire_grace_time=None)
        if self.duties.network is not None:
            scheduler.add_job(
                self.ask_for_rounds, "interval", seconds=ROUNDS, coalesce=True, max_instances=1, misfire_grace_time=None
            )
        for chore in self.duties.chores:
            scheduler.add_job(
                self.do_apart,
                "interval",
                [chore],
                seconds=chore.seconds,
                coalesce=True,
                max_instances=1,
                misfire_grace_time=None,
            )
        numbers = await self.open_numbers()
        self.log.info("serving", address=self.server.address)
        scheduler.start()
        tell_supervisor("READY=1")
        reading = asyncio.ensure_future(self.take_letters())
        # Without its mailbox the server is useless: its supervisor will restart it.
        reading.add_done_callback(lambda done: stopped.set())
        await stopped.wait()
        self.log.info("stopping")
        tell_supervisor("STOPPING=1")
        self.stopping.set()
        if self.mailbox is not None:
            self.mailbox.wake()
        # The end of the scheduler cuts short what it has begun: a letter sent and not noted would be sent again.
        async with self.turning:
            scheduler.shutdown(wait=False)
        try:
            await reading
        finally:
            # What the last letters asked for is still answered, if the server on the other side is there.
            await self.turn()
            if self.robbed:
                self.troubled, self.beaten = (*self.troubled, "claim"), -math.inf
                self.beat()
                await self.report_troubles(self.troubled, self.server.clock.now())
            if numbers is not None:
                numbers.close()
            self.relays.shutdown(wait=False, cancel_futures=True)
            self.apart.shutdown(wait=True, cancel_futures=True)
            self.worker.shutdown()
            self.watcher.shutdown()
            self.log.info("stopped")

    async def open_numbers(self) -> asyncio.Server | None:
        """Open the port for metrics, if the settings name one.

        A port that is taken is logged; the server runs without it.
        """
        address, port = self.duties.metrics
        if not port:
            return None
        try:
            return await metrics.serve_pages(address, port, self.pages())
        except OSError as taken:
            self.log.warning("no port for metrics", port=port, why=str(taken))
            return None

    def pages(self) -> dict[str, metrics.Route]:
        """Return the functions that answer requests for pages, by path."""

        async def numbers(asker: str) -> metrics.ServedPage:
            return metrics.metrics_answer(metrics.metrics_text(await self.figures(), self.timings))

        async def health(asker: str) -> metrics.ServedPage:
            return metrics.health_answer(self.troubled)

        async def status(asker: str) -> metrics.ServedPage:
            if self.duties.status == "any" or (self.duties.status == "local" and metrics.is_this_machine(asker)):
                return metrics.ServedPage("200 OK", await self.status_page(), "text/html; charset=utf-8")
            return metrics.not_found_answer()

        return {"/metrics": numbers, "/healthz": health, "/status": status}

    async def figures(self) -> metrics.ServerFigures:
        """Return the server's present figures."""
        now, data = self.server.clock.now(), (self.duties.heartbeat or Path("heartbeat")).parent
        pump = self.pump

        def look() -> metrics.ServerFigures:
            disk = shutil.disk_usage(data)
            with self.server.reading(now) as tx:
                return metrics.ServerFigures(
                    now,
                    self.started,
                    read_health(tx.session, now),
                    self.troubled,
                    dict(self.failures),
                    self.taken,
                    pump.waiting if pump else 0,
                    pump.unmoved_count if pump else 0,
                    self.used,
                    last_backup(data),
                    database_size(self.server.engine),
                    disk.total,
                    disk.free,
                )

        return await self.run_in_thread(look, self.watcher)

    async def status_page(self) -> str:
        """Return the page of the status, as it was a few seconds ago at most."""
        async with self.paging:
            if time.monotonic() - self.paged > BEAT:
                figures = await self.figures()
                self.page = await self.run_in_thread(
                    lambda: make_status_page(self.server, figures, self.duties.site), self.watcher
                )
                self.paged = time.monotonic()
            return self.page

    def at(self, point: str) -> None:
        """Treat a point that was reached as a sign of life."""
        self.moved = time.monotonic()
        self.duties.at(point)
        if point == "committed":
            self.taken = self.server.clock.now()
        self.beat()

    def beat(self) -> None:
        """Refresh the heartbeat, at most every `BEAT` seconds, from any thread."""
        if self.duties.heartbeat is None:
            return
        with self.beating:
            now = time.monotonic()
            if now - self.beaten < BEAT:
                return
            self.beaten = now
        beat = Heartbeat(
            self.server.clock.now(), os.getpid(), self.polled, self.rounds, self.troubled, taken=self.taken
        )
        if (pump := self.pump) is not None:
            # Replies of mail servers may be long; their beginning says what is wrong.
            beat = beat._replace(waiting=pump.waiting, unmoved=pump.unmoved_count, refused=pump.refused[:300])
        try:
            write_heartbeat(self.duties.heartbeat, beat)
        except OSError as wrong:
            self.log.warning("no heartbeat", why=str(wrong))

    async def watch(self) -> None:
        """Find and report troubles that need a person, as often as signs of life."""
        if self.duties.heartbeat is None or time.monotonic() - self.watched < BEAT:
            return
        self.watched = time.monotonic()
        now = self.server.clock.now()
        troubles = await self.troubles(self.duties.heartbeat, now)
        if (troubled := tuple(word for word in SENTENCES if word in troubles)) != self.troubled:
            self.troubled, self.beaten = troubled, -math.inf
        self.beat()
        await self.report_troubles(troubles, now)

    async def report_troubles(self, troubles: Collection[str], now: datetime) -> None:
        """Report troubles.

        Troubles that the outbox cannot report are also mailed directly.
        """
        reported = self.alerts.look(troubles, now)
        if unwritten := [word for word in reported if word in PAST_THE_OUTBOX]:
            await self.send([trouble_letter(self.server, word, now) for word in unwritten], ignore_reply)

    async def troubles(self, heartbeat: Path, now: datetime) -> set[str]:
        """Return the troubles that need a person."""
        words = set()
        # Not by the clock of the games, which may be moved by hand.
        if time.monotonic() - self.heard > MAILBOX + self.duties.poll:
            words.add("mailbox")
        if is_disk_full(heartbeat.parent):
            words.add("disk")
        if (self.used or 0) >= FULL:
            words.add("full")
        if is_backup_late(heartbeat.parent, self.duties.backup_hours, now):
            words.add("backup")
        if any(number >= FAILURES for number in self.failures.values()):
            words.add("chores")

        def look() -> set[str]:
            with self.server.reading(now) as tx:
                stopped = {"log"} if log_health.look(tx) is not None else set()
                return stopped | troubles_in(read_health(tx.session, now), now)

        try:
            if not self.away:
                await self.run_in_thread(lambda: update_tallies(self.server))
            return words | ({"database"} if self.away else await self.run_in_thread(look, self.watcher))
        except TRANSIENT_ERRORS:
            # The figures cannot be read, and that is the trouble.
            return words | {"database"}

    async def look_again(self) -> None:
        """Run a turn, unless one is running or the server stops.

        A running turn sees new due jobs as well.
        """
        if not self.turning.locked() and not self.stopping.is_set():
            await self.turn()

    async def turn(self) -> None:
        """Run due jobs, then send queued letters; log failures and retry next turn.

        A server whose mailbox or database is another's does neither.
        """
        async with self.turning:
            self.moved = time.monotonic()
            try:
                if self.claimed and not self.ousted:
                    tools = WorkerTools(self.send_queued, self.run_in_thread, self.at)
                    with self.timings.turn.time():
                        await run_until_idle(self.server, tools, lambda: not self.stopping.is_set())
                    self.away = False
            except MailboxTaken:
                self.log.warning("letters are left for the other server")
            except (DBAPIError, UnwritableFile) as away:
                # An outage is no bug: it gets one line, and `watch` reports it.
                self.away = True
                self.log.warning("the database is away", why=str(getattr(away, "orig", away)))
            except Exception:
                # Whatever it is, the next turn starts from the database again, and other games must go on.
                self.log.exception("the turn failed")
            try:
                await self.watch()
            except Exception:
                # Without a sign of life for a while `doctor` warns; the turns must go on.
                self.log.exception("no sign of life")

    async def tell_alive(self) -> None:
        """Tell the supervisor that the loop runs and no turn hangs.

        It waits for no thread: one step of a turn, such as the draw of a large round, may take longer than the
        supervisor waits.
        """
        if not self.turning.locked() or time.monotonic() - self.moved < STUCK:
            tell_supervisor("WATCHDOG=1")

    async def keep_lock(self) -> None:
        """Check the lock of the database, and renew it after an outage.

        Stop the server if another process has it.
        """
        try:
            await self.run_in_thread(self.lock.take)
            await self.run_in_thread(lambda: refuse_newer(self.server.engine))
        except (LockTaken, NewerDatabase) as other:
            self.ousted = f"another `pbem serve` has taken this database over: {other}"
            self.log.error("another server has taken over", who=str(other))
            self.stopped.set()
        except DBAPIError as away:
            self.log.warning("the database is away", why=str(away.orig))

    async def ask_for_rounds(self) -> None:
        """Ask the network for the rounds that games wait for.

        Missing rounds are requested again later.
        """
        network = self.duties.network
        if network is None or self.asking.locked() or self.stopping.is_set():
            return
        loop, any_new = asyncio.get_running_loop(), False
        async with self.asking:
            try:
                wanted = await self.run_in_thread(lambda: beacons.missing_rounds(self.server))
                self.rounds = len(wanted)
                for chain, number in wanted:
                    value = await loop.run_in_executor(self.relays, network, chain, number)
                    any_new |= value is not None and beacons.store_beacon_round(self.server, chain, number, value)
            except DBAPIError as away:
                self.log.warning("the database is away", why=str(away.orig))
            except Exception:
                # A bug here must not end the server: the rounds are asked for again after the interval.
                self.log.exception("asking for rounds failed")
        if any_new:
            await self.look_again()

    async def do_apart(self, chore: PeriodicJob) -> None:
        """Do a chore once, and count how often in a row it has failed."""
        if self.stopping.is_set():
            return
        self.failures[chore.name] += 1
        try:
            await self.run_in_thread(lambda: chore.do(self.server, lambda: not self.stopping.is_set()), self.apart)
            self.failures[chore.name] = 0
        except (DBAPIError, OSError, UserError) as wrong:
            # Outages and states of games go away by themselves; anything else is a bug, and gets its traceback.
            self.log.warning("a chore is left for later", chore=chore.name, why=str(getattr(wrong, "orig", wrong)))
        except Exception:
            self.log.exception("a chore failed", chore=chore.name)

    async def run_in_thread(self, function: Callable[[], T], thread: ThreadPoolExecutor | None = None) -> T:
        """Run a function on the thread of transactions, or on another."""
        return await asyncio.get_running_loop().run_in_executor(thread or self.worker, function)

    def wait_for(self, function: Callable[[], T], /) -> T:
        """Run a function on the thread of transactions, and wait for it."""
        return self.worker.submit(function).result()

    async def send_queued(self, envelopes: Sequence[Envelope], on_reply: OnReply) -> None:
        """Send letters of the queue; raise MailboxTaken if they are another server's."""
        if self.ousted:
            raise MailboxTaken(self.ousted)
        with self.timings.send.time():
            await self.send(envelopes, on_reply)

    async def send(self, envelopes: Sequence[Envelope], on_reply: OnReply) -> None:
        """Send letters by SMTP."""
        await send_all(self.duties.smtp, envelopes, self.at, on_reply)

    async def take_letters(self) -> None:
        """Take letters in until told to stop, from the mailbox or in the local way."""
        if self.mailbox is None:
            await take_letters(self, self.duties.local)
        else:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self.reader, self.read_mailbox, loop, self.mailbox)

    def measure(self, mailbox: ImapMailbox) -> None:
        """Check at times how full the mailbox is; raise MailboxDown."""
        if time.monotonic() - self.measured < ROOM:
            return
        self.measured = time.monotonic()
        self.used = mailbox.fullness()

    def take_in(self, pump: MailboxPoller, loop: asyncio.AbstractEventLoop) -> bool:
        """Take in a few letters; return whether the mailbox has no more."""
        started = self.server.clock.now()
        with self.timings.poll.time():
            step = pump.step()
        self.claimed = True
        if step.taken:
            # In a flood of letters the first are answered while the others come in.
            asyncio.run_coroutine_threadsafe(self.look_again() if pump.waiting else self.turn(), loop)
        if step.retry_in is not None:
            self.stopping.wait(step.retry_in)
            return False
        self.heard = time.monotonic()
        if not pump.waiting:
            self.polled = started
        return not pump.waiting

    def wait_for_letters(self, mailbox: ImapMailbox) -> None:
        """Wait until a letter comes, or until the next poll."""
        try:
            self.measure(mailbox)
            mailbox.wait(self.duties.poll)
        except MailboxDown as down:
            # The next look connects again, and waits longer after each failure.
            self.log.warning("mailbox lost", why=str(down))

    def read_mailbox(self, loop: asyncio.AbstractEventLoop, mailbox: ImapMailbox) -> None:
        """Take letters in until told to stop, in its own thread, through every outage."""
        # A clock that is moved by hand goes past days in which no poll could be.
        guarded = isinstance(self.server.clock, SystemClock)
        claim = MailboxLock(self.duties.claim, mailbox) if self.duties.claim is not None else None
        polling = PollOptions(
            SystemRandom().random, self.wait_for, guarded, self.beat, lambda: not self.stopping.is_set()
        )
        if claim is not None:
            polling = polling._replace(claim=claim.hold)
        pump = self.pump = MailboxPoller(self.server, mailbox, self.at, polling)
        try:
            while not self.stopping.is_set():
                if self.take_in(pump, loop):
                    self.wait_for_letters(mailbox)
        except MailboxTaken as other:
            # A server just started shows this on its console; one that ran for weeks must alert somebody.
            self.robbed = claim is not None and claim.is_held
            self.ousted = str(other)
            self.log.error("the mailbox is another server's", why=str(other))
        finally:
            mailbox.close()
