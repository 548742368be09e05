"""Replace a file as a whole, and return once it is on the disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


class UnwritableFile(OSError):
    """A file of ours cannot be written now: the disk is full or read-only."""


def _leave_as_is(descriptor: int) -> None:
    pass


def replace_file(path: Path, content: bytes, prepare: Callable[[int], None] = _leave_as_is) -> None:
    """Write a file, mode 0600, and put it in the place of the old one.

    After a crash either the old or the new file is there. `prepare` gets the descriptor of the new file while it is
    empty. Only one process at a time may call this. Raise UnwritableFile if the file cannot be written; the old one
    is then unchanged.
    """
    try:
        _write_and_rename(path, content, prepare)
    except OSError as error:
        raise UnwritableFile(error.errno, error.strerror, str(path)) from error


def _write_and_rename(path: Path, content: bytes, prepare: Callable[[int], None]) -> None:
    new_path = path.with_name(f"{path.name}.new")
    descriptor = os.open(new_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        prepare(descriptor)
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    new_path.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
