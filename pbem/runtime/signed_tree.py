"""Record, outside the database, the tree that the server signed last.

It is written before a checkpoint leaves the server, so that it shows when the database was restored from a backup::

    pbemdice/v1/signed
    log example.com/pbem
    size 4711
    root 9c1e...
    shown example.com/pbem 4720 77b0...

`shown` are trees that players sent back with our mark (`mail.seen`) and that the log in the database does not
contain. The record is a file beside the keys, or a row in another database that several machines share
(`store.external_record`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pbem.audit import blocks
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.store.external_record import ExternalRecord

# A line of the signed tree: name, size, root.
_TREE = re.compile(rf"(\S+) ({blocks.NUMBER_PATTERN}) ([0-9a-f]{{64}})")


class RecordedTrees(NamedTuple):
    """The newest tree on record, and foreign trees that players were shown."""

    tree: Checkpoint
    shown: tuple[Checkpoint, ...] = ()


class SignedTreeRecord:
    """The record outside the database.

    `alarmed` are the troubles that this process has reported by letter.
    """

    def __init__(self, beside: ExternalRecord) -> None:
        self._beside = beside
        self.alarmed: set[str] = set()

    @property
    def place(self) -> str:
        """Return a description of the place, for people."""
        return self._beside.place

    def read(self) -> RecordedTrees | None:
        """Return the record; None if there is none; raise Malformed if it is unreadable."""
        try:
            data = self._beside.read()
        except OSError as wrong:
            # To the caller a record that is away is as one that is damaged: nothing is signed without it.
            raise Malformed(f"{self.place} cannot be read: {wrong.strerror}") from None
        if data is None:
            return None
        kind, pairs = blocks.parse(data)
        if kind != "signed" or [key for key, _ in pairs[:3]] != ["log", "size", "root"]:
            raise Malformed(f"{self.place} does not say which tree was signed last")
        lines = [" ".join(value for _, value in pairs[:3]), *(value for key, value in pairs[3:] if key == "shown")]
        trees = tuple(map(_tree, lines))
        return RecordedTrees(trees[0], trees[1:])

    def keep(self, tree: Checkpoint, before: RecordedTrees | None) -> bool:
        """Record the newest tree, if the record is still as the caller has checked it.

        Returns False if another process, on this machine or another, has written meanwhile: then the log must be
        checked again.
        """
        after = RecordedTrees(tree, before.shown if before else ())
        return self._beside.exchange(before and _encode(before), _encode(after))

    def add(self, tree: Checkpoint) -> None:
        """Record a tree that a player was shown and that our log does not contain."""
        try:
            while (known := self.read()) is not None and tree not in known.shown:
                if self._beside.exchange(_encode(known), _encode(known._replace(shown=(*known.shown, tree)))):
                    return
        except Malformed:
            # As long as nobody can read it everything stands still anyway.
            return

    def begin(self, tree: Checkpoint) -> None:
        """Record the newest tree whatever the record has, and drop all shown trees."""
        self._beside.put(_encode(RecordedTrees(tree)))

    def close(self) -> None:
        """Close the file or database."""
        self._beside.close()


def _encode(known: RecordedTrees) -> bytes:
    tree = known.tree
    lines = [("log", tree.origin), ("size", str(tree.size)), ("root", tree.root.hex())]
    return blocks.block("signed", [*lines, *(("shown", tree_line(shown_tree)) for shown_tree in known.shown)])


def tree_line(tree: Checkpoint) -> str:
    """Return a tree as a line: name of its epoch, leaves, root in hex."""
    return f"{tree.origin} {tree.size} {tree.root.hex()}"


def _tree(text: str) -> Checkpoint:
    match = _TREE.fullmatch(text)
    if match is None:
        # As much of the damage as fits on a line.
        raise Malformed(f"no tree of a log: {text[:80]!r}")
    return Checkpoint(match[1], int(match[2]), bytes.fromhex(match[3]))
