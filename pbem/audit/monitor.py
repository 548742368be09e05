"""Check a log whose leaves are read one by one (`tiles`), by players or anybody.

A monitor gets every leaf in the order of the log and reports:

- a leaf that cannot be read, or has an unknown kind;
- a game's chain with a gap, with two leaves at one place, or with a leaf that does not name the one before;
- a segment that is closed twice, rolled twice or rolled without having been closed, or whose dice are of other groups
  than it was closed with;
- keys that differ from those of the first leaf, except after a `rotate` that the old key confirms;
- a tree that the log has not signed, or that does not continue the tree seen last.

It keeps only the edge of the tree and, for each game, its last leaf and its closed segments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from pbem.audit import checkpoint, epoch_names, leaves, note
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.leaves import NO_LEAF_BEFORE, SERVER_CHAIN, Leaf
from pbem.audit.merkle import CompactTree, leaf_hash
from pbem.audit.note import Key, Verify, parse_key

Finding = str
"""A fault of a log, in a sentence."""

Vouched = Callable[[int], bytes]
"""The number of a leaf `rotate` -> the note by which the key before confirmed it; raises OSError if there is none."""


class MonitoredKeys(NamedTuple):
    """The keys of a log: its own under its present name, and the dice key in hex."""

    log: Key
    vrf: str


class TrustedState(NamedTuple):
    """What is trusted of a log from before: a key of it, and the tree seen last.

    Without either, the keys in the first leaf are trusted.
    """

    key: Key | None = None
    tree: Checkpoint | None = None
    genesis: str = ""
    """The hash of the log's first leaf, in hex."""


class _Game:
    """A game's last leaf and its segments: groups until rolled, digests afterwards."""

    __slots__ = ("closed", "head", "rolled", "seq")

    def __init__(self) -> None:
        self.seq, self.head = -1, NO_LEAF_BEFORE
        self.closed: dict[str, str] = {}
        self.rolled: set[bytes] = set()


class Monitor:
    """A log read from its first leaf on; each finding is handed to `found`."""

    def __init__(
        self, known: TrustedState, vouched: Vouched, verify: Verify, report: Callable[[Finding], None]
    ) -> None:
        self.known, self.vouched, self.verify, self.found = known, vouched, verify, report
        self.tree = CompactTree()
        self.keys: MonitoredKeys | None = None
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
        """Check the next leaf."""
        number, digest = self.tree.size, leaf_hash(data)
        before = self.tree.root() if data.startswith(b"pbemdice/v1/rotate\n") else b""
        self.tree.append(digest)
        if number:
            self._compare_with_trusted()
        try:
            leaf = leaves.parse(data)
        # Reading goes on: a fault of one leaf, or of a signature, is a finding among others.
        except Malformed as wrong:
            self.found(f"leaf {number} cannot be read: {wrong}")
            return
        self._follow(number, leaf, digest.hex())
        if leaf.kind in ("close", "roll"):
            self._segment(number, leaf)
        if leaf.game == SERVER_CHAIN:
            self._server(number, leaf, before)
        elif number == 0:
            self.found("the first leaf of the log does not tell its keys")
        if number == 0:
            self.genesis = digest.hex()
            if self.known.genesis not in ("", self.genesis):
                self.found("the first leaf of the log is another one than was seen before: its keys were changed")
            self._compare_with_trusted()

    def _compare_with_trusted(self) -> None:
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
                self.keys = MonitoredKeys(parse_key(leaf("log")), leaf("vrf"))
                self.chain = [self.keys.log]
        elif leaf.kind == "rotate" and self.keys is not None:
            self._rotate(number, leaf, before, self.keys)
        elif number == 0:
            self.found("the first leaf of the log does not tell its keys")

    def _rotate(self, number: int, leaf: Leaf, before: bytes, keys: MonitoredKeys) -> None:
        new_keys = MonitoredKeys(parse_key(leaf("log")), leaf("vrf"))
        tree = Checkpoint(keys.log.name, leaf.number("size"), bytes.fromhex(leaf("root")))
        base = self.chain[0].name
        if epoch_names.epoch_number(new_keys.log.name, base) <= epoch_names.epoch_number(keys.log.name, base):
            self.found(f"leaf {number} goes on under the name {new_keys.log.name} after {keys.log.name}")
            return
        wrong = (
            self._recovery_fault(tree, keys, new_keys)
            if leaf("why") == "recovery"
            else self._key_change_fault(number, tree, before, new_keys)
        )
        if wrong:
            self.found(f"leaf {number}: {wrong}")
            return
        self._vouching = (self.tree.size, keys.log) if leaf("why") == "keys" else None
        self.keys = new_keys
        self.chain.append(new_keys.log)
        self.notes.append(f"leaf {number}: the log goes on as {new_keys.log.name}, because of: {leaf('why')}")

    def _lost_tree(self, keys: MonitoredKeys) -> Checkpoint | None:
        """Return the tree seen last, if it has the log's name and more leaves than read."""
        tree = self.known.tree
        return tree if tree is not None and not self._held and tree.origin == keys.log.name else None

    def _recovery_fault(self, tree: Checkpoint, keys: MonitoredKeys, new_keys: MonitoredKeys) -> str:
        """Return the fault of a leaf that says the log was restored, or ""."""
        if (new_keys.log.public, new_keys.vrf) != (keys.log.public, keys.vrf):
            return "a log that was put back goes on with other keys than it had"
        seen = self._lost_tree(keys)
        self._held = self._held or seen is not None
        if seen is not None and tree.size < seen.size:
            return f"the log was made smaller: it admits to {tree.size} leaves, and {seen.size} were signed"
        if seen is not None and tree.size == seen.size and tree.root != seen.root:
            return "the log was forked: it admits to another tree than was signed before"
        return ""

    def _key_change_fault(self, number: int, tree: Checkpoint, before: bytes, new_keys: MonitoredKeys) -> str:
        """Return the fault of a change of keys; empty if the key before confirms it."""
        keys = self.keys
        if keys is None or new_keys.log.public == keys.log.public or new_keys.vrf == keys.vrf:
            return "keys were changed, and one of them is as it was"
        if (tree.size, tree.root) != (number, before):
            return "keys were changed, and the leaf does not name the tree that it follows"
        try:
            vouched = checkpoint.read_signed(self.vouched(number), keys.log, self.verify)
        # A confirmation that is missing confirms as little as a false one.
        except (OSError, Malformed) as wrong:
            return f"keys were changed, and the key before does not vouch for it: {wrong}"
        if (vouched.size, vouched.root) != (self.tree.size, self.tree.root()):
            return "keys were changed, and the key before has vouched for another tree"
        seen = self._lost_tree(keys)
        self._held = self._held or seen is not None
        return f"keys were changed, and the key before has signed {seen.size} leaves" if seen is not None else ""

    def check_signed_tree(self, signed: bytes) -> Checkpoint | None:
        """Check that the leaves read so far make the signed tree.

        Returns the tree if the log signed it, else None.
        """
        if self.keys is None:
            self.found("the log does not tell its keys")
            return None
        if self.known.key is not None and self.known.key not in self.chain:
            self.found(f"the key of the log is not {self.known.key.text}: it is {self.keys.log.text}")
        try:
            tree = checkpoint.read_signed(signed, self._signs(signed, self.keys.log), self.verify)
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
        """Return the key expected below the tree.

        The tree in which a key confirms the next key is still signed by the old key.
        """
        size, before = self._vouching or (-1, log)
        return (
            before
            if size == self.tree.size and checkpoint.parse_checkpoint(note.parse(signed)).origin == before.name
            else log
        )


def _short(name: str) -> bytes:
    # 96 bits save memory in a long log, and no two names share them by chance.
    return hashlib.sha256(name.encode("utf-8")).digest()[:12]
