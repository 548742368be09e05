"""Read, write and sign a witness's statement about closed lists in a tree.

A cosignature says that a tree continues the one before, and nothing about its leaves: a log could close a segment a
hundred times and show the list that it likes. A witness who is shown the leaf itself signs one list for each
segment of a phase, and never a second. The block goes with the cosigned tree of its size, and is signed by the
witness's key as a plain note signature (type 0x01), so that neither can be taken for the other::

    pbemdice/v1/sees
    log example.com/pbem
    size 25
    root tbkJ2o...
    time 1893499200
    close wt-042 T3.spain~1 1 5f2c...
    by friend.example.net/witness kJ2oDq...

`time` is a unix second by which the witness had seen all of it. The lines before `by` are signed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pbem.audit import blocks, leaves, note
from pbem.audit.blocks import COUNT_PATTERN, ID_PATTERN, NUMBER_PATTERN, Malformed
from pbem.audit.checkpoint import Checkpoint, decode_hashes, split_by_key
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import ED25519, Key, Sign, Signature, Verify, encode64

_NUMBER = re.compile(NUMBER_PATTERN)
# Game, phase, segment and the hash of the leaf.
_CLOSE = re.compile(rf"({ID_PATTERN}) ({ID_PATTERN}) ({COUNT_PATTERN}) ([0-9a-f]{{64}})")


class SeenList(NamedTuple):
    """A closed list: segment, phase (with its attempt) and hex hash of the leaf."""

    game: str
    phase: str
    segment: int
    leaf: str

    @property
    def where(self) -> tuple[str, str, int]:
        """Return the game, phase and segment, for which there is one list."""
        return self[:3]


class WitnessStatement(NamedTuple):
    """What a witness states: the tree and the closed lists that he was shown.

    `at` is the unix second by which he had seen them.
    """

    tree: Checkpoint
    at: int
    closes: tuple[SeenList, ...]


class SignedStatement(NamedTuple):
    """A statement and its signature, which is not verified here."""

    said: WitnessStatement
    by: Signature

    def holds(self, key: Key, verify: Verify) -> bool:
        """Return whether the witness with a key, of either kind, signed the statement."""
        own = plain_key(key)
        named = (self.by.name, self.by.id) == (own.name, own.id)
        return named and verify(own.public, _message(self.said), self.by.signed)


def plain_key(key: Key) -> Key:
    """Return the witness's key with the kind and id of plain signatures."""
    return key._replace(kind=ED25519)


def closed_list_of(data: bytes) -> SeenList:
    """Return the list that a leaf closes; raise Malformed for other kinds of leaves."""
    leaf = leaves.parse(data)
    if leaf.kind != "close":
        raise Malformed(f"a leaf of {leaf.kind} closes no list")
    return SeenList(leaf.game, leaf("phase"), leaf.number("segment"), leaf_hash(data).hex())


def sign(statement: WitnessStatement, key: Key, secret: Sign) -> SignedStatement:
    """Sign a statement with the key of a witness."""
    own = plain_key(key)
    return SignedStatement(statement, Signature(own.name, own.id, secret(_message(statement))))


def write(statement: SignedStatement) -> bytes:
    """Return the block of a signed statement."""
    return blocks.block("sees", (*_lines(statement.said), ("by", statement.by.text)))


def read(data: bytes) -> SignedStatement:
    """Parse a signed statement; raise Malformed unless it is canonical."""
    kind, pairs = blocks.parse(data)
    (log, size, root, time, closes, by), rest = split_by_key(pairs, "log", "size", "root", "time", "close", "by")
    if kind != "sees" or rest or [len(values) for values in (log, size, root, time, by)] != [1] * 5 or not closes:
        raise Malformed("a witness says of which log, which tree, when and which lists, and signs it")
    if not _NUMBER.fullmatch(size[0]) or not _NUMBER.fullmatch(time[0]) or time[0] == "0":
        raise Malformed("a size and a time are numbers")
    matches = [_CLOSE.fullmatch(text) for text in closes]
    lists = tuple(SeenList(match[1], match[2], int(match[3]), match[4]) for match in matches if match)
    if len(lists) != len(matches) or len({entry.where for entry in lists}) != len(lists):
        raise Malformed("of every segment a witness sees one list")
    line = note.parse_signature(by[0])
    if len(line.signed) != 64:
        raise Malformed("a plain signature has 64 bytes")
    return SignedStatement(
        WitnessStatement(Checkpoint(log[0], int(size[0]), decode_hashes(root)[0]), int(time[0]), lists), line
    )


def _message(statement: WitnessStatement) -> bytes:
    return blocks.block("sees", _lines(statement))


def _lines(statement: WitnessStatement) -> tuple[tuple[str, str], ...]:
    tree = (("log", statement.tree.origin), ("size", str(statement.tree.size)), ("root", encode64(statement.tree.root)))
    lists = (("close", f"{entry.game} {entry.phase} {entry.segment} {entry.leaf}") for entry in statement.closes)
    return (*tree, ("time", str(statement.at)), *lists)
