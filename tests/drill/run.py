"""The drill: a daemon that is killed again and again while letters come, over bad lines, and what is left of it.

Each life is a process forked from one that has everything imported: it serves until it reaches a named point for the
n-th time, and then kills itself with SIGKILL, in the middle of whatever it and its other threads do. At the end the
lines are good, the daemon is left alone until all is quiet, and mailboxes and database are compared.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlmodel import col, func, select

from pbem.cli.daemon import Daemon, DaemonSettings
from pbem.cli.local_intake import LocalWay
from pbem.cli.log_output import open_log
from pbem.mail import smtp
from pbem.mail.imap import ImapSettings
from pbem.mail.lmtp import LmtpSettings
from pbem.mail.smtp import SmtpSettings
from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.play.rulings import appointment
from pbem.runtime.clock import Pace
from pbem.runtime.transaction import Server
from pbem.server import local_delivery, mailbox_poller, outbox_sender, scheduler
from pbem.store import tables
from pbem.tournaments import entry
from pbem.tournaments import founding as tournaments
from pbem.tournaments.arithmetic.rules.reading import read_rules
from pbem.tournaments.record import tournament_by_name
from tests.drill.findings import Findings, compare
from tests.drill.letters import SERVER, MailQueue, Seat, Writers
from tests.drill.mail_process import STRANGERS, MailProcess
from tests.drill.plants import PLANTS
from tests.harness.clock import Clock
from tests.harness.server import open_server
from tests.harness.tournament import CONDUCT, DIRECTOR
from tests.machine.quartet import GAMES, registry
from tests.machine.server import EVENT, MODERATOR, OPEN

_OUT = (*outbox_sender.SENDING_POINTS, *smtp.SMTP_POINTS, *scheduler.JOB_POINTS)
POINTS = (*mailbox_poller.POLL_POINTS, *_OUT)
"""Where a daemon can be killed: before and after every commit, and after every step over the network."""
LMTP_POINTS = (*local_delivery.DELIVERY_POINTS, *_OUT)
"""The same where letters come by LMTP."""
OPERATOR = "op@games.example"
ENTRANT = "p1@players.example"
STEP_SECONDS = 90
"""The clock goes on by so much from life to life, so that a letter put off for a minute is due in the next one."""
LIFE = 2.0
"""Seconds after which a daemon that does not reach its point is told to stop; more where others use the machine too."""
BACKLOG = 10


@dataclass
class Plan:
    """How large a drill is; `points` are those at which is killed, each in turn. `real`: with Dovecot and Exim.

    With `lmtp` letters are handed over to the daemon, and no mailbox is read.
    """

    letters: int
    kills: int
    games: int = 12
    seed: int = 1
    plant: str = ""
    points: tuple[str, ...] = POINTS
    limit: float = 600.0
    real: bool = False
    lmtp: bool = False


@dataclass
class Drill:
    """What a drill has done so far; `play` does all of it."""

    folder: Path
    plan: Plan
    hits: Counter[str] = field(default_factory=Counter)
    stops: int = 0
    lives: int = 0
    troubles: list[str] = field(default_factory=list)
    queue: MailQueue | None = None

    def play(self) -> Findings:
        """Kill until the plan is fulfilled, let all come to rest, and compare."""
        began = time.monotonic()
        if self.plan.real:
            # Their letters bear the moment at which they came, by the machine's clock.
            self.clock.set(datetime.now(UTC).replace(microsecond=0))
        seats = self._found()
        users = {SERVER: "judge", OPERATOR: "op"} | {seat.player: "player" for seat in seats}
        users |= {f"s{number}@{STRANGERS}": "stranger" for number in range(1, self.plan.letters + 1)}
        luck = random.Random(self.plan.seed)
        with MailProcess(self.folder, users, self.plan.seed, self.plan.real) as post:
            queue = self.queue = MailQueue(self.socket, luck) if self.plan.lmtp else None
            writers = Writers(seats, self.clock, post.ports.smtp, self.plan.seed, self.plan.letters, queue)
            while sum(self.hits.values()) < self.plan.kills or writers.handed_in < self.plan.letters:
                if time.monotonic() - began > self.plan.limit:
                    self.troubles.append("the time was up")
                    break
                if self._waiting(post) < BACKLOG:
                    writers.write(luck.randint(2, 6), self._turns())
                self.clock.forward(seconds=STEP_SECONDS)
                self._live(post, self._next_point(luck))
            post.calm()
            self._come_to_rest(post, writers)
            stored = {user: post.letters_in(user) for user in users if not user.endswith(STRANGERS)}
            senders = {letter.sender for letter in writers.written.values() if letter.kind == "stranger"}
            stored |= {user: post.letters_in(user) for user in senders}
            names = () if self.plan.lmtp else ("INBOX", "Processed", "Poison")
            folders = {name: post.letters_in(SERVER, name) for name in names}
        returned = queue.returned if queue is not None else []
        for letter in returned:
            again = writers.written.pop(letter.message_id)
            if again.copies > 1:
                writers.written[letter.message_id] = again._replace(copies=again.copies - 1)
        server = open_server(self.folder, games=registry)
        try:
            findings = compare(server, writers.written, stored, folders, len(returned))
        finally:
            server.engine.dispose()
        findings.faults = post.faults
        if queue is not None:
            findings.faults["LMTP no reply heard"] = queue.unheard
        findings.troubles += self.troubles
        findings.seconds = time.monotonic() - began
        findings.hits, findings.lives, findings.stops = self.hits, self.lives, self.stops
        return findings

    @property
    def socket(self) -> Path:
        """Where the daemon takes letters by LMTP."""
        return self.folder / "lmtp.sock"

    def _waiting(self, post: MailProcess) -> int:
        """How many letters are not taken yet."""
        return post.waiting(SERVER) if self.queue is None else len(self.queue.waiting)

    @property
    def clock(self) -> Clock:
        """The clock that all lives read."""
        return Clock(path=self.folder / "clock")

    def _found(self) -> list[Seat]:
        """Games of two players, one with a moderator, and a tournament; the first reports wait in the outbox."""
        server = open_server(self.folder, games=registry)
        seats = []
        with server.work() as work:
            for number in range(self.plan.games):
                game = f"g{number}"
                pace = Pace(undo_minutes=0, grace_hours=24 * 30)
                options = {"turns": "100000"}
                founding.new_game(
                    work, founding.NewGame(name=game, game="toy", scenario="both", options=options, pace=pace)
                )
                for name in ("north", "south"):
                    player = f"{name}{number}@players.example"
                    address = seating.invite_seat(work, seating.Invitation(game=game, seat=name, email=player))
                    seats.append(Seat(game, name, player, address))
                founding.start_game(work, game)
            address = appointment.appoint(work, appointment.Appointment("g0", MODERATOR))
            seats.append(Seat("g0", "moderator", MODERATOR, address))
        rules = read_rules(OPEN, f"{EVENT}.toml", tournaments.server_check(server, GAMES))
        with server.work() as work:
            tournaments.create_tournament(work, tournaments.NewTournament(EVENT, rules, CONDUCT, DIRECTOR, games=GAMES))
            event = tournament_by_name(work.session, EVENT)
            row = entry.enter_person(work, event, entry.EntryRequest(ENTRANT, languages="en"))
            assert row is not None
            seats.append(Seat(EVENT, "director", DIRECTOR, server.director_address(event)))
            seats.append(Seat(EVENT, "entrant", ENTRANT, server.entrant_address(row)))
        server.engine.dispose()
        return seats

    def _turns(self) -> dict[str, int]:
        server = open_server(self.folder, games=registry)
        with server.session() as session:
            phases = session.exec(
                select(tables.Phase.game_id, tables.Phase.turn).where(tables.Phase.state == "open")
            ).all()
        server.engine.dispose()
        return {game: turn for game, turn in phases}

    def _next_point(self, luck: random.Random) -> tuple[str, int]:
        """The point that was hit least, and at which of its times: the later ones are rarer."""
        fewest = min(self.hits[point] for point in self.plan.points)
        point = luck.choice([point for point in self.plan.points if self.hits[point] == fewest])
        return point, luck.choice((1, 1, 1, 2, 3)) if point not in ("connected", "polled") else 1

    def _live(self, post: MailProcess, kill: tuple[str, int] | None, stop: float = LIFE) -> None:
        """One life of the daemon: to the point, or to a clean stop if it is not reached."""
        self.lives += 1
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                self._serve(post, kill)
                code = 0
            finally:
                os._exit(code)
        status = self._ended(pid, stop * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
        if status is None:
            os.kill(pid, signal.SIGTERM)
            status = self._ended(pid, 30.0)
        if status is None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            self.troubles.append("the daemon did not stop when told")
        elif os.waitstatus_to_exitcode(status) == -signal.SIGKILL and kill is not None:
            self.hits[kill[0]] += 1
        elif os.waitstatus_to_exitcode(status) in (0, -signal.SIGTERM):
            # On a busy machine it may be told to stop before it listens for that; it has begun nothing then.
            self.stops += 1
        else:
            self.troubles.append(f"the daemon ended with {os.waitstatus_to_exitcode(status)}")

    def _ended(self, pid: int, seconds: float) -> int | None:
        """How a process ended, None if it does not within so many seconds."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return status
            if self.queue is not None:
                self.queue.hand_over()
            time.sleep(0.005)
        return None

    def _serve(self, post: MailProcess, kill: tuple[str, int] | None) -> None:
        log = os.open(self.folder / "serve.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        sys.stderr = os.fdopen(2, "w", buffering=1)
        if self.plan.plant:
            PLANTS[self.plan.plant](post.ports.smtp)
        server = open_server(self.folder, games=registry)
        imap = ImapSettings(
            host="127.0.0.1", port=post.ports.bad_imap, security="none", user=SERVER, password="judge", timeout=1.0
        )
        way_out = SmtpSettings(host="127.0.0.1", port=post.ports.bad_smtp, security="none", timeout=5.0)
        on_step = outbox_sender.ignore_point if kill is None else Killer(*kill)
        duties = DaemonSettings(imap, way_out, 0.2, look=0.1, at=on_step, claim=self.folder / "mailbox.claim")
        if self.plan.lmtp:
            way_in = LocalWay(LmtpSettings(str(self.socket)), every=0.2, settle=timedelta())
            duties = duties._replace(imap=None, local=way_in)
        asyncio.run(Daemon(server, duties, open_log("json")).run())

    def _come_to_rest(self, post: MailProcess, writers: Writers) -> None:
        """Let the daemon run in peace until nothing is left to do."""
        for _ in range(40):
            self.clock.forward(hours=1)
            # A mailbox is read in batches; letters that are handed over come one by one.
            self._live(post, None, stop=5 * LIFE if self.queue and self.queue.waiting else 0.8)
            # Letters that are neither in the inbox nor in the database do not come back by waiting.
            if not self._queued() and not self._waiting(post):
                return
        self.troubles.append("it did not come to rest")

    def _queued(self) -> int:
        server: Server = open_server(self.folder, games=registry)
        with server.session() as session:
            waiting = select(func.count()).where(col(tables.Outbox.state) == "queued")
            left = session.exec(waiting).one()
        server.engine.dispose()
        return left


class Killer:
    """Kills its own process when a point is reached for the given time."""

    def __init__(self, point: str, times: int) -> None:
        self.point, self.left = point, times

    def __call__(self, point: str) -> None:
        if point == self.point:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
