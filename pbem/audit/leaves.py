"""Write and read the leaves of the log: every act of the server, chained by game.

The log is public: its tiles are read by anybody. A leaf of a game therefore shows only a *head*; its content is in
a *body*, whose hash is in the head, and which only those concerned are shown::

    pbemdice/v1/close              pbemdice/v1/says
    game wt-042                    salt 5be0...
    seq 7                          slate 9a40...
    prev 2f1d...                   seen -
    phase T3.spain~1
    segment 1
    groups all
    body 61c7...

`prev` is the hash of the game's leaf before, or ``-``; `body` is the hex SHA-256 of the body's bytes, which begin
with a salt so that they cannot be guessed. The heads of `close` and `roll` have phase, segment and groups, so that
anybody can see that each segment is closed once and rolls the groups that it was closed with; no other head has
content. Leaves about the server itself belong to the game ``-``: they are wholly public, and have no body.

The first leaf of the log states its keys. The leaves of a game count from 0. When something happens that moves the
closing of an open phase, a `deadline` leaf says so at once: D, the second until which letters count, and why. The
last one before a close counts, or the `open` if there is none. A seat's orders are sealed by an `order` leaf, its
answers to questions by an `answer` leaf, for the segment in which they will be closed. A silent seat gets a leaf of
revision 0 when the list is closed; since no letter brought it, its `eml` is ``-`` and its `recv` 0. A `ruling` has
the digest of the moderator's text, which everybody was sent. By a ruling a phase may be resolved again from the
same closed lists: `again` has the state before it and all its rolls, a manifest for each segment, of the group
``all~RUN``; a `result` follows, and the last one counts. `disclose` says that all sealed parts of a phase are
opened, in a bundle of its own (see `bundle`). `beacon-change` lets a closed list wait for another round than it was
closed for, or for none.

Moments are unix seconds, hashes lower-case hex, commitments base64. A game without a beacon has the chain ``none``
and the round 0. What a tournament says stands in a chain of its own (`tournament_leaves.kinds`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pbem.audit import blocks, tournament_leaves
from pbem.audit.blocks import COUNT_PATTERN, ID_PATTERN, NUMBER_PATTERN, Malformed
from pbem.audit.note import decode64, parse_key
from pbem.audit.tournament_leaves import LINES_SINCE_TWO

SERVER_CHAIN = "-"
"""The game of leaves that are about the server."""

NO_LEAF_BEFORE = "-"
"""The value in place of the hash before the first leaf of a game."""

_HEX = r"[0-9a-f]{64}"
_DIGEST = rf"(?:sha256|hmac):{_HEX}"

_VALUES = {
    "id": ID_PATTERN,
    "ids": rf"{ID_PATTERN}(?: {ID_PATTERN})*",
    "number": NUMBER_PATTERN,
    "count": COUNT_PATTERN,
    "ruling": f"-|{COUNT_PATTERN}",
    "hash": _HEX,
    "letter": rf"-|{_HEX}",
    "commit": r"[A-Za-z0-9+/]{43}=",
    "plain": rf"sha256:{_HEX}",
    "blinded": rf"hmac:{_HEX}",
    "digests": rf"{_DIGEST}(?: {_DIGEST})*",
    "chain": rf"{_HEX}|none",
    "cause": "go|all-in|extend|outage|vacation|bounce|moderator",
    "signature": r"[0-9a-f]{96}|none",
    "group": rf"{ID_PATTERN} (?:[0-9a-f]{{160}}|{_HEX})",
    "seen": rf"-|{ID_PATTERN}:{NUMBER_PATTERN}:{_HEX}(?: {ID_PATTERN}:{NUMBER_PATTERN}:{_HEX})*",
    "bots": rf"-|{ID_PATTERN}:{ID_PATTERN}(?: {ID_PATTERN}:{ID_PATTERN})*",
    "key": r"\S+\+[0-9a-f]{8}\+\S+",
    "pace": "phase|activation",
    "opened": "played|all",
    "why": "recovery|keys",
    **tournament_leaves.VALUE_PATTERNS,
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _VALUES.items()}

_PUBLIC = (("phase", "id"), ("segment", "count"), ("groups", "ids"))

LEAF_FORMS: dict[str, tuple[tuple[str, str], ...]] = {
    "genesis": (("log", "key"), ("vrf", "hash"), ("chain", "chain")),
    "rotate": (("log", "key"), ("vrf", "hash"), ("size", "number"), ("root", "hash"), ("why", "why")),
    "beacon": (("chain", "chain"),),
    "open": (
        ("phase", "id"),
        ("D", "number"),
        ("delta", "number"),
        ("chain", "chain"),
        ("round", "number"),
        ("edition", "plain"),
        ("state", "blinded"),
        ("seats", "ids"),
        ("system", "id"),
        ("pace", "pace"),
        ("opened", "opened"),
        ("bots", "bots"),
        ("ruling", "ruling"),
    ),
    "deadline": (("phase", "id"), ("D", "number"), ("round", "number"), ("cause", "cause")),
    "order": (
        ("phase", "id"),
        ("seat", "id"),
        ("rev", "number"),
        ("orders", "commit"),
        ("standing", "commit"),
        ("eml", "letter"),
        ("recv", "number"),
    ),
    "answer": (("phase", "id"), ("segment", "count"), ("seat", "id"), ("rev", "number"), ("commit", "commit")),
    "close": (*_PUBLIC, ("slate", "hash"), ("seen", "seen")),
    "roll": (*_PUBLIC, ("sig", "signature"), ("group", "group"), ("manifest", "digests")),
    "result": (("phase", "id"), ("state", "blinded"), ("report", "blinded")),
    "again": (("phase", "id"), ("run", "count"), ("ruling", "count"), ("state", "blinded"), ("manifest", "digests")),
    "disclose": (("phase", "id"),),
    "ruling": (("phase", "id"), ("number", "count"), ("text", "plain")),
    "war": (("war", "id"), ("terms", "plain")),
    "link": (("war", "id"), ("after", "id"), ("seq", "number"), ("leaf", "hash")),
    "beacon-change": (
        ("phase", "id"),
        ("segment", "count"),
        ("ruling", "count"),
        ("chain", "chain"),
        ("round", "number"),
    ),
    **tournament_leaves.KINDS,
}
"""The kinds of leaves, each with its keys and patterns of values, in order. A roll has as many `group` values as it
has groups; `manifest` has a digest for each group, in their order. While a group is hidden, the hash of its proof
stands for the proof."""

SERVER_KINDS = frozenset({"genesis", "rotate", "beacon"})

EVERY_KIND = frozenset(LEAF_FORMS)

_IN_HEAD = {"close": len(_PUBLIC), "roll": len(_PUBLIC)}


class Leaf(NamedTuple):
    """A leaf: kind, game, place, hash of the leaf before (or START), content.

    `salt` is the salt of its body and `body` the body's hash; a leaf about the server has neither. A leaf whose
    body is withheld has no salt, and `says` holds only the lines of its head.
    """

    kind: str
    game: str
    seq: int
    prev: str
    says: tuple[tuple[str, str], ...]
    salt: str = ""
    body: str = ""

    def __call__(self, key: str) -> str:
        """Return the value of a key; raise KeyError if it is absent or withheld."""
        return dict(self.says)[key]

    def number(self, key: str) -> int:
        """Return the value of a key as a number."""
        return int(self(key))

    @property
    def withheld(self) -> bool:
        """Return whether the leaf has a body that is not known."""
        return bool(self.body) and not self.salt

    @property
    def groups(self) -> tuple[tuple[str, bytes], ...]:
        """Return the groups of dice by name, each with its proof (80 bytes).

        While a group is hidden it has the hash of the proof (32 bytes).
        """
        pairs = (value.split(" ") for key, value in self.says if key == "group")
        return tuple((name, bytes.fromhex(proof)) for name, proof in pairs)


class LeafBytes(NamedTuple):
    """The bytes of a leaf and of its body; no body if it has none or it is unknown."""

    data: bytes
    body: bytes


def write(leaf: Leaf) -> LeafBytes:
    """Return a leaf's bytes with its body's hash; raise Malformed for wrong content."""
    _check(leaf)
    head = (("game", leaf.game), ("seq", str(leaf.seq)), ("prev", leaf.prev))
    if leaf.kind in SERVER_KINDS:
        return LeafBytes(blocks.block(leaf.kind, (*head, *leaf.says)), b"")
    public = leaf.says[: _IN_HEAD.get(leaf.kind, 0)]
    body = b""
    if leaf.salt:
        body = blocks.block("says", (("salt", leaf.salt), *leaf.says[len(public) :]))
    digest = blocks.sha256_hex(body) if body else leaf.body
    return LeafBytes(blocks.block(leaf.kind, (*head, *public, ("body", digest))), body)


def parse(data: bytes, body: bytes = b"") -> Leaf:
    """Parse a leaf and its body, if known; raise Malformed unless both are canonical."""
    kind, pairs = blocks.parse(data)
    # The first three lines are common to leaves of all kinds.
    if [key for key, _ in pairs[:3]] != ["game", "seq", "prev"]:
        raise Malformed(f"a leaf of {kind} begins with game, seq and prev")
    game, seq, prev = (value for _, value in pairs[:3])
    if _PATTERNS["number"].fullmatch(seq) is None:
        # Whoever wrote it chose its length, so that messages show no more than the beginning.
        raise Malformed(f"seq is a number, not {seq[:40]!r}")
    leaf = Leaf(kind, game, int(seq), prev, pairs[3:])
    if kind not in SERVER_KINDS:
        if leaf.says[-1:] == () or leaf.says[-1][0] != "body":
            raise Malformed(f"the head of {kind} ends with the hash of its body")
        leaf = leaf._replace(says=leaf.says[:-1], body=leaf.says[-1][1])
    elif body:
        raise Malformed(f"a leaf of {kind} has no body")
    if body:
        leaf = _with_body(leaf, body)
    _check(leaf)
    return leaf


def _with_body(leaf: Leaf, body: bytes) -> Leaf:
    """Return the leaf of a head with the content of its body."""
    if blocks.sha256_hex(body) != leaf.body:
        raise Malformed(f"this is not the body of leaf {leaf.seq} of {leaf.game}")
    kind, pairs = blocks.parse(body)
    if kind != "says" or not pairs or pairs[0][0] != "salt":
        raise Malformed("a body says its salt first")
    if len(leaf.says) != _IN_HEAD.get(leaf.kind, 0):
        raise Malformed(f"the head of {leaf.kind} has other lines")
    return leaf._replace(says=(*leaf.says, *pairs[1:]), salt=pairs[0][1])


def _check(leaf: Leaf) -> None:
    _check_head(leaf)
    expected = _expected_lines(leaf)
    if [key for key, _ in leaf.says] != [key for key, _ in expected]:
        raise Malformed(f"a leaf of {leaf.kind} says {' '.join(key for key, _ in expected)}, in this order")
    for (key, value), (_, pattern) in zip(leaf.says, expected, strict=True):
        _check_value(leaf.kind, key, pattern, value)
    if not leaf.withheld:
        _check_consistency(leaf)


def _check_head(leaf: Leaf) -> None:
    """Check the kind of a leaf, its place in its chain, and its game."""
    if leaf.kind not in EVERY_KIND:
        raise Malformed(f"there is no leaf of kind {leaf.kind!r}")
    _check_value(leaf.kind, "game", "id", leaf.game)
    if (leaf.prev == NO_LEAF_BEFORE) != (leaf.seq == 0) or (leaf.seq and not _PATTERNS["hash"].fullmatch(leaf.prev)):
        raise Malformed(f"leaf {leaf.seq} names as the one before: {leaf.prev[:80]!r}")
    if (leaf.kind in SERVER_KINDS) != (leaf.game == SERVER_CHAIN):
        raise Malformed(f"a leaf of {leaf.kind} is about the server, or about a game, and not about {leaf.game}")
    if (leaf.kind in tournament_leaves.KINDS) != tournament_leaves.is_chain(leaf.game):
        raise Malformed(f"a leaf of {leaf.kind} is about a tournament, or about a game, and not about {leaf.game}")
    if leaf.kind not in SERVER_KINDS:
        _check_value(leaf.kind, "salt" if leaf.salt else "body", "hash", leaf.salt or leaf.body)


def _expected_lines(leaf: Leaf) -> list[tuple[str, str]]:
    """Return the keys of a leaf in order, each with the pattern of its value."""
    expected = list(LEAF_FORMS.get(leaf.kind, ()))
    if leaf.withheld:
        expected = expected[: _IN_HEAD.get(leaf.kind, 0)]
    elif leaf.kind == "roll":
        # The fifth line is `group`: it is written once for each group, and the five others once.
        # A roll without groups is held against one, and so found wrong.
        expected[4:5] = expected[4:5] * max(1, len(leaf.says) - 5)
    elif leaf.kind in LINES_SINCE_TWO and len(leaf.says) == len(expected) - LINES_SINCE_TWO[leaf.kind]:
        expected = expected[: len(leaf.says)]
    return expected


def _check_value(kind: str, key: str, pattern: str, value: str) -> None:
    if _PATTERNS[pattern].fullmatch(value) is None:
        raise Malformed(f"{key} of {kind} is no {pattern}: {value[:80]!r}")
    if pattern == "key":
        parse_key(value)
    if pattern == "commit":
        decode64(value)
    if pattern == "ids" and value.split(" ") != sorted(set(value.split(" "))):
        raise Malformed(f"{key} of {kind} are not in the order of their bytes, each once: {value[:80]!r}")


def _check_consistency(leaf: Leaf) -> None:
    """Check values of one leaf against each other."""
    if leaf.kind in ("open", "beacon-change") and (leaf("chain") == "none") != (leaf("round") == "0"):
        raise Malformed("a phase has a chain and a round, or neither")
    if leaf.kind == "open" and leaf("bots") != "-":
        seats = [bot.partition(":")[0] for bot in leaf("bots").split(" ")]
        if seats != sorted(set(seats)) or not set(seats) <= set(leaf("seats").split(" ")):
            raise Malformed("the bots of a phase are in the order of their seats, each once")
    if leaf.kind in tournament_leaves.KINDS and (
        wrong := tournament_leaves.find_contradiction(leaf.kind, dict(leaf.says))
    ):
        raise Malformed(wrong)
    if leaf.kind == "order" and (leaf("eml") == "-") != (leaf("recv") == "0"):
        raise Malformed("orders have a letter and when it came, or neither")
    if leaf.kind == "roll":
        names = [name for name, _ in leaf.groups]
        if names != leaf("groups").split(" ") or len(leaf("manifest").split(" ")) != len(names):
            raise Malformed("a roll has the groups of its head in order, each once, and a manifest for each")
