"""What anybody may hold against a log whose leaves he reads one after the other (`tiles`): whoever plays, or nobody.

A monitor is handed every leaf, in the order of the log, and says what is wrong with them:

- a leaf that cannot be read, or is of a kind that there is not;
- a chain of a game with a gap, with two leaves at one place, or with a leaf that does not name the one before;
- a segment that is closed twice, rolled twice or rolled without having been closed, or whose dice are of other groups
  than it was closed with;
- keys that are not those of the first leaf, but for a `rotate` that is vouched for;
- a tree that is not the one which the log has signed, or which does not go on from the one that was seen last.

What it keeps is the edge of the tree and, of each game, its last leaf and what it has closed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from pbem.audit import checkpoint, epochs, leaves, note
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.leaves import SERVER, START, Leaf
from pbem.audit.merkle import CompactTree, leaf_hash
from pbem.audit.note import Key, Verify, parse_key

Finding = str
"""What is wrong, in a sentence."""

Vouched = Callable[[int], bytes]
"""The number of a leaf `rotate` -> the note by which the key before vouched for it; OSError if there is none."""


class Keys(NamedTuple):
    """The keys that a log goes by: its own under its present name, and the one of its dice in hex."""

    log: Key
    vrf: str


class Known(NamedTuple):
    """What is known of a log from before: a key that it was begun or went on with, the tree that was seen last.

    None of it may be known: then the first leaf is believed.
    """

    key: Key | None = None
    tree: Checkpoint | None = None
    genesis: str = ""
    """The hash of its first leaf, in hex."""


class _Game:
    """Of a game its last leaf, and its segments: with their groups until they are rolled, digests from then on."""

    __slots__ = ("closed", "head", "rolled", "seq")

    def __init__(self) -> None:
        self.seq, self.head = -1, START
        self.closed: dict[str, str] = {}
        self.rolled: set[bytes] = set()


class Monitor:
    """A log read from its first leaf on; `found` is told each finding."""

    def __init__(self, known: Known, vouched: Vouched, verify: Verify, found: Callable[[Finding], None]) -> None:
        self.known, self.vouched, self.verify, self.found = known, vouched, verify, found
        self.tree = CompactTree()
        self.keys: Keys | None = None
        self.chain: list[Key] = []
        """All keys of the log that are vouched for, each from its moment on."""
        self.genesis = ""
        self.notes: list[str] = []
        """What is worth knowing and no fault."""
        self._vouching: tuple[int, Key] | None = None
        """How many leaves the tree has by which a key vouched for the next one, and which key that was."""
        self._held = known.tree is None
        """Whether the tree that was seen last was held against this log, or is admitted to be lost."""
        self._games: dict[str, _Game] = {}

    def take(self, data: bytes) -> None:
        """Look at the next leaf."""
        number, digest = self.tree.size, leaf_hash(data)
        before = self.tree.root() if data.startswith(b"pbemdice/v1/rotate\n") else b""
        self.tree.append(digest)
        if number:
            self._hold_against_known()
        try:
            leaf = leaves.parse(data)
        except Malformed as wrong:
            self.found(f"leaf {number} cannot be read: {wrong}")
            return
        self._follow(number, leaf, digest.hex())
        if leaf.kind in ("close", "roll"):
            self._segment(number, leaf)
        if leaf.game == SERVER:
            self._server(number, leaf, before)
        elif number == 0:
            self.found("the first leaf of the log does not tell its keys")
        if number == 0:
            self.genesis = digest.hex()
            if self.known.genesis not in ("", self.genesis):
                self.found("the first leaf of the log is another one than was seen before: its keys were changed")
            self._hold_against_known()

    def _hold_against_known(self) -> None:
        tree, name = self.known.tree, self.keys.log.name if self.keys else ""
        if self._held or tree is None or (tree.size, tree.origin) != (self.tree.size, name):
            return
        self._held = True
        if tree.root != self.tree.root():
            self.found(f"the log was forked: its first {tree.size} leaves are not those that were signed before")

    def _follow(self, number: int, leaf: Leaf, digest: str) -> None:
        game = self._games.setdefault(leaf.game, _Game())
        if leaf.seq <= game.seq:
            self.found(f"leaf {number}: {leaf.game} has a second leaf at place {leaf.seq}")
            return
        if leaf.seq > game.seq + 1:
            self.found(f"leaf {number}: {leaf.game} lacks the leaves {game.seq + 1} to {leaf.seq - 1}")
        elif leaf.prev != game.head:
            self.found(f"leaf {number}: leaf {leaf.seq} of {leaf.game} does not name the one before it")
        game.seq, game.head = leaf.seq, digest

    def _segment(self, number: int, leaf: Leaf) -> None:
        game, name = self._games[leaf.game], f"{leaf('phase')} {leaf('segment')}"
        where, digest = f"leaf {number}: segment {leaf('segment')} of {leaf.game} {leaf('phase')}", _short(name)
        if leaf.kind == "close":
            if name in game.closed or digest in game.rolled:
                self.found(f"{where} is closed a second time")
            else:
                game.closed[name] = leaf("groups")
        elif digest in game.rolled:
            self.found(f"{where} is rolled a second time")
        elif name not in game.closed:
            self.found(f"{where} is rolled, and was not closed")
        else:
            closed = game.closed.pop(name)
            game.rolled.add(digest)
            if closed != leaf("groups"):
                self.found(f"{where} was closed with the groups {closed}, and rolls {leaf('groups')}")

    def _server(self, number: int, leaf: Leaf, before: bytes) -> None:
        if leaf.kind == "genesis":
            if number:
                self.found(f"leaf {number} begins a log that had begun")
            else:
                self.keys = Keys(parse_key(leaf("log")), leaf("vrf"))
                self.chain = [self.keys.log]
        elif leaf.kind == "rotate" and self.keys is not None:
            self._rotate(number, leaf, before, self.keys)
        elif number == 0:
            self.found("the first leaf of the log does not tell its keys")

    def _rotate(self, number: int, leaf: Leaf, before: bytes, keys: Keys) -> None:
        told = Keys(parse_key(leaf("log")), leaf("vrf"))
        tree = Checkpoint(keys.log.name, leaf.number("size"), bytes.fromhex(leaf("root")))
        base = self.chain[0].name
        if epochs.number_of(told.log.name, base) <= epochs.number_of(keys.log.name, base):
            self.found(f"leaf {number} goes on under the name {told.log.name} after {keys.log.name}")
            return
        wrong = (
            self._recovered(tree, keys, told)
            if leaf("why") == "recovery"
            else self._rekeyed(number, tree, before, told)
        )
        if wrong:
            self.found(f"leaf {number}: {wrong}")
            return
        self._vouching = (self.tree.size, keys.log) if leaf("why") == "keys" else None
        self.keys = told
        self.chain.append(told.log)
        self.notes.append(f"leaf {number}: the log goes on as {told.log.name}, because of: {leaf('why')}")

    def _lost(self, keys: Keys) -> Checkpoint | None:
        """The tree that was seen last, if it is of the name that the log has now, and larger than what it shows."""
        seen = self.known.tree
        return seen if seen is not None and not self._held and seen.origin == keys.log.name else None

    def _recovered(self, tree: Checkpoint, keys: Keys, told: Keys) -> str:
        """What is wrong with a log that says that it was put back; empty if nothing is."""
        if (told.log.public, told.vrf) != (keys.log.public, keys.vrf):
            return "a log that was put back goes on with other keys than it had"
        seen = self._lost(keys)
        self._held = self._held or seen is not None
        if seen is not None and tree.size < seen.size:
            return f"the log was made smaller: it admits to {tree.size} leaves, and {seen.size} were signed"
        if seen is not None and tree.size == seen.size and tree.root != seen.root:
            return "the log was forked: it admits to another tree than was signed before"
        return ""

    def _rekeyed(self, number: int, tree: Checkpoint, before: bytes, told: Keys) -> str:
        """What is wrong with a log that goes on with other keys; empty if the key before has vouched for them."""
        keys = self.keys
        if keys is None or told.log.public == keys.log.public or told.vrf == keys.vrf:
            return "keys were changed, and one of them is as it was"
        if (tree.size, tree.root) != (number, before):
            return "keys were changed, and the leaf does not name the tree that it follows"
        try:
            vouched = checkpoint.read(self.vouched(number), keys.log, self.verify)
        except (OSError, Malformed) as wrong:
            return f"keys were changed, and the key before does not vouch for it: {wrong}"
        if (vouched.size, vouched.root) != (self.tree.size, self.tree.root()):
            return "keys were changed, and the key before has vouched for another tree"
        seen = self._lost(keys)
        self._held = self._held or seen is not None
        return f"keys were changed, and the key before has signed {seen.size} leaves" if seen is not None else ""

    def end(self, signed: bytes) -> Checkpoint | None:
        """Hold what was read against the signed tree; the tree if the log has signed it, else None."""
        if self.keys is None:
            self.found("the log does not tell its keys")
            return None
        if self.known.key is not None and self.known.key not in self.chain:
            self.found(f"the key of the log is not {self.known.key.text}: it is {self.keys.log.text}")
        try:
            tree = checkpoint.read(signed, self._signs(signed, self.keys.log), self.verify)
        except Malformed as wrong:
            self.found(f"the checkpoint is not signed by the log: {wrong}")
            return None
        if (tree.size, tree.root) != (self.tree.size, self.tree.root()):
            self.found(f"the {self.tree.size} leaves that are shown are not those that the log has signed")
            return None
        seen = self.known.tree
        if seen is not None and not self._held:
            self._held = True
            if seen.origin == tree.origin:
                self.found(f"the log was made smaller: it has {tree.size} leaves, and {seen.size} were signed before")
            else:
                self.found(f"the log that was seen before is {seen.origin}, and this is another one: {tree.origin}")
        return tree

    def _signs(self, signed: bytes, log: Key) -> Key:
        """Whose signature is below the tree: the key before still signs the one by which it vouches for the next."""
        size, before = self._vouching or (-1, log)
        return before if size == self.tree.size and checkpoint.body(note.parse(signed)).origin == before.name else log


def _short(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8")).digest()[:12]
