"""The file beside the keys that remembers, outside the database, what tree the server has signed last.

It is written before a checkpoint leaves the server, so that a database put back from a backup is found out by it::

    pbemdice/v1/signed
    log example.com/pbem
    size 4711
    root 9c1e...
    shown example.com/pbem 4720 77b0...

`shown` are trees that players sent back with our mark (`mail.seen`) and that are no part of the one in the database.
The file is replaced at once and is on the disk before `keep` returns. Written by root it stays its owner's.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pbem.audit import blocks
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.store import durable
from pbem.store.durable import Unwritten

__all__ = ["Known", "Signed", "line_of"]

_TREE = re.compile(r"(\S+) (0|[1-9][0-9]{0,17}) ([0-9a-f]{64})")


class Known(NamedTuple):
    """What the file says: the newest tree, and those that were shown to players and are not part of it."""

    tree: Checkpoint
    shown: tuple[Checkpoint, ...] = ()


class Signed:
    """The file at `path`. `alarmed` are the troubles that this process has written to somebody about."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.alarmed: set[str] = set()

    def read(self) -> Known | None:
        """Return what the file says; None if there is no file. Malformed if it cannot be read or is no such file."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as wrong:
            raise Malformed(f"{self.path} cannot be read: {wrong.strerror}") from None
        kind, pairs = blocks.parse(data)
        if kind != "signed" or [key for key, _ in pairs[:3]] != ["log", "size", "root"]:
            raise Malformed(f"{self.path} does not say which tree was signed last")
        told = [" ".join(value for _, value in pairs[:3]), *(value for key, value in pairs[3:] if key == "shown")]
        trees = tuple(map(_tree, told))
        return Known(trees[0], trees[1:])

    def keep(self, tree: Checkpoint) -> None:
        """Write that this is the newest tree, unless the file already names a larger one of the same log."""
        with self._locked():
            known = self._old()
            if known is None or known.tree.origin != tree.origin or known.tree.size <= tree.size:
                self._write(Known(tree, known.shown if known else ()))

    def add(self, tree: Checkpoint) -> None:
        """Write that a player was shown this tree, which is no part of ours."""
        with self._locked():
            known = self._old()
            if known is not None and tree not in known.shown:
                self._write(known._replace(shown=(*known.shown, tree)))

    def begin(self, tree: Checkpoint) -> None:
        """Write that this is the newest tree, whatever the file says; trees noted as shown are dropped."""
        with self._locked():
            self._write(Known(tree))

    def _old(self) -> Known | None:
        try:
            return self.read()
        except Malformed:
            return None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock of the file; other processes wait to write it."""
        try:
            descriptor = os.open(f"{self.path}.lock", os.O_WRONLY | os.O_CREAT, 0o600)
        except OSError as wrong:
            raise Unwritten(wrong.errno, wrong.strerror, str(self.path)) from wrong
        try:
            self._give_back(descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _write(self, known: Known) -> None:
        tree = known.tree
        lines = [("log", tree.origin), ("size", str(tree.size)), ("root", tree.root.hex())]
        body = blocks.block("signed", [*lines, *(("shown", line_of(one)) for one in known.shown)])
        durable.put(self.path, body, self._give_back)

    def _give_back(self, descriptor: int) -> None:
        """Leave a file to whom the folder belongs, if a command was run by root: the server has to read it."""
        if os.geteuid() == 0:
            folder = self.path.parent.stat()
            os.fchown(descriptor, folder.st_uid, folder.st_gid)


def line_of(tree: Checkpoint) -> str:
    """A tree of the log in a line: the name of its epoch (`audit.epochs`), its leaves, its root in hex."""
    return f"{tree.origin} {tree.size} {tree.root.hex()}"


def _tree(text: str) -> Checkpoint:
    found = _TREE.fullmatch(text)
    if found is None:
        raise Malformed(f"no tree of a log: {text[:80]!r}")
    return Checkpoint(found[1], int(found[2]), bytes.fromhex(found[3]))
