"""A tree of which only the full nodes at its edge are kept: a few hashes, however many leaves it has.

It gives the root of what was put in, and no proof.
"""

from __future__ import annotations

import hashlib

from pbem.audit import merkle


class CompactTree:
    """The edge of a tree, to which leaves are added one after the other."""

    def __init__(self) -> None:
        self.size = 0
        self._edge: list[bytes] = []

    def append(self, leaf: bytes) -> list[tuple[int, int, bytes]]:
        """Put in a leaf by its hash (`merkle.leaf_hash`); the nodes (level, place, hash) that become full."""
        level, place, at = 0, self.size, leaf
        full = [(level, place, at)]
        while place % 2:
            level, place, at = level + 1, place // 2, _pair(self._edge.pop(), at)
            full.append((level, place, at))
        self._edge.append(at)
        self.size += 1
        return full

    def root(self) -> bytes:
        """The root over all leaves so far."""
        if not self._edge:
            return merkle.EMPTY
        *rest, at = self._edge
        for left in reversed(rest):
            at = _pair(left, at)
        return at


def _pair(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()
