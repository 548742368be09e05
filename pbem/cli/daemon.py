"""The daemon, which `pbem serve` runs.

One asyncio loop ticks the clocks and sends what is queued; one thread reads the mailbox; one worker thread runs every
transaction and adjudication of both. This is the one file that knows the scheduler: what is due are rows of the
database, and the scheduler does nothing but wake `tick` to look at them.

Its numbers are given to ``GET /metrics`` on a port of this machine, as Prometheus reads them (text format 0.0.4).
"""

from __future__ import annotations

import asyncio
import math
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from secrets import SystemRandom
from typing import NamedTuple, TypeVar

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from sqlalchemy.exc import DBAPIError

from pbem.cli.alerts import FULL, MAILBOX, PAST_THE_OUTBOX, SENTENCES, Alarms, Beat, alarm, scarce, seen_in, write_beat
from pbem.cli.exit_codes import Stop
from pbem.cli.log_output import Log
from pbem.cli.settings import SystemClock
from pbem.lazy import load_all
from pbem.log import log_health
from pbem.mail.imap import ImapMailbox, ImapSettings, MailboxDown
from pbem.mail.smtp import Envelope, SmtpSettings, Told, nobody, send_all
from pbem.play import beacons
from pbem.play.beacons import Ask
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server, UserError
from pbem.server.health import Health, count, health
from pbem.server.mailbox_lock import Claimed, MailboxClaim
from pbem.server.mailbox_poller import InboundPump, Polling
from pbem.server.outbox_sender import nowhere, take_back
from pbem.server.worker import Tools, turn
from pbem.store.coordination import Lock, Taken
from pbem.store.durable import Unwritten
from pbem.store.migrations import Newer, refuse_newer

_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(found: Health, now: datetime) -> str:
    """The numbers as Prometheus reads them."""
    return "\n".join(_metric_lines(found, now)) + "\n"


def _metric_lines(found: Health, now: datetime) -> Iterator[str]:
    yield from _family("pbem_letters_in_total", "counter", "Letters taken in.", "verdict", found.letters_in)
    yield from _family("pbem_letters_out_total", "counter", "Letters a mail server took.", "kind", found.letters_out)
    yield from _family("pbem_games", "gauge", "Games.", "state", found.games)
    ages = {"pbem_queue_oldest_seconds": found.oldest, "pbem_poll_age_seconds": found.polled}
    told = {"pbem_queue_oldest_seconds": "Age of the oldest letter that waits, 0 if none does."}
    told["pbem_poll_age_seconds"] = "Since the last whole look into the mailbox began, NaN before the first."
    for name, moment in ages.items():
        none = "0" if name.startswith("pbem_queue") else "NaN"
        yield from _gauge(name, told[name], none if moment is None else f"{(now - moment).total_seconds():.0f}")
    waited = 0 if found.waited is None else (now - found.waited).total_seconds()
    yield from _gauge(
        "pbem_rounds_late", "Rounds of a beacon that should be out and that dice wait for.", str(found.rounds)
    )
    yield from _gauge("pbem_rounds_late_seconds", "For how long the first of them, 0 if none.", f"{waited:.0f}")
    yield from _gauge("pbem_queue_letters", "Letters that wait to be sent.", str(found.queued))
    refused = str(int(found.refused is not None))
    yield from _gauge("pbem_sender_refused", "1 while the mail server refuses what we send.", refused)
    yield from _gauge("pbem_letters_given_up", "Letters given up.", str(found.failed))
    yield from _gauge("pbem_dues", "Things that will happen by themselves.", str(found.dues))
    yield from _gauge("pbem_dues_overdue", "Those whose moment has passed.", str(found.overdue))


def _family(name: str, kind: str, told: str, label: str, counts: Mapping[str, int]) -> Iterator[str]:
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} {kind}"
    for value, number in sorted(counts.items()):
        yield f'{name}{{{label}="{value}"}} {number}'


def _gauge(name: str, told: str, value: str) -> Iterator[str]:
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} gauge"
    yield f"{name} {value}"


async def serve_numbers(port: int, numbers: Callable[[], Awaitable[str]]) -> asyncio.Server:
    """Open a port of the loopback address (0: a free one) that gives the numbers; OSError if it is taken."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, asyncio.IncompleteReadError, TimeoutError):
            asked = await asyncio.wait_for(reader.readline(), 5)
            while (await asyncio.wait_for(reader.readline(), 5)).strip():
                pass
            if asked.split()[:2] == [b"GET", b"/metrics"]:
                status, body = "200 OK", await numbers()
            else:
                status, body = "404 Not Found", "GET /metrics\n"
            data = body.encode("utf-8")
            head = (f"HTTP/1.1 {status}", f"Content-Type: {_TYPE}", f"Content-Length: {len(data)}", "Connection: close")
            writer.write("\r\n".join([*head, "", ""]).encode("ascii") + data)
            await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, "127.0.0.1", port)


T = TypeVar("T")
ANOTHER = "another `pbem serve` works on this database and its mailbox"
BEAT = 10.0
"""Seconds between two signs of life."""
ROOM = 600.0
"""Seconds between two questions for how full the mailbox is."""
ROUNDS = 3
"""Seconds between two questions for a round that is waited for: as long as the beacon takes from one to the next."""
SECONDS = 1
"""How often the clocks are looked at. A look is one short query."""


class Chore(NamedTuple):
    """Something beside the letters, done again and again in a thread apart, so many `seconds` after the last time.

    `do` is told the server and whether it is to go on; what goes wrong with it is logged, and stops nothing.
    """

    name: str
    seconds: float
    do: Callable[[Server, Callable[[], bool]], object]


class Duties(NamedTuple):
    """What a daemon is told to do.

    The mailbox is polled every `poll` seconds at least, the clocks are looked at every `look` seconds. `at` is told
    each point that the pumps and the clock reach (pump.POINTS, postman.POINTS, smtp.POINTS, tick.POINTS). Signs of life
    go into the file `heartbeat`, numbers to whoever asks the port `metrics`; without them there are none. `network` is
    asked for the beacon's rounds, in a thread of its own. `alerts` are a program and its first arguments, which is told
    of what needs a person. `chores` are done beside all that. `claim` is the file that knows by which folder this
    server claims its mailbox; without it none is claimed.
    """

    imap: ImapSettings
    smtp: SmtpSettings
    poll: float
    look: float = SECONDS
    at: Callable[[str], None] = nowhere
    heartbeat: Path | None = None
    metrics: int = 0
    network: Ask | None = None
    alerts: Sequence[str] = ()
    chores: Sequence[Chore] = ()
    claim: Path | None = None


class Daemon:
    """The server at work; `run` returns when it was told to stop and all its threads have ended.

    Whoever has taken the `lock` of the database already hands it on.
    """

    def __init__(self, server: Server, duties: Duties, log: Log, lock: Lock | None = None) -> None:
        self.server = server
        self.duties = duties
        self.log = log
        self.polled: datetime | None = None
        self.taken: datetime | None = None
        self.beating = threading.Lock()
        self.beaten = self.watched = self.measured = -math.inf
        self.troubled: tuple[str, ...] = ()
        self.heard = time.monotonic()
        self.full = self.away = False
        self.alerts = Alarms(duties.alerts, log)
        self.rounds = 0
        self.stopping = threading.Event()
        self.turning = asyncio.Lock()
        self.asking = asyncio.Lock()
        load_all()
        self.worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="transactions")
        self.watcher = ThreadPoolExecutor(max_workers=1, thread_name_prefix="watcher")
        self.reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mailbox")
        self.relays = ThreadPoolExecutor(max_workers=1, thread_name_prefix="relays")
        self.apart = ThreadPoolExecutor(max_workers=2, thread_name_prefix="chores")
        self.mailbox = ImapMailbox(self.duties.imap)
        self.pump: InboundPump | None = None
        self.lock = lock or Lock(server.engine, server.settings.owner)
        self.stopped = asyncio.Event()
        self.ousted = ""
        self.robbed = False

    async def run(self) -> None:
        """Serve until the process is told to end; Stop if another one serves the same database or mailbox."""
        self.take_over()
        try:
            await self.serve()
        finally:
            self.lock.release()
        if self.ousted:
            raise Stop(self.ousted)

    def take_over(self) -> None:
        """From now on this daemon alone works on the database, whoever has crashed before; Stop."""
        try:
            self.lock.take()
            take_back(self.server)
        except Taken as other:
            raise Stop(f"{ANOTHER}: {other}") from None
        except DBAPIError as away:
            raise Stop(f"the database does not answer: {away.orig}") from None

    async def serve(self) -> None:
        """All that runs by itself, and the mailbox, until the end is wanted."""
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
        reading = loop.run_in_executor(self.reader, self.read_mailbox, loop)
        # Without its mailbox the server is no use: whoever started it will start it again.
        reading.add_done_callback(lambda done: stopped.set())
        await stopped.wait()
        self.log.info("stopping")
        self.stopping.set()
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
                await self.tell({"claim", *self.troubled}, self.server.clock.now())
            if numbers is not None:
                numbers.close()
            self.relays.shutdown(wait=False, cancel_futures=True)
            self.apart.shutdown(wait=True, cancel_futures=True)
            self.worker.shutdown()
            self.watcher.shutdown()
            self.log.info("stopped")

    async def open_numbers(self) -> asyncio.Server | None:
        """The port of the numbers, if one is wanted; a port that is taken is no reason not to serve."""
        if not self.duties.metrics:
            return None
        try:
            return await serve_numbers(self.duties.metrics, self.numbers)
        except OSError as taken:
            self.log.warning("no port for metrics", port=self.duties.metrics, why=str(taken))
            return None

    async def numbers(self) -> str:
        """The server's numbers, as they are now."""
        now = self.server.clock.now()

        def look() -> Health:
            with self.server.reading() as tx:
                return health(tx.session, now)

        return exposition(await self.work(look, self.watcher), now)

    def at(self, point: str) -> None:
        """A point is reached: the work goes on, however much of it there is."""
        self.duties.at(point)
        if point == "committed":
            self.taken = self.server.clock.now()
        self.beat()

    def beat(self) -> None:
        """Leave a sign of life now and then; any thread may."""
        if self.duties.heartbeat is None:
            return
        with self.beating:
            now = time.monotonic()
            if now - self.beaten < BEAT:
                return
            self.beaten = now
        beat = Beat(self.server.clock.now(), os.getpid(), self.polled, self.rounds, self.troubled, taken=self.taken)
        if (pump := self.pump) is not None:
            beat = beat._replace(waiting=pump.waiting, unmoved=pump.unmoved, refused=pump.refused[:300])
        try:
            write_beat(self.duties.heartbeat, beat)
        except OSError as wrong:
            self.log.warning("no heartbeat", why=str(wrong))

    async def watch(self) -> None:
        """Find what needs a person, as often as there are signs of life, and tell of it."""
        if self.duties.heartbeat is None or time.monotonic() - self.watched < BEAT:
            return
        self.watched = time.monotonic()
        now = self.server.clock.now()
        troubles = await self.troubles(self.duties.heartbeat, now)
        if (troubled := tuple(word for word in SENTENCES if word in troubles)) != self.troubled:
            self.troubled, self.beaten = troubled, -math.inf
        self.beat()
        await self.tell(troubles, now)

    async def tell(self, troubles: Collection[str], now: datetime) -> None:
        """Tell of troubles, of those that no outbox can tell of by a letter as well."""
        told = self.alerts.look(troubles, now)
        if unwritten := [word for word in told if word in PAST_THE_OUTBOX]:
            await self.send([alarm(self.server, word, now) for word in unwritten], nobody)

    async def troubles(self, heartbeat: Path, now: datetime) -> set[str]:
        """What needs a person."""
        found = set()
        # Not by the clock of the games, which may be moved by hand.
        if time.monotonic() - self.heard > MAILBOX + self.duties.poll:
            found.add("mailbox")
        if scarce(heartbeat.parent):
            found.add("disk")
        if self.full:
            found.add("full")

        def look() -> set[str]:
            with self.server.reading(now) as tx:
                stopped = {"log"} if log_health.look(tx) is not None else set()
                return stopped | seen_in(health(tx.session, now), now)

        try:
            if not self.away:
                await self.work(lambda: count(self.server))
            return found | ({"database"} if self.away else await self.work(look, self.watcher))
        except TRANSIENT_ERRORS:
            return found | {"database"}

    async def look_again(self) -> None:
        """A turn, unless one is under way or all is over: that one sees what is due as well."""
        if not self.turning.locked() and not self.stopping.is_set():
            await self.turn()

    async def turn(self) -> None:
        """Run what is due, then send what is queued; what goes wrong is logged and tried again at the next turn."""
        async with self.turning:
            try:
                tools = Tools(self.send, self.work, self.at)
                await turn(self.server, tools, lambda: not self.stopping.is_set())
                self.away = False
            except (DBAPIError, Unwritten) as away:
                self.away = True
                self.log.warning("the database is away", why=str(getattr(away, "orig", away)))
            except Exception:
                # Whatever it is, the next turn starts from the database again, and other games must go on.
                self.log.exception("the turn failed")
            try:
                await self.watch()
            except Exception:
                self.log.exception("no sign of life")

    async def keep_lock(self) -> None:
        """See that the database is still this daemon's, and take it again if it was away; else stop."""
        try:
            await self.work(self.lock.take)
            await self.work(lambda: refuse_newer(self.server.engine))
        except (Taken, Newer) as other:
            self.ousted = f"another `pbem serve` has taken this database over: {other}"
            self.log.error("another server has taken over", who=str(other))
            self.stopped.set()
        except DBAPIError as away:
            self.log.warning("the database is away", why=str(away.orig))

    async def ask_for_rounds(self) -> None:
        """Ask the network for the rounds that games wait for; what it does not have yet is asked for again."""
        network = self.duties.network
        if network is None or self.asking.locked() or self.stopping.is_set():
            return
        loop, came = asyncio.get_running_loop(), False
        async with self.asking:
            try:
                wanted = await self.work(lambda: beacons.missing_rounds(self.server))
                self.rounds = len(wanted)
                for chain, number in wanted:
                    value = await loop.run_in_executor(self.relays, network, chain, number)
                    came |= value is not None and beacons.store_round(self.server, chain, number, value)
            except DBAPIError as away:
                self.log.warning("the database is away", why=str(away.orig))
            except Exception:
                self.log.exception("asking for rounds failed")
        if came:
            await self.look_again()

    async def do_apart(self, chore: Chore) -> None:
        """Do a chore once."""
        if self.stopping.is_set():
            return
        try:
            await self.work(lambda: chore.do(self.server, lambda: not self.stopping.is_set()), self.apart)
        except (DBAPIError, OSError, UserError) as wrong:
            self.log.warning("a chore is left for later", chore=chore.name, why=str(getattr(wrong, "orig", wrong)))
        except Exception:
            self.log.exception("a chore failed", chore=chore.name)

    async def work(self, function: Callable[[], T], thread: ThreadPoolExecutor | None = None) -> T:
        """Run a function on the one thread of transactions, or on another."""
        return await asyncio.get_running_loop().run_in_executor(thread or self.worker, function)

    def wait_for(self, function: Callable[[], T], /) -> T:
        """The same for a thread that may wait: it goes on when the function has returned."""
        return self.worker.submit(function).result()

    async def send(self, envelopes: Sequence[Envelope], told: Told) -> None:
        """Hand letters in at the SMTP server."""
        await send_all(self.duties.smtp, envelopes, self.at, told)

    def measure(self) -> None:
        """Look now and then how full the mailbox is; MailboxDown."""
        if time.monotonic() - self.measured < ROOM:
            return
        self.measured = time.monotonic()
        self.full = (self.mailbox.fullness() or 0.0) >= FULL

    def take_in(self, pump: InboundPump, loop: asyncio.AbstractEventLoop) -> bool:
        """Take a few letters in and have them answered; return whether all were, so that more can be waited for."""
        begun = self.server.clock.now()
        step = pump.step()
        if step.taken:
            # Who writes in a flood of letters is answered meanwhile.
            asyncio.run_coroutine_threadsafe(self.look_again() if pump.waiting else self.turn(), loop)
        if step.retry_in is not None:
            self.stopping.wait(step.retry_in)
            return False
        self.heard = time.monotonic()
        if not pump.waiting:
            self.polled = begun
        return not pump.waiting

    def wait_for_letters(self) -> None:
        """Wait until something lies in the mailbox, or for as long as it is not looked into."""
        try:
            self.measure()
            self.mailbox.wait(self.duties.poll)
        except MailboxDown as down:
            self.log.warning("mailbox lost", why=str(down))

    def read_mailbox(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take letters in until told to stop; runs in a thread of its own, and outlives every outage."""
        # A clock that is moved by hand goes past days in which no poll could be.
        guarded = isinstance(self.server.clock, SystemClock)
        claim = MailboxClaim(self.duties.claim, self.mailbox) if self.duties.claim is not None else None
        polling = Polling(SystemRandom().random, self.wait_for, guarded, self.beat, lambda: not self.stopping.is_set())
        if claim is not None:
            polling = polling._replace(claim=claim.hold)
        pump = self.pump = InboundPump(self.server, self.mailbox, self.at, polling)
        try:
            while not self.stopping.is_set():
                if self.take_in(pump, loop):
                    self.wait_for_letters()
        except Claimed as other:
            # Who has just begun is told by his console; of a server that ran for weeks somebody has to be told.
            self.robbed = claim is not None and claim.held
            self.ousted = str(other)
            self.log.error("the mailbox is another server's", why=str(other))
        finally:
            self.mailbox.close()
