"""A tournament that workers on one PostgreSQL carry on, one of whom is killed now and then: is all of it done once?

They share a clock in a file, which is moved to whatever comes next as soon as nothing is left to do. Games are ended
meanwhile by a process of its own, as their players would end them.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import col, func, select

from pbem.log import log_check, log_health
from pbem.log.sequencer import Noted
from pbem.mail.smtp import Envelope, OnReply, SmtpReply
from pbem.runtime.transaction import WORKER_PREFIX, Server
from pbem.server.worker import WorkerTools, work_until
from pbem.store import migrations, queries, tables
from pbem.store.engine import open_engine
from pbem.tournaments import entry
from pbem.tournaments.record import tournament_by_name
from tests.harness.clock import Clock
from tests.harness.letters import text_of
from tests.harness.server import changed
from tests.harness.tournament import CUP, PlayedTournament, names, subject, with_values
from tests.workers.run import AT_ONCE, Where

_STRIDE = timedelta(seconds=20)


@dataclass(frozen=True)
class EventPlan:
    """How many enter, how many rounds they play, and how many workers there are.

    So many of these are killed at `most`, at random moments up to so many seconds `between` two.
    """

    entrants: int = 9
    rounds: int = 2
    workers: int = 2
    between: float = 0.4
    seed: int = 1
    limit: float = 600.0
    most: int = 12


@dataclass(frozen=True)
class EventFound:
    """What came of it: seconds, kills, what is wrong, how many letters went out, how many of them twice."""

    seconds: float
    kills: int
    wrong: tuple[str, ...]
    letters: int
    twice: int


def drilled(plan: EventPlan, where: Where) -> EventFound:
    """Let workers carry a tournament on to its prizes, and look at what is left."""
    began, dice = time.monotonic(), random.Random(plan.seed)
    hall, clock = _prepared(plan, where)
    living = [_begin(hall.server, where, number) for number in range(plan.workers)]
    kills, before = 0, (-1, -1)
    try:
        while hall.event.state in ("open", "playing"):
            if time.monotonic() - began > plan.limit:
                state = [(round_.name, round_.state) for round_ in hall.rounds()]
                raise TimeoutError(f"the workers do not come to an end: {_left(hall)}, {kills} killed, {state}")
            time.sleep(dice.uniform(0.02, plan.between))
            left = _left(hall)
            if not any(left):
                _go_on(hall, clock)
            elif kills < plan.most and left != before:
                # However slow the machine is: whoever is killed has had somebody do something since the last kill.
                before, victim = left, dice.randrange(len(living))
                _end(living[victim], signal.SIGKILL)
                kills += 1
                living[victim] = _begin(hall.server, where, plan.workers + kills)
            else:
                # What a dead worker had taken on is free after two minutes.
                _go_to(hall, clock, clock.now() + _STRIDE)
        while any(_left(hall)):
            _go_to(hall, clock, clock.now() + _STRIDE)
            time.sleep(0.1)
    finally:
        for process in living:
            _end(process, signal.SIGTERM)
    sent = Counter(where.sent.read_text().split())
    twice = sum(sent.values()) - len(sent)
    wrong = (*_wrong(plan, hall), *_unsent(hall, sent))
    if twice > AT_ONCE * kills:
        wrong += (f"{twice} letters went out twice, for {kills} kills",)
    hall.server.engine.dispose()
    return EventFound(time.monotonic() - began, kills, wrong, len(sent), twice)


def _prepared(plan: EventPlan, where: Where) -> tuple[PlayedTournament, Clock]:
    """A tournament that many have entered, whose list is about to shut."""
    engine = open_engine(where.url)
    migrations.upgrade(engine)
    hall = PlayedTournament(
        where.folder, with_values(CUP, places=str(plan.entrants), rounds=str(plan.rounds)), engine=engine
    )
    clock = Clock(path=where.folder / "clock")
    clock.set(hall.clock.at)
    hall.server = changed(hall.server, clock=clock, signed=where.signed())
    with hall.server.work() as work:
        for who in names(plan.entrants):
            entry.enter_person(work, tournament_by_name(work.session, hall.name), entry.EntryRequest(who))
    log_health.begin(hall.server)
    hall.sent()
    where.sent.touch()
    return hall, clock


def _left(hall: PlayedTournament) -> tuple[int, int]:
    """How many things are due, and how many letters are to be sent."""
    now = hall.server.clock.now()
    with hall.server.reading() as work:
        session = work.session
        due = session.exec(select(func.count()).where(tables.Due.at <= now)).one()
        due += session.exec(select(func.count()).where(col(tables.Tournament.wake) <= now)).one()
        return due, session.exec(select(func.count()).where(tables.Outbox.state == "queued")).one()


def _go_on(hall: PlayedTournament, clock: Clock) -> None:
    """End the games that are played, or where there are none let the clock go on to what comes next."""
    playing = [board.game_id for board in hall.boards() if board.state == "playing" and board.game_id]
    for game in playing:
        hall.end(game, "concede morocco")
    if not playing and (moment := _next(hall)) is not None:
        _go_to(hall, clock, max(moment, clock.now()))


def _go_to(hall: PlayedTournament, clock: Clock, moment: datetime) -> None:
    """Set the clock, and the mailbox as read at that moment; tournaments wait while it was not read for hours."""
    with hall.server.work() as work:
        work.session.merge(tables.Poll(account="box", folder="INBOX", begun=moment))
    clock.set(moment)


def _next(hall: PlayedTournament) -> datetime | None:
    with hall.server.reading() as work:
        moments = (queries.schedule.next_moment(work.session), queries.tournaments.next_wake(work.session))
    return min((moment for moment in moments if moment is not None), default=None)


def _begin(server: Server, where: Where, number: int) -> int:
    """A worker in a process of its own, until it is told to end."""
    server.engine.dispose(close=False)
    pid = os.fork()
    if pid:
        return pid
    try:
        mine = changed(
            server, engine=open_engine(where.url), signed=where.signed(), owner=f"{WORKER_PREFIX}{number}", shared=True
        )
        asyncio.run(_work(mine, where))
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        os._exit(0)


async def _work(server: Server, where: Where) -> None:
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)

    async def send(envelopes: Sequence[Envelope], on_reply: OnReply) -> None:
        for envelope in envelopes:
            match = re.search(rb"^Message-ID:\s*(\S+)", envelope.raw, re.MULTILINE | re.IGNORECASE)
            with where.sent.open("ab") as file:
                file.write((match[1] if match else b"?") + b"\n")
            await on_reply(SmtpReply(250, "taken", "sent", "data"))

    await work_until(server, WorkerTools(send, look=0.05), stopped)


def _end(pid: int, by: signal.Signals) -> None:
    os.kill(pid, by)
    os.waitpid(pid, 0)


def _wrong(plan: EventPlan, hall: PlayedTournament) -> Iterator[str]:
    """What was done twice or not at all: rounds, tables, leaves, letters of rounds."""
    yield from (f"the log: {fault}" for fault in log_check.check(hall.server).wrong)
    if hall.event.state != "over":
        yield f"it is {hall.event.state}: {hall.event.held_why}"
    leaves = [Noted(row.seq, row.kind, row.phase, row.body, row.says) for row in hall.leaves()]
    if [leaf.seq for leaf in leaves] != list(range(len(leaves))):
        yield "its leaves have a gap"
    for number in range(1, plan.rounds + 1):
        mine = [leaf for leaf in leaves if leaf.kind in ("shut", "lot", "pair") and leaf("round") == f"r{number}"]
        counted = Counter(leaf.kind for leaf in mine)
        boards = (plan.entrants + 1) // 2
        if (counted["shut"], counted["lot"], counted["pair"]) != (1, 1, boards):
            yield f"round {number}: {dict(counted)}"
        tables_by_entrant = Counter(
            entrant for board in hall.boards(number) for entrant in (board.first, board.second) if entrant
        )
        if tables_by_entrant != Counter(range(1, plan.entrants + 1)):
            yield f"round {number} has {dict(tables_by_entrant)}"
    with hall.server.session() as session:
        opened = Counter(row.game_id for row in session.exec(select(tables.Phase).where(tables.Phase.number == 1)))
        if len(opened) != plan.rounds * (plan.entrants // 2) or {*opened.values()} != {1}:
            yield f"tables that were opened: {dict(opened)}"
        rows = session.exec(select(tables.Outbox)).all()
    for who in names(plan.entrants):
        # What a round begins and ends with may stand in a letter of its game.
        letters = [f"{subject(row)}\n{text_of(row)}" for row in rows if row.recipient == who]
        for number in range(1, plan.rounds + 1):
            # The last letter of all has the results of the last round; it may be one with the end of the game.
            last = number == plan.rounds
            over = f"{re.escape(hall.event.title)} is over" if last else rf"round {number} is over"
            for what in (rf"the list of round {number}\b", rf"Round {number}: you", over):
                count = sum(bool(re.search(what, letter)) for letter in letters)
                if count != 1:
                    yield f"{who} has {count} letters: {what}"


def _unsent(hall: PlayedTournament, sent: Counter[str]) -> Iterator[str]:
    """Letters that did not go out."""
    with hall.server.session() as session:
        rows = session.exec(select(tables.Outbox)).all()
    overtaken = queries.outbox.OVERTAKEN
    wanted = {row.message_id for row in rows if not row.last_text.startswith(overtaken)}
    # What was written while the tournament was prepared nobody was to send.
    before = {row.message_id for row in rows if row.created <= hall.event.created}
    yield from (f"a letter never went out: {name}" for name in sorted(wanted - sent.keys() - before))
