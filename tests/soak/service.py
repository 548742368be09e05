"""The server of the half year: the parts of `pbem serve` in a process of its own, by a clock that is moved.

``python -m tests.soak.service SETTINGS [PLANT]`` reads a request a line, as JSON, and answers with a line. Where
`pbem serve` waits for the time of day, this one is told that it has come: otherwise they do the same.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import json
import os
import signal
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sqlmodel import col, func, select

from pbem.cli import assembly, daemon, log_output, serve
from pbem.cli.rulebooks import games
from pbem.engine.data.memory import LruCache
from pbem.engine.map.charts import Modifiers
from pbem.engine.orders.names import Names
from pbem.engine.run.odds import Memory
from pbem.games.peninsular.edition import Edition
from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.play.rulings import appointment, ruling_lines
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.server import intake, outbox_sender
from pbem.server.intake import ReceivedLetter
from pbem.server.mailbox_lock import MailboxLock
from pbem.server.mailbox_poller import MailboxPoller, PollOptions, take_and_commit
from pbem.server.scheduler import run_due_jobs
from pbem.store import queries, tables
from pbem.tournaments import founding as tournaments
from pbem.tournaments.arithmetic.rules.reading import read_rules
from pbem.tournaments.running import advance_tournaments
from pbem.wars.declaring import NewWar, new_war
from tests.campaign.test_growth import steps
from tests.harness.letters import mail
from tests.harness.tournament import CONDUCT
from tests.plans import listening

GAUGES = "gauge-one@players.example", "gauge-two@players.example"
"""Whose game is measured each week, always the same first phase."""
KEPT: list[Any] = []


def _plant(name: str, server: Any) -> None:
    """Put a fault in that has to be found."""
    if name == "leak":
        new_row = intake._new_row

        def remember(received: Any, letter: Any, now: Any) -> Any:
            KEPT.append((received, letter))
            return new_row(received, letter, now)

        intake._new_row = remember
    elif name == "scan":
        with server.engine.begin() as connection:
            connection.exec_driver_sql("DROP INDEX IF EXISTS ix_outbox_state_next_try")


class Service:
    """The parts of a daemon; each public method is a request."""

    def __init__(self, settings: Any, server: Any, lock: Any) -> None:
        duties = serve.daemon_settings(settings)._replace(at=self._at)
        self.server, self.doom, self.left = server, "", 0
        self.daemon = daemon.Daemon(server, duties, log_output.open_log("json", "info"), lock)
        self.daemon.take_over()
        assert self.daemon.mailbox is not None
        self.mailbox = self.daemon.mailbox
        claim = MailboxLock(settings.server.claim_file, self.mailbox)
        polling = PollOptions(transact=self.daemon.wait_for, claim=claim.hold)
        self.pump = self.daemon.pump = MailboxPoller(server, self.mailbox, self.daemon.at, polling)

    def _at(self, point: str) -> None:
        if point == self.doom:
            self.left -= 1
            if not self.left:
                os.kill(os.getpid(), signal.SIGKILL)

    async def die(self, point: str, count: int) -> None:
        """Die by SIGKILL when a point is reached for the n-th time."""
        self.doom, self.left = point, count

    async def rest(self) -> dict[str, Any]:
        """Take in what has come, do what is due, send what waits; say when anything happens next."""
        loop, taken = asyncio.get_running_loop(), 0
        while True:
            step = await loop.run_in_executor(self.daemon.reader, self.pump.step)
            taken += step.taken
            self.daemon.claimed, self.daemon.heard = True, time.monotonic()
            if step.retry_in is None and not self.pump.waiting:
                break
        await self.daemon.turn()
        with self.server.reading() as tx:
            waiting = select(func.min(tables.Outbox.next_try)).where(col(tables.Outbox.state) == "queued")
            moments = (
                queries.schedule.next_moment(tx.session),
                queries.tournaments.next_wake(tx.session),
                tx.session.exec(waiting).one(),
            )
        return {
            "taken": taken,
            "next": min((moment.isoformat() for moment in moments if moment is not None), default=None),
        }

    async def chores(self) -> dict[str, Any]:
        """Do what the scheduler does beside the letters, and look for troubles."""
        for chore in self.daemon.duties.chores:
            await self.daemon.do_apart(chore)
        self.daemon.watched = self.daemon.beaten = -float("inf")
        for page in self.daemon.pages().values():
            await page("127.0.0.1")
        await self.daemon.watch()
        return {"troubles": list(self.daemon.troubled), "failed": dict(+self.daemon.failures)}

    async def found(self, name: str, game: str, scenario: str, seats: dict[str, list[str]], **how: Any) -> None:
        """Begin a game or a war, with whoever plays and, perhaps, a moderator."""
        terms = Terms.from_words(how.get("terms", {}))
        with self.server.work() as tx:
            if how.get("war"):
                name = new_war(tx, NewWar(name, game, scenario, pace=Pace(undo_minutes=0), terms=terms))
            else:
                pace = Pace("Europe/Madrid", undo_minutes=how.get("undo", 0))
                founding.new_game(tx, founding.NewGame(name, game, scenario, pace=pace, terms=terms))
            for seat, (email, language) in seats.items():
                seating.invite_seat(tx, seating.Invitation(name, seat, email, language=language))
                if not how.get("maps"):
                    row = seating.find_seat(tx.session, name, seat)[1]
                    row.format, row.map = "text", "off"
                    tx.session.add(row)
            founding.start_game(tx, name)
            if how.get("moderator"):
                appointment.appoint(tx, appointment.Appointment(name, how["moderator"]))

    async def cup(self, name: str, rules: str, director: str) -> None:
        """Announce a tournament."""
        read = read_rules(rules, f"{name}.toml", tournaments.server_check(self.server, games()))
        with self.server.work() as tx:
            tournaments.create_tournament(tx, tournaments.NewTournament(name, read, CONDUCT, director, "en", games()))

    async def memory(self, drop: bool) -> dict[str, Any]:
        """Say how large this process is, and how many objects of each type it has; perhaps beside bounded caches."""
        for thing in gc.get_objects() if drop else ():
            if isinstance(thing, functools._lru_cache_wrapper) and thing.cache_info().maxsize:
                thing.cache_clear()
            elif isinstance(thing, Memory | Modifiers):
                thing._known.clear()
            elif isinstance(thing, LruCache):
                thing._kept.clear()
                thing._weight = 0
            elif isinstance(thing, Names):
                thing._cache.clear()
            elif isinstance(thing, Edition):
                thing.cache.clear()
        if drop:
            self.server.engine.clear_compiled_cache()
            self.server.caches.states.clear()
        gc.collect()
        with open("/proc/self/status") as status:
            rss = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
        types = Counter(f"{type(thing).__module__}.{type(thing).__qualname__}" for thing in gc.get_objects())
        descriptors = len(os.listdir("/proc/self/fd"))
        return {"rss": rss, "types": types, "descriptors": descriptors, "cpu": time.process_time()}

    async def costs(self, number: int) -> dict[str, list[int]]:
        """Play the first phase of a new game, always the same: statements and steps of SQLite of each act."""
        # A kill that is still to come would be in the midst of what is asked for once.
        name, now, self.doom = f"gauge-{number}", self.server.clock.now(), ""
        seats = {seat: [email, "en"] for seat, email in zip(("spain", "morocco"), GAUGES, strict=True)}
        await self.found(name, "africa1860", "drill", seats)
        await self.daemon.turn()
        with self.server.reading() as tx:
            address = self.server.seat_address(seating.find_seat(tx.session, name, "spain")[1])
        raw = mail(GAUGES[0], address, "ORDERS T1\nPASS\nEND\n", Message_ID=f"<{name}@players.example>", Date=now)
        acts = {
            "letter": lambda: take_and_commit(self.server, ReceivedLetter("gauge", "INBOX", 1, number, now, raw)),
            "closing": lambda: run_due_jobs(self.server),
            "sending": lambda: asyncio.run(outbox_sender.send_due_letters(self.server, self.daemon.send)),
            "idle": lambda: run_due_jobs(self.server) + advance_tournaments(self.server),
        }
        costs = {}
        for act, do in acts.items():
            costs[act] = await self.daemon.run_in_thread(functools.partial(self._count, do))
        with self.server.work() as tx:
            ruling_lines.make_ruling(tx, name, ruling_lines.read_line("ADJUDICATE draw BECAUSE it was measured"))
        await self.daemon.turn()
        return costs

    def _count(self, act: Any) -> list[int]:
        statements = [0]

        def note(*_: Any) -> None:
            statements[0] += 1

        with (
            steps(SimpleNamespace(server=self.server)) as made,
            listening(self.server.engine, before_cursor_execute=note),
        ):
            act()
        return [statements[0], made[0]]

    async def stop(self) -> None:
        """End the connection, as a server does that is told to stop."""
        self.mailbox.close()


async def _answer(service: Service) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        answer = await getattr(service, request.pop("do"))(**request)
        os.write(3, json.dumps(answer).encode() + b"\n")


@contextmanager
def opened(config: Path) -> Any:
    """A server of these settings, alone on its database."""
    settings = assembly.load_settings(config)
    with assembly.hold_database_lock(settings, daemon.ANOTHER, "daemon") as lock:
        assembly.check_database(settings)
        server = assembly.open_server(settings)
        try:
            yield settings, server, lock
        finally:
            server.close()


def main() -> None:
    """Serve requests until they end."""
    with opened(Path(sys.argv[1])) as (settings, server, lock):
        _plant(sys.argv[2], server)
        asyncio.run(_answer(Service(settings, server, lock)))
    os._exit(0)


if __name__ == "__main__":
    main()
