"""What the players of the drill write: orders, questions, the same letter twice, and strangers among them.

They hand their letters in at the mail server or, where the daemon takes letters by LMTP, at its socket.
"""

from __future__ import annotations

import random
import smtplib
from collections.abc import Mapping
from email.utils import format_datetime
from pathlib import Path
from typing import NamedTuple

from tests.drill.mail_process import STRANGERS
from tests.harness.clock import Clock
from tests.harness.letters import mail

SERVER = "pbem@games.example"


ROLES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "moderator": {"help": ("STATUS", "HISTORY", "PREDICT"), "ruling": ("ANNOUNCE Hello.",)},
    "director": {"help": ("STATUS", "STANDINGS", "DOCKET"), "ruling": ("EXPEL 1 BECAUSE of the season",)},
    "entrant": {"help": ("STATUS", "STANDINGS", "HERE")},
}
"""What those without a seat write: questions, and rulings, of each of which a draft is kept."""


class Seat(NamedTuple):
    """A seat of the drill or a role of `ROLE_FINDERS`, who has it, and its address."""

    game: str
    name: str
    player: str
    address: str


class Written(NamedTuple):
    """A letter as it was handed in: its Message-ID, its kind, its envelope and bytes, how often it was."""

    message_id: str
    kind: str
    sender: str
    recipient: str
    raw: bytes
    copies: int = 1


class MailQueue:
    """The queue of a mail server that hands letters over by LMTP.

    One is repeated until 250 is heard, or a refusal for good, by which it goes back to its sender.
    """

    def __init__(self, socket: Path, luck: random.Random) -> None:
        self.socket = socket
        self.luck = luck
        self.waiting: list[Written] = []
        self.unheard = 0
        """How often a letter was sent whole and no reply was heard."""
        self.returned: list[Written] = []

    def put(self, letter: Written, number: int, date: str) -> None:
        """Put a letter in, with the field that tells one handing in from another."""
        trace = f"Received: from players.example by mx.games.example with ESMTP id q{number}; {date}\r\n"
        self.waiting.append(letter._replace(raw=trace.encode() + letter.raw))

    def hand_over(self) -> None:
        """Try one of the letters."""
        if not self.waiting:
            return
        letter, is_sent = self.luck.choice(self.waiting), False
        try:
            with smtplib.LMTP(str(self.socket), timeout=10) as line:
                line.ehlo_or_helo_if_needed()
                if line.mail(letter.sender)[0] != 250 or line.rcpt(letter.recipient)[0] != 250:
                    return
                if line.docmd("DATA")[0] != 354:
                    return
                line.send(letter.raw.replace(b"\r\n.", b"\r\n..") + b"\r\n.\r\n")
                is_sent = True
                code = 0 if self.luck.random() < 0.1 else line.getreply()[0]
                if code // 100 == 5:
                    self.returned.append(letter)
                elif code != 250:
                    self.unheard += 1
                    line.close()
                    return
        except (OSError, smtplib.SMTPException):
            self.unheard += is_sent
            return
        self.waiting.remove(letter)


class Writers:
    """Hands letters in at the mail server, by a good line: what becomes of them then is for the drill to find out.

    Strangers are among the writers of the first so many letters.
    """

    def __init__(
        self, seats: list[Seat], clock: Clock, port: int, seed: int, strangers: int, queue: MailQueue | None = None
    ) -> None:
        self.queue = queue
        self.seats = seats
        self.clock = clock
        self.port = port
        self.luck = random.Random(seed)
        self.strangers = strangers
        self.written: dict[str, Written] = {}
        self.handed_in = 0

    def write(self, count: int, turns: Mapping[str, int]) -> None:
        """Write some letters; `turns` says which turn it is in each game."""
        for _ in range(count):
            letter = self._next(turns)
            self._hand_in(letter)
            self.written[letter.message_id] = letter
            self.handed_in += 1

    def _hand_in(self, letter: Written) -> None:
        if self.queue is not None:
            self.queue.put(letter, self.handed_in, format_datetime(self.clock.now()))
            return
        with smtplib.SMTP("127.0.0.1", self.port) as door:
            door.sendmail(letter.sender, [letter.recipient], letter.raw)

    def _next(self, turns: Mapping[str, int]) -> Written:
        number = self.handed_in + 1
        dice = self.luck.random()
        seat = self.seats[number % len(self.seats)]
        written = ROLES.get(seat.name)
        if dice < 0.06 and number <= self.strangers:
            return self._letter("stranger", f"s{number}@{STRANGERS}", SERVER, "Who are you?\n", number)
        if dice < 0.16 and (earlier := [letter for letter in self.written.values() if letter.kind != "stranger"]):
            again = self.luck.choice(earlier)
            return again._replace(copies=again.copies + 1)
        if written is not None:
            kind = self.luck.choice(sorted(written))
            return self._letter(kind, seat.player, seat.address, f"{self.luck.choice(written[kind])}\n", number)
        if dice < 0.28:
            return self._letter("help", seat.player, seat.address, "HELP\n", number)
        return self._letter("orders", seat.player, seat.address, f"ORDERS T{turns[seat.game]}\nPASS\nEND\n", number)

    def _letter(self, kind: str, sender: str, recipient: str, text: str, number: int) -> Written:
        name = f"<drill-{number}@players.example>"
        date = format_datetime(self.clock.now())
        return Written(name, kind, sender, recipient, mail(sender, recipient, text, Message_ID=name, Date=date))
