"""The leaves of one game in order, as a server writes them and a reader follows them."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.audit import blocks, leaves
from pbem.audit.blocks import Malformed
from pbem.audit.leaves import NO_LEAF_BEFORE, Leaf, LeafBytes, parse
from pbem.audit.merkle import leaf_hash


class LeafChain:
    """The leaves of one game in order, each checked against the one before.

    `bodies` holds the bytes of each leaf's body, empty where it is not known.
    """

    def __init__(self, game: str) -> None:
        self.game = game
        self.leaves: list[Leaf] = []
        self.bodies: list[bytes] = []
        self._head = NO_LEAF_BEFORE

    def follow(self, data: bytes, body: bytes = b"") -> Leaf:
        """Add the next leaf, with or without body; raise Malformed if it does not follow."""
        leaf = parse(data, body)
        if leaf.game != self.game:
            raise Malformed(f"this leaf belongs to {leaf.game}, not to {self.game}")
        if leaf.seq != len(self.leaves) or leaf.prev != self._head:
            raise Malformed(f"leaf {leaf.seq} of {self.game} does not follow leaf {len(self.leaves) - 1}")
        self._take(leaf, LeafBytes(data, body))
        return leaf

    def append(self, kind: str, says: Iterable[tuple[str, str]], salt: bytes = b"") -> bytes:
        """Add a leaf of a kind to the game's chain; return its bytes and keep its body.

        The body is salted with these 32 bytes unless the leaf is the server's. Raise Malformed if the content is
        not that of the kind.
        """
        leaf = Leaf(kind, self.game, len(self.leaves), self._head, tuple(says), salt.hex())
        written = leaves.write(leaf)
        if written.body:
            leaf = leaf._replace(body=blocks.sha256_hex(written.body))
        self._take(leaf, written)
        return written.data

    def _take(self, leaf: Leaf, written: LeafBytes) -> None:
        self.leaves.append(leaf)
        self.bodies.append(written.body)
        self._head = leaf_hash(written.data).hex()
