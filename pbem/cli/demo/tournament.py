"""The tournament of `pbem demo-event`: its world, how its people write, and who they are.

Letters go both ways by SMTP and are read by IMAP, as with `pbem serve`; but nobody waits: as soon as everything has
come to rest the clock is moved to whatever comes next, a deadline or a letter that somebody will write.

A correspondent knows nothing but his letters. He is the player of `pbem demo`, with whatever his part in the demo has
him say besides.

Sixteen have places, two wait for one. Of the sixteen one falls silent in round 2, one never writes at all, one leaves
after round 2 as it should be done, one rests round 3, one is slow, one disputes a game that he lost. One comes late,
after round 1 was drawn. The director reads his letters and answers none.
"""

from __future__ import annotations

import asyncio
import email
import email.policy
import email.utils
import heapq
import re
import secrets
import smtplib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from types import TracebackType
from typing import NamedTuple, Self

from pbem.cli.assembly import open_server, settings
from pbem.cli.demo import player
from pbem.cli.demo.stage import DOMAIN, OPERATOR, SERVER, furnish
from pbem.mail.embedded import EmbeddedMail
from pbem.mail.imap import ImapMailbox, ImapSettings
from pbem.mail.smtp import Envelope, SmtpSettings, Told, send_all
from pbem.runtime.transaction import Server
from pbem.server.mailbox_poller import InboundPump
from pbem.server.worker import Tools, turn
from pbem.store import queries

EVENT = Path(__file__).with_name("event")
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
            address: secrets.token_urlsafe(12) for address in (SERVER, OPERATOR, *people)
        }
        self.mail = EmbeddedMail(self.passwords, clock=clock.now, keep=folder / "letters")
        self._coming: list[Sent] = []
        self._numbers = count()
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._open.enter_context(self.mail)
        furnish(self.folder, self.mail, self.passwords)
        server = open_server(settings(self.folder / "pbem.toml"))
        # A clock that skips days would leave whoever draws maps behind: letters go without.
        self.server: Server = replace(
            server, clock=self.clock, plugins=replace(server.plugins, artist=None, stories=None)
        )
        self._open.callback(self.server.close)
        mailbox = ImapMailbox(
            ImapSettings(
                host=self.mail.host,
                port=self.mail.imap_port,
                security="none",
                user=SERVER,
                password=self.passwords[SERVER],
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
        with self.server.reading() as tx:
            moments = [queries.schedule.next_moment(tx.session), queries.tournaments.next_wake(tx.session)]
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


async def _hand_in(way: SmtpSettings, envelopes: Sequence[Envelope], told: Told) -> None:
    await send_all(way, envelopes, told=told)


SEAT = re.compile(r"\+(?P<name>[a-z0-9-]+)-(?P<seat>[a-z][a-z0-9]*)-[a-z2-7]{16}@")
"""What the address of a letter says that it is about: a game and a seat, or a tournament and an entrant."""
ENTRANT = re.compile(r"e[0-9]+")
_NEVER = 10**6


class Who(NamedTuple):
    """A person: name, language, time zone."""

    name: str
    language: str = "en"
    zone: str = "UTC"

    @property
    def address(self) -> str:
        """His mailbox."""
        return f"{self.name.lower()}@{DOMAIN}"


class Habits(NamedTuple):
    """How many hours after a letter somebody writes, from and to; whether he reads and writes at all.

    `dozes` is the share of turns that he lets go: who plays better lets fewer go.
    """

    soonest: float = 1.0
    latest: float = 12.0
    silent: bool = False
    dozes: float = 0.0


class Correspondent(player.Player):
    """Somebody with a mailbox, who plays as many games as letters ask him about.

    `chance` says how long he takes. `address` is the one that he writes to about his tournament, once he has been told.
    """

    def __init__(self, world: World, who: Who, chance: Random) -> None:
        super().__init__({"language": who.language, "go": False, "turns": _NEVER, "think": 0.0, "slips": ()})
        self.world = world
        self.who = who
        self.chance = chance
        self.habits = Habits()
        self.address = ""
        self._read = 0

    def reads(self) -> list[EmailMessage]:
        """What has come since the last time, oldest first; whoever is silent leaves it unread and for ever."""
        found = []
        while (raw := self.world.letter(self.who.address, self._read + 1)) is not None:
            self._read += 1
            if not self.habits.silent:
                found.append(email.message_from_bytes(raw, _class=EmailMessage, policy=email.policy.default))
        return found

    def consider(self, letter: EmailMessage) -> None:
        """Answer a letter that wants an answer, in some hours."""
        about = SEAT.search(str(letter["Reply-To"] or ""))
        if about and ENTRANT.fullmatch(about["seat"]):
            self.address = str(letter["Reply-To"])
        super().consider(letter)

    def note(self, text: str) -> None:
        """Say nothing: what players do is told by the letters."""

    def choose(self, table: player.Table, form: str, text: str) -> list[str]:
        """Choose orders, or now and then none, which lets the turn go by."""
        found = super().choose(table, form, text)
        return [] if self.chance.random() < self.habits.dozes else found

    def says(self, *lines: str, to: str = "", after: float = 0.0) -> None:
        """Write lines of his own accord, to his tournament unless to somebody else, so many hours from now."""
        letter = EmailMessage()
        letter["To"] = to or self.address
        letter.set_content("\n".join(lines) + "\n")
        self._post(letter, after)

    def answer(self, letter: EmailMessage, lines: Sequence[str]) -> None:
        """Answer a letter after some time."""
        self._post(player.reply_to(letter, lines), self.chance.uniform(self.habits.soonest, self.habits.latest))

    def _post(self, letter: EmailMessage, after: float) -> None:
        at = self.world.clock.now() + timedelta(hours=after)
        letter["From"] = self.who.address
        letter["Date"] = email.utils.format_datetime(at)
        letter["Message-ID"] = f"<{self.chance.getrandbits(64):016x}@{DOMAIN}>"
        recipient = email.utils.parseaddr(str(letter["To"]))[1]
        self.world.write(at, self.who.address, recipient, letter.as_bytes(policy=email.policy.SMTP))


TOURNAMENT_NAME = "cup60"
DIRECTOR = f"rosa@{DOMAIN}"
_PEOPLE = tomllib.loads((EVENT / "people.toml").read_text("utf-8"))
PLACES: int = _PEOPLE["places"]
_COMES_LATE = 1
_ROUND = re.compile(r"^\[\w+\] (?:Round|Ronda) (\d+)")
_OFFER = re.compile(r"(?:is offered to you|se le ofrece)\b")
_THERE = re.compile(r"(?:are you there|está usted)\?")
"""Of a subject."""
_VOTE = re.compile(r"^ *((?:VOTE|VOTAR) D\d+ (?:DENY|DESESTIMAR) (?:BECAUSE|PORQUE)) \.\.\.$", re.MULTILINE)
_OVER = re.compile(r"^(?:The game is over|La partida ha terminado)\b", re.MULTILINE)


def people() -> tuple[Who, ...]:
    """Say who takes part, those with places first; every third writes Spanish."""
    zones = _PEOPLE["zones"]
    return tuple(
        Who(name, "es" if at % 3 == 0 else "en", zones[at % len(zones)]) for at, name in enumerate(_PEOPLE["names"])
    )


class Cast:
    """All who write letters in the demo; what some do beside playing is in `parts`."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.chance = Random(seed)  # noqa: S311 - a play with parts, no secret
        self.members = [Correspondent(world, who, Random(f"{seed} {who.name}")) for who in people()]  # noqa: S311
        self.rounds: dict[str, int] = {}
        self.done: set[str] = set()
        self.told: list[str] = []
        for one in self.members:
            one.habits = Habits(dozes=round(self.chance.uniform(0, 0.9), 2))
        names = [one.who.name for one in self.members[:PLACES]]
        self.chance.shuffle(names)
        self.parts: Mapping[str, str] = dict(zip(names, _PEOPLE["parts"], strict=False))

    def begin(self) -> None:
        """All but who comes late ask for a place; some who have one do so later than others."""
        for at, one in enumerate(self.members[:-_COMES_LATE]):
            word = "UNIRSE A" if one.who.language == "es" else "JOIN"
            name = "NOMBRE" if one.who.language == "es" else "NAME"
            line = f"{word} {TOURNAMENT_NAME} {name} {one.who.name} ZONE {one.who.zone} LANG {one.who.language}"
            one.says(line, to=SERVER, after=1 + at if at < PLACES else 30 + at)

    def reads(self) -> int:
        """Let everybody read what came and do what follows; how many letters were read."""
        read = 0
        for one in self.members:
            for letter in one.reads():
                read += 1
                self._considers(one, letter)
        return read

    def _considers(self, one: Correspondent, letter: EmailMessage) -> None:
        text, subject = player.text_of(letter), str(letter["Subject"])
        part = self.parts.get(one.who.name, "")
        if found := _ROUND.match(subject):
            self._round(one, part, int(found[1]))
        if part == "never writes" and self.rounds.get(one.who.name):
            return
        if (vote := _VOTE.search(text)) is not None:
            one.answer(letter, [f"{vote[1]} the result is plain"])
        elif _OFFER.search(subject):
            one.answer(letter, ["ACEPTAR" if one.who.language == "es" else "ACCEPT"])
        elif _THERE.search(subject):
            one.answer(letter, ["PRESENTE" if one.who.language == "es" else "HERE"])
        else:
            if part == "disputes" and _OVER.search(text):
                self._dispute(one, letter)
            one.consider(letter)

    def _round(self, one: Correspondent, part: str, number: int) -> None:
        """A round is drawn: whoever has something to do in it does it."""
        self.rounds[one.who.name] = number
        spanish = one.who.language == "es"
        lines = {
            ("leaves", 2): "RETIRARSE TRAS R2" if spanish else "WITHDRAW AFTER R2",
            ("rests", 2): "DESCANSAR R3" if spanish else "REST R3",
        }
        if (line := lines.get((part, number))) is not None:
            self._tells(one, part)
            one.says(line, after=2)
        if part == "falls silent" and number == 2:
            self._tells(one, part)
            one.habits = one.habits._replace(silent=True)
        if part == "never writes" and number == 1:
            self._tells(one, part)
            one.habits = one.habits._replace(silent=True)
        if part == "is slow":
            one.habits = one.habits._replace(soonest=20.0, latest=40.0)
        if number == 1 and "late" not in self.done:
            self.done.add("late")
            last = self.members[-1]
            self.told.append(f"{last.who.name} comes late")
            last.says(f"JOIN {TOURNAMENT_NAME} NAME {last.who.name}", to=SERVER, after=6)

    def _dispute(self, one: Correspondent, letter: EmailMessage) -> None:
        """He lost, and says that it was otherwise."""
        about = re.search(rf"\b{TOURNAMENT_NAME}-r\d+-\d+[ab]?\b", str(letter["Subject"]))
        if about is None or "dispute" in self.done:
            return
        self.done.add("dispute")
        self._tells(one, "disputes")
        word = "DISPUTA" if one.who.language == "es" else "DISPUTE"
        one.says(f"{word} {about[0]} We had agreed on a draw.", after=1)

    def _tells(self, one: Correspondent, part: str) -> None:
        self.told.append(f"{one.who.name} {part}")

    def news(self) -> Iterator[str]:
        """What became of them since the last time, to be told."""
        while self.told:
            yield self.told.pop(0)
