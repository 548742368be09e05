"""Read and write the log as static files (C2SP tlog-tiles): tiles and bundles.

A tile holds 256 neighbouring hashes of a level, and a level is eight of the tree; the last of each level may be
partial, and says in its name how wide it is::

    checkpoint
    tile/0/x001/x234/067            hashes of leaves 1234067 * 256 and on
    tile/0/x001/x234/068.p/17       the same, as far as they go: 17
    tile/1/004
    tile/entries/x001/x234/067      the leaves themselves, each behind its length in two bytes

A full tile never changes. For each change of the log's keys there is also the checkpoint by which the old key
confirmed it: ``rotate/INDEX``, named by the number of the leaf.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbem.audit.blocks import Malformed

CHECKPOINT_FILE = "checkpoint"
"""The file of the newest signed tree."""

TILE_HEIGHT, TILE_WIDTH = 8, 256
"""A tile has the hashes of 2**8 full nodes; the next level of tiles is eight levels higher."""

LONGEST_LEAF = 65_535
"""Octets of a leaf: in a bundle its length takes two octets (C2SP tlog-tiles)."""


class Tile(NamedTuple):
    """A tile: its level, index from 0, and number of its 256 places.

    The level None is a bundle of leaves.
    """

    level: int | None
    at: int
    width: int = TILE_WIDTH

    @property
    def name(self) -> str:
        """Return its path below the log's address."""
        digits = f"{self.at:03d}"
        digits = digits.rjust(-(-len(digits) // 3) * 3, "0")
        parts = [digits[start : start + 3] for start in range(0, len(digits), 3)]
        path = "/".join([*(f"x{part}" for part in parts[:-1]), parts[-1]])
        level = "entries" if self.level is None else str(self.level)
        return f"tile/{level}/{path}" + ("" if self.width == TILE_WIDTH else f".p/{self.width}")

    @property
    def first(self) -> int:
        """Return the index of its first leaf, or of its first hash within its level."""
        return self.at * TILE_WIDTH


def new_tiles(size: int, before: int = 0) -> Iterator[Tile]:
    """Yield the tiles that a log of `size` leaves adds to one of `before` leaves."""
    level, count, count_before = 0, size, before
    while count:
        for index in range(count_before // TILE_WIDTH, -(-count // TILE_WIDTH)):
            width = min(TILE_WIDTH, count - index * TILE_WIDTH)
            if index * TILE_WIDTH + width > count_before:
                if level == 0:
                    yield Tile(None, index, width)
                yield Tile(level, index, width)
        level, count, count_before = level + 1, count // TILE_WIDTH, count_before // TILE_WIDTH


def leaf_bundle(leaves: Sequence[bytes]) -> bytes:
    """Return the file of a bundle; raise ValueError for a leaf that is too long."""
    if any(len(leaf) > LONGEST_LEAF for leaf in leaves):
        raise ValueError(f"a leaf has at most {LONGEST_LEAF} octets")
    return b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in leaves)


def leaves_in(data: bytes, width: int) -> Iterator[bytes]:
    """Yield the leaves of a bundle; raise Malformed unless it holds exactly `width`."""
    offset = 0
    for _ in range(width):
        end = offset + 2 + int.from_bytes(data[offset : offset + 2], "big")
        if offset + 2 > len(data) or end > len(data):
            raise Malformed("the bundle ends within a leaf")
        yield data[offset + 2 : end]
        offset = end
    if offset != len(data):
        raise Malformed(f"the bundle holds more than {width} leaves")


def rotate_name(index: int) -> str:
    """Return the path of the checkpoint that confirms the leaf `rotate` at an index."""
    return f"rotate/{index}"
