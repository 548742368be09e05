"""A server with all its parts in one process: mailbox, outbox, clock and keys, and a kill at any named point.

After a kill the process begins again from its database; what was under way is not told of it, as in life.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sqlmodel import select

from pbem.mail.imap import FetchedLetter, ImapSettings, MailboxDown, WaitingLetter
from pbem.mail.smtp import Envelope, SmtpReply
from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.play.rulings import appointment, ruling_lines
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Server
from pbem.server import mailbox_poller, outbox_sender
from pbem.server.scheduler import JOB_POINTS as TICKS
from pbem.server.scheduler import run_due_jobs
from pbem.tournaments import founding as tournaments
from pbem.tournaments import running
from pbem.tournaments.arithmetic.rules.reading import read_rules
from tests.harness.clock import Clock
from tests.harness.server import open_server
from tests.harness.tournament import CONDUCT, CUP, DIRECTOR, with_values
from tests.machine.model import TURNS
from tests.machine.quartet import GAMES, SIDES, Quartet, registry

RULED = "ruled"
POINTS = (*mailbox_poller.POLL_POINTS, *outbox_sender.SENDING_POINTS, *TICKS, *running.POINTS, RULED)
"""Where a kill can fall; `ruled` is in the open transaction of a ruling from the command line."""
GAME, EVENT = "g1", "cup60"
MODERATOR = "mo@rulings.example"
OPEN = with_values(CUP, closes='"2030-02-01"')
"""A tournament that entrants may enter for as long as a machine runs."""

T = TypeVar("T")


class Killed(BaseException):
    """The process ends here."""


class Lying(NamedTuple):
    """A letter in the mailbox: when it arrived, and its bytes."""

    at: datetime
    raw: bytes


class Box:
    """A mailbox that outlives the process that reads it, and gives its letters one by one."""

    def __init__(self, clock: Clock) -> None:
        self.settings = ImapSettings(host="mail.example", port=1, user="pbem", password="x")
        self.is_connected, self.down, self.clock = False, False, clock
        self.lying: dict[int, Lying] = {}
        self.came = 0

    def put(self, raw: bytes) -> int:
        self.came += 1
        self.lying[self.came] = Lying(self.clock.now(), raw)
        return self.came

    def connect(self) -> None:
        self._weather()
        self.is_connected = True

    def new_uids(self, after_uid: int = 0) -> list[int]:
        self._weather()
        return list(self.lying)[:1]

    def look(self, uids: Sequence[int]) -> list[WaitingLetter]:
        self._weather()
        return [WaitingLetter(uid, len(self.lying[uid].raw), self.lying[uid].at, b"") for uid in uids]

    def fetch(self, letters: Sequence[WaitingLetter]) -> list[FetchedLetter]:
        self._weather()
        return [
            FetchedLetter(letter.uid, 7, letter.internaldate, self.lying[letter.uid].raw, letter.size)
            for letter in letters
        ]

    def move(self, uids: Sequence[int], folder: str) -> None:
        self._weather()
        for uid in uids:
            self.lying.pop(uid, None)

    def _weather(self) -> None:
        if self.down:
            self.is_connected = False
            raise MailboxDown("connection refused")


class Host:
    """A game of four that has begun, with a moderator, and a tournament; the parts of the server that work on them."""

    def __init__(self, folder: Path, terms: Terms, pace: Pace, begins: datetime) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.doom, self.kills, self.refusing = folder, "", 0, False
        self.clock = Clock(path=folder / "clock")
        self.clock.set(begins)
        self.box = Box(self.clock)
        self.delivered: list[Envelope] = []
        self.addresses: dict[str, str] = {}
        self._begin()
        with self.server.work() as work:
            wanted = founding.NewGame(
                name=GAME, game=Quartet.name, scenario="turns", options={"turns": str(TURNS)}, pace=pace, terms=terms
            )
            founding.new_game(work, wanted)
        for seat in SIDES:
            with self.server.work() as work:
                self.addresses[seat] = seating.invite_seat(
                    work, seating.Invitation(game=GAME, seat=seat, email=f"{seat}@players.example")
                )
        with self.server.work() as work:
            founding.start_game(work, GAME)
            appointment.appoint(work, appointment.Appointment(GAME, MODERATOR))
        rules = read_rules(OPEN, f"{EVENT}.toml", tournaments.server_check(self.server, GAMES))
        with self.server.work() as work:
            tournaments.create_tournament(work, tournaments.NewTournament(EVENT, rules, CONDUCT, DIRECTOR, games=GAMES))

    def _begin(self) -> None:
        """The process begins."""
        self.server: Server = open_server(self.folder, games=registry)
        self.box.is_connected = False
        self.pump = mailbox_poller.MailboxPoller(self.server, self.box, self.at)

    def close(self) -> None:
        self.server.engine.dispose()

    def at(self, point: str) -> None:
        """Reach a point; if it is the one that was named, the process dies there."""
        if point == self.doom:
            self.doom = ""
            raise Killed

    def living(self, work: Callable[[], T]) -> T:
        """Run something; killed on the way, once more in another process."""
        try:
            return work()
        except Killed:
            self.kills += 1
            self.close()
            self._begin()
            return work()

    def poll(self) -> None:
        """One letter of the mailbox is taken in and moved away, if there is one and the mailbox can be reached."""
        self.living(self.pump_once)

    def pump_once(self) -> None:
        self.pump.step()

    def tick(self) -> None:
        self.living(lambda: run_due_jobs(self.server, self.at))
        self.living(lambda: running.advance_tournaments(self.server, self.at))

    def drain(self) -> list[Envelope]:
        """Send what is due; the letters that went out, those that went out twice counted twice."""
        before = len(self.delivered)
        self.living(lambda: asyncio.run(outbox_sender.send_due_letters(self.server, self._send, on_step=self.at)))
        return self.delivered[before:]

    async def _send(self, envelopes: Any, report: Any) -> None:
        for envelope in envelopes:
            if self.refusing:
                await report(SmtpReply(0, "connection refused", "again", "connection"))
            else:
                self.delivered.append(envelope)
                await report(SmtpReply(250, "ok", "sent", "data"))

    def rule(self, line: str) -> None:
        """A ruling from the command line; raise UserError on refusal."""

        def made() -> None:
            with self.server.work() as work:
                ruling_lines.make_ruling(work, GAME, ruling_lines.read_line(line))
                self.at(RULED)

        self.living(made)

    def all(self, table: Any) -> list[Any]:
        with self.server.session() as session:
            return list(session.exec(select(table)).all())
