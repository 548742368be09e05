"""Room within a space of a map of areas: where on its land a box of a size can lie, nearest to its middle."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from pbem.engine.map.plane import Box, Point

STEP = 6.0
_MARGIN = 2.0


class Room(NamedTuple):
    """The land of a space in rows `STEP` apart, from `top` down: the left and the right end of each."""

    site: Point
    top: float
    lefts: tuple[float, ...]
    rights: tuple[float, ...]

    @classmethod
    def of(cls, outline: Sequence[Point], site: Point, frame: Box, water: Sequence[Sequence[Point]]) -> Room:
        """Return the room within an outline and a frame, off the water."""
        top = max(min(y for _, y in outline), frame[1] + 3)
        bottom = min(max(y for _, y in outline), frame[3] - 4)
        rows = [_row(outline, top + at * STEP, site, frame, water) for at in range(int((bottom - top) / STEP) + 1)]
        return cls(site, top, tuple(left for left, _ in rows), tuple(right for _, right in rows))

    def fits(self, wide: float, high: float) -> tuple[float, Point] | None:
        """Return how far from its site the middle of such a box must lie, and where; None if there is no room."""
        many = ceil(high / STEP) + 1
        best: tuple[float, Point] | None = None
        for at in range(len(self.lefts) - many + 1):
            left, right = max(self.lefts[at : at + many]), min(self.rights[at : at + many])
            if right - left < wide:
                continue
            x = min(max(self.site[0], left + wide / 2), right - wide / 2)
            y = self.top + (at + (many - 1) / 2) * STEP
            far = (x - self.site[0]) ** 2 + (y - self.site[1]) ** 2
            if best is None or far < best[0]:
                best = far, (x, y)
        return best


def _row(
    outline: Sequence[Point], y: float, site: Point, frame: Box, water: Sequence[Sequence[Point]]
) -> tuple[float, float]:
    """The widest stretch of land at a height; one that ends before it begins where there is none."""
    ends = _crossed(outline, y)
    stretches = [
        (max(left, frame[0] + 4), min(right, frame[2] - 4)) for left, right in zip(ends[::2], ends[1::2], strict=False)
    ]
    for shore in water:
        wet = _crossed(shore, y)
        for start, end in zip(wet[::2], wet[1::2], strict=False):
            dry = [((left, min(right, start)), (max(left, end), right)) for left, right in stretches]
            stretches = [stretch for pair in dry for stretch in pair if stretch[0] < stretch[1]]
    left, right = max(stretches, key=lambda one: one[1] - one[0], default=(1.0, 0.0))
    return left + _MARGIN, right - _MARGIN


def _crossed(outline: Sequence[Point], y: float) -> list[float]:
    """Where a closed line crosses a height, from left to right."""
    return sorted(
        a + (y - b) * (c - a) / (d - b) for (a, b), (c, d) in pairwise((*outline, outline[0])) if (b > y) != (d > y)
    )
