"""Plane geometry: cells around sites, polygons, borders, room.

Lengths are the units of a map's ``x,y``, y growing downwards. Nothing here is random: apparent chance
follows from SHA-256 of names, so that the same map always has the same lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from math import hypot
from typing import NamedTuple

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
_FRAME = ""


class Cell(NamedTuple):
    """A polygon around a site: its corners in order, and the cell beyond each side.

    `sides[n]` is the name of the cell beyond the side that begins at `corners[n]`, empty if there is none; the
    side ends at the next corner.
    """

    corners: tuple[Point, ...]
    sides: tuple[str, ...]

    def border(self, other: str) -> tuple[Point, Point] | None:
        """Return the side shared with another cell, or None."""
        for index, side in enumerate(self.sides):
            if side == other:
                return self.corners[index], self.corners[(index + 1) % len(self.corners)]
        return None


def cells(sites: Mapping[str, Point], box: Box) -> dict[str, Cell]:
    """Return, for each site, the part of the box that is nearest to it."""
    return {name: _cell(name, sites, box) for name in sites}


def _cell(name: str, sites: Mapping[str, Point], box: Box) -> Cell:
    left, top, right, bottom = box
    cell = Cell(((left, top), (right, top), (right, bottom), (left, bottom)), (_FRAME,) * 4)
    x, y = sites[name]
    for other, (u, v) in sites.items():
        if other != name:
            # Nearer to x,y than to u,v: on the near side of the line half-way between them.
            cell = clip(cell, (u - x, v - y, (u * u + v * v - x * x - y * y) / 2), other)
    return cell


def clip(cell: Cell, line: tuple[float, float, float], beyond: str) -> Cell:
    """Return the part of a cell where a*x + b*y <= c.

    Its new side has `beyond` behind it.
    """
    a, b, c = line
    corners: list[Point] = []
    sides: list[str] = []
    count = len(cell.corners)
    for index, corner in enumerate(cell.corners):
        next_corner = cell.corners[(index + 1) % count]
        offset, next_offset = a * corner[0] + b * corner[1] - c, a * next_corner[0] + b * next_corner[1] - c
        if offset <= 0:
            corners.append(corner)
            sides.append(cell.sides[index])
        if (offset <= 0) != (next_offset <= 0):
            share = offset / (offset - next_offset)
            corners.append(
                (corner[0] + share * (next_corner[0] - corner[0]), corner[1] + share * (next_corner[1] - corner[1]))
            )
            sides.append(beyond if offset <= 0 else cell.sides[index])
    return Cell(tuple(corners), tuple(sides))


def box_of(points: Sequence[Point], far: float = 0.0) -> Box:
    """Return the box around points, wider by `far` on each side."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs) - far, min(ys) - far, max(xs) + far, max(ys) + far


def overlaps(box: Box, other: Box) -> bool:
    """Return whether two boxes have a point in common."""
    return box[0] <= other[2] and other[0] <= box[2] and box[1] <= other[3] and other[1] <= box[3]


def inside(polygon: Sequence[Point], point: Point) -> bool:
    """Return whether a point is in a polygon."""
    x, y = point
    is_inside = False
    for (u, v), (s, t) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        if (v > y) != (t > y) and x < u + (y - v) * (s - u) / (t - v):
            is_inside = not is_inside
    return is_inside


def rough(start: Point, end: Point, size: float = 0.12) -> list[Point]:
    """Return a natural-looking border between two corners.

    It is the same from either end.
    """
    if start > end:
        return rough(end, start, size)[::-1]
    return [start, *_between(start, end, size, 6.0), end]


def _between(start: Point, end: Point, size: float, least: float) -> Iterator[Point]:
    """Yield points between two.

    The middle is moved aside by a part of their distance; the same is then done with both halves.
    """
    length = hypot(end[0] - start[0], end[1] - start[1])
    if length < least:
        return
    aside = noise(start, end) * size * length
    x = (start[0] + end[0]) / 2 - (end[1] - start[1]) / length * aside
    y = (start[1] + end[1]) / 2 + (end[0] - start[0]) / length * aside
    yield from _between(start, (x, y), size, least)
    yield x, y
    yield from _between((x, y), end, size, least)


def noise(*parts: object) -> float:
    """Return a number from -1 to 1, seemingly random, that its arguments decide."""
    text = " ".join(f"{part[0]:.1f},{part[1]:.1f}" if isinstance(part, tuple) else str(part) for part in parts)
    # Four octets are finer than any drawing shows.
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big") / 0xFFFFFFFF * 2 - 1


def shrink(polygon: Sequence[Point], to: Point, share: float) -> list[Point]:
    """Return a polygon scaled towards a point; a share of 1 leaves it unchanged."""
    return [(to[0] + share * (x - to[0]), to[1] + share * (y - to[1])) for x, y in polygon]


def room(polygon: Sequence[Point], point: Point) -> float:
    """Return the distance of an inner point to the nearest side."""
    return min(_distance(point, a, b) for a, b in zip(polygon, (*polygon[1:], polygon[0]), strict=True))


def _distance(point: Point, start: Point, end: Point) -> float:
    (x, y), (a, b), (c, d) = point, start, end
    square = (c - a) ** 2 + (d - b) ** 2
    # The nearest point lies on the line: 0 is its start, 1 its end.
    along = max(0.0, min(1.0, ((x - a) * (c - a) + (y - b) * (d - b)) / square)) if square else 0.0
    return hypot(x - a - along * (c - a), y - b - along * (d - b))


def scatter(name: str, polygon: Sequence[Point], apart: float, margin: float = 0.0) -> list[Point]:
    """Return points spread over a polygon, about `apart` from each other."""
    left, top = min(x for x, _ in polygon), min(y for _, y in polygon)
    right, bottom = max(x for x, _ in polygon), max(y for _, y in polygon)
    points = []
    for row in range(int((bottom - top) / apart) + 1):
        for column in range(int((right - left) / apart) + 1):
            x = left + apart * (column + 0.5 * (row % 2) + 0.35 * noise(name, row, column, "x"))
            y = top + apart * (row + 0.35 * noise(name, row, column, "y"))
            if inside(polygon, (x, y)) and room(polygon, (x, y)) >= margin:
                points.append((x, y))
    return points


def smooth(points: Sequence[Point], parts: int = 6) -> list[Point]:
    """Return a smooth closed line through points.

    Between two neighbours there are `parts` steps.
    """
    out, count = list[Point](), len(points)
    for index, point in enumerate(points):
        before, next_point, after = points[index - 1], points[(index + 1) % count], points[(index + 2) % count]
        for part in range(parts):
            t = part / parts
            a, b, c, d = (
                -t * (1 - t) ** 2 / 2,
                1 + t * t * (3 * t - 5) / 2,
                t * (1 + t * (4 - 3 * t)) / 2,
                t * t * (t - 1) / 2,
            )
            out.append(
                (
                    a * before[0] + b * point[0] + c * next_point[0] + d * after[0],
                    a * before[1] + b * point[1] + c * next_point[1] + d * after[1],
                )
            )
    return out


def double_area(polygon: Sequence[Point]) -> float:
    """Return twice the area of a polygon, negative for counterclockwise corners."""
    pairs = zip(polygon, (*polygon[1:], polygon[0]), strict=True)
    return sum(x * v - u * y for (x, y), (u, v) in pairs)


def inset(polygon: Sequence[Point], far: float) -> list[Point]:
    """Return a polygon with all corners moved inwards; empty if too little is left."""
    area, count, corners = double_area(polygon), len(polygon), list[Point]()
    sign = 1 if area > 0 else -1
    for index, (x, y) in enumerate(polygon):
        (a, b), (c, d) = polygon[index - 1], polygon[(index + 1) % count]
        length = hypot(c - a, d - b) or 1.0
        corners.append((x - sign * (d - b) / length * far, y + sign * (c - a) / length * far))
    return corners if double_area(corners) * sign > abs(area) / 8 else []
