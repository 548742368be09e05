r"""The tree of the log: RFC 6962 hashing, RFC 9162 proofs.

A leaf is hashed as ``SHA-256(00 || leaf)``, two neighbours as ``SHA-256(01 || left || right)``; a tree of n leaves has
on its left the largest power of two below n::

          root(7)
         /       \
       a3         b
      /  \       / \
    (0-3)       (4-5) 6

Here a3 is the root of leaves 0 to 3, b that of 4 to 6, (4-5) the node above leaves 4 and 5. Nodes that hold 2**level
leaves never change again once they are full. They are found by ``node(level, index)``, a table or a list, so that a
proof reads a few nodes and never the leaves. What is proven is checked by `is_included` and `is_extension`, which
trust nothing of what they are given.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

EMPTY_ROOT = hashlib.sha256().digest()
"""The root of a tree without leaves."""

Node = Callable[[int, int], bytes]
"""The hash of a full node: (level, index) -> 32 bytes; level 0 are the leaves."""


def leaf_hash(leaf: bytes) -> bytes:
    """Hash a leaf (RFC 9162 2.1.1)."""
    return hashlib.sha256(b"\0" + leaf).digest()


def _pair(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def full_nodes(node: Node, index: int, leaf: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the nodes (level, index, hash) completed by a leaf added at `index`."""
    level, digest = 0, leaf
    yield level, index, digest
    while index % 2:
        digest = _pair(node(level, index - 1), digest)
        level, index = level + 1, index // 2
        yield level, index, digest


def peaks(size: int) -> tuple[tuple[int, int], ...]:
    """Return the full nodes (level, index) whose hashes make the root.

    Adding leaves needs no other nodes.
    """
    return tuple((level, (size >> level) - 1) for level in range(size.bit_length()) if size >> level & 1)


def _split(size: int) -> int:
    """Return the largest power of two below `size` (2 or more), where a tree splits."""
    return 1 << (size - 1).bit_length() - 1


def _range(node: Node, start: int, end: int) -> bytes:
    """Return the hash over leaves `start` to `end`, a range that the tree has."""
    size = end - start
    if size & (size - 1) == 0:
        return node(size.bit_length() - 1, start // size)
    middle = start + _split(size)
    return _pair(_range(node, start, middle), _range(node, middle, end))


def tree_root(node: Node, size: int) -> bytes:
    """Return the root of the first `size` leaves; raise ValueError if negative."""
    if size < 0:
        raise ValueError(f"a tree has no {size} leaves")
    return _range(node, 0, size) if size else EMPTY_ROOT


def prove_inclusion(node: Node, index: int, size: int) -> tuple[bytes, ...]:
    """Prove that a tree of `size` leaves has the leaf at `index` (RFC 9162 2.1.3.1)."""
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_range(node, middle, end))
            end = middle
        else:
            path.append(_range(node, start, middle))
            start = middle
    return tuple(reversed(path))


def prove_consistency(node: Node, old: int, size: int) -> tuple[bytes, ...]:
    """RFC 9162 2.1.4.1: Prove that a tree begins with an older one.

    The trees have `size` and `old` leaves. Raise ValueError unless 1 <= old <= size: every tree continues the empty
    one, so that nothing would be proven.
    """
    if not 1 <= old <= size:
        raise ValueError(f"no tree of {size} leaves is proven to go on from one of {old}")
    path: list[bytes] = []
    start, end = 0, size
    while end != old:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(_range(node, middle, end))
            end = middle
        else:
            path.append(_range(node, start, middle))
            start = middle
    # The old root itself is known to whoever checks; any other node has to be told.
    if start:
        path.append(_range(node, start, end))
    return tuple(reversed(path))


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], tree: bytes) -> bool:
    """Return whether `proof` leads from a leaf to the root `tree` (RFC 9162 2.1.3.2).

    The leaf is given by its hash.
    """
    return root_from_path(leaf, index, size, proof) == tree


def root_from_path(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes | None:
    """Return the root that `proof` leads to from a leaf's hash, or None."""
    if not 0 <= index < size:
        return None
    place, last, digest = index, size - 1, leaf
    for part in proof:
        if last == 0:
            return None
        if place % 2 or place == last:
            digest = _pair(part, digest)
            while place % 2 == 0 and place:
                place, last = place // 2, last // 2
        else:
            digest = _pair(digest, part)
        place, last = place // 2, last // 2
    return digest if last == 0 else None


def is_extension(old: int, size: int, old_tree: bytes, tree: bytes, proof: Sequence[bytes]) -> bool:
    """RFC 9162 2.1.4.2: Return whether a tree begins with an older one.

    The trees have `size` and `old` leaves. It is False for an old size of 0: every tree continues the empty one, so
    that nothing would be proven.
    """
    if not 1 <= old <= size:
        return False
    if old == size:
        return not proof and old_tree == tree
    path = list(proof) if old & (old - 1) else [old_tree, *proof]
    if not path:
        return False
    place, last = old - 1, size - 1
    while place % 2:
        place, last = place // 2, last // 2
    before = after = path[0]
    for part in path[1:]:
        if last == 0:
            return False
        if place % 2 or place == last:
            before, after = _pair(part, before), _pair(part, after)
            while place % 2 == 0 and place:
                place, last = place // 2, last // 2
        else:
            after = _pair(after, part)
        place, last = place // 2, last // 2
    return last == 0 and before == old_tree and after == tree


class Tree:
    """A Merkle tree (RFC 6962) in memory; `node` is the lookup used above."""

    def __init__(self, leaves: Sequence[bytes] = ()) -> None:
        self._levels: list[list[bytes]] = []
        for leaf in leaves:
            self.append(leaf)

    def __len__(self) -> int:
        return len(self._levels[0]) if self._levels else 0

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of a full node; raise IndexError if it is absent."""
        return self._levels[level][index]

    def append(self, leaf: bytes) -> int:
        """Add a leaf (its bytes) and return its index."""
        index = len(self)
        for level, _, digest in full_nodes(self.node, index, leaf_hash(leaf)):
            if level == len(self._levels):
                self._levels.append([])
            self._levels[level].append(digest)
        return index


# A tree of which only the full nodes at its edge are kept: a few hashes, however many leaves it has.
#
# It gives the root of what was put in, and no proof.


class CompactTree:
    """The edge of a tree, to which leaves are added one after the other."""

    def __init__(self) -> None:
        self.size = 0
        self._edge: list[bytes] = []

    def append(self, leaf: bytes) -> list[tuple[int, int, bytes]]:
        """Add a leaf by its hash; return the nodes (level, index, hash) that become full."""
        level, place, digest = 0, self.size, leaf
        full = [(level, place, digest)]
        while place % 2:
            level, place, digest = level + 1, place // 2, _pair(self._edge.pop(), digest)
            full.append((level, place, digest))
        self._edge.append(digest)
        self.size += 1
        return full

    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        if not self._edge:
            return EMPTY_ROOT
        *others, digest = self._edge
        for left in reversed(others):
            digest = _pair(left, digest)
        return digest
