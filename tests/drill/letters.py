"""What the players of the drill write: orders, questions, the same letter twice, and strangers among them."""

from __future__ import annotations

import random
import smtplib
from collections.abc import Mapping
from email.utils import format_datetime
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


class Writers:
    """Hands letters in at the mail server, by a good line: what becomes of them then is for the drill to find out.

    Strangers are among the writers of the first so many letters.
    """

    def __init__(self, seats: list[Seat], clock: Clock, port: int, seed: int, strangers: int) -> None:
        self.seats = seats
        self.clock = clock
        self.port = port
        self.luck = random.Random(seed)
        self.strangers = strangers
        self.written: dict[str, Written] = {}
        self.handed_in = 0

    def write(self, count: int, turns: Mapping[str, int]) -> None:
        """Write some letters; `turns` says which turn it is in each game."""
        with smtplib.SMTP("127.0.0.1", self.port) as door:
            for _ in range(count):
                letter = self._next(turns)
                door.sendmail(letter.sender, [letter.recipient], letter.raw)
                self.written[letter.message_id] = letter
                self.handed_in += 1

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
