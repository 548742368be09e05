"""Hexes: ids, neighbours, directions, distances, lines and sectors of a map of hexes with flat tops; their figures.

::

    0101    0301         a hex is column and row, two digits each, from 0101;
        0201    0401     odd columns lie half a hex higher than even ones,
    0102    0302         so that 0302 has 0301 N, 0401 NE, 0402 SE, 0303 S, 0202 SW, 0201 NW

Inside, a hex has three coordinates x, y, z with sum 0: x grows eastwards, z southwards along a column.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import sqrt

from pbem.engine.map.plane import Point

DIRECTIONS = ("N", "NE", "SE", "S", "SW", "NW")
"""The six sides of a hex, clockwise."""
FRONT, FLANK, REAR = "front", "flank", "rear"

_STEPS = {"N": (0, 1, -1), "NE": (1, 0, -1), "SE": (1, -1, 0), "S": (0, -1, 1), "SW": (-1, 0, 1), "NW": (-1, 1, 0)}
_SECTORS = (FRONT, FRONT, FLANK, REAR, FLANK, FRONT)
"""What lies 0..5 sides clockwise of the facing."""
Cube = tuple[int, int, int]


def is_hex(text: str) -> bool:
    """Whether `text` could be a hex's id: four digits, neither column nor row 00."""
    return len(text) == 4 and text.isascii() and text.isdigit() and text[:2] != "00" and text[2:] != "00"


def place(ident: str) -> tuple[int, int]:
    """Return column and row; ValueError for what is no id."""
    if not is_hex(ident):
        raise ValueError(f"{ident!r} is no hex")
    return int(ident[:2]), int(ident[2:])


def hex_id(column: int, row: int) -> str:
    """Return the id of a column and a row, 1 to 99 each; the empty string outside of that."""
    return f"{column:02}{row:02}" if 0 < column < 100 and 0 < row < 100 else ""


def field(columns: int, rows: int) -> Iterator[str]:
    """Yield the ids of a map of so many columns and rows, column by column."""
    for column in range(1, columns + 1):
        for row in range(1, rows + 1):
            yield hex_id(column, row)


@lru_cache(maxsize=16384)
def _cube(ident: str) -> Cube:
    column, row = place(ident)
    x = column - 1
    z = row - 1 - x // 2
    return x, -x - z, z


def _hex(cube: Cube) -> str:
    x, _, z = cube
    return hex_id(x + 1, z + 1 + x // 2)


@lru_cache(maxsize=65536)
def step(ident: str, facing: str) -> str:
    """Return the hex next to a hex on that side; the empty string beyond column or row 1 and 99."""
    a, b = _cube(ident), _STEPS[facing]
    return _hex((a[0] + b[0], a[1] + b[1], a[2] + b[2]))


@lru_cache(maxsize=16384)
def neighbours(ident: str) -> tuple[str, ...]:
    """Return the hexes around a hex, clockwise from N; fewer at the ends of the numbering."""
    return tuple(found for side in DIRECTIONS if (found := step(ident, side)))


@lru_cache(maxsize=65536)
def distance(a: str, b: str) -> int:
    """Return how many hexes b is from a; 0 for the same, 1 for a neighbour."""
    return max(abs(m - n) for m, n in zip(_cube(a), _cube(b), strict=True))


@lru_cache(maxsize=65536)
def straight(a: str, b: str) -> int:
    """Return the square of the distance between the centres, in distances between neighbours."""
    return sum((m - n) ** 2 for m, n in zip(_cube(a), _cube(b), strict=True)) // 2


@lru_cache(maxsize=16384)
def within(ident: str, reach: int) -> tuple[str, ...]:
    """Return the hexes at most `reach` away, the hex itself among them, in order of their ids."""
    x, y, _ = _cube(ident)
    found = [
        _hex((x + dx, y + dy, -x - y - dx - dy))
        for dx in range(-reach, reach + 1)
        for dy in range(max(-reach, -dx - reach), min(reach, -dx + reach) + 1)
    ]
    return tuple(sorted(name for name in found if name))


@lru_cache(maxsize=65536)
def towards(a: str, b: str) -> tuple[str, ...]:
    """Return the side of `a` that `b` lies on, two of them if it lies exactly between; none for the same hex."""
    if a == b:
        return ()
    x, y, z = (n - m for m, n in zip(_cube(a), _cube(b), strict=True))
    along = {"N": y - z, "NE": x - z, "SE": x - y, "S": z - y, "SW": z - x, "NW": y - x}
    most = max(along.values())
    return tuple(side for side in DIRECTIONS if along[side] == most)


@lru_cache(maxsize=65536)
def direction(a: str, b: str) -> str:
    """Return the side of `a` on which its neighbour `b` lies; ValueError if they are no neighbours."""
    if distance(a, b) != 1:
        raise ValueError(f"{a} and {b} are no neighbours")
    return towards(a, b)[0]


def spread_of_turn(old: str, new: str) -> int:
    """Return by how many sides, 0 to 3, a turn from one facing to another goes."""
    turn = (DIRECTIONS.index(new) - DIRECTIONS.index(old)) % 6
    return min(turn, 6 - turn)


@lru_cache(maxsize=16384)
def front(ident: str, facing: str) -> tuple[str, ...]:
    """Return the hexes in front of a hex: the one it faces, and the two beside that."""
    at = DIRECTIONS.index(facing)
    sides = (DIRECTIONS[at - 1], facing, DIRECTIONS[(at + 1) % 6])
    return tuple(found for side in sides if (found := step(ident, side)))


@lru_cache(maxsize=65536)
def sector(at: str, facing: str, other: str) -> str:
    """Return the sector, FRONT, FLANK or REAR, of a counter at `at` in which another hex lies.

    A line between two sectors belongs to the one nearer to the front; the counter's own hex is front.
    """
    turned = DIRECTIONS.index(facing)
    lies = {_SECTORS[(DIRECTIONS.index(side) - turned) % 6] for side in towards(at, other)} or {FRONT}
    return min(lies, key=(FRONT, FLANK, REAR).index)


@lru_cache(maxsize=65536)
def between(a: str, b: str) -> tuple[tuple[str, ...], ...]:
    """Return what the line from centre to centre passes, in its order, both ends left out.

    Each item is one hex that the line goes through, or the two hexes it runs between, along the side they share. A
    hex touched in a single point is not passed.
    """
    start, end = _cube(a), _cube(b)
    found: dict[tuple[Fraction, Fraction], list[tuple[str, bool]]] = {}
    reach = distance(a, b)
    for name in within(a, reach):
        if name in (a, b) or distance(name, b) > reach:
            continue
        span = _span(start, end, _cube(name))
        if span is not None:
            found.setdefault(span[:2], []).append((name, span[2]))
    return tuple(tuple(sorted(name for name, _ in hexes)) for _, hexes in sorted(found.items()))


def _span(start: Cube, end: Cube, centre: Cube) -> tuple[Fraction, Fraction, bool] | None:
    """Return which part of the line, 0 to 1, lies in a hex, and whether only along its side; None for no more than
    a point."""
    low, high = Fraction(0), Fraction(1)
    along = False
    for i, j in ((0, 1), (1, 2), (2, 0)):
        at = (start[i] - centre[i]) - (start[j] - centre[j])
        way = (end[i] - start[i]) - (end[j] - start[j])
        if way == 0:
            if abs(at) > 1:
                return None
            along = along or abs(at) == 1
            continue
        one, two = sorted((Fraction(-1 - at, way), Fraction(1 - at, way)))
        low, high = max(low, one), min(high, two)
    return (low, high, along) if low < high else None


def entries(a: str, b: str) -> tuple[str, ...]:
    """Return the neighbours of `b` from which the line from `a` enters it: one, or two if it comes between them."""
    passed = between(a, b)
    return tuple(name for name in passed[-1] if distance(name, b) == 1) if passed else (a,)


@lru_cache(maxsize=16384)
def bounds(ident: str, edge: str, columns: int, rows: int) -> int:
    """Return how many rows, or columns, a hex lies from the N, S, E or W edge of a map; 0 on the edge itself."""
    column, row = place(ident)
    return {"N": row - 1, "S": rows - row, "W": column - 1, "E": columns - column}[edge]


# Hexes as figures: where their centres and corners lie, flat tops up, odd columns half a hex higher than even ones.


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


# Lines over a map as a whole: shores around hexes that lie together, ways from place to place to place.


Key = tuple[float, float]


def outlines(middles: Collection[Point]) -> list[list[Point]]:
    """Return the outlines of the hexes around these middles, those that touch taken together, clockwise."""
    sides: dict[tuple[Key, Key], Point] = {}
    for at in sorted(middles):
        found = around(at)
        for start, end in pairwise((*found, found[0])):
            # What two of them share runs one way and the other, and is no shore.
            if sides.pop((_key(end), _key(start)), None) is None:
                sides[_key(start), _key(end)] = start
    after = {start: end for start, end in sides}
    points = {start: point for (start, _), point in sides.items()}
    out = []
    while after:
        here, line = min(after), list[Point]()
        while here in after:
            line.append(points[here])
            here = after.pop(here)
        out.append(line)
    return out


def _key(point: Point) -> Key:
    """The same for the corner of a hex and for that of the next."""
    return round(point[0], 1), round(point[1], 1)


def chains(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return ways through places, each as long as it goes on without a fork, of the steps that they are made of."""
    beside: dict[str, list[str]] = {}
    for a, b in sorted({(min(pair), max(pair)) for pair in pairs}):
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    ends = [place for place in sorted(beside) if len(beside[place]) != 2]
    done, out = set[tuple[str, str]](), list[list[str]]()
    for start in (*ends, *sorted(beside)):  # where ways end or meet; then those that come round to where they began
        for other in beside[start]:
            if (start, other) in done:
                continue
            way = [start, other]
            while len(beside[way[-1]]) == 2 and way[-1] != start:
                way.append(next(one for one in beside[way[-1]] if one != way[-2]))
            done.update(step for a, b in pairwise(way) for step in ((a, b), (b, a)))
            out.append(way)
    return out
