"""Hexes: ids, neighbours, directions, distances, lines and sectors; their shapes.

::

    0101    0301         a hex is column and row, two digits each, from 0101;
        0201    0401     odd columns are half a hex higher than even ones,
    0102    0302         so that 0302 has 0301 N, 0401 NE, 0402 SE, 0303 S, 0202 SW, 0201 NW

Hexes have flat tops. Internally a hex has three coordinates x, y, z with sum 0: x grows eastwards, z
southwards along a column.
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
"""The sector that lies 0 to 5 sides clockwise of the facing."""
Cube = tuple[int, int, int]


def is_hex(text: str) -> bool:
    """Return whether `text` is a possible id: four digits, no column or row 00."""
    return len(text) == 4 and text.isascii() and text.isdigit() and text[:2] != "00" and text[2:] != "00"


def place(ident: str) -> tuple[int, int]:
    """Return column and row; raise ValueError for an invalid id."""
    if not is_hex(ident):
        raise ValueError(f"{ident!r} is no hex")
    return int(ident[:2]), int(ident[2:])


def hex_id(column: int, row: int) -> str:
    """Return the id of a column and a row, 1 to 99 each; empty for other numbers."""
    return f"{column:02}{row:02}" if 0 < column < 100 and 0 < row < 100 else ""


def field(columns: int, rows: int) -> Iterator[str]:
    """Yield the ids of a map of so many columns and rows, column by column."""
    for column in range(1, columns + 1):
        for row in range(1, rows + 1):
            yield hex_id(column, row)


# Caches of geometry: 16,384 hexes are more than any map has; of pairs, 65,536 hold those that a game asks for again.
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
    """Return the hex next to a hex on that side; empty outside 1 to 99."""
    a, b = _cube(ident), _STEPS[facing]
    return _hex((a[0] + b[0], a[1] + b[1], a[2] + b[2]))


@lru_cache(maxsize=16384)
def neighbours(ident: str) -> tuple[str, ...]:
    """Return the hexes around a hex, clockwise from N; fewer at the edges."""
    return tuple(neighbour for side in DIRECTIONS if (neighbour := step(ident, side)))


@lru_cache(maxsize=65536)
def distance(a: str, b: str) -> int:
    """Return the distance of two hexes in steps; 0 for the same, 1 for neighbours."""
    return max(abs(m - n) for m, n in zip(_cube(a), _cube(b), strict=True))


@lru_cache(maxsize=65536)
def straight(a: str, b: str) -> int:
    """Return the squared distance of two centres, where neighbours have 1."""
    return sum((m - n) ** 2 for m, n in zip(_cube(a), _cube(b), strict=True)) // 2


@lru_cache(maxsize=16384)
def within(ident: str, reach: int) -> tuple[str, ...]:
    """Return the hexes at most `reach` away, including the hex, in order of ids."""
    x, y, _ = _cube(ident)
    ids = [
        _hex((x + dx, y + dy, -x - y - dx - dy))
        for dx in range(-reach, reach + 1)
        for dy in range(max(-reach, -dx - reach), min(reach, -dx + reach) + 1)
    ]
    return tuple(sorted(name for name in ids if name))


@lru_cache(maxsize=65536)
def towards(a: str, b: str) -> tuple[str, ...]:
    """Return the side of `a` in the direction of `b`.

    There are two if `b` lies exactly between them; none for the same hex.
    """
    if a == b:
        return ()
    x, y, z = (n - m for m, n in zip(_cube(a), _cube(b), strict=True))
    along = {"N": y - z, "NE": x - z, "SE": x - y, "S": z - y, "SW": z - x, "NW": y - x}
    most = max(along.values())
    return tuple(side for side in DIRECTIONS if along[side] == most)


@lru_cache(maxsize=65536)
def direction(a: str, b: str) -> str:
    """Return the side of `a` next to `b`; raise ValueError if they are no neighbours."""
    if distance(a, b) != 1:
        raise ValueError(f"{a} and {b} are no neighbours")
    return towards(a, b)[0]


def spread_of_turn(old: str, new: str) -> int:
    """Return the number of sides, 0 to 3, that a change of facing turns."""
    turn = (DIRECTIONS.index(new) - DIRECTIONS.index(old)) % 6
    return min(turn, 6 - turn)


@lru_cache(maxsize=16384)
def front(ident: str, facing: str) -> tuple[str, ...]:
    """Return the hexes in front of a hex: the one it faces, and the two next to that."""
    index = DIRECTIONS.index(facing)
    sides = (DIRECTIONS[index - 1], facing, DIRECTIONS[(index + 1) % 6])
    return tuple(neighbour for side in sides if (neighbour := step(ident, side)))


@lru_cache(maxsize=65536)
def sector(hex_id: str, facing: str, other: str) -> str:
    """Return the sector of a counter at `hex_id` that contains a hex.

    It is FRONT, FLANK or REAR. A line between two sectors belongs to the one nearer to the front; the counter's
    own hex is front.
    """
    facing_index = DIRECTIONS.index(facing)
    sectors = {_SECTORS[(DIRECTIONS.index(side) - facing_index) % 6] for side in towards(hex_id, other)} or {FRONT}
    return min(sectors, key=(FRONT, FLANK, REAR).index)


@lru_cache(maxsize=65536)
def between(a: str, b: str) -> tuple[tuple[str, ...], ...]:
    """Return the hexes on the line from centre to centre.

    They are in order, without both ends. Each item is one hex that the line crosses, or the two hexes it runs
    between, along their common side. A hex touched in a single point is left out.
    """
    start, end = _cube(a), _cube(b)
    crossed: dict[tuple[Fraction, Fraction], list[tuple[str, bool]]] = {}
    reach = distance(a, b)
    for name in within(a, reach):
        if name in (a, b) or distance(name, b) > reach:
            continue
        span = _span(start, end, _cube(name))
        if span is not None:
            crossed.setdefault(span[:2], []).append((name, span[2]))
    return tuple(tuple(sorted(name for name, _ in hexes)) for _, hexes in sorted(crossed.items()))


def _span(start: Cube, end: Cube, centre: Cube) -> tuple[Fraction, Fraction, bool] | None:
    """Return the part of the line, 0 to 1, that is in a hex.

    The flag is True if it runs only along a side. None if it touches the hex in one point at most.
    """
    low, high = Fraction(0), Fraction(1)
    along = False
    for i, j in ((0, 1), (1, 2), (2, 0)):
        offset = (start[i] - centre[i]) - (start[j] - centre[j])
        slope = (end[i] - start[i]) - (end[j] - start[j])
        if slope == 0:
            if abs(offset) > 1:
                return None
            along = along or abs(offset) == 1
            continue
        near_end, far_end = sorted((Fraction(-1 - offset, slope), Fraction(1 - offset, slope)))
        low, high = max(low, near_end), min(high, far_end)
    return (low, high, along) if low < high else None


def entries(a: str, b: str) -> tuple[str, ...]:
    """Return the neighbours of `b` from which the line from `a` enters it.

    There is one, or two if the line comes between them.
    """
    crossed = between(a, b)
    return tuple(name for name in crossed[-1] if distance(name, b) == 1) if crossed else (a,)


@lru_cache(maxsize=16384)
def bounds(ident: str, edge: str, columns: int, rows: int) -> int:
    """Return the rows or columns from a hex to the N, S, E or W edge; 0 on the edge."""
    column, row = place(ident)
    return {"N": row - 1, "S": rows - row, "W": column - 1, "E": columns - column}[edge]


# Hexes as figures: where their centres and corners lie, flat tops up, odd columns half a hex higher than even ones.


# A choice, as any unit is: all that a map of hexes shows is sized by it.
RADIUS = 31.0
"""From the centre of a hex to a corner, in the units of a picture."""
TALL = RADIUS * sqrt(3)
"""The height of a hex: from its upper to its lower side."""
_ANGLES = ((-0.5, -1), (0.5, -1), (1, 0), (0.5, 1), (-0.5, 1), (-1, 0))
"""Corners clockwise from the left upper one: x in radii, y in half heights."""
_FIRST = {direction: index for index, direction in enumerate(DIRECTIONS)}


def centre(ident: str) -> Point:
    """Return the middle of a hex."""
    return middle(*place(ident))


def middle(column: int, row: int) -> Point:
    """Return the middle of the hex of a column and a row, even outside the numbering."""
    return RADIUS * (1.5 * (column - 1) + 1), TALL * (row - 0.5 + (0.0 if column % 2 else 0.5))


def corners(ident: str) -> list[Point]:
    """Return the six corners of a hex, clockwise from the left upper one."""
    return around(centre(ident))


def around(point: Point) -> list[Point]:
    """Return the corners of the hex whose middle is at a point."""
    x, y = point
    return [(x + dx * RADIUS, y + dy * TALL / 2) for dx, dy in _ANGLES]


def side(ident: str, direction: str) -> tuple[Point, Point]:
    """Return the side of a hex next to a neighbour, clockwise."""
    points, index = corners(ident), _FIRST[direction]
    return points[index], points[(index + 1) % 6]


# Lines over a map as a whole: shores around hexes that lie together, ways from place to place to place.


Key = tuple[float, float]


def outlines(middles: Collection[Point]) -> list[list[Point]]:
    """Return the outlines of the hexes with these middles, merged where they touch."""
    sides: dict[tuple[Key, Key], Point] = {}
    for middle_point in sorted(middles):
        corner_points = around(middle_point)
        for start, end in pairwise((*corner_points, corner_points[0])):
            # A side shared by two hexes occurs in both directions, and is no outline.
            if sides.pop((_key(end), _key(start)), None) is None:
                sides[_key(start), _key(end)] = start
    after = {start: end for start, end in sides}
    points = {start: point for (start, _), point in sides.items()}
    result = []
    while after:
        corner_key, line = min(after), list[Point]()
        while corner_key in after:
            line.append(points[corner_key])
            corner_key = after.pop(corner_key)
        result.append(line)
    return result


def _key(point: Point) -> Key:
    """Return a corner's key, equal for all hexes that share it."""
    return round(point[0], 1), round(point[1], 1)


def chains(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Join pairs of neighbouring places to chains.

    Each chain is as long as possible without passing a fork.
    """
    beside: dict[str, list[str]] = {}
    for a, b in sorted({(min(pair), max(pair)) for pair in pairs}):
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    ends = [place for place in sorted(beside) if len(beside[place]) != 2]
    used, result = set[tuple[str, str]](), list[list[str]]()
    for start in (*ends, *sorted(beside)):  # where ways end or meet; then those that come round to where they began
        for other in beside[start]:
            if (start, other) in used:
                continue
            way = [start, other]
            while len(beside[way[-1]]) == 2 and way[-1] != start:
                way.append(next(neighbour for neighbour in beside[way[-1]] if neighbour != way[-2]))
            used.update(step for a, b in pairwise(way) for step in ((a, b), (b, a)))
            result.append(way)
    return result
