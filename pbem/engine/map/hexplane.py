"""Hexes as figures: where their centres and corners lie, flat tops up, odd columns half a hex higher than even ones."""

from __future__ import annotations

from math import sqrt

from pbem.engine.map.hexes import DIRECTIONS, place
from pbem.engine.map.plane import Point

RADIUS = 31.0
"""From the centre of a hex to a corner, in the units of a picture."""
TALL = RADIUS * sqrt(3)
_ANGLES = ((-0.5, -1), (0.5, -1), (1, 0), (0.5, 1), (-0.5, 1), (-1, 0))
"""Corners clockwise from the left upper one: x in radii, y in half heights."""
_FIRST = {direction: at for at, direction in enumerate(DIRECTIONS)}


def centre(ident: str) -> Point:
    """Return the middle of a hex."""
    return middle(*place(ident))


def middle(column: int, row: int) -> Point:
    """Return the middle of the hex of a column and a row, which may lie beyond those that have a number."""
    return RADIUS * (1.5 * (column - 1) + 1), TALL * (row - 0.5 + (0.0 if column % 2 else 0.5))


def corners(ident: str) -> list[Point]:
    """Return the six corners of a hex, clockwise from the left upper one."""
    return around(centre(ident))


def around(at: Point) -> list[Point]:
    """Return the corners of the hex whose middle lies at a point."""
    x, y = at
    return [(x + dx * RADIUS, y + dy * TALL / 2) for dx, dy in _ANGLES]


def side(ident: str, direction: str) -> tuple[Point, Point]:
    """Return the side of a hex towards a neighbour, clockwise."""
    found, at = corners(ident), _FIRST[direction]
    return found[at], found[(at + 1) % 6]
