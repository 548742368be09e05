"""The leaves of the log: every act of the server, a block each, chained for each game.

The first leaf of the log tells its keys; those of a game count from 0, and each names the hash of the one before::

    pbemdice/v1/close
    game wt-042
    seq 7
    prev 2f1d...
    phase T3.spain~1
    segment 1
    slate 9a40...
    seen -

When something happens that moves the closing of an open phase, a `deadline` leaf says so at once: D, the second until
which letters count, and why. The last one before a close holds, or the `open` if there is none. An answer to what a
seat was asked by letter is sealed when it comes, for the segment that it will be closed in; a ruling of the moderator
names the digest of its text, which everybody was told. By a ruling a phase may be resolved once more, from the same
closed lists: `again` says from which state, and lists all that is rolled then, a manifest for each segment, of the
group ``all~RUN``; a `result` follows it, and the last one counts. `disclose` says that what was sealed of a phase is
opened: the letter that opens it is a bundle of its own (see `bundle`).

Leaves about the server itself belong to the game ``-``. Moments are unix seconds, hashes lower-case hex, commitments
base64. A game without a beacon has the chain ``none`` and the round 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from pbem.audit import blocks
from pbem.audit.blocks import ID, Malformed
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import decode64, parse_key

__all__ = ["KINDS", "SERVER", "START", "Chain", "Leaf", "parse", "write"]

SERVER = "-"
"""The game of leaves that are about the server."""

START = "-"
"""What the first leaf of a game has for the hash of the one before."""

_NUMBER = r"(?:0|[1-9][0-9]{0,17})"
_HEX = r"[0-9a-f]{64}"
_COMMIT = r"[A-Za-z0-9+/]{43}="
_DIGEST = rf"(?:sha256|hmac):{_HEX}"

_VALUES = {
    "id": ID,
    "ids": rf"{ID}(?: {ID})*",
    "number": _NUMBER,
    "count": r"[1-9][0-9]{0,17}",
    "hash": _HEX,
    "commit": _COMMIT,
    "plain": rf"sha256:{_HEX}",
    "blinded": rf"hmac:{_HEX}",
    "digests": rf"{_DIGEST}(?: {_DIGEST})*",
    "chain": rf"{_HEX}|none",
    "cause": "go|all-in|extend|outage|vacation|bounce|moderator",
    "signature": r"[0-9a-f]{96}|none",
    "group": rf"{ID} (?:[0-9a-f]{{160}}|{_HEX})",
    "seen": rf"-|{ID}:{_NUMBER}:{_HEX}(?: {ID}:{_NUMBER}:{_HEX})*",
    "key": r"\S+\+[0-9a-f]{8}\+\S+",
    "pace": "phase|activation",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _VALUES.items()}

KINDS: dict[str, tuple[tuple[str, str], ...]] = {
    "genesis": (("log", "key"), ("vrf", "hash"), ("chain", "chain")),
    "open": (
        ("phase", "id"),
        ("D", "number"),
        ("delta", "number"),
        ("chain", "chain"),
        ("round", "number"),
        ("edition", "plain"),
        ("state", "blinded"),
        ("seats", "ids"),
    ),
    "deadline": (("phase", "id"), ("D", "number"), ("round", "number"), ("cause", "cause")),
    "order": (
        ("phase", "id"),
        ("seat", "id"),
        ("rev", "number"),
        ("commit", "commit"),
        ("eml", "hash"),
        ("recv", "number"),
    ),
    "answer": (("phase", "id"), ("segment", "count"), ("seat", "id"), ("commit", "commit")),
    "close": (("phase", "id"), ("segment", "count"), ("slate", "hash"), ("seen", "seen")),
    "roll": (
        ("phase", "id"),
        ("segment", "count"),
        ("sig", "signature"),
        ("group", "group"),
        ("manifest", "digests"),
    ),
    "result": (("phase", "id"), ("state", "blinded"), ("report", "blinded")),
    "again": (("phase", "id"), ("run", "count"), ("ruling", "count"), ("state", "blinded"), ("manifest", "digests")),
    "disclose": (("phase", "id"),),
    "ruling": (("phase", "id"), ("number", "count"), ("text", "plain")),
    "rotate": (("log", "key"), ("vrf", "hash"), ("size", "number"), ("root", "hash")),
    "beacon-change": (("chain", "chain"),),
}
"""The kinds of leaves, and what each says after game, seq and prev: (key, what its value is), in order.

Of `group` there are as many as the roll has groups; `manifest` has a digest for each, in their order. While a group is
hidden, the hash of its proof stands for the proof.
"""

MORE: dict[str, tuple[tuple[str, str], ...]] = {"open": (("system", "id"), ("pace", "pace"))}
"""Further keys of a kind, which a leaf has all of or none: leaves written by older versions have none."""

_HEAD = (("game", "id"), ("seq", "number"))


class Leaf(NamedTuple):
    """A leaf: its kind, game and place in the game, the hash before it (or START), and what it says."""

    kind: str
    game: str
    seq: int
    prev: str
    says: tuple[tuple[str, str], ...]

    def __call__(self, key: str) -> str:
        """The value of a key; KeyError if the kind has none."""
        return dict(self.says)[key]

    def number(self, key: str) -> int:
        """The value of a key that is a number."""
        return int(self(key))

    @property
    def groups(self) -> tuple[tuple[str, bytes], ...]:
        """Of a roll: the groups by name, each with its proof (80 bytes) or, while hidden, the hash of it (32)."""
        found = (value.split(" ") for key, value in self.says if key == "group")
        return tuple((name, bytes.fromhex(proof)) for name, proof in found)


def write(leaf: Leaf) -> bytes:
    """The bytes of a leaf; Malformed if it does not say what its kind says."""
    _check(leaf)
    head = (("game", leaf.game), ("seq", str(leaf.seq)), ("prev", leaf.prev))
    return blocks.block(leaf.kind, (*head, *leaf.says))


def parse(data: bytes) -> Leaf:
    """Read a leaf; Malformed unless it is written exactly as `write` does."""
    kind, pairs = blocks.parse(data)
    if [key for key, _ in pairs[:3]] != ["game", "seq", "prev"]:
        raise Malformed(f"a leaf of {kind} begins with game, seq and prev")
    game, seq, prev = (value for _, value in pairs[:3])
    if _PATTERNS["number"].fullmatch(seq) is None:
        raise Malformed(f"seq is a number, not {seq[:40]!r}")
    leaf = Leaf(kind, game, int(seq), prev, pairs[3:])
    _check(leaf)
    return leaf


def _check(leaf: Leaf) -> None:
    if leaf.kind not in KINDS:
        raise Malformed(f"there is no leaf of kind {leaf.kind!r}")
    _fits(leaf.kind, "game", "id", leaf.game)
    if (leaf.prev == START) != (leaf.seq == 0) or (leaf.seq and not _PATTERNS["hash"].fullmatch(leaf.prev)):
        raise Malformed(f"leaf {leaf.seq} names as the one before: {leaf.prev[:80]!r}")
    wanted = list(KINDS[leaf.kind])
    if len(leaf.says) > len(wanted):
        wanted += MORE.get(leaf.kind, ())
    if leaf.kind == "roll":
        wanted[3:4] = wanted[3:4] * max(1, len(leaf.says) - 4)
    if [key for key, _ in leaf.says] != [key for key, _ in wanted]:
        raise Malformed(f"a leaf of {leaf.kind} says {' '.join(key for key, _ in wanted)}, in this order")
    for (key, value), (_, what) in zip(leaf.says, wanted, strict=True):
        _fits(leaf.kind, key, what, value)
    _hangs_together(leaf)


def _fits(kind: str, key: str, what: str, value: str) -> None:
    if _PATTERNS[what].fullmatch(value) is None:
        raise Malformed(f"{key} of {kind} is no {what}: {value[:80]!r}")
    if what == "key":
        parse_key(value)
    if what == "commit":
        decode64(value)
    if what == "ids" and value.split(" ") != sorted(set(value.split(" "))):
        raise Malformed(f"{key} of {kind} are not in the order of their bytes, each once: {value[:80]!r}")


def _hangs_together(leaf: Leaf) -> None:
    """What two values of one leaf must have in common."""
    if leaf.kind in ("genesis", "rotate", "beacon-change") and leaf.game != SERVER:
        raise Malformed(f"a leaf of {leaf.kind} is about the server, not about {leaf.game}")
    if leaf.kind == "open" and (leaf("chain") == "none") != (leaf("round") == "0"):
        raise Malformed("a phase has a chain and a round, or neither")
    if leaf.kind == "roll":
        names = [name for name, _ in leaf.groups]
        if names != sorted(set(names)) or len(leaf("manifest").split(" ")) != len(names):
            raise Malformed("a roll has its groups in order, each once, and a manifest for each")


class Chain:
    """The leaves of one game in order, each held against the one before; `start` lets it begin at a known leaf."""

    def __init__(self, game: str) -> None:
        self.game = game
        self.leaves: list[Leaf] = []
        self._head = START

    def follow(self, data: bytes) -> Leaf:
        """Take the next leaf in; Malformed if it is of another game, or does not follow the last one."""
        leaf = parse(data)
        if leaf.game != self.game:
            raise Malformed(f"this leaf belongs to {leaf.game}, not to {self.game}")
        if leaf.seq != len(self.leaves) or leaf.prev != self._head:
            raise Malformed(f"leaf {leaf.seq} of {self.game} does not follow leaf {len(self.leaves) - 1}")
        self._take(leaf, data)
        return leaf

    def append(self, kind: str, says: Iterable[tuple[str, str]]) -> bytes:
        """Write the next leaf of the game; Malformed if it does not say what its kind says."""
        leaf = Leaf(kind, self.game, len(self.leaves), self._head, tuple(says))
        data = write(leaf)
        self._take(leaf, data)
        return data

    def _take(self, leaf: Leaf, data: bytes) -> None:
        self.leaves.append(leaf)
        self._head = leaf_hash(data).hex()
