"""A file put in the place of another as a whole, and on the disk when that is said."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


class Unwritten(OSError):
    """A file of ours cannot be written at the moment: the disk is full, or closed to writing."""


def _as_it_is(descriptor: int) -> None:
    pass


def put(path: Path, content: bytes, made: Callable[[int], None] = _as_it_is) -> None:
    """Write a file, mode 0600, beside the old one and put it in its place: after a crash one or the other is there.

    `made` is handed the descriptor of the new file before anything is in it. Only one process at a time may do so.
    Unwritten if it cannot be; then the old one is as it was.
    """
    try:
        _put(path, content, made)
    except OSError as wrong:
        raise Unwritten(wrong.errno, wrong.strerror, str(path)) from wrong


def _put(path: Path, content: bytes, made: Callable[[int], None]) -> None:
    fresh = path.with_name(f"{path.name}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        made(descriptor)
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
