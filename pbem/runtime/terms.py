"""Hold the terms of a game: what its players agreed on time, absence and talk.

They are words and numbers that are stored with the game, and are not part of its edition: they say when and for
whom the game waits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from pbem.engine.data.canon import Json, dumps, loads

NMR_STEPS = ("standing", "standby", "moderator", "close")
"""The steps after a missed deadline: standing orders alone; the seat is also offered to others; the game is also held;
the game closes."""

PRESS_CHOICES = ("at-once", "with-report", "none")
"""When letters between players are delivered."""

OPENED_CHOICES = ("played", "all")
"""Which orders of both sides the report of a phase opens, in games that hide nothing."""

BEACON_CHOICES = ("none", "quicknet")
"""The beacons on which dice may depend in addition to the closed orders."""

HINT_CHOICES = ("off", "on")
"""Whether players may ask a bot for a plan."""

WAIT_FOR_ABSENT = "wait"
"""The term by which games wait for absent players, unless a bot was agreed on."""

INTERRUPT_REACTIONS = "interrupt"
ACTIVATION_PACE = "activation"
QUESTIONS_TOGETHER = "together"
NOTIFY_CHOICES = ("all", "daily", "weekly")
_WORDS = {
    "beacon": BEACON_CHOICES,
    "hints": HINT_CHOICES,
    "notify": NOTIFY_CHOICES,
    "opened": OPENED_CHOICES,
    "pace": ("phase", ACTIVATION_PACE),
    "press": PRESS_CHOICES,
    "questions": ("each", QUESTIONS_TOGETHER),
    "reactions": ("standing", INTERRUPT_REACTIONS),
}


class Terms(NamedTuple):
    """The terms of a game.

    `late_minutes`        so long after the deadline letters still count, as late ones
    `reminder_hours`      so long before the deadline those who are awaited are reminded; 0: never
    `extend_hours`        what one seat may put deadlines off in the whole game, by EXTEND
    `vacation_days`       how many days of absence a seat may announce in the whole game
    `clock_hours`         a seat's time to think for the whole game; 0: no clock is kept
    `short_hours`         how long a phase lasts at least for a seat whose time is used up
    `here_hours`          how long a seat that is to be offered to others is asked for a word first; 0: it is not asked
    `claim_after`         deadlines missed in a row, after which the others may claim the game; 0: never
    `press`               when letters between players are passed on, one of PRESS
    `pace`                ``phase``: all orders of a phase are carried out together; ``activation``: each letter at
                          once, where the rules allow that
    `reactions`           ``standing``: who wants to be asked by letter says so in his standing orders; ``interrupt``:
                          every seat is asked at every window
    `questions`           ``together``: what can be asked about one fight stands in one letter, and nothing is asked
                          that changes nothing; ``each``: every window is asked about when it comes up
    `asks`                how many letters of questions a seat gets a turn at most
    `beacon`              the public beacon whose round the dice of a phase wait for, one of BEACONS
    `delta`               seconds after the closing time from which on a round counts
    `opened`              what reports open of both sides' orders where nothing is hidden: sets of which every line was
                          ``played``, and the standing orders that were used; or ``all``
    `notify`              whether seats that have not set it get ``all`` letters at once, or their news ``daily`` or
                          ``weekly`` in one
    `absent`              whether deadlines ``wait`` for whoever has announced that he is away, or which bot of the game
                          then writes for him
    `hints`               whether players may ask a bot for a plan, one of HINTS
    `minute`              deadlines fall so many minutes past their hour
    `board`               of a tournament's table: the name that all tables with its dice have in common; nobody else
                          sets it
    `ladder`              what follows the first, second, ... deadline missed in a row; the last step repeats
    """

    late_minutes: int = 0
    reminder_hours: int = 24
    extend_hours: int = 72
    vacation_days: int = 21
    clock_hours: int = 0
    short_hours: int = 24
    here_hours: int = 24
    claim_after: int = 3
    press: str = "at-once"
    pace: str = "phase"
    reactions: str = "standing"
    questions: str = "each"
    asks: int = 5
    beacon: str = "none"
    delta: int = 600
    opened: str = "played"
    notify: str = "all"
    absent: str = WAIT_FOR_ABSENT
    hints: str = "off"
    minute: int = 0
    board: str = ""
    ladder: tuple[str, ...] = ("standing", "standing", "standby", "moderator")

    @staticmethod
    # Most games share their terms, and every letter needs them.
    @lru_cache(maxsize=256)
    def read(text: str) -> Terms:
        """Return the terms stored with a game, with defaults for the rest."""
        return Terms._of(loads(text))

    @classmethod
    def from_words(cls, words: Mapping[str, str]) -> Terms:
        """Parse terms such as ``{"ladder": "standing/standby"}``; raise ValueError."""
        terms = cls._of({name: cls._value(name, word) for name, word in words.items()})
        if terms.minute > 59:
            raise ValueError(f"minute is a number from 0 to 59, got {terms.minute}")
        if not terms.ladder or any(step not in NMR_STEPS for step in terms.ladder):
            raise ValueError(f"a ladder is made of {', '.join(NMR_STEPS)}, parted by slashes")
        return terms

    @classmethod
    def _value(cls, name: str, word: str) -> str | int | list[str]:
        """Parse the value of one term."""
        if name not in cls._fields:
            raise ValueError(f"there is no term {name!r}; there are: {', '.join(cls._fields)}")
        if name == "board":
            raise ValueError("board is a term that a tournament alone sets")
        if name == "ladder":
            return word.split("/")
        if name == "absent" and re.fullmatch(r"[a-z][a-z0-9-]{0,19}", bot := word.removeprefix("bot=")):
            return bot
        if name in _WORDS:
            if word not in _WORDS[name]:
                raise ValueError(f"{name} is one of {', '.join(_WORDS[name])}, got {word!r}")
            return word
        if word.isascii() and word.isdigit() and len(word) < 7:
            return int(word)
        raise ValueError(f"{name} is a number from 0 up, got {word!r}")

    def text(self) -> str:
        """Return the terms as stored: only those that differ from the defaults."""
        return dumps({k: v for k, v in self._asdict().items() if v != self._field_defaults[k]})

    def step(self, missed: int) -> str:
        """Return what follows the `missed`-th deadline missed in a row, counted from 1."""
        return self.ladder[min(missed, len(self.ladder)) - 1]

    @property
    def may_hint(self) -> bool:
        """Return whether the players agreed that a bot may be asked."""
        return self.hints == "on"

    @property
    def stand_in(self) -> str:
        """Return the stand-in bot; empty if deadlines wait for the player."""
        return "" if self.absent == WAIT_FOR_ABSENT or self.pace == ACTIVATION_PACE else self.absent

    @classmethod
    def _of(cls, values: Json) -> Terms:
        ladder = tuple(values.get("ladder", cls._field_defaults["ladder"]))
        return cls()._replace(**{**values, "ladder": ladder})
