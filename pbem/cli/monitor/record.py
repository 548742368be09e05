"""What whoever watches a log keeps between two looks: the key it was begun with, and the tree that was seen last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from pbem.audit import checkpoint, note
from pbem.audit.blocks import Malformed
from pbem.audit.monitor import Known
from pbem.audit.note import parse_key
from pbem.cli.exit_codes import Stop
from pbem.store import durable


class Record(NamedTuple):
    """The log's first key, the hash of its first leaf in hex, and the note of the newest tree."""

    key: str
    genesis: str
    note: str

    @property
    def known(self) -> Known:
        """What the next look is held against."""
        return Known(parse_key(self.key), checkpoint.body(note.parse(self.note.encode("utf-8"))), self.genesis)


def load(path: Path) -> Record | None:
    """What was kept last; None if nothing was. Stop if it cannot be read: to begin anew would be to forget it."""
    try:
        found = Record(**json.loads(path.read_text("utf-8")))
        _ = found.known
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, Malformed) as wrong:
        raise Stop(f"{path} cannot be read, and without it a fork is not seen: {wrong}") from None
    return found


def keep(path: Path, record: Record) -> None:
    """Write it down for good; Stop if that cannot be."""
    try:
        durable.put(path, json.dumps(record._asdict(), ensure_ascii=False, indent=1).encode("utf-8"))
    except OSError as wrong:
        raise Stop(f"cannot write {path}: {wrong.strerror}") from None
