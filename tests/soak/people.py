"""Those who write in the half year: players of battles and wars, moderators, and those of the tournaments.

Each reads what came to his mailbox and nothing else. Battles are played as in `pbem demo`, tournaments as by
`tests.tournaments.seeds`; beside their orders players ask, chat, announce holidays, write nonsense, and fall silent.
"""

from __future__ import annotations

import email
import email.policy
import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from email.message import EmailMessage
from itertools import count
from random import Random
from typing import Any, NamedTuple

from pbem.cli.demo import player
from pbem.cli.demo.tournament import TournamentCorrespondent, WritingHabits
from pbem.mail.embedded import Delivery, EmbeddedMail
from tests.harness.clock import Clock
from tests.harness.letters import mail
from tests.hostile import VALUES
from tests.mail.test_delivery import RETURNED, TO, dsn
from tests.tournaments.seeds.people import People, text_of

SERVER, OPERATOR = "pbem@games.example", "op@games.example"
STRANGER = "eve@elsewhere.example"
_NO_GAME = ("", SERVER.partition("@")[0])
_HEAD = re.compile(rb"^Message-ID:\s*(\S+)", re.MULTILINE | re.IGNORECASE)
_CODE = re.compile(r"^ *((?:CODE|CODIGO) [a-z2-7]{8})$", re.MULTILINE)
_SEAT = re.compile(r"\+(?P<game>[a-z0-9-]+)-(?P<seat>[a-z][a-z0-9]*)-[a-z2-7]{16}@")
_EXTRAS = ("STATUS", "HELP", "HISTORY", "EXTEND 12h", "VACATION {soon:%Y-%m-%d} TO {later:%Y-%m-%d}", "MAP")
_RULINGS = ("EXTEND 24h", "ANNOUNCE Well played so far.", "HOLD", "RESUME")


class Person(NamedTuple):
    """Somebody with a mailbox."""

    name: str
    language: str = "en"
    zone: str = "UTC"

    @property
    def address(self) -> str:
        """Return his mailbox."""
        return f"{self.name}@players.example"


class PostOffice(EmbeddedMail):
    """The embedded mail server, of which people's letters are handed on at once: in memory they would be gigabytes."""

    def __init__(self, users: Mapping[str, str], clock: Clock, losing: bool) -> None:
        super().__init__(users, clock=clock.now)
        self.came: list[Delivery] = []
        self._numbers, self._losing = count(1), losing

    async def _store(self, delivery: Delivery) -> None:
        if delivery.recipient in (OPERATOR,) or delivery.recipient.startswith(SERVER.partition("@")[0]):
            await super()._store(delivery)
        elif not self._losing or next(self._numbers) != 100:
            self.came.append(delivery)


class Written(NamedTuple):
    """A letter that will be written at a moment; `kind` is empty where it asks for an answer."""

    at: datetime
    number: int
    sender: str
    to: str
    raw: bytes
    kind: str = ""


class Town:
    """All mailboxes but the server's; a town of `tests.tournaments.seeds` and a world of `pbem demo-event` at once.

    Of so many games the letters of one are kept, for the verifiers.
    """

    def __init__(self, clock: Clock, chance: Random, kept_of: int) -> None:
        self.clock, self.chance, self._kept_of = clock, chance, kept_of
        self.boxes: dict[str, list[bytes]] = defaultdict(list)
        self.kept: dict[tuple[str, str], list[bytes]] = defaultdict(list)
        self.players: dict[str, Player | Moderator] = {}
        self.cups: dict[str, People] = {}
        self.silent: dict[tuple[str, str], int] = {}
        self.delivered: Counter[str] = Counter()
        self.written: dict[str, str] = {}
        self.given_up: list[str] = []
        self._coming: list[Written] = []
        self._numbers = count(1)

    def write(self, *letter: Any) -> None:
        """Let a letter be written: ``(moment, sender, to, bytes)`` as bytes, or ``(sender, to, text, hours)``."""
        if isinstance(letter[0], datetime):
            self.put(*letter)
            return
        sender, to, text, after = letter
        moment = self.clock.at + timedelta(hours=after)
        name = f"<cup-{next(self._numbers)}@players.example>"
        self.put(moment, sender, to, mail(sender, to, text, Date=moment, Message_ID=name))

    def put(self, moment: datetime, sender: str, to: str, raw: bytes, kind: str = "") -> None:
        """Put a letter into the queue; it comes at the next even hour, with others."""
        moment = (moment + timedelta(hours=1, minutes=59, seconds=59)).replace(minute=0, second=0, microsecond=0)
        moment -= timedelta(hours=moment.hour % 2)
        heapq.heappush(self._coming, Written(moment, next(self._numbers), sender, to, raw, kind))

    def next_letter(self) -> datetime | None:
        """When the next letter comes."""
        return self._coming[0].at if self._coming else None

    def due(self) -> Iterator[Written]:
        """Give out the letters whose moment has come."""
        while self._coming and self._coming[0].at <= self.clock.at:
            letter = heapq.heappop(self._coming)
            self.written[_name(letter.raw)] = letter.kind
            yield letter

    def read(self, came: list[Delivery]) -> int:
        """Let everybody read what came and write what he thinks of."""
        for delivery in came:
            name = _name(delivery.raw)
            self.delivered[name] += 1
            if self.delivered[name] > 1:
                # Sent once more after a kill: a mail program shows it once.
                continue
            parsed = email.message_from_bytes(delivery.raw, _class=EmailMessage, policy=email.policy.default)
            game = (player.SUBJECT.match(str(parsed["Subject"])) or ("", ""))[1]
            # A letter of no game has the server's name in its place.
            if game in _NO_GAME or any(game == cup or game.startswith(f"{cup}-") for cup in self.cups):
                self.boxes[delivery.recipient].append(delivery.raw)
            elif delivery.recipient in self.players:
                self._hand_over(delivery, parsed, game)
        for people in self.cups.values():
            people.read()
        return len(came)

    def _hand_over(self, delivery: Delivery, parsed: EmailMessage, game: str) -> None:
        if sum(map(ord, game)) % self._kept_of == 0:
            self.kept[game, delivery.recipient].append(delivery.raw)
        if self.chance.random() < 0.003:
            self._returns(delivery)
        try:
            self.players[delivery.recipient].consider(parsed)
        except player.PlayerGivenUp as why:
            self.given_up.append(f"{delivery.recipient} of {game}: {why}")

    def _returns(self, delivery: Delivery) -> None:
        """A letter comes back, a mailbox being full for a while or for good."""
        status = self.chance.choice(("4.2.2", "5.1.1"))
        raw = dsn(f"Action: failed\r\nStatus: {status}").replace(TO.encode(), delivery.sender.encode())
        raw = raw.replace(b"<report@mx.example>", f"<bounce-{next(self._numbers)}@mx.example>".encode())
        self.put(
            self.clock.at, "", delivery.sender, raw.replace(RETURNED.encode(), _name(delivery.raw).encode()), "dsn"
        )

    def strangers_write(self) -> None:
        """Somebody who plays nothing writes nonsense, or asks for help."""
        text = self.chance.choice((*VALUES.values(), "HELP", "Hello, who are you?"))
        name = f"<stranger-{next(self._numbers)}@elsewhere.example>"
        text = "".join(letter for letter in text if letter.isprintable() or letter == "\n")
        raw = mail(STRANGER, SERVER, text, Date=self.clock.at, Message_ID=name)
        self.put(self.clock.at, STRANGER, SERVER, raw, "stranger")


def _name(raw: bytes) -> str:
    header = _HEAD.search(raw)
    return header[1].decode() if header else ""


class Player(TournamentCorrespondent):
    """Plays as many battles as he is asked about."""

    def __init__(self, town: Any, person: Any, chance: Random) -> None:
        super().__init__(town, person, chance)
        self.habits = WritingHabits(1.0, chance.choice((6.0, 12.0, 20.0)))

    def consider(self, letter: EmailMessage) -> None:
        """Answer what wants an answer, unless he is silent in this game by now."""
        town, subject = self.world, player.SUBJECT.match(str(letter["Subject"]))
        turn = int((subject[2] if subject else "") or 0)
        game = subject[1] if subject else ""
        if turn >= town.silent.get((game, self.who.address), 10**6):  # type: ignore[attr-defined]
            town.silent[game, self.who.address] = 0  # type: ignore[attr-defined]
            return
        super().consider(letter)
        if turn and self.chance.random() < 0.04:
            soon = town.clock.now() + timedelta(days=self.chance.randrange(1, 9))
            extra = (*_EXTRAS, self.chance.choice(("asdf qwer", "ORDERS T99\nMOVE\nEND", "?!", "Thank you, bye")))
            text = self.chance.choice(extra).format(soon=soon, later=soon + timedelta(days=4))
            self.says(text, to=str(letter["Reply-To"]), after=self.chance.uniform(0, 8))


class Moderator:
    """Moderates: rules now and then, and ends what nobody plays any more."""

    def __init__(self, town: Town, address: str, chance: Random) -> None:
        self.town, self.address, self.chance = town, address, chance
        self.asked: dict[str, str] = {}

    def consider(self, letter: EmailMessage) -> None:
        """Send a code back, or write a ruling."""
        to, text = str(letter["Reply-To"]), text_of(letter)
        code = _CODE.search(text)
        if code and to in self.asked:
            ruling = self.asked.pop(to)
            self._writes(to, f"{ruling}\n{code[1]}")
            if ruling.startswith("HOLD"):
                self._asks(to, "RESUME BECAUSE it goes on", 40)
        elif "moderator decides now" in " ".join(text.split()):
            self._asks(to, "ADJUDICATE draw BECAUSE nobody writes")
        elif to not in self.asked and self.chance.random() < 0.1:
            self._asks(to, f"{self.chance.choice(_RULINGS)} BECAUSE so it is")

    def _asks(self, to: str, line: str, after: float = 0) -> None:
        self.asked[to] = line
        self._writes(to, line, after)

    def _writes(self, to: str, text: str, after: float = 0) -> None:
        # Only letters about a game have an address that is the moderator's there.
        if _SEAT.search(to):
            self.town.write(self.address, to, text, after + self.chance.uniform(1, 10))
