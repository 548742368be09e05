"""Workers on one PostgreSQL who are killed at random while many games fall due, and what is left of it."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import structlog
from sqlmodel import col, func, select

from pbem.log import log_check, log_health
from pbem.mail.smtp import Envelope, OnReply, SmtpReply
from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.runtime.signed_tree import SignedTreeRecord
from pbem.runtime.transaction import WORKER_PREFIX, Server
from pbem.server.worker import WorkerTools, work_until
from pbem.store import migrations, tables
from pbem.store.engine import open_engine
from pbem.store.external_record import FileRecord, RowRecord
from tests.harness.game import ANN, BOB, CALM, PlayedGame
from tests.harness.letters import mail
from tests.harness.server import SECRETS, changed

AT_ONCE = 5
"""Letters that may go out twice when who sends them is killed."""
SPEED = 60
"""A second of a drill is a minute of its games: what a dead worker held is free after two seconds."""


class Where(NamedTuple):
    """The folder of a house, its database, and another in which it is remembered what was signed last.

    Without the first it is a file of the house, without the other too.
    """

    folder: Path
    url: str = ""
    beside: str = ""

    @property
    def sent(self) -> Path:
        """The file with the Message-ID of each letter that went out."""
        return self.folder / "sent"

    def signed(self) -> SignedTreeRecord:
        """What was signed last, as each process opens it for itself."""
        if self.beside:
            return SignedTreeRecord(RowRecord(open_engine(self.beside), SECRETS.log.name))
        return SignedTreeRecord(FileRecord(self.folder / "log.signed"))


@dataclass(frozen=True)
class Plan:
    """How many games fall due, for how many workers, and the seconds between two kills; 0 for none."""

    games: int
    workers: int
    between: float = 0.3
    seed: int = 1
    limit: float = 300.0


@dataclass(frozen=True)
class Found:
    """What came of it: the seconds, kills, how often each letter went out, what the log's check says, the phases."""

    seconds: float
    kills: int
    sent: Counter[str]
    wrong: tuple[str, ...]
    leaves: int
    digests: dict[str, str]
    resolved: Counter[str]
    queued: int

    def faults(self, games: int) -> list[str]:
        """What is not as it should be."""
        often = {name: count for name, count in self.resolved.items() if count != 1}
        twice = sum(count - 1 for count in self.sent.values())
        faults = (
            (self.wrong, f"the log: {self.wrong}"),
            (often, f"resolved more than once: {often}"),
            (len(self.resolved) != games, f"{len(self.resolved)} of {games} games were resolved"),
            (len(self.sent) != 3 * games, f"{len(self.sent)} letters and not {3 * games}"),
            (self.queued, f"{self.queued} letters were not sent"),
            (twice > AT_ONCE * self.kills, f"{twice} letters went out twice, for {self.kills} kills"),
        )
        return [fault for wrong, fault in faults if wrong]


class Fast:
    """A clock that all processes share, and that goes faster than the machine's."""

    def __init__(self, begin: datetime) -> None:
        self._begin, self._since = begin, time.monotonic()

    def now(self) -> datetime:
        return self._begin + timedelta(seconds=SPEED * (time.monotonic() - self._since))


def prepared(where: Where, games: int) -> PlayedGame:
    """A house in which so many games have all their orders."""
    engine = open_engine(where.url) if where.url else None
    if engine is not None:
        migrations.upgrade(engine)
    house = PlayedGame(where.folder, engine=engine, undo_minutes=0)
    server = house.server
    for number in range(2, games + 1):
        name = f"g{number}"
        with server.work() as work:
            pace = Pace(hour=20, undo_minutes=0)
            founding.new_game(work, founding.NewGame(name=name, game="toy", scenario="turns", pace=pace, terms=CALM))
            for seat, who in (("north", ANN), ("south", BOB)):
                seating.invite_seat(work, seating.Invitation(game=name, seat=seat, email=who))
            founding.start_game(work, name)
    house.sent()
    house.server = server = changed(server, signed=where.signed())
    log_health.begin(server)
    with server.session() as session:
        seats = session.exec(select(tables.Seat).where(tables.Seat.name == "north").order_by(col(tables.Seat.id))).all()
    for number, sitting in enumerate(seats):
        orders = f"ORDERS T1\nMOVE {('Ant TO s2', 'Bee TO s3')[number % 2]}\nEND\n"
        raw = mail(ANN, server.seat_address(sitting), orders, Message_ID=f"<{sitting.game_id}@players.example>")
        assert house.receive(raw).outcome == "receipt"
    return house


def play(plan: Plan, house: PlayedGame, where: Where) -> Found:
    """Let workers work and be killed until nothing is left to be done."""
    began, dice = time.monotonic(), random.Random(plan.seed)
    server = replace(house.server, clock=Fast(house.clock.now()))
    server.engine.dispose()
    living = [_begin(server, where, number) for number in range(plan.workers)]
    kills, before = 0, (0, 0)
    try:
        while any(left := _left(server, plan)):
            if time.monotonic() - began > plan.limit:
                raise TimeoutError("the workers do not come to an end")
            time.sleep(plan.between or 0.1)
            # However slow the machine is: whoever is killed has had somebody do something since the last kill.
            if plan.between and left != before:
                before = left
                victim = dice.randrange(len(living))
                _end(living[victim], signal.SIGKILL)
                kills += 1
                living[victim] = _begin(server, where, plan.workers + kills)
        seconds = time.monotonic() - began
    finally:
        for process in living:
            _end(process, signal.SIGTERM)
    return _look(server, where.sent, seconds, kills)


def _look(server: Server, sink: Path, seconds: float, kills: int) -> Found:
    checked = log_check.check(server)
    with server.reading() as work:
        rows = work.session.exec(select(tables.Phase).where(tables.Phase.state == "resolved")).all()
        queued = work.session.exec(select(func.count()).where(tables.Outbox.state == "queued")).one()
        names = set(work.session.exec(select(tables.Outbox.message_id)))
    sent = Counter(sink.read_text().split())
    assert sent.keys() <= names
    resolved = Counter(row.game_id for row in rows)
    return Found(seconds, kills, sent, checked.wrong, checked.leaves, digests(server), resolved, queued)


def digests(server: Server) -> dict[str, str]:
    """What happened in the first phase of each game, as a digest."""
    with server.reading() as work:
        first = select(tables.Phase).where(tables.Phase.number == 1)
        return {row.game_id: row.events_digest or "" for row in work.session.exec(first)}


def _left(server: Server, plan: Plan) -> tuple[int, int]:
    """How many games are still to be resolved, and how many letters to be sent."""
    with server.reading() as work:
        first = select(func.count()).where(tables.Phase.number == 1, tables.Phase.state == "resolved")
        waits = select(func.count()).where(tables.Outbox.state == "queued")
        return plan.games - work.session.exec(first).one(), work.session.exec(waits).one()


def _begin(server: Server, where: Where, number: int) -> int:
    """A worker in a process of its own, until it is told to end."""
    pid = os.fork()
    if pid:
        return pid
    try:
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
        mine = changed(
            server, engine=open_engine(where.url), signed=where.signed(), owner=f"{WORKER_PREFIX}{number}", shared=True
        )
        asyncio.run(_work(mine, where.sent))
    finally:
        os._exit(0)


async def _work(server: Server, sink: Path) -> None:
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)

    async def send(envelopes: Sequence[Envelope], on_reply: OnReply) -> None:
        for envelope in envelopes:
            name = next(line for line in envelope.raw.splitlines() if line.lower().startswith(b"message-id:"))
            with sink.open("ab") as file:
                file.write(name.split(b":", 1)[1].strip() + b"\n")
            await on_reply(SmtpReply(250, "taken", "sent", "data"))

    await work_until(server, WorkerTools(send, look=0.05), stopped)


def _end(pid: int, by: Any) -> None:
    os.kill(pid, by)
    os.waitpid(pid, 0)
