"""Read the static files of a log (`pbem.audit.tiles`), in a folder or behind an address; nothing in them is believed.

Between two looks a record keeps the key that the log was begun with, and the tree that was seen last.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from pbem.audit import checkpoint, note, tiles
from pbem.audit.blocks import Malformed
from pbem.audit.monitor import Known
from pbem.audit.note import parse_key
from pbem.audit.tiles import CHECKPOINT, LONGEST_LEAF, WIDTH, Tile, rotate_name
from pbem.cli.exit_codes import Stop
from pbem.cli.web import Line, check_address
from pbem.store import durable

Read = Callable[[str, int], bytes]
"""A name below the log's address and the most octets -> the bytes; FileNotFoundError, or OSError for other troubles."""

_NOTE = 65_536
_LEAF = 4_096
"""A leaf that everybody may see has not so many octets: what has more is none of ours."""
_BUNDLE = WIDTH * (LONGEST_LEAF + 2)


def open_files(where: str) -> Read:
    """How the files of a folder or of an address are read; Stop if it is neither."""
    if "://" not in where:
        return _in_folder(Path(where))
    try:
        line = Line(check_address(where))
    except ValueError as wrong:
        raise Stop(str(wrong)) from None

    def read(name: str, most: int) -> bytes:
        answer = line.get(name, most)
        if answer.status == 404:
            raise FileNotFoundError(f"there is no {name}")
        if answer.status != 200:
            raise OSError(f"{name}: HTTP {answer.status}")
        return answer.body

    return read


def _in_folder(folder: Path) -> Read:
    if not folder.is_dir():
        raise Stop(f"{folder} is no folder; an address begins with https://")

    def read(name: str, most: int) -> bytes:
        with (folder / name).open("rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise OSError(f"{name} has more than {most} octets")
        return data

    return read


class Source:
    """A log as its files have it: the signed tree first, then what that has."""

    def __init__(self, read: Read, goes_on: Callable[[], bool] = lambda: True) -> None:
        self._read, self._goes_on = read, goes_on

    def checkpoint(self) -> bytes:
        """The note of the newest tree; OSError."""
        return self._read(CHECKPOINT, _NOTE)

    def vouched(self, number: int) -> bytes:
        """The note by which the key before vouched for the leaf `rotate` with this number; OSError."""
        return self._read(rotate_name(number), _NOTE)

    def leaves(self, signed: bytes) -> Iterator[bytes]:
        """Every leaf of that tree, in order; OSError for what is not there, Malformed for what is no bundle."""
        size = checkpoint.body(note.parse(signed)).size
        for first in range(0, size, WIDTH):
            if not self._goes_on():
                raise OSError("it takes too long")
            yield from self._bundle(Tile(None, first // WIDTH, min(WIDTH, size - first)))

    def _bundle(self, tile: Tile) -> Iterator[bytes]:
        try:
            found, width = self._read(tile.name, _BUNDLE), tile.width
        except FileNotFoundError:
            if tile.width == WIDTH:
                raise
            # It has become full since, and the partial one was taken away.
            found, width = self._read(tile._replace(width=WIDTH).name, _BUNDLE), WIDTH
        for at, leaf in enumerate(tiles.leaves_in(found, width)):
            if len(leaf) > _LEAF:
                raise Malformed(f"leaf {tile.first + at} has {len(leaf)} octets")
            if at < tile.width:
                yield leaf


class Record(NamedTuple):
    """The log's first key, the hash of its first leaf in hex, and the note of the newest tree."""

    key: str
    genesis: str
    note: str

    @property
    def known(self) -> Known:
        """What the next look is held against."""
        return Known(parse_key(self.key), checkpoint.body(note.parse(self.note.encode("utf-8"))), self.genesis)


def load_record(path: Path) -> Record | None:
    """What was kept last; None if nothing was. Stop if it cannot be read: to begin anew would be to forget it."""
    try:
        found = Record(**json.loads(path.read_text("utf-8")))
        _ = found.known
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, Malformed) as wrong:
        raise Stop(f"{path} cannot be read, and without it a fork is not seen: {wrong}") from None
    return found


def keep_record(path: Path, record: Record) -> None:
    """Write it down for good; Stop if that cannot be."""
    try:
        durable.put(path, json.dumps(record._asdict(), ensure_ascii=False, indent=1).encode("utf-8"))
    except OSError as wrong:
        raise Stop(f"cannot write {path}: {wrong.strerror}") from None
