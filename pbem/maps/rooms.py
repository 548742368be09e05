"""Find room in a space of an area map: the box place nearest to its site."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from pbem.engine.map.plane import Box, Point

STEP = 6.0
"""The distance between the rows in which free land is measured. A choice: finer rows take longer and hardly move a
stack."""
_MARGIN = 2.0
"""The distance of a stack from the borders of its space."""


class Room(NamedTuple):
    """The land of a space in rows `STEP` apart from `top` down: both ends of each."""

    site: Point
    top: float
    lefts: tuple[float, ...]
    rights: tuple[float, ...]

    @classmethod
    def of(cls, outline: Sequence[Point], site: Point, frame: Box, water: Sequence[Sequence[Point]]) -> Room:
        """Return the room within an outline and a frame, without water."""
        top = max(min(y for _, y in outline), frame[1] + 3)
        bottom = min(max(y for _, y in outline), frame[3] - 4)
        rows = [
            _row(outline, top + index * STEP, site, frame, water) for index in range(int((bottom - top) / STEP) + 1)
        ]
        return cls(site, top, tuple(left for left, _ in rows), tuple(right for _, right in rows))

    def fits(self, box_width: float, box_height: float) -> tuple[float, Point] | None:
        """Return squared distance and middle of the nearest place for a box, or None."""
        rows_needed = ceil(box_height / STEP) + 1
        best: tuple[float, Point] | None = None
        for index in range(len(self.lefts) - rows_needed + 1):
            left, right = max(self.lefts[index : index + rows_needed]), min(self.rights[index : index + rows_needed])
            if right - left < box_width:
                continue
            x = min(max(self.site[0], left + box_width / 2), right - box_width / 2)
            y = self.top + (index + (rows_needed - 1) / 2) * STEP
            distance = (x - self.site[0]) ** 2 + (y - self.site[1]) ** 2
            if best is None or distance < best[0]:
                best = distance, (x, y)
        return best


def _row(
    outline: Sequence[Point], y: float, site: Point, frame: Box, water: Sequence[Sequence[Point]]
) -> tuple[float, float]:
    """Return the widest stretch of land at a height; reversed ends if there is none."""
    ends = _crossings(outline, y)
    stretches = [
        (max(left, frame[0] + 4), min(right, frame[2] - 4)) for left, right in zip(ends[::2], ends[1::2], strict=False)
    ]
    for shore in water:
        shore_ends = _crossings(shore, y)
        for start, end in zip(shore_ends[::2], shore_ends[1::2], strict=False):
            pairs = [((left, min(right, start)), (max(left, end), right)) for left, right in stretches]
            stretches = [stretch for pair in pairs for stretch in pair if stretch[0] < stretch[1]]
    left, right = max(stretches, key=lambda stretch: stretch[1] - stretch[0], default=(1.0, 0.0))
    return left + _MARGIN, right - _MARGIN


def _crossings(outline: Sequence[Point], y: float) -> list[float]:
    """Return where a closed line crosses a height, from left to right."""
    return sorted(
        a + (y - b) * (c - a) / (d - b) for (a, b), (c, d) in pairwise((*outline, outline[0])) if (b > y) != (d > y)
    )
