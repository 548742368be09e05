"""Report that the daemon lives, and what needs a person, without any mailbox.

The heartbeat is a file in the data folder, written anew every few seconds::

    {"at": "2030-01-07T12:00:00+00:00", "pid": 4711, "polled": "2030-01-07T11:59:31+00:00", "rounds": 0,
     "troubles": [], "waiting": 0, "taken": "2030-01-07T11:31:02+00:00", "unmoved": 0, "refused": ""}

systemd learns by datagrams that the daemon has started, and that it still works (sd_notify(3)).

An alert goes to the log and to a program that the settings name. The program gets a list of arguments and
no shell: ``begun`` or ``over``, the word for the trouble, and our own sentence about it. Nothing that
anybody has written in a letter is ever among them.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from pbem.cli.log_output import Log
from pbem.mail.outbound import OutgoingLetter, compose
from pbem.mail.smtp import Envelope
from pbem.runtime.transaction import Server
from pbem.server.health import Health

HEARTBEAT = "heartbeat.json"


class Heartbeat(NamedTuple):
    """A sign of life: time, process, and start of the last complete poll.

    It waits for `rounds` of a beacon that should be out. `troubles` are the words for what needs a person
    (`alerts`). In the mailbox `waiting` letters are still to be taken in, `taken` is when the last was, and
    `unmoved` letters are taken but still in the inbox, for the reason `refused`.
    """

    at: datetime
    pid: int
    polled: datetime | None
    rounds: int = 0
    troubles: tuple[str, ...] = ()
    waiting: int = 0
    taken: datetime | None = None
    unmoved: int = 0
    refused: str = ""


def write_heartbeat(path: Path, beat: Heartbeat) -> None:
    """Replace the heartbeat's file in one step, so that nobody reads half of it."""
    record = {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in beat._asdict().items()
    }
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(record) + "\n", "ascii")
    os.replace(fresh, path)


def read_heartbeat(path: Path) -> Heartbeat | None:
    """Return the last readable sign of life, or None."""
    try:
        record = json.loads(path.read_text("ascii"))
        polled, taken = (record.get(name) and datetime.fromisoformat(record[name]) for name in ("polled", "taken"))
        rounds, waiting, unmoved = (int(record.get(name, 0)) for name in ("rounds", "waiting", "unmoved"))
        moment, pid = datetime.fromisoformat(record["at"]), int(record["pid"])
        troubles, refused = tuple(str(word) for word in record.get("troubles", ())), str(record.get("refused", ""))
        return Heartbeat(moment, pid, polled, rounds, troubles, waiting, taken, unmoved, refused)
    except (OSError, ValueError, KeyError, TypeError):
        # There is none before the first beat, and another version of the program may have written it.
        return None


def tell_supervisor(state: str) -> None:
    """Send a line such as ``READY=1`` to systemd, if it asked for that."""
    name = os.environ.get("NOTIFY_SOCKET", "")
    if name:
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
            # An @ stands for the zero octet that begins the names which are no files.
            line.sendto(state.encode("ascii"), name.replace("@", "\0", 1) if name.startswith("@") else name)


SENTENCES = {
    "database": "the database cannot be read or written: letters wait in the mailbox, and nothing is lost",
    "disk": "the disk is nearly full: make room before nothing can be taken in",
    "mailbox": "the mailbox has been out of reach for a quarter of an hour",
    "queue": "letters have waited for two hours to be sent: the way out is closed",
    "letters": "letters were given up: pbem mail queue lists them",
    "games": "a game is held: pbem game list, then pbem game show NAME",
    "log": "the log stands still: pbem log show says why",
    "chores": "work beside the letters has failed three times in a row: the log says which, and why",
    "backup": "the last backup is older than the settings allow: is its timer at work, and its disk there?",
    "full": "the mailbox is nearly full, and letters of players will be refused: delete old ones in Processed",
    "claim": "another server takes the letters of this mailbox, and this one has stopped: pbem doctor",
}
"""The troubles by word, the gravest first."""

LAST_BACKUP = "last-backup"
"""The file in the data folder whose time is that of the last `pbem backup`."""


def last_backup(data: Path) -> datetime | None:
    """Return when the last `pbem backup` was made; None if none ever was."""
    try:
        return datetime.fromtimestamp((data / LAST_BACKUP).stat().st_mtime, UTC)
    except OSError:
        return None


def is_backup_late(data: Path, hours: int, now: datetime) -> bool:
    """Return whether the last backup is older than so many hours, or missing.

    With 0 hours it is never late.
    """
    last = last_backup(data)
    return hours > 0 and (last is None or now - last > timedelta(hours=hours))


PAST_THE_OUTBOX = ("database", "disk", "full", "claim")
"""The troubles that are mailed to the operator at once and not through the outbox, which may not work."""

AGAIN = timedelta(days=1)
"""After this time a lasting trouble is reported again: a day, so that it is not forgotten, and the mailbox not filled
with reports."""
SCARCE = 200_000_000
"""Octets below which the disk counts as full: the database grows by the bytes of every letter."""
MAILBOX = 900.0
"""Seconds for which the mailbox may be unreachable: longer than a restart of a mail server, and long before deadlines
are moved for it (`outage_guard.OUTAGE`)."""
FULL = 0.9
"""The share of its room that a mailbox may have used: a tenth is left for the letters that come until somebody acts."""
QUEUE = timedelta(hours=2)
"""How long the oldest letter may wait. By then it was tried five times (`smtp._MINUTES`), so that it is not only
greylisting."""
_ALERT_SECONDS = 30.0
"""Seconds that an alert program may run, so that hanging ones do not pile up. A choice: sending one message takes a
few."""

Start = Callable[[Sequence[str]], None]
"""Starts a program with a list of arguments, and does not wait for it."""


def troubles_in(health: Health, now: datetime) -> set[str]:
    """Return the troubles that a server's health figures show."""
    troubles = set()
    if health.games.get("held"):
        troubles.add("games")
    if health.failed:
        troubles.add("letters")
    if health.oldest is not None and now - health.oldest > QUEUE:
        troubles.add("queue")
    return troubles


def is_disk_full(folder: Path) -> bool:
    """Return whether the disk of a folder counts as full."""
    try:
        return shutil.disk_usage(folder).free < SCARCE
    except OSError:
        # A folder that is missing or closed is another trouble than a full disk.
        return False


def trouble_letter(server: Server, word: str, now: datetime) -> Envelope:
    """Return a letter to the operator about a trouble, sent past the outbox."""
    letter = OutgoingLetter(
        message_id=f"<alarm.{word}.{now:%Y%m%d%H%M%S}@{server.settings.domain}>",
        sender=server.address,
        recipient=server.settings.operator,
        subject=f"pbem needs you: {word}",
        text=f"{SENTENCES[word]}.\n\npbem doctor says what to do.\n",
        date=now,
        auto_submitted="auto-generated",
        loop=server.address,
    )
    return Envelope(server.address, server.settings.operator, compose(letter))


def start_program(words: Sequence[str]) -> None:
    """Start a program in a process of its own.

    Its output is discarded, and it is ended after a time.
    """
    # timeout(1) waits for it, so that no daemon of ours has to.
    subprocess.Popen(  # noqa: S603 - the operator's own program, and words of ours
        ["timeout", str(_ALERT_SECONDS), *words],  # noqa: S607 - coreutils, by the PATH of the service
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


class Alarms:
    """The reported troubles and their times.

    `command` is the operator's program and its first arguments, empty for none.
    """

    def __init__(self, command: Sequence[str], log: Log, start: Start = start_program) -> None:
        self.command = tuple(command)
        self.log = log
        self.start = start
        self.told: dict[str, datetime] = {}

    def look(self, troubles: Collection[str], now: datetime) -> tuple[str, ...]:
        """Report troubles that begin or end; return those reported as begun.

        Those that last are reported daily.
        """
        new = tuple(
            word for word in SENTENCES if word in troubles and (word not in self.told or now - self.told[word] >= AGAIN)
        )
        for word in new:
            self.told[word] = now
            self._report("begun", word)
        for word in [word for word in self.told if word not in troubles]:
            del self.told[word]
            self._report("over", word)
        return new

    def _report(self, change: str, word: str) -> None:
        write = self.log.error if change == "begun" else self.log.info
        write(f"trouble {change}", trouble=word, what=SENTENCES[word])
        if self.command:
            try:
                self.start([*self.command, change, word, SENTENCES[word]])
            except OSError as wrong:
                # The trouble itself is in the log already, and the server has to go on.
                self.log.warning("the program for alerts does not start", why=str(wrong))
