"""What needs a person, told without any mailbox: to a program that the settings name, and to the log.

The program gets a list of arguments and no shell: ``begun`` or ``over``, the word for the trouble, and our own sentence
about it. Nothing that anybody has written in a letter is ever among them.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from pbem.cli.server.log_output import Log
from pbem.mail.outbound import OutgoingLetter, compose
from pbem.mail.smtp import Envelope
from pbem.runtime.transaction import Server
from pbem.server.health import Health

SENTENCES = {
    "database": "the database cannot be read or written: letters wait in the mailbox, and nothing is lost",
    "disk": "the disk is nearly full: make room before nothing can be taken in",
    "mailbox": "the mailbox has been out of reach for a quarter of an hour",
    "queue": "letters have waited for two hours to be sent: the way out is closed",
    "letters": "letters were given up: pbem mail queue lists them",
    "games": "a game is held: pbem game list, then pbem game show NAME",
    "log": "the log stands still: pbem log show says why",
    "full": "the mailbox is nearly full, and letters of players will be refused: delete old ones in Processed",
    "claim": "another server takes the letters of this mailbox, and this one has stopped: pbem doctor",
}
"""What can be wrong, by its word, in the order of its weight."""

PAST_THE_OUTBOX = ("database", "disk", "full", "claim")
"""Of these the operator is written to at once: that the outbox is written, or emptied, is not to be waited for."""

AGAIN = timedelta(days=1)
"""A trouble that lasts is told of once more after so long."""
SCARCE = 200_000_000
"""Octets below which the disk is as good as full: the database grows by the bytes of every letter."""
MAILBOX = 900.0
"""Seconds for which the mailbox may be out of reach."""
FULL = 0.9
"""The part of its room that a mailbox may have used."""
QUEUE = timedelta(hours=2)
_SECONDS = 30.0
"""So long a program may run."""

Start = Callable[[Sequence[str]], None]
"""Starts a program with a list of arguments, and does not wait for it."""


def seen_in(health: Health, now: datetime) -> set[str]:
    """What is wrong by the numbers of a server."""
    found = set()
    if health.games.get("held"):
        found.add("games")
    if health.failed:
        found.add("letters")
    if health.oldest is not None and now - health.oldest > QUEUE:
        found.add("queue")
    return found


def scarce(folder: Path) -> bool:
    """Whether the disk of a folder is as good as full."""
    try:
        return shutil.disk_usage(folder).free < SCARCE
    except OSError:
        return False


def alarm(server: Server, word: str, now: datetime) -> Envelope:
    """A letter to the operator about a trouble, that goes past the outbox."""
    letter = OutgoingLetter(
        message_id=f"<alarm.{word}.{now:%Y%m%d%H%M%S}@{server.domain}>",
        sender=server.address,
        recipient=server.operator,
        subject=f"pbem needs you: {word}",
        text=f"{SENTENCES[word]}.\n\npbem doctor says what to do.\n",
        date=now,
        auto_submitted="auto-generated",
        loop=server.address,
    )
    return Envelope(server.address, server.operator, compose(letter))


def started(words: Sequence[str]) -> None:
    """Start a program in a process of its own; what it says is thrown away, and it is ended if it does not end."""
    # timeout(1) waits for it, so that no daemon of ours has to.
    subprocess.Popen(  # noqa: S603 - the operator's own program, and words of ours
        ["timeout", str(_SECONDS), *words],  # noqa: S607 - coreutils, by the PATH of the service
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


class Alarms:
    """What was told of and when; `command` is the operator's program and its first arguments, empty for none."""

    def __init__(self, command: Sequence[str], log: Log, start: Start = started) -> None:
        self.command = tuple(command)
        self.log = log
        self.start = start
        self.told: dict[str, datetime] = {}

    def look(self, troubles: Collection[str], now: datetime) -> tuple[str, ...]:
        """Tell of each trouble when it begins, daily while it lasts, and when it is over; those told of now."""
        begun = tuple(
            word for word in SENTENCES if word in troubles and (word not in self.told or now - self.told[word] >= AGAIN)
        )
        for word in begun:
            self.told[word] = now
            self._tell("begun", word)
        for word in [word for word in self.told if word not in troubles]:
            del self.told[word]
            self._tell("over", word)
        return begun

    def _tell(self, what: str, word: str) -> None:
        write = self.log.error if what == "begun" else self.log.info
        write(f"trouble {what}", trouble=word, what=SENTENCES[word])
        if self.command:
            try:
                self.start([*self.command, what, word, SENTENCES[word]])
            except OSError as wrong:
                self.log.warning("the program for alerts does not start", why=str(wrong))
