"""The closed lists that a witness has seen, for all time: one file to which lines are added, and nothing else.

A line is on the disk before anything is said of its list, and has the proof that the log signed it. What a crash left
of a line without its end was said to nobody, and is cut off.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from pbem.audit import sees
from pbem.audit.note import decode64, encode64
from pbem.audit.witness import Proven, ShownList
from pbem.audit.witnessing import HeldList
from pbem.cli.exit_codes import Stop
from pbem.store.durable import Unwritten

Where = tuple[str, str, int]


class Lists:
    """The lists in a file, which is read once: in memory is only where each of them stands in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[Where, int] = {}
        self._end = 0
        try:
            with path.open("rb") as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._places[sees.list_of(_read(line).proven.shown.data).where] = self._end
                    self._end += len(line)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError) as wrong:
            raise Stop(f"{path} cannot be read, and a witness who forgot may see a second list: {wrong}") from None

    def find(self, where: Where) -> HeldList | None:
        """The list of a segment, if one was seen."""
        place = self._places.get(where)
        if place is None:
            return None
        with self.path.open("rb") as file:
            file.seek(place)
            return _read(file.readline())

    def keep(self, new: Iterable[HeldList]) -> None:
        """Write lists down for good; Unwritten if that cannot be, and then none of them is kept."""
        lines = [(sees.list_of(one.proven.shown.data).where, _line(one)) for one in new]
        if not lines:
            return
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "r+b") as file:
                file.truncate(self._end)
                file.seek(self._end)
                file.write(b"".join(line for _, line in lines))
                file.flush()
                os.fsync(descriptor)
        except OSError as wrong:
            raise Unwritten(wrong.errno, wrong.strerror, str(self.path)) from wrong
        for where, line in lines:
            self._places[where] = self._end
            self._end += len(line)


def _line(one: HeldList) -> bytes:
    shown = one.proven.shown
    told = {
        "at": one.at,
        "number": shown.at,
        "leaf": encode64(shown.data),
        "path": [encode64(part) for part in shown.path],
        "note": one.proven.note.decode("utf-8"),
    }
    return json.dumps(told, ensure_ascii=False).encode("utf-8") + b"\n"


def _read(line: bytes) -> HeldList:
    told = json.loads(line)
    shown = ShownList(told["number"], decode64(told["leaf"]), tuple(decode64(part) for part in told["path"]))
    return HeldList(told["at"], Proven(shown, told["note"].encode("utf-8")))
