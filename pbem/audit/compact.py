"""A tree of which only the full nodes at its edge are kept: a few hashes, however many leaves it has.

It gives the root of what was put in, and no proof.
"""

from __future__ import annotations

import hashlib

from pbem.audit import merkle

__all__ = ["CompactTree"]


class CompactTree:
    """The edge of a tree, to which leaves are added one after the other."""

    def __init__(self) -> None:
        self.size = 0
        self._edge: list[bytes] = []

    def append(self, leaf: bytes) -> None:
        """Put in a leaf by its hash (`merkle.leaf_hash`)."""
        at, size = leaf, self.size
        while size % 2:
            at = _pair(self._edge.pop(), at)
            size //= 2
        self._edge.append(at)
        self.size += 1

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
