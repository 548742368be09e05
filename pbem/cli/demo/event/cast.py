"""Who plays in the demo's tournament, and what becomes of them, by a seed.

Sixteen have places, two wait for one. Of the sixteen one falls silent in round 2, one never writes at all, one leaves
after round 2 as it should be done, one rests round 3, one is slow, one disputes a game that he lost. One comes late,
after round 1 was drawn. The director reads his letters and answers none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from email.message import EmailMessage
from random import Random
from typing import Any

from pbem.cli.demo import player
from pbem.cli.demo.event.correspondent import Correspondent, Habits, Who
from pbem.cli.demo.event.world import DOMAIN, World

NAME = "cup60"
DIRECTOR = f"rosa@{DOMAIN}"
SERVER = f"pbem@{DOMAIN}"
_NAMES = (
    "Ana",
    "Idris",
    "Luis",
    "Marta",
    "Noor",
    "Bea",
    "Carl",
    "Dina",
    "Emil",
    "Fatima",
    "Gil",
    "Hana",
    "Ivo",
    "Jana",
    "Karim",
    "Lola",
    "Mia",
    "Nils",
    "Olga",
)
_ZONES = ("Europe/Madrid", "Africa/Casablanca", "America/New_York", "Asia/Tokyo")
PLACES, WAITING = 16, 2
_ROUND = re.compile(r"^\[\w+\] (?:Round|Ronda) (\d+)")
_OFFER = re.compile(r"(?:is offered to you|se le ofrece)\b")
_THERE = re.compile(r"(?:are you there|está usted)\?")
"""Of a subject."""
_VOTE = re.compile(r"^ *((?:VOTE|VOTAR) D\d+ (?:DENY|DESESTIMAR) (?:BECAUSE|PORQUE)) \.\.\.$", re.MULTILINE)
_OVER = re.compile(r"^(?:The game is over|La partida ha terminado)\b", re.MULTILINE)


def people(count: int = PLACES + WAITING + 1) -> tuple[Who, ...]:
    """Who takes part, those with places first; every third writes Spanish."""
    return tuple(
        Who(name, "es" if at % 3 == 0 else "en", _ZONES[at % len(_ZONES)]) for at, name in enumerate(_NAMES[:count])
    )


class Cast:
    """All who write letters in the demo; what each does beside playing stands in `_PARTS`."""

    def __init__(self, world: World, plan: Callable[[str, str], Any], seed: int) -> None:
        self.world = world
        self.chance = Random(seed)  # noqa: S311 - a play with parts, no secret
        self.members = [Correspondent(world, who, plan, Random(f"{seed} {who.name}")) for who in people()]  # noqa: S311
        self.rounds: dict[str, int] = {}
        self.done: set[str] = set()
        self.told: list[str] = []
        for one in self.members:
            one.habits = Habits(dozes=round(self.chance.uniform(0, 0.9), 2))
        names = [one.who.name for one in self.members[:PLACES]]
        self.chance.shuffle(names)
        self.parts: Mapping[str, str] = dict(zip(names, _PARTS, strict=False))

    def begin(self) -> None:
        """All but who comes late ask for a place; some who have one do so later than others."""
        for at, one in enumerate(self.members[: PLACES + WAITING]):
            word = "UNIRSE A" if one.who.language == "es" else "JOIN"
            name = "NOMBRE" if one.who.language == "es" else "NAME"
            line = f"{word} {NAME} {name} {one.who.name} ZONE {one.who.zone} LANG {one.who.language}"
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
            one.answers(letter, [f"{vote[1]} the result is plain"])
        elif _OFFER.search(subject):
            one.answers(letter, ["ACEPTAR" if one.who.language == "es" else "ACCEPT"])
        elif _THERE.search(subject):
            one.answers(letter, ["PRESENTE" if one.who.language == "es" else "HERE"])
        else:
            if part == "disputes" and _OVER.search(text):
                self._dispute(one, letter)
            one.considers(letter)

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
            last.says(f"JOIN {NAME} NAME {last.who.name}", to=SERVER, after=6)

    def _dispute(self, one: Correspondent, letter: EmailMessage) -> None:
        """He lost, and says that it was otherwise."""
        about = re.search(rf"\b{NAME}-r\d+-\d+[ab]?\b", str(letter["Subject"]))
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


_PARTS = ("falls silent", "never writes", "leaves", "rests", "disputes", "is slow")
