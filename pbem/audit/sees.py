"""What a witness says that he saw of the closed lists in a tree, and that he saw no other of those segments.

A cosignature says that a tree goes on from the one before, and nothing of what is in it: a log could close a segment a
hundred times and show the list that it likes. Whoever is shown the leaf itself signs one list for each segment of a
phase, and never a second. The block goes with the cosigned tree of its size, and is signed by the witness's key as a
plain note signature (type 0x01), so that neither can be taken for the other::

    pbemdice/v1/sees
    log example.com/pbem
    size 25
    root tbkJ2o...
    time 1893499200
    close wt-042 T3.spain~1 1 5f2c...
    by friend.example.net/witness kJ2oDq...

`time` is a unix second by which the witness had seen all of it. What is signed are the lines before `by`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pbem.audit import blocks, leaves, note
from pbem.audit.blocks import ID, Malformed
from pbem.audit.checkpoint import Checkpoint, hashes, parted
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import ED25519, Key, Sign, Signature, Verify, encode64

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_CLOSE = re.compile(rf"({ID}) ({ID}) ([1-9][0-9]{{0,17}}) ([0-9a-f]{{64}})")


class SeenList(NamedTuple):
    """A list that was closed: of which segment of which phase (with its attempt), and the hex hash of the leaf."""

    game: str
    phase: str
    segment: int
    leaf: str

    @property
    def where(self) -> tuple[str, str, int]:
        """Of what there is one list."""
        return self[:3]


class Sees(NamedTuple):
    """What is said: the name of the log, the tree, the unix second, the lists in the order in which they were shown."""

    tree: Checkpoint
    at: int
    closes: tuple[SeenList, ...]


class Statement(NamedTuple):
    """What is said, and the signature below it, which is not verified."""

    said: Sees
    by: Signature

    def holds(self, key: Key, verify: Verify) -> bool:
        """Whether the witness with this key (of either kind) has said it."""
        own = plain(key)
        named = (self.by.name, self.by.id) == (own.name, own.id)
        return named and verify(own.public, _message(self.said), self.by.signed)


def plain(key: Key) -> Key:
    """The key of a witness under the kind of plain signatures, which has an id of its own."""
    return key._replace(kind=ED25519)


def list_of(data: bytes) -> SeenList:
    """The list that a leaf closes; Malformed if it is the leaf of no closed list."""
    leaf = leaves.parse(data)
    if leaf.kind != "close":
        raise Malformed(f"a leaf of {leaf.kind} closes no list")
    return SeenList(leaf.game, leaf("phase"), leaf.number("segment"), leaf_hash(data).hex())


def sign(said: Sees, key: Key, secret: Sign) -> Statement:
    """The statement, signed by a witness."""
    own = plain(key)
    return Statement(said, Signature(own.name, own.id, secret(_message(said))))


def write(told: Statement) -> bytes:
    """The block with its signature."""
    return blocks.block("sees", (*_lines(told.said), ("by", told.by.text)))


def read(data: bytes) -> Statement:
    """Read such a block; Malformed unless it is written exactly so. The signature is not verified."""
    kind, pairs = blocks.parse(data)
    (log, size, root, time, closes, by), rest = parted(pairs, "log", "size", "root", "time", "close", "by")
    if kind != "sees" or rest or [len(one) for one in (log, size, root, time, by)] != [1] * 5 or not closes:
        raise Malformed("a witness says of which log, which tree, when and which lists, and signs it")
    if not _NUMBER.fullmatch(size[0]) or not _NUMBER.fullmatch(time[0]) or time[0] == "0":
        raise Malformed("a size and a time are numbers")
    found = [_CLOSE.fullmatch(one) for one in closes]
    lists = tuple(SeenList(one[1], one[2], int(one[3]), one[4]) for one in found if one)
    if len(lists) != len(found) or len({one.where for one in lists}) != len(lists):
        raise Malformed("of every segment a witness sees one list")
    line = note.signature(by[0])
    if len(line.signed) != 64:
        raise Malformed("a plain signature has 64 bytes")
    return Statement(Sees(Checkpoint(log[0], int(size[0]), hashes(root)[0]), int(time[0]), lists), line)


def _message(said: Sees) -> bytes:
    return blocks.block("sees", _lines(said))


def _lines(said: Sees) -> tuple[tuple[str, str], ...]:
    tree = (("log", said.tree.origin), ("size", str(said.tree.size)), ("root", encode64(said.tree.root)))
    lists = (("close", f"{one.game} {one.phase} {one.segment} {one.leaf}") for one in said.closes)
    return (*tree, ("time", str(said.at)), *lists)
