"""Run the tournament of `pbem demo-event`: its world, its people, their letters.

Letters go both ways by SMTP and are read by IMAP, as with `pbem serve`; but nobody waits: as soon as nothing more
happens, the clock is moved to the next deadline or the next letter that somebody will write.

A correspondent knows only his letters. He plays as the player of `pbem demo` does, and sends the commands that his
part in the demo needs.

Sixteen have places, two wait for one. Of the sixteen one falls silent in round 2, one never writes at all, one
leaves after round 2 as it should be done, one rests round 3, one is slow, one disputes a game that he lost. One
comes late, after round 1 was drawn. The director reads his letters and answers none.
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

from pbem.cli.assembly import load_settings, open_server
from pbem.cli.demo import player
from pbem.cli.demo.stage import DOMAIN, OPERATOR, SERVER, write_server_files
from pbem.mail.embedded import EmbeddedMail
from pbem.mail.imap import ImapMailbox, ImapSettings
from pbem.mail.smtp import Envelope, OnReply, SmtpSettings, send_all
from pbem.runtime.transaction import Server
from pbem.server.mailbox_poller import MailboxPoller
from pbem.server.worker import WorkerTools, run_until_idle
from pbem.store import queries

EVENT = Path(__file__).with_name("event")
_AT_REST = 200
"""Rounds of letters and answers at one moment after which they count as endless."""


class ManualClock:
    """A clock that stands still until it is moved; never back."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        """Return the moment, aware, in UTC."""
        return self._now

    def move(self, to: datetime) -> None:
        """Move on to a moment; a past one changes nothing."""
        self._now = max(self._now, to)


class ScheduledLetter(NamedTuple):
    """A letter to be sent at a moment: envelope sender, recipient and bytes."""

    at: datetime
    number: int
    sender: str
    recipient: str
    raw: bytes


class DemoWorld:
    """Mailboxes, server and clock for a block; letters and database stay in `folder`."""

    def __init__(self, folder: Path, people: Sequence[str], clock: ManualClock) -> None:
        self.folder = folder
        self.clock = clock
        self.passwords: Mapping[str, str] = {
            address: secrets.token_urlsafe(12) for address in (SERVER, OPERATOR, *people)
        }
        self.mail = EmbeddedMail(self.passwords, clock=clock.now, keep=folder / "letters")
        self._coming: list[ScheduledLetter] = []
        self._numbers = count()
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._open.enter_context(self.mail)
        write_server_files(self.folder, self.mail, self.passwords)
        server = open_server(load_settings(self.folder / "pbem.toml"))
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
        self._pump = MailboxPoller(self.server, mailbox)
        way = SmtpSettings(host=self.mail.host, port=self.mail.smtp_port, security="none")
        self._tools = WorkerTools(partial(_send_letters, way))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback_: TracebackType | None
    ) -> None:
        self._open.close()

    def write(self, moment: datetime, sender: str, recipient: str, raw: bytes) -> None:
        """Schedule somebody's letter for a moment, or for now if it is past."""
        heapq.heappush(self._coming, ScheduledLetter(moment, next(self._numbers), sender, recipient, raw))

    def letters(self, address: str) -> Path:
        """Return the folder with every letter to an address, in the order of arrival."""
        return self.folder / "letters" / address

    def letter(self, address: str, number: int) -> bytes | None:
        """Return the letter of a number, counted from 1, to an address, or None."""
        path = self.letters(address) / f"{number:06d}.eml"
        return path.read_bytes() if path.is_file() else None

    def rest(self) -> None:
        """Send, receive and run due jobs until nothing happens any more."""
        for _ in range(_AT_REST):
            sent_count = self._hand_in()
            taken = self._take_in()
            self._runner.run(run_until_idle(self.server, self._tools))
            if not sent_count and not taken and not self._is_due():
                return
        raise RuntimeError(f"letters go in circles at {self.clock.now().isoformat()}")

    def next_moment(self) -> datetime | None:
        """Return when anything happens next; None if nothing ever will."""
        with self.server.reading() as tx:
            moments = [queries.schedule.next_moment(tx.session), queries.tournaments.next_wake(tx.session)]
        if self._coming:
            moments.append(self._coming[0].at)
        known_moments = [moment for moment in moments if moment is not None]
        # What is due and waits for a poll of the mailbox is done by the next one.
        return max(min(known_moments), self.clock.now() + timedelta(seconds=1)) if known_moments else None

    def _is_due(self) -> bool:
        return bool(self._coming) and self._coming[0].at <= self.clock.now()

    def _hand_in(self) -> int:
        """Send by SMTP the letters that are written by now."""
        if not self._is_due():
            return 0
        sent_count = 0
        with smtplib.SMTP(self.mail.host, self.mail.smtp_port, timeout=10) as way:
            while self._is_due():
                letter = heapq.heappop(self._coming)
                way.sendmail(letter.sender, [letter.recipient], letter.raw)
                sent_count += 1
        return sent_count

    def _take_in(self) -> int:
        """Poll the mailbox until nothing waits in it."""
        taken = self._pump.step().taken
        while self._pump.waiting:
            taken += self._pump.step().taken
        return taken


async def _send_letters(way: SmtpSettings, envelopes: Sequence[Envelope], on_reply: OnReply) -> None:
    await send_all(way, envelopes, on_reply=on_reply)


SEAT = re.compile(r"\+(?P<name>[a-z0-9-]+)-(?P<seat>[a-z][a-z0-9]*)-[a-z2-7]{16}@")
"""The address of a letter, which shows its subject: a game and a seat, or a tournament and an entrant. Only the name
may have hyphens."""
# An entrant's number, where a game's address has a seat.
ENTRANT = re.compile(r"e[0-9]+")
_NEVER = 10**6
"""A number of turns that no game has: correspondents play tournaments to their end."""


class DemoPerson(NamedTuple):
    """A person: name, language, time zone."""

    name: str
    language: str = "en"
    zone: str = "UTC"

    @property
    def address(self) -> str:
        """Return the person's mailbox."""
        return f"{self.name.lower()}@{DOMAIN}"


class WritingHabits(NamedTuple):
    """A person's habits: hours until he writes, and whether he writes at all.

    `dozes` is the share of turns for which the person sends no orders; better players skip fewer.
    """

    soonest: float = 1.0
    latest: float = 12.0
    silent: bool = False
    dozes: float = 0.0


class TournamentCorrespondent(player.MailPlayer):
    """A person with a mailbox, who plays as many games as letters ask him about.

    `chance` decides how long his answers take. `address` is the one for letters about his tournament, once he knows
    it.
    """

    def __init__(self, world: DemoWorld, person: DemoPerson, chance: Random) -> None:
        super().__init__({"language": person.language, "go": False, "turns": _NEVER, "think": 0.0, "slips": ()})
        self.world = world
        self.who = person
        self.chance = chance
        self.habits = WritingHabits()
        self.address = ""
        self._read = 0

    def reads(self) -> list[EmailMessage]:
        """Return the letters since the last time, oldest first; none if he is silent."""
        letters = []
        while (raw := self.world.letter(self.who.address, self._read + 1)) is not None:
            self._read += 1
            if not self.habits.silent:
                letters.append(email.message_from_bytes(raw, _class=EmailMessage, policy=email.policy.default))
        return letters

    def consider(self, letter: EmailMessage) -> None:
        """Answer a letter that wants an answer, in some hours."""
        match = SEAT.search(str(letter["Reply-To"] or ""))
        if match and ENTRANT.fullmatch(match["seat"]):
            self.address = str(letter["Reply-To"])
        super().consider(letter)

    def note(self, text: str) -> None:
        """Print nothing: the letters show what players do."""

    def choose(self, table: player.GameMemory, form: str, text: str) -> list[str]:
        """Choose orders, or sometimes none, so that the turn passes without any."""
        orders = super().choose(table, form, text)
        return [] if self.chance.random() < self.habits.dozes else orders

    def says(self, *lines: str, to: str = "", after: float = 0.0) -> None:
        """Write lines unasked, by default to the tournament, after some hours."""
        letter = EmailMessage()
        letter["To"] = to or self.address
        letter.set_content("\n".join(lines) + "\n")
        self._post(letter, after)

    def answer(self, letter: EmailMessage, lines: Sequence[str]) -> None:
        """Answer a letter after some time."""
        self._post(player.reply_to(letter, lines), self.chance.uniform(self.habits.soonest, self.habits.latest))

    def _post(self, letter: EmailMessage, after: float) -> None:
        moment = self.world.clock.now() + timedelta(hours=after)
        letter["From"] = self.who.address
        letter["Date"] = email.utils.format_datetime(moment)
        letter["Message-ID"] = f"<{self.chance.getrandbits(64):016x}@{DOMAIN}>"
        recipient = email.utils.parseaddr(str(letter["To"]))[1]
        self.world.write(moment, self.who.address, recipient, letter.as_bytes(policy=email.policy.SMTP))


TOURNAMENT_NAME = "cup60"
DIRECTOR = f"rosa@{DOMAIN}"
_PEOPLE = tomllib.loads((EVENT / "people.toml").read_text("utf-8"))
PLACES: int = _PEOPLE["places"]
_COMES_LATE = 1
"""Entrants, the last of the list, who ask for a place when the tournament is running, to show late entry."""
# What the demonstration looks for in the letters of a tournament, in English and Spanish.
_ROUND = re.compile(r"^\[\w+\] (?:Round|Ronda) (\d+)")
_OFFER = re.compile(r"(?:is offered to you|se le ofrece)\b")
_THERE = re.compile(r"(?:are you there|está usted)\?")
"""The question in the subject that asks for HERE."""
_VOTE = re.compile(r"^ *((?:VOTE|VOTAR) D\d+ (?:DENY|DESESTIMAR) (?:BECAUSE|PORQUE)) \.\.\.$", re.MULTILINE)
_OVER = re.compile(r"^(?:The game is over|La partida ha terminado)\b", re.MULTILINE)


def demo_entrants() -> tuple[DemoPerson, ...]:
    """Return the participants, those with places first; every third writes Spanish."""
    zones = _PEOPLE["zones"]
    return tuple(
        DemoPerson(name, "es" if number % 3 == 0 else "en", zones[number % len(zones)])
        for number, name in enumerate(_PEOPLE["names"])
    )


class LetterWriters:
    """The letter writers of the demo; `parts` has the acts of some besides playing."""

    def __init__(self, world: DemoWorld, seed: int) -> None:
        self.world = world
        self.chance = Random(seed)  # noqa: S311 - a play with parts, no secret
        self.members = [TournamentCorrespondent(world, who, Random(f"{seed} {who.name}")) for who in demo_entrants()]  # noqa: S311
        self.rounds: dict[str, int] = {}
        self.done: set[str] = set()
        self.told: list[str] = []
        for member in self.members:
            member.habits = WritingHabits(dozes=round(self.chance.uniform(0, 0.9), 2))
        names = [entrant.who.name for entrant in self.members[:PLACES]]
        self.chance.shuffle(names)
        self.parts: Mapping[str, str] = dict(zip(names, _PEOPLE["parts"], strict=False))

    def begin(self) -> None:
        """Have all but the late entrant ask for a place, some later than others."""
        for number, member in enumerate(self.members[:-_COMES_LATE]):
            word = "UNIRSE A" if member.who.language == "es" else "JOIN"
            name = "NOMBRE" if member.who.language == "es" else "NAME"
            line = (
                f"{word} {TOURNAMENT_NAME} {name} {member.who.name} ZONE {member.who.zone} LANG {member.who.language}"
            )
            member.says(line, to=SERVER, after=1 + number if number < PLACES else 30 + number)

    def reads(self) -> int:
        """Let everybody read and answer what came; return the number of letters."""
        count_read = 0
        for member in self.members:
            for letter in member.reads():
                count_read += 1
                self._considers(member, letter)
        return count_read

    def _considers(self, member: TournamentCorrespondent, letter: EmailMessage) -> None:
        text, subject = player.text_of_letter(letter), str(letter["Subject"])
        part = self.parts.get(member.who.name, "")
        if round_match := _ROUND.match(subject):
            self._round(member, part, int(round_match[1]))
        if part == "never writes" and self.rounds.get(member.who.name):
            return
        if (vote := _VOTE.search(text)) is not None:
            member.answer(letter, [f"{vote[1]} the result is plain"])
        elif _OFFER.search(subject):
            member.answer(letter, ["ACEPTAR" if member.who.language == "es" else "ACCEPT"])
        elif _THERE.search(subject):
            member.answer(letter, ["PRESENTE" if member.who.language == "es" else "HERE"])
        else:
            if part == "disputes" and _OVER.search(text):
                self._dispute(member, letter)
            member.consider(letter)

    def _round(self, member: TournamentCorrespondent, part: str, number: int) -> None:
        """Carry out a person's part in a drawn round."""
        self.rounds[member.who.name] = number
        spanish = member.who.language == "es"
        lines = {
            ("leaves", 2): "RETIRARSE TRAS R2" if spanish else "WITHDRAW AFTER R2",
            ("rests", 2): "DESCANSAR R3" if spanish else "REST R3",
        }
        if (line := lines.get((part, number))) is not None:
            self._record_part(member, part)
            member.says(line, after=2)
        if part == "falls silent" and number == 2:
            self._record_part(member, part)
            member.habits = member.habits._replace(silent=True)
        if part == "never writes" and number == 1:
            self._record_part(member, part)
            member.habits = member.habits._replace(silent=True)
        if part == "is slow":
            # Hours until he writes: a choice, about a day and a half, so that his clock is seen to run.
            member.habits = member.habits._replace(soonest=20.0, latest=40.0)
        if number == 1 and "late" not in self.done:
            self.done.add("late")
            last = self.members[-1]
            self.told.append(f"{last.who.name} comes late")
            last.says(f"JOIN {TOURNAMENT_NAME} NAME {last.who.name}", to=SERVER, after=6)

    def _dispute(self, member: TournamentCorrespondent, letter: EmailMessage) -> None:
        """Dispute a lost game."""
        match = re.search(rf"\b{TOURNAMENT_NAME}-r\d+-\d+[ab]?\b", str(letter["Subject"]))
        if match is None or "dispute" in self.done:
            return
        self.done.add("dispute")
        self._record_part(member, "disputes")
        word = "DISPUTA" if member.who.language == "es" else "DISPUTE"
        member.says(f"{word} {match[0]} We had agreed on a draw.", after=1)

    def _record_part(self, member: TournamentCorrespondent, part: str) -> None:
        self.told.append(f"{member.who.name} {part}")

    def news(self) -> Iterator[str]:
        """Return the events since the last time."""
        while self.told:
            yield self.told.pop(0)
