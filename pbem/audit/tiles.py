"""The log as static files for anybody to read (C2SP tlog-tiles): a checkpoint, tiles of hashes, bundles of leaves.

A tile holds 256 neighbouring hashes of a level, and a level is eight of the tree; the last of each level may be
partial, and says in its name how wide it is::

    checkpoint
    tile/0/x001/x234/067            hashes of leaves 1234067 * 256 and on
    tile/0/x001/x234/068.p/17       the same, as far as they go: 17
    tile/1/004
    tile/entries/x001/x234/067      the leaves themselves, each behind its length in two bytes

What is full never changes. Beside them lies, for each time that the log went on with other keys, the checkpoint by
which the key before vouched for it: ``rotate/INDEX``, by the number of the leaf.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbem.audit.blocks import Malformed

CHECKPOINT = "checkpoint"
"""Where the newest signed tree is."""

HEIGHT, WIDTH = 8, 256
"""A tile has the hashes of 2**8 full nodes; above it comes the level eight higher."""

LONGEST_LEAF = 65_535


class Tile(NamedTuple):
    """A tile: its level (None: a bundle of leaves), where it stands in it from 0, how many of its 256 places it has."""

    level: int | None
    at: int
    width: int = WIDTH

    @property
    def name(self) -> str:
        """Its path below the log's address."""
        digits = f"{self.at:03d}"
        digits = digits.rjust(-(-len(digits) // 3) * 3, "0")
        parts = [digits[at : at + 3] for at in range(0, len(digits), 3)]
        path = "/".join([*(f"x{part}" for part in parts[:-1]), parts[-1]])
        level = "entries" if self.level is None else str(self.level)
        return f"tile/{level}/{path}" + ("" if self.width == WIDTH else f".p/{self.width}")

    @property
    def first(self) -> int:
        """The number of its first leaf, or the place of its first hash among those of its level."""
        return self.at * WIDTH


def needed(size: int, before: int = 0) -> Iterator[Tile]:
    """The tiles that a tree of `size` leaves has, and one of `before` leaves has not: leaves first, then upwards."""
    level, now, then = 0, size, before
    while now:
        for index in range(then // WIDTH, -(-now // WIDTH)):
            width = min(WIDTH, now - index * WIDTH)
            if index * WIDTH + width > then:
                if level == 0:
                    yield Tile(None, index, width)
                yield Tile(level, index, width)
        level, now, then = level + 1, now // WIDTH, then // WIDTH


def bundle(leaves: Sequence[bytes]) -> bytes:
    """The file of a bundle; ValueError for a leaf that is too long for it."""
    if any(len(one) > LONGEST_LEAF for one in leaves):
        raise ValueError(f"a leaf has at most {LONGEST_LEAF} octets")
    return b"".join(len(one).to_bytes(2, "big") + one for one in leaves)


def leaves_in(data: bytes, width: int) -> Iterator[bytes]:
    """The leaves of such a file; Malformed unless it is `width` leaves and nothing else."""
    at = 0
    for _ in range(width):
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        if at + 2 > len(data) or end > len(data):
            raise Malformed("the bundle ends within a leaf")
        yield data[at + 2 : end]
        at = end
    if at != len(data):
        raise Malformed(f"the bundle holds more than {width} leaves")


def rotate_name(index: int) -> str:
    """Where the checkpoint lies by which the key before vouched for the leaf `rotate` with this number."""
    return f"rotate/{index}"
