"""One who plays by letter in the demo: reads what lies in his mailbox, and writes when he gets round to it.

He knows nothing but his letters. Of a game he is the player of `pbem demo`; beside games he sends back the lines that
letters offer him, and whatever his part in the demo has him say.
"""

from __future__ import annotations

import contextlib
import email
import email.policy
import email.utils
import io
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from email.message import EmailMessage
from random import Random
from typing import Any, NamedTuple

from pbem.cli.demo import player
from pbem.cli.demo.event.world import DOMAIN, World

SEAT = re.compile(r"\+(?P<name>[a-z0-9-]+)-(?P<seat>[a-z][a-z0-9]*)-[a-z2-7]{16}@")
"""What the address of a letter says that it is about: a game and a seat, or a tournament and an entrant."""
ENTRANT = re.compile(r"e[0-9]+")
OFFERED = re.compile(
    r"^ *((?:JOIN|UNIRSE A|UNIRSE|WITHDRAW|RETIRARSE) .*\b(?:CODE|CODIGO) [a-z2-7]{8}\b.*)$", re.MULTILINE
)
"""A line that a letter asks to be sent back."""
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


class Correspondent:
    """Somebody with a mailbox.

    `plan` makes the plan of a game from seat and language; `chance` says how long he takes. `address` is the one that
    he writes to about his tournament, once he has been told.
    """

    def __init__(self, world: World, who: Who, plan: Callable[[str, str], Any], chance: Random) -> None:
        self.world = world
        self.who = who
        self.plan = plan
        self.chance = chance
        self.habits = Habits()
        self.address = ""
        self._read = 0
        self._players: dict[tuple[str, str], player.Player] = {}

    def reads(self) -> list[EmailMessage]:
        """What has come since the last time, oldest first; whoever is silent leaves it unread and for ever."""
        found = []
        while (raw := self.world.letter(self.who.address, self._read + 1)) is not None:
            self._read += 1
            if not self.habits.silent:
                found.append(email.message_from_bytes(raw, _class=EmailMessage, policy=email.policy.default))
        return found

    def considers(self, letter: EmailMessage) -> None:
        """Answer a letter that wants an answer, in some hours."""
        text = player.text_of(letter)
        about = SEAT.search(str(letter["Reply-To"] or ""))
        if offered := OFFERED.search(text):
            self.answers(letter, [offered[1]])
        elif about and ENTRANT.fullmatch(about["seat"]):
            self.address = str(letter["Reply-To"])
        elif about and (phase := player.PHASE.match(str(letter["Message-ID"]))):
            one = self._player(about["name"], about["seat"])
            # What a player says that he does is for a console of his own.
            with contextlib.redirect_stdout(io.StringIO()):
                one.consider(letter, text, int(phase[2]), phase[3] == about["seat"])

    def says(self, *lines: str, to: str = "", after: float = 0.0) -> None:
        """Write lines of his own accord, to his tournament unless to somebody else, so many hours from now."""
        self._post(EmailMessage(), to or self.address, lines, after)

    def answers(self, letter: EmailMessage, lines: Sequence[str]) -> None:
        """Answer a letter as mail programs do, after some time."""
        reply = EmailMessage()
        reply["Subject"] = f"Re: {letter['Subject']}"
        reply["In-Reply-To"] = letter["Message-ID"]
        quoted = [f"> {line}".rstrip() for line in player.text_of(letter).splitlines()]
        said = f"On {letter['Date']}, {letter['From']} wrote:"
        after = self.chance.uniform(self.habits.soonest, self.habits.latest)
        self._post(reply, str(letter["Reply-To"] or letter["From"]), [*lines, "", said, *quoted], after)

    def _post(self, letter: EmailMessage, to: str, lines: Sequence[str], after: float) -> None:
        at = self.world.clock.now() + timedelta(hours=after)
        letter["From"] = self.who.address
        letter["To"] = to
        letter["Date"] = email.utils.format_datetime(at)
        letter["Message-ID"] = f"<{self.chance.getrandbits(64):016x}@{DOMAIN}>"
        letter.set_content("\n".join(lines) + "\n")
        recipient = email.utils.parseaddr(to)[1]
        self.world.write(at, self.who.address, recipient, letter.as_bytes(policy=email.policy.SMTP))

    def _player(self, game: str, seat: str) -> player.Player:
        """Who plays a seat of a game for him: the player of the demo, who answers through this mailbox."""
        known = self._players.get((game, seat))
        if known is None:
            told = {
                "address": self.who.address,
                "language": self.who.language,
                "seat": seat,
                "side": seat,
                "go": False,
                "turns": _NEVER,
                "think": 0.0,
                "slips": (),
                "parent": 0,
            }
            plan = _Dozing(self.plan(seat, self.who.language), self)
            known = self._players[game, seat] = player.Player(told, plan)
            known.game = game
            known.mailbox = _Desk(told, self)
        return known


class _Dozing:
    """A plan whose player now and then lets a turn go by."""

    def __init__(self, plan: Any, owner: Correspondent) -> None:
        self._plan, self._owner = plan, owner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plan, name)

    def orders(self, text: str) -> list[str]:
        """Lines of orders that answer a report."""
        found: list[str] = self._plan.orders(text)
        dozes = self._owner.chance.random() < self._owner.habits.dozes
        return [self._plan.say("PASS")] if dozes else found


class _Desk(player.Mailbox):
    """What a player of the demo writes goes by his correspondent's post."""

    def __init__(self, told: dict[str, Any], owner: Correspondent) -> None:
        super().__init__(told)
        self.owner = owner

    def answer(self, letter: EmailMessage, lines: Sequence[str]) -> None:
        """Answer a letter."""
        self.owner.answers(letter, lines)
