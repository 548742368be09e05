"""The heartbeat of a running daemon, in the data folder, written anew every few seconds.

::

    {"at": "2030-01-07T12:00:00+00:00", "pid": 4711, "polled": "2030-01-07T11:59:31+00:00", "rounds": 0,
     "troubles": [], "waiting": 0, "taken": "2030-01-07T11:31:02+00:00", "unmoved": 0, "refused": ""}
"""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

HEARTBEAT = "heartbeat.json"


class Beat(NamedTuple):
    """A sign of life: when, from which process, and when its last whole look into the mailbox began.

    It waits for `rounds` of a beacon that should be out. `troubles` are the words for what needs a person (`alerts`).
    In the mailbox `waiting` letters are still to be taken in, the last was `taken` then, and `unmoved` ones are taken
    and lie where they lay, for the reason `refused`.
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


def write_beat(path: Path, beat: Beat) -> None:
    """Replace the file at once: nobody reads half of it."""
    said = {name: one.isoformat() if isinstance(one, datetime) else one for name, one in beat._asdict().items()}
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(said) + "\n", "ascii")
    os.replace(fresh, path)


def read_beat(path: Path) -> Beat | None:
    """The last sign of life; None if there is none that can be read."""
    try:
        said = json.loads(path.read_text("ascii"))
        polled, taken = (said.get(name) and datetime.fromisoformat(said[name]) for name in ("polled", "taken"))
        rounds, waiting, unmoved = (int(said.get(name, 0)) for name in ("rounds", "waiting", "unmoved"))
        at, pid = datetime.fromisoformat(said["at"]), int(said["pid"])
        troubles, refused = tuple(str(word) for word in said.get("troubles", ())), str(said.get("refused", ""))
        return Beat(at, pid, polled, rounds, troubles, waiting, taken, unmoved, refused)
    except (OSError, ValueError, KeyError, TypeError):
        return None
