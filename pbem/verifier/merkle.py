"""The tree of the log: RFC 9162 2.1, as Certificate Transparency has it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\0" + data).digest()


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def tree_root(leaves: Sequence[bytes]) -> bytes:
    """The root over the hashes of leaves, RFC 9162 2.1.1; of no leaf the hash of nothing."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    row = list(leaves)
    while len(row) > 1:
        pairs = [node(row[at], row[at + 1]) for at in range(0, len(row) - 1, 2)]
        row = pairs + row[len(pairs) * 2 :]
    return row[0]


def root_by(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """RFC 9162 2.1.3: the root that a path leads to from the hash of a leaf at `index` of `size`; None if to none."""
    if index >= size:
        return None
    got, width, left = leaf, size, list(path)
    while width > 1:
        if index % 2 or index + 1 < width:
            if not left:
                return None
            got = node(left[0], got) if index % 2 else node(got, left[0])
            del left[0]
        index, width = index // 2, (width + 1) // 2
    return None if left else got


def included(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether the leaf of this hash stands at `index` in the tree of `size` leaves."""
    return root_by(leaf, index, size, path) == root


def grown(old: int, size: int, roots: tuple[bytes, bytes], path: Sequence[bytes]) -> bool:
    """RFC 9162 2.1.4: whether the tree of `size` leaves begins with that of `old`; `roots` are theirs, old first."""
    if not 0 < old <= size:
        return False
    if old == size:
        return not path and roots[0] == roots[1]
    last, width, left = old - 1, size, list(path)
    while last % 2:
        last, width = last // 2, (width + 1) // 2
    if last and not left:
        return False
    small = big = left.pop(0) if last else roots[0]
    while width > 1:
        if last % 2 or last + 1 < width:
            if not left:
                return False
            small, big = (node(left[0], small), node(left[0], big)) if last % 2 else (small, node(big, left[0]))
            del left[0]
        last, width = last // 2, (width + 1) // 2
    return not left and (small, big) == roots
