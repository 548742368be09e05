"""A town whose people play tournaments by letter: a server as it runs, and mailboxes that are lists.

Letters are written, queued, rendered and handed out as with `pbem serve`; between the server and its people stands no
network, and the clock is moved to whatever comes next. Who reads and writes is `people`.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from pbem.cli.rulebooks import game_by_name, games
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL
from pbem.mail.smtp import Envelope, OnReply, SmtpReply
from pbem.play import outage_guard
from pbem.runtime.limits import LIMITS
from pbem.server.intake import ReceivedLetter
from pbem.server.mailbox_poller import take_and_commit
from pbem.server.worker import WorkerTools, run_until_idle
from pbem.store import queries, tables
from pbem.tournaments import clocks, founding
from pbem.tournaments.arithmetic.rules.reading import read_rules
from tests.harness.clock import Clock
from tests.harness.letters import mail
from tests.harness.server import open_server

DIRECTOR = "rosa@players.example"
OURS = "pbem@games.example"
OPERATOR = "op@games.example"
START = datetime.fromisoformat("2030-01-07T09:00:00+00:00")
CONDUCT = "Be kind.\nWrite in time.\n"
_LOOK = timedelta(hours=6)
"""How often the server is let work during an outage: often enough that each of its chores comes round."""


class Unpaged(TextLetters):
    """Letters as text alone: pages cost as much again, and say the same."""

    def page(self, letter: Any, language: str) -> str:
        """No page."""
        return ""


class Written(NamedTuple):
    """A letter that somebody will have written at a moment."""

    at: datetime
    number: int
    sender: str
    to: str
    text: str


Handed = Callable[[Envelope], bool]
"""Whether a letter that the server hands in arrives."""


class Cup(NamedTuple):
    """A tournament of the town: its name and its rules."""

    name: str
    rules: str


class Town:
    """Server, clock, mailboxes.

    `arrives` may lose letters on their way, for whoever wants to see that noticed. During an `outage` (its beginning
    and end) the mailbox cannot be read: letters wait in it, and what the server writes goes out.
    """

    def __init__(
        self,
        folder: Path,
        cups: Sequence[Cup],
        arrives: Handed = lambda _: True,
        outage: tuple[datetime, datetime] | None = None,
    ) -> None:
        self.clock, self._arrives, self.cups = Clock(START), arrives, tuple(cups)
        limits = LIMITS.with_changes({"strangers": 10_000, "at_domain": 10_000, "requests": 500})
        self.server = open_server(
            folder, Unpaged(SENTINEL), clock=self.clock, games=game_by_name, letters_an_hour=10**6, limits=limits
        )
        self.boxes: dict[str, list[bytes]] = defaultdict(list)
        self._coming: list[Written] = []
        self.taken: list[Written] = []
        self._numbers, self._uids = count(), count(1)
        self._runner = asyncio.Runner()
        self._tools = WorkerTools(self._hand_out)
        self._outage = outage
        for cup in self.cups:
            rules = read_rules(cup.rules, f"{cup.name}.toml", founding.server_check(self.server, games()))
            with self.server.work() as tx:
                founding.create_tournament(
                    tx, founding.NewTournament(cup.name, rules, CONDUCT, DIRECTOR, "en", games())
                )

    def close(self) -> None:
        """Close the database."""
        self._runner.close()
        self.server.engine.dispose()

    def write(self, sender: str, to: str, text: str, after: float) -> None:
        """Let somebody write so many hours from now."""
        arrival = self.clock.at + timedelta(hours=after)
        heapq.heappush(self._coming, Written(arrival, next(self._numbers), sender, to, text))

    def rest(self) -> None:
        """Take in what is written by now, do what is due, and hand letters out. Nobody answers at once."""
        if not self.is_cut_off():
            self._take_in()
        self._runner.run(run_until_idle(self.server, self._tools))

    def next_moment(self) -> datetime | None:
        """When anything happens next; None if nothing ever will."""
        with self.server.reading() as tx:
            moments = [queries.schedule.next_moment(tx.session), queries.tournaments.next_wake(tx.session)]
        if self._outage and self.clock.at < self._outage[0]:
            moments.append(self._outage[0])
        elif self._outage:
            # What fell due waits for letters that may have been in time: it has no moment of its own.
            moments = [min(self.clock.at + _LOOK, self._outage[1])]
        if self._coming and not self.is_cut_off():
            moments.append(self._coming[0].at)
        known = [moment for moment in moments if moment is not None]
        return max(min(known), self.clock.at + timedelta(seconds=1)) if known else None

    def is_cut_off(self) -> bool:
        """Whether the mailbox cannot be read."""
        return self._outage is not None and self._outage[0] < self.clock.at < self._outage[1]

    def _take_in(self) -> None:
        """Take the letters in that are written by now, and note that the mailbox was looked at."""
        if self._outage and self.clock.at >= self._outage[1]:
            self._end_outage(self._outage)
        with self.server.work() as tx:
            tx.session.merge(tables.Poll(account="box", folder="INBOX", begun=self.clock.at))
        while self._coming and self._coming[0].at <= self.clock.at:
            letter = heapq.heappop(self._coming)
            self.taken.append(letter)
            # By its number, so that a seed says the same whatever was played before.
            message_id = f"<{letter.number}@players.example>"
            raw = mail(letter.sender, letter.to, letter.text, Date=letter.at, Message_ID=message_id)
            take_and_commit(self.server, ReceivedLetter("box", "INBOX", 1, next(self._uids), self.clock.at, raw))

    def _end_outage(self, outage: tuple[datetime, datetime]) -> None:
        """Do what a poll does that comes after a gap."""
        with self.server.work() as tx:
            outage_guard.handle_polling_gap(tx, outage[0], self.clock.at)
        clocks.handle_gap(self.server, outage[0], self.clock.at)
        self._outage = None

    async def _hand_out(self, envelopes: Sequence[Envelope], on_reply: OnReply) -> None:
        for envelope in envelopes:
            if self._arrives(envelope):
                self.boxes[envelope.recipient].append(envelope.raw)
            await on_reply(SmtpReply(250, "taken", "sent", "data"))
