"""The world of the demo: mailboxes, a server over them, and a clock that is moved by hand.

Letters go both ways by SMTP and are read by IMAP, as with `pbem serve`; but nobody waits: as soon as everything has
come to rest the clock is moved to whatever comes next, a deadline or a letter that somebody will write.
"""

from __future__ import annotations

import asyncio
import heapq
import secrets
import smtplib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from pbem.cli.assembly import open_server, settings
from pbem.cli.setting_files import write_key
from pbem.mail.embedded import EmbeddedMail
from pbem.mail.imap import ImapMailbox, ImapSettings
from pbem.mail.smtp import Envelope, SmtpSettings, Told, send_all
from pbem.runtime.transaction import Server
from pbem.server.mailbox_poller import InboundPump
from pbem.server.worker import Tools, turn
from pbem.store import queries

DOMAIN = "demo.test"
_OURS = f"pbem@{DOMAIN}"
_AT_REST = 200
"""Rounds of letters and answers at one moment, past which something goes in circles."""


class HandClock:
    """A clock that stands still until it is moved; never back."""

    def __init__(self, begins: datetime) -> None:
        self._now = begins

    def now(self) -> datetime:
        """The moment, aware, in UTC."""
        return self._now

    def move(self, to: datetime) -> None:
        """Go on to a moment; one that is past changes nothing."""
        self._now = max(self._now, to)


class Sent(NamedTuple):
    """A letter that somebody will have written at a moment: envelope sender, recipient, bytes."""

    at: datetime
    number: int
    sender: str
    recipient: str
    raw: bytes


class World:
    """Mailboxes, server and clock; all is ended with the block, and letters and database stay in `folder`."""

    def __init__(self, folder: Path, people: Sequence[str], clock: HandClock) -> None:
        self.folder = folder
        self.clock = clock
        self.passwords: Mapping[str, str] = {
            address: secrets.token_urlsafe(12) for address in (_OURS, f"operator@{DOMAIN}", *people)
        }
        self.mail = EmbeddedMail(self.passwords, clock=clock.now, keep=folder / "letters")
        self.config = folder / "pbem.toml"
        self._coming: list[Sent] = []
        self._numbers = count()
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._open.enter_context(self.mail)
        self.config.write_text(self._settings(), "utf-8")
        for name in ("pbem.key", "log.key", "dice.key"):
            write_key(self.folder / name)
        server = open_server(settings(self.config))
        # A clock that skips days would leave whoever draws maps behind: letters go without.
        self.server: Server = replace(server, clock=self.clock, artist=None, stories=None)
        self._open.callback(self.server.close)
        mailbox = ImapMailbox(
            ImapSettings(
                host=self.mail.host,
                port=self.mail.imap_port,
                security="none",
                user=_OURS,
                password=self.passwords[_OURS],
            )
        )
        self._open.callback(mailbox.close)
        self._runner = self._open.enter_context(asyncio.Runner())
        self._pump = InboundPump(self.server, mailbox)
        way = SmtpSettings(host=self.mail.host, port=self.mail.smtp_port, security="none")
        self._tools = Tools(partial(_hand_in, way))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def write(self, at: datetime, sender: str, recipient: str, raw: bytes) -> None:
        """Let somebody's letter be handed in at a moment, or at once if it is past."""
        heapq.heappush(self._coming, Sent(at, next(self._numbers), sender, recipient, raw))

    def letters(self, address: str) -> Path:
        """The folder in which every letter to an address is kept, in the order of arrival."""
        return self.folder / "letters" / address

    def letter(self, address: str, number: int) -> bytes | None:
        """The letter of a number, counted from 1, to an address; None if it has not come yet."""
        path = self.letters(address) / f"{number:06d}.eml"
        return path.read_bytes() if path.is_file() else None

    def rest(self) -> None:
        """Hand in what is written by now, take it in, do what is due and send, until nothing happens any more."""
        for _ in range(_AT_REST):
            handed = self._hand_in()
            taken = self._take_in()
            self._runner.run(turn(self.server, self._tools))
            if not handed and not taken and not self._is_due():
                return
        raise RuntimeError(f"letters go in circles at {self.clock.now().isoformat()}")

    def next_moment(self) -> datetime | None:
        """When anything happens next; None if nothing ever will."""
        with self.server.reading() as work:
            moments = [queries.dues.next_moment(work.session), queries.tournaments.next_wake(work.session)]
        if self._coming:
            moments.append(self._coming[0].at)
        known = [moment for moment in moments if moment is not None]
        # What is due and waits for a poll of the mailbox is done by the next one.
        return max(min(known), self.clock.now() + timedelta(seconds=1)) if known else None

    def _is_due(self) -> bool:
        return bool(self._coming) and self._coming[0].at <= self.clock.now()

    def _hand_in(self) -> int:
        """Hand in by SMTP what is written by now."""
        if not self._is_due():
            return 0
        handed = 0
        with smtplib.SMTP(self.mail.host, self.mail.smtp_port, timeout=10) as way:
            while self._is_due():
                letter = heapq.heappop(self._coming)
                way.sendmail(letter.sender, [letter.recipient], letter.raw)
                handed += 1
        return handed

    def _take_in(self) -> int:
        """Poll the mailbox until nothing waits in it."""
        taken = self._pump.step().taken
        while self._pump.waiting:
            taken += self._pump.step().taken
        return taken

    def _settings(self) -> str:
        way = f'host = "{self.mail.host}"\nsecurity = "none"\n'
        return (
            f'[server]\naddress = "{_OURS}"\noperator = "operator@{DOMAIN}"\nletters_an_hour = 10000\n\n'
            f'[imap]\n{way}port = {self.mail.imap_port}\nuser = "{_OURS}"\npassword = "{self.passwords[_OURS]}"\n\n'
            f"[smtp]\n{way}port = {self.mail.smtp_port}\n"
        )


async def _hand_in(way: SmtpSettings, envelopes: Sequence[Envelope], told: Told) -> None:
    await send_all(way, envelopes, told=told)
