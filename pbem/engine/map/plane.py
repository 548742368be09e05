"""The plane: cells around sites, clipped polygons, borders as nature draws them, room inside a cell.

Lengths are the units of a map's ``x,y``, y growing downwards. Nothing here is chance: what looks so is drawn from
SHA-256 of what it belongs to, so that the same map is the same lines for ever.
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
    """A polygon around a site: its corners in order, and beyond the side that begins at each whose cell lies, if any's.

    The corner `sides[n]` belongs to is `corners[n]`; the side runs from it to the next.
    """

    corners: tuple[Point, ...]
    sides: tuple[str, ...]

    def border(self, other: str) -> tuple[Point, Point] | None:
        """Return the side that is shared with another cell, None if none is."""
        for at, side in enumerate(self.sides):
            if side == other:
                return self.corners[at], self.corners[(at + 1) % len(self.corners)]
        return None


def cells(sites: Mapping[str, Point], box: Box) -> dict[str, Cell]:
    """Return the part of the box that is nearest to each site."""
    return {name: _cell(name, sites, box) for name in sites}


def _cell(name: str, sites: Mapping[str, Point], box: Box) -> Cell:
    left, top, right, bottom = box
    cell = Cell(((left, top), (right, top), (right, bottom), (left, bottom)), (_FRAME,) * 4)
    x, y = sites[name]
    for other, (u, v) in sites.items():
        if other != name:
            # Nearer to x,y than to u,v: on the near side of the line half-way between them.
            cell = clipped(cell, (u - x, v - y, (u * u + v * v - x * x - y * y) / 2), other)
    return cell


def clipped(cell: Cell, line: tuple[float, float, float], beyond: str) -> Cell:
    """Return what of a cell lies where a*x + b*y <= c; the side that is new has `beyond` behind it."""
    a, b, c = line
    corners: list[Point] = []
    sides: list[str] = []
    many = len(cell.corners)
    for at, here in enumerate(cell.corners):
        there = cell.corners[(at + 1) % many]
        now, then = a * here[0] + b * here[1] - c, a * there[0] + b * there[1] - c
        if now <= 0:
            corners.append(here)
            sides.append(cell.sides[at])
        if (now <= 0) != (then <= 0):
            share = now / (now - then)
            corners.append((here[0] + share * (there[0] - here[0]), here[1] + share * (there[1] - here[1])))
            sides.append(beyond if now <= 0 else cell.sides[at])
    return Cell(tuple(corners), tuple(sides))


def inside(polygon: Sequence[Point], point: Point) -> bool:
    """Return whether a point lies in a polygon."""
    x, y = point
    found = False
    for (u, v), (s, t) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        if (v > y) != (t > y) and x < u + (y - v) * (s - u) / (t - v):
            found = not found
    return found


def rough(start: Point, end: Point, size: float = 0.12) -> list[Point]:
    """Return a border from one corner to another as nature has it: the same line from whichever side it is drawn."""
    if start > end:
        return rough(end, start, size)[::-1]
    return [start, *_between(start, end, size, 6.0), end]


def _between(start: Point, end: Point, size: float, least: float) -> Iterator[Point]:
    """Points between two, the one in the middle put aside by a part of their distance, and so on at both its sides."""
    long = hypot(end[0] - start[0], end[1] - start[1])
    if long < least:
        return
    aside = drawn(start, end) * size * long
    x = (start[0] + end[0]) / 2 - (end[1] - start[1]) / long * aside
    y = (start[1] + end[1]) / 2 + (end[0] - start[0]) / long * aside
    yield from _between(start, (x, y), size, least)
    yield x, y
    yield from _between((x, y), end, size, least)


def drawn(*what: object) -> float:
    """Return a number from -1 to 1 that belongs to what is given, and looks like chance."""
    text = " ".join(f"{part[0]:.1f},{part[1]:.1f}" if isinstance(part, tuple) else str(part) for part in what)
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big") / 0xFFFFFFFF * 2 - 1


def shrunk(polygon: Sequence[Point], to: Point, share: float) -> list[Point]:
    """Return a polygon drawn together towards a point, a share of 1 leaving it as it is."""
    return [(to[0] + share * (x - to[0]), to[1] + share * (y - to[1])) for x, y in polygon]


def room(polygon: Sequence[Point], point: Point) -> float:
    """Return how far a point inside lies from the nearest side."""
    return min(_distance(point, a, b) for a, b in zip(polygon, (*polygon[1:], polygon[0]), strict=True))


def _distance(point: Point, start: Point, end: Point) -> float:
    (x, y), (a, b), (c, d) = point, start, end
    long = (c - a) ** 2 + (d - b) ** 2
    along = max(0.0, min(1.0, ((x - a) * (c - a) + (y - b) * (d - b)) / long)) if long else 0.0
    return hypot(x - a - along * (c - a), y - b - along * (d - b))


def scattered(name: str, polygon: Sequence[Point], apart: float, margin: float = 0.0) -> list[Point]:
    """Return points strewn over a polygon, about so far from one another and not within a margin of its sides."""
    left, top = min(x for x, _ in polygon), min(y for _, y in polygon)
    right, bottom = max(x for x, _ in polygon), max(y for _, y in polygon)
    found = []
    for row in range(int((bottom - top) / apart) + 1):
        for column in range(int((right - left) / apart) + 1):
            x = left + apart * (column + 0.5 * (row % 2) + 0.35 * drawn(name, row, column, "x"))
            y = top + apart * (row + 0.35 * drawn(name, row, column, "y"))
            if inside(polygon, (x, y)) and room(polygon, (x, y)) >= margin:
                found.append((x, y))
    return found


def smooth(points: Sequence[Point], parts: int = 6) -> list[Point]:
    """Return a closed line that goes softly through points, with so many parts from each to the next."""
    out, many = list[Point](), len(points)
    for at, here in enumerate(points):
        before, there, after = points[at - 1], points[(at + 1) % many], points[(at + 2) % many]
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
                    a * before[0] + b * here[0] + c * there[0] + d * after[0],
                    a * before[1] + b * here[1] + c * there[1] + d * after[1],
                )
            )
    return out


def turning(polygon: Sequence[Point]) -> float:
    """Return twice the area of a polygon, below zero if its corners go round against the clock on paper."""
    pairs = zip(polygon, (*polygon[1:], polygon[0]), strict=True)
    return sum(x * v - u * y for (x, y), (u, v) in pairs)


def inset(polygon: Sequence[Point], far: float) -> list[Point]:
    """Return a polygon with every corner moved inwards, nothing where that leaves too little of it."""
    whole, many, out = turning(polygon), len(polygon), list[Point]()
    way = 1 if whole > 0 else -1
    for at, (x, y) in enumerate(polygon):
        (a, b), (c, d) = polygon[at - 1], polygon[(at + 1) % many]
        long = hypot(c - a, d - b) or 1.0
        out.append((x - way * (d - b) / long * far, y + way * (c - a) / long * far))
    return out if turning(out) * way > abs(whole) / 8 else []
