"""A town whose people play a tournament by letter: a server as it runs, and mailboxes that are lists.

Letters are written, queued, rendered and handed out as with `pbem serve`; between the server and its people stands no
network, and the clock is moved to whatever comes next. Who reads and writes is `people`.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from pbem.cli.rulebooks import games, registry
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL
from pbem.mail.smtp import Envelope, OnReply, Reply
from pbem.runtime.limits import LIMITS
from pbem.server.intake import Received
from pbem.server.mailbox_poller import take_and_commit
from pbem.server.worker import Tools, run_turn
from pbem.store import queries, tables
from pbem.tournaments import founding
from pbem.tournaments.arithmetic.rules.reading import read_rules
from tests.harness.clock import Clock
from tests.harness.letters import mail
from tests.harness.server import open_server

NAME = "cup60"
DIRECTOR = "rosa@players.example"
OURS = "pbem@games.example"
OPERATOR = "op@games.example"
START = datetime.fromisoformat("2030-01-07T09:00:00+00:00")
CONDUCT = "Be kind.\nWrite in time.\n"


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


class Town:
    """Server, clock, mailboxes. `arrives` may lose letters on their way, for whoever wants to see that noticed."""

    def __init__(self, folder: Path, rules: str, arrives: Handed = lambda _: True) -> None:
        self.clock, self._arrives = Clock(START), arrives
        limits = LIMITS.with_changes({"strangers": 10_000, "at_domain": 10_000, "requests": 500})
        self.server = open_server(
            folder, Unpaged(SENTINEL), clock=self.clock, games=registry, letters_an_hour=10**6, limits=limits
        )
        self.boxes: dict[str, list[bytes]] = defaultdict(list)
        self.handed: Counter[tuple[str, bytes]] = Counter()
        self._coming: list[Written] = []
        self.taken: list[Written] = []
        self._numbers, self._uids = count(), count(1)
        self._runner = asyncio.Runner()
        self._tools = Tools(self._hand_out)
        read = read_rules(rules, f"{NAME}.toml", founding.server_check(self.server, games()))
        with self.server.work() as work:
            founding.create_tournament(work, founding.NewTournament(NAME, read, CONDUCT, DIRECTOR, "en", games()))

    def close(self) -> None:
        """Close the database."""
        self._runner.close()
        self.server.engine.dispose()

    def write(self, sender: str, to: str, text: str, after: float) -> None:
        """Let somebody write so many hours from now."""
        at = self.clock.at + timedelta(hours=after)
        heapq.heappush(self._coming, Written(at, next(self._numbers), sender, to, text))

    def rest(self) -> None:
        """Take in what is written by now, do what is due, and hand letters out. Nobody answers at once."""
        self._take_in()
        self._runner.run(run_turn(self.server, self._tools))

    def next_moment(self) -> datetime | None:
        """When anything happens next; None if nothing ever will."""
        with self.server.reading() as work:
            moments = [queries.schedule.next_moment(work.session), queries.tournaments.next_wake(work.session)]
        moments += [self._coming[0].at] if self._coming else []
        known = [moment for moment in moments if moment is not None]
        return max(min(known), self.clock.at + timedelta(seconds=1)) if known else None

    def _take_in(self) -> None:
        """Take the letters in that are written by now, and note that the mailbox was looked at."""
        with self.server.work() as work:
            work.session.merge(tables.Poll(account="box", folder="INBOX", begun=self.clock.at))
        while self._coming and self._coming[0].at <= self.clock.at:
            one = heapq.heappop(self._coming)
            self.taken.append(one)
            # By its number, so that a seed says the same whatever was played before.
            raw = mail(one.sender, one.to, one.text, Date=one.at, Message_ID=f"<{one.number}@players.example>")
            take_and_commit(self.server, Received("box", "INBOX", 1, next(self._uids), self.clock.at, raw))

    async def _hand_out(self, envelopes: Sequence[Envelope], told: OnReply) -> None:
        for one in envelopes:
            if self._arrives(one):
                self.boxes[one.recipient].append(one.raw)
            await told(Reply(250, "taken", "sent", "data"))
