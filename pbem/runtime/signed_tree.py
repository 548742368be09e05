"""What is remembered, outside the database, of the tree that the server has signed last.

It is written before a checkpoint leaves the server, so that a database put back from a backup is found out by it::

    pbemdice/v1/signed
    log example.com/pbem
    size 4711
    root 9c1e...
    shown example.com/pbem 4720 77b0...

`shown` are trees that players sent back with our mark (`mail.seen`) and that are no part of the one in the database.
It lies in a file beside the keys, or in another database that several machines share (`store.external_record`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pbem.audit import blocks
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.store.external_record import ExternalRecord

_TREE = re.compile(r"(\S+) (0|[1-9][0-9]{0,17}) ([0-9a-f]{64})")


class Known(NamedTuple):
    """What is remembered: the newest tree, and those that were shown to players and are not part of it."""

    tree: Checkpoint
    shown: tuple[Checkpoint, ...] = ()


class Signed:
    """What lies `beside` the database. `alarmed` are the troubles that this process has written to somebody about."""

    def __init__(self, beside: ExternalRecord) -> None:
        self._beside = beside
        self.alarmed: set[str] = set()

    @property
    def place(self) -> str:
        """Where it lies, for people."""
        return self._beside.place

    def read(self) -> Known | None:
        """Return what is remembered; None if nothing is. Malformed if it cannot be read or is no such thing."""
        try:
            data = self._beside.read()
        except OSError as wrong:
            raise Malformed(f"{self.place} cannot be read: {wrong.strerror}") from None
        if data is None:
            return None
        kind, pairs = blocks.parse(data)
        if kind != "signed" or [key for key, _ in pairs[:3]] != ["log", "size", "root"]:
            raise Malformed(f"{self.place} does not say which tree was signed last")
        told = [" ".join(value for _, value in pairs[:3]), *(value for key, value in pairs[3:] if key == "shown")]
        trees = tuple(map(_tree, told))
        return Known(trees[0], trees[1:])

    def keep(self, tree: Checkpoint, before: Known | None) -> bool:
        """Write that this is the newest tree, if what is remembered still is what the caller has held it against.

        False if another process, on this machine or another, has written meanwhile: then it is to be looked at again.
        """
        after = Known(tree, before.shown if before else ())
        return self._beside.exchange(before and _written(before), _written(after))

    def add(self, tree: Checkpoint) -> None:
        """Write that a player was shown this tree, which is no part of ours."""
        try:
            while (known := self.read()) is not None and tree not in known.shown:
                if self._beside.exchange(_written(known), _written(known._replace(shown=(*known.shown, tree)))):
                    return
        except Malformed:
            # As long as nobody can read it everything stands still anyway.
            return

    def begin(self, tree: Checkpoint) -> None:
        """Write that this is the newest tree, whatever is remembered; trees noted as shown are dropped."""
        self._beside.put(_written(Known(tree)))

    def close(self) -> None:
        """Let go of what it lies in."""
        self._beside.close()


def _written(known: Known) -> bytes:
    tree = known.tree
    lines = [("log", tree.origin), ("size", str(tree.size)), ("root", tree.root.hex())]
    return blocks.block("signed", [*lines, *(("shown", line_of(one)) for one in known.shown)])


def line_of(tree: Checkpoint) -> str:
    """A tree of the log in a line: the name of its epoch (`audit.epochs`), its leaves, its root in hex."""
    return f"{tree.origin} {tree.size} {tree.root.hex()}"


def _tree(text: str) -> Checkpoint:
    found = _TREE.fullmatch(text)
    if found is None:
        raise Malformed(f"no tree of a log: {text[:80]!r}")
    return Checkpoint(found[1], int(found[2]), bytes.fromhex(found[3]))
