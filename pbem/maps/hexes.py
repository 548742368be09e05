"""Draw the ground of a hex map: terrain, slopes, water, roads, numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import hypot
from typing import NamedTuple

from pbem.engine.map.hexes import (
    RADIUS,
    TALL,
    around,
    centre,
    chains,
    corners,
    direction,
    middle,
    neighbours,
    outlines,
    place,
    side,
)
from pbem.engine.map.plane import Box, Point, box_of, inset, noise, rough, smooth
from pbem.engine.map.sheets import HexMap
from pbem.maps.palette import Palette
from pbem.maps.svg import Patch, bends, curve, fibres, line, number, sand, tag, text, trees, tufts

_LOOKS = {
    "beach": "beach",
    "marsh": "marsh",
    "light wood": "woods",
    "dense wood": "woods",
    "village": "town",
    "city": "town",
    "strong buildings": "fortified",
    "cultivated": "camp",
}
_TREES = ("light wood", "dense wood")
_MANY = {
    "light wood": 4,
    "dense wood": 8,
    "beach": 9,
    "marsh": 4,
    "village": 4,
    "city": 7,
    "strong buildings": 1,
}
"""The number of terrain signs in a hex."""


class Hexes(NamedTuple):
    """A map of hexes to be drawn."""

    area: HexMap

    @property
    def box(self) -> Box:
        """Return the box of the whole map."""
        middles = [centre(ident) for ident in self.area.hexes]
        right, bottom = max(x for x, _ in middles) + RADIUS, max(y for _, y in middles) + TALL / 2
        return 0.0, 0.0, right, bottom

    def draw(self, palette: Palette) -> list[Patch]:
        """Return the ground in patches, with the numbers of the hexes."""
        hexes = sorted(self.area.hexes)
        # By kind, then hexes: the picture does not depend on the order of the map's lines.
        sides = sorted(self.area.features, key=lambda entry: (entry[2], entry))
        return [
            *self._land(palette),
            *(Patch(svg) for svg in self._relief(palette)),
            *self._water(palette),
            *self._grid(palette),
            *(Patch(svg, _box(ident)) for ident in hexes if (svg := self._signs(ident, palette))),
            *(Patch(_side_feature(a, b, kind, palette), _box(a)) for a, b, kind in sides if kind != "road"),
            *self._roads(palette),
            *(_hex_number(ident, palette) for ident in hexes if self.area.terrain(ident) != "sea"),
        ]

    def glance(self, palette: Palette) -> str:
        """Return the map as seen from afar: a patch of colour for each hex."""
        spots: dict[str, str] = {}
        for ident in sorted(self.area.hexes):
            (x, y), look = centre(ident), self._look(ident)
            spot = f"M{x - 0.75 * RADIUS:.0f} {y - TALL / 2:.0f}h{1.5 * RADIUS:.0f}v{TALL:.0f}h-{1.5 * RADIUS:.0f}z"
            spots[look] = spots.get(look, "") + spot
        return "".join(tag("path", d=path, fill=_fill(look, palette)) for look, path in spots.items())

    def _all(self) -> dict[tuple[int, int], str]:
        """Return every hex by column and row, with copies around the map.

        The frame cuts the copies: so the country goes on where the map ends.
        """
        by_position = dict(sorted((place(ident), ident) for ident in self.area.hexes))
        columns, rows = max(column for column, _ in by_position), max(row for _, row in by_position)
        result = {}
        for column in range(columns + 2):
            for row in range(rows + 2):
                inside = min(max(column, 1), columns), min(max(row, 1), rows)
                if (ident := by_position.get((column, row)) or by_position.get(inside)) is not None:
                    result[column, row] = ident
        return result

    def _look(self, ident: str) -> str:
        """Return the fill of a hex: a terrain of the palette, one of its levels, water."""
        terrain, level = self.area.terrain(ident), self.area.level(ident)
        if terrain == "sea":
            return terrain
        # The palette has three heights; higher ground looks like the third.
        return f"{min(level, 3)}" if level and terrain == "clear" else _LOOKS.get(terrain, "clear")

    def _land(self, palette: Palette) -> Iterator[Patch]:
        """Yield all hexes, water as the land beside it: a shore cuts their corners."""
        hexes_by_position, looks = self._all(), dict[tuple[str, int], list[Point]]()
        for (column, row), ident in hexes_by_position.items():
            if self.area.terrain(ident) == "sea":
                adjacent = (other for other in neighbours(ident) if other in self.area.hexes)
                land = Counter(self._look(other) for other in adjacent if self.area.terrain(other) != "sea")
                look = land.most_common(1)[0][0] if land else "sea"
            else:
                look = self._look(ident)
            looks.setdefault((look, column // _STRIP), []).append(middle(column, row))
        # Sorted by looks alone, so that each lies over those before it in every strip.
        order = list(dict.fromkeys(look for look, _ in looks))
        for (look, _), spots in sorted(looks.items(), key=lambda entry: order.index(entry[0][0])):
            path, fill = "".join(line(around(point), closed=True) for point in spots), _fill(look, palette)
            yield Patch(tag("path", d=path, fill=fill, stroke=fill, stroke_width=0.8), box_of(spots, RADIUS + 1))

    def _water(self, palette: Palette) -> Iterator[Patch]:
        """Yield the water, deeper away from its shore."""
        middles = [middle(*position) for position, ident in self._all().items() if self.area.terrain(ident) == "sea"]
        shores = [smooth(_soften(shore), 3) for shore in outlines(middles)]
        for distance, fill in ((0.0, palette.water[0]), (5.0, palette.water[1]), (11.0, palette.water[2])):
            waters = [inner for shore in shores if (inner := inset(shore, distance))]
            path = "".join(line(inner, closed=True) for inner in waters)
            rim = {"stroke": palette.sea if distance else palette.shore, "stroke_width": 0.7 if distance else 1.6}
            if path:
                yield Patch(
                    tag("path", d=path, fill=fill, **rim), box_of([point for way in waters for point in way], 2)
                )

    def _grid(self, palette: Palette) -> Iterator[Patch]:
        """Yield the sides of the hexes, each once, and the paper's fibres, by columns."""
        sides = set[tuple[Point, Point]]()
        for ident in self.area.hexes:
            points = [(round(x, 1), round(y, 1)) for x, y in corners(ident)]
            sides |= {(min(pair), max(pair)) for pair in pairwise((*points, points[0]))}
        (_, top, right, bottom), wide = self.box, 1.5 * RADIUS
        for left in (wide * column for column in range(int(right / wide) + 1)):
            path = "".join(line(pair) for pair in sorted(sides) if left <= pair[0][0] < left + wide)
            grid = tag("path", d=path, fill="none", stroke=palette.border, stroke_width=0.6, stroke_opacity=0.6)
            strip = left, top, min(left + wide, right), bottom
            yield Patch(fibres(strip, palette) + grid, (left, top, left + 2 * wide, bottom))

    def _signs(self, ident: str, palette: Palette) -> str:
        """Return trees, sand, tufts and houses, scattered by the number of the hex."""
        terrain, (x, y) = self.area.terrain(ident), centre(ident)
        count = _MANY.get(terrain, 0)
        spots = [
            (x + RADIUS * 0.72 * noise(ident, index, "x"), y + TALL * 0.36 * noise(ident, index, "y"))
            for index in range(count)
        ]
        if terrain in _TREES:
            return trees(spots, palette)
        if terrain == "beach":
            return sand(spots, palette)
        if terrain == "marsh":
            return tufts(spots, palette)
        houses = "".join(f"M{number(a)} {number(b)}h7v5h-7z" for a, b in (spots if count > 1 else [(x - 4, y + 8)]))
        return tag("path", d=houses, fill=palette.house) if count else ""

    def _relief(self, palette: Palette) -> Iterator[str]:
        """Yield bright and dark edges of heights, in the light from the north-west."""
        paths, contours = {"": "", "dark": "", "bright": ""}, ""
        for ident in sorted(self.area.hexes):
            x, y = centre(ident)
            for other in neighbours(ident):
                if other not in self.area.hexes or self.area.level(other) >= self.area.level(ident):
                    continue
                (p, q), (u, v) = side(ident, direction(ident, other)), centre(other)
                into = (u - x) / TALL, (v - y) / TALL
                contours += line([p, q])
                if self.area.level(ident) > 1:
                    contours += line([(a - _INNER * into[0], b - _INNER * into[1]) for a, b in (p, q)])
                lit = into[0] + into[1]
                depth = _SHADOW if lit > 0 else _GLOW
                foot = [
                    (a + depth * into[0] + c * depth, b + depth * into[1] + d * depth)
                    for (a, b), (c, d) in _drawn_in(p, q)
                ]
                paths["dark" if lit > 0.2 else "bright" if lit < -0.2 else ""] += line(
                    [p, q, foot[1], foot[0]], closed=True
                )
        for kind, fill, opacity in (("dark", palette.relief[1], 0.3), ("bright", palette.relief[0], 0.7)):
            if paths[kind]:
                yield tag("path", d=paths[kind], fill=fill, fill_opacity=opacity)
        if contours:
            yield tag("path", d=contours, stroke=palette.hachure, stroke_width=1.1)

    def _roads(self, palette: Palette) -> Iterator[Patch]:
        """Yield the roads by strips: bends, each between the middles of two legs."""
        strips = dict[int, list[Sequence[Point]]]()
        for road in chains((a, b) for a, b, kind in self.area.features if kind == "road"):
            for bend in bends([_wayside(ident) for ident in road]):
                strips.setdefault(int(bend[0][0] / (1.5 * RADIUS * _STRIP)), []).append(bend)
        for stroke, stroke_width in ((palette.road[0], 4.6), (palette.road[1], 2.6)):
            for _, strip in sorted(strips.items()):
                path, look = "".join(map(curve, strip)), {"fill": "none", "stroke": stroke, "stroke_linecap": "round"}
                box = box_of([point for bend in strip for point in bend], stroke_width)
                yield Patch(tag("path", d=path, stroke_width=stroke_width, **look), box)


_STRIP = 3
"""The columns of a strip, in which land and roads are drawn apart. A choice: a square of pixels shows few of them."""
_SHADOW, _GLOW = 7.0, 3.5
"""The width of the dark and of the bright edge of a height."""


_INNER = 3.5
"""The distance of the second contour line, of heights above the first level."""


def _drawn_in(p: Point, q: Point) -> tuple[tuple[Point, Point], tuple[Point, Point]]:
    """Return both ends of a side, each with the direction to the other."""
    length = hypot(q[0] - p[0], q[1] - p[1])
    along = (q[0] - p[0]) / length / 2, (q[1] - p[1]) / length / 2
    return (p, along), (q, (-along[0], -along[1]))


def _box(ident: str) -> Box:
    """Return the box of a hex with its sides."""
    return box_of(corners(ident), 3)


def _fill(look: str, palette: Palette) -> str:
    if look == "sea":
        return palette.water[2]
    return palette.levels[int(look) - 1] if look.isdigit() else palette.terrain[look]


def _soften(shore: list[Point]) -> list[Point]:
    """Return a softened shore: through the middles of its sides, slightly scattered."""
    pairs = pairwise((*shore, shore[0]))
    return [
        ((a + c) / 2 + 4 * noise((a, b), (c, d), "x"), (b + d) / 2 + 4 * noise((a, b), (c, d), "y"))
        for (a, b), (c, d) in pairs
    ]


def _wayside(ident: str) -> Point:
    """Return where a road passes through a hex: its middle, or a little beside it."""
    x, y = centre(ident)
    return x + 6 * noise(ident, "road", "x"), y + 6 * noise(ident, "road", "y")


def _side_feature(ident: str, other: str, feature: str, palette: Palette) -> str:
    """Return a side's feature: water, ravine, siege lines, or ticked slope."""
    (start, end), low = side(ident, direction(ident, other)), centre(ident)
    path = line([start, end])
    if feature in ("river", "stream", "ford", "ravine"):
        path = line(rough(start, end))
    if feature in ("river", "stream", "ford"):
        stroke_width = {"river": 6, "stream": 3, "ford": 3}[feature]
        dash = {"stroke_dasharray": "3 3"} if feature == "ford" else {}
        return tag(
            "path", d=path, fill="none", stroke=palette.sea, stroke_width=stroke_width, stroke_linecap="round", **dash
        )
    if feature == "bridge":
        x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        return tag("rect", x=x - 5, y=y - 3, width=10, height=6, fill=palette.road[1], stroke=palette.road[0])
    if feature == "ravine":
        return tag("path", d=path, fill="none", stroke=palette.hachure, stroke_width=4, stroke_dasharray="2 1.6")
    if feature == "siege lines":
        return tag("path", d=path, stroke=palette.barred, stroke_width=5, stroke_dasharray="7 2")
    length = hypot(end[0] - start[0], end[1] - start[1])
    normal = -(end[1] - start[1]) / length, (end[0] - start[0]) / length
    sign = 1 if normal[0] * (low[0] - start[0]) + normal[1] * (low[1] - start[1]) > 0 else -1
    ticks = "".join(
        f"M{number(start[0] + (end[0] - start[0]) * index / 7)} {number(start[1] + (end[1] - start[1]) * index / 7)}"
        f"l{number(7 * sign * normal[0])} {number(7 * sign * normal[1])}"
        for index in range(1, 7)
    )
    stroke = 2.2 if feature == "impassable slope" else 1.2
    return tag("path", d=(path if stroke > 2 else "") + ticks, stroke=palette.hachure, stroke_width=stroke)


def _hex_number(ident: str, palette: Palette) -> Patch:
    x, y = centre(ident)
    top = y - TALL / 2
    words = text(ident, (x, top + 9), 7.2, text_anchor="middle", fill=palette.faint, fill_opacity=0.75)
    return Patch(words, (x - 10, top + 1, x + 10, top + 11), whole=True)
