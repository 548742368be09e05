"""The ground of a map of hexes: terrain and what grows on it, heights, slopes, water, roads, the numbers of hexes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
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
from pbem.engine.map.plane import Box, Point, drawn, inset, rough, smooth
from pbem.engine.map.sheets import HexMap
from pbem.maps.palette import Palette
from pbem.maps.svg import curve, line, number, sand, tag, text, trees, tufts

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
"""How many signs of its terrain a hex has."""


class Hexes(NamedTuple):
    """A map of hexes to be drawn."""

    area: HexMap

    @property
    def box(self) -> Box:
        """The whole map."""
        middles = [centre(ident) for ident in self.area.hexes]
        right, bottom = max(x for x, _ in middles) + RADIUS, max(y for _, y in middles) + TALL / 2
        return 0.0, 0.0, right, bottom

    def draw(self, palette: Palette) -> str:
        """Return the ground as SVG, with the numbers of the hexes."""
        hexes = sorted(self.area.hexes)
        return "".join(
            (
                *self._land(palette),
                *self._water(palette),
                self._grid(palette),
                *(self._signs(ident, palette) for ident in hexes),
                *self._features(palette),
                *(_number(ident, palette) for ident in hexes if self.area.terrain(ident) != "sea"),
            )
        )

    def glance(self, palette: Palette) -> str:
        """Return the map as it looks from afar: a patch of colour for each hex."""
        spots: dict[str, str] = {}
        for ident in sorted(self.area.hexes):
            (x, y), look = centre(ident), self._look(ident)
            spot = f"M{x - 0.75 * RADIUS:.0f} {y - TALL / 2:.0f}h{1.5 * RADIUS:.0f}v{TALL:.0f}h-{1.5 * RADIUS:.0f}z"
            spots[look] = spots.get(look, "") + spot
        return "".join(tag("path", d=way, fill=_fill(look, palette)) for look, way in spots.items())

    def _all(self) -> dict[tuple[int, int], str]:
        """Every hex by column and row, with those around the map, each of which looks like the one of it that is next.

        The frame cuts them: so the country goes on where the map ends.
        """
        there = dict(sorted((place(ident), ident) for ident in self.area.hexes))
        columns, rows = max(column for column, _ in there), max(row for _, row in there)
        out = {}
        for column in range(columns + 2):
            for row in range(rows + 2):
                inside = min(max(column, 1), columns), min(max(row, 1), rows)
                if (ident := there.get((column, row)) or there.get(inside)) is not None:
                    out[column, row] = ident
        return out

    def _look(self, ident: str) -> str:
        """What a hex is filled as: a terrain of the palette, one of its levels, water."""
        terrain, level = self.area.terrain(ident), self.area.level(ident)
        if terrain == "sea":
            return terrain
        return f"{min(level, 3)}" if level and terrain == "clear" else _LOOKS.get(terrain, "clear")

    def _land(self, palette: Palette) -> Iterator[str]:
        """All hexes, those of water as the land beside them: a shore cuts their corners."""
        every, looks = self._all(), dict[str, list[Point]]()
        for (column, row), ident in every.items():
            if self.area.terrain(ident) == "sea":
                beside = (other for other in neighbours(ident) if other in self.area.hexes)
                land = Counter(self._look(other) for other in beside if self.area.terrain(other) != "sea")
                look = land.most_common(1)[0][0] if land else "sea"
            else:
                look = self._look(ident)
            looks.setdefault(look, []).append(middle(column, row))
        for look, spots in looks.items():
            way, fill = "".join(line(around(at), closed=True) for at in spots), _fill(look, palette)
            yield tag("path", d=way, fill=fill, stroke=fill, stroke_width=0.8)

    def _water(self, palette: Palette) -> Iterator[str]:
        """Water, deeper away from its shore."""
        wet = [middle(*at) for at, ident in self._all().items() if self.area.terrain(ident) == "sea"]
        shores = [smooth(_worn(shore), 3) for shore in outlines(wet)]
        for far, fill in ((0.0, palette.water[0]), (5.0, palette.water[1]), (11.0, palette.water[2])):
            way = "".join(line(deep, closed=True) for shore in shores if (deep := inset(shore, far)))
            rim = {} if far else {"stroke": palette.shore, "stroke_width": 1.4}
            if way:
                yield tag("path", d=way, fill=fill, **rim)

    def _grid(self, palette: Palette) -> str:
        """The sides of the hexes, each once."""
        sides = set[tuple[Point, Point]]()
        for ident in self.area.hexes:
            found = [(round(x, 1), round(y, 1)) for x, y in corners(ident)]
            sides |= {(min(pair), max(pair)) for pair in pairwise((*found, found[0]))}
        way = "".join(line(pair) for pair in sorted(sides))
        return tag("path", d=way, fill="none", stroke=palette.border, stroke_width=0.6, stroke_opacity=0.6)

    def _signs(self, ident: str, palette: Palette) -> str:
        """Trees, sand, tufts and houses, scattered by the number of the hex."""
        terrain, (x, y) = self.area.terrain(ident), centre(ident)
        many = _MANY.get(terrain, 0)
        spots = [
            (x + RADIUS * 0.72 * drawn(ident, at, "x"), y + TALL * 0.36 * drawn(ident, at, "y")) for at in range(many)
        ]
        if terrain in _TREES:
            return trees(sorted(spots, key=lambda one: one[1]), palette)
        if terrain == "beach":
            return sand(spots, palette)
        if terrain == "marsh":
            return tufts(spots, palette)
        houses = "".join(f"M{number(a)} {number(b)}h7v5h-7z" for a, b in (spots if many > 1 else [(x - 4, y + 8)]))
        return tag("path", d=houses, fill=palette.house) if many else ""

    def _features(self, palette: Palette) -> Iterator[str]:
        for a, b, what in sorted(self.area.features, key=lambda one: (one[2] == "road", one)):
            if what == "road":
                continue
            start, end = side(a, direction(a, b))
            yield _side(start, end, centre(a), what, palette)
        roads = chains((a, b) for a, b, what in self.area.features if what == "road")
        way = "".join(curve([_wayside(ident) for ident in road]) for road in roads)
        for stroke, wide in ((palette.road[0], 4.6), (palette.road[1], 2.6)) if way else ():
            yield tag("path", d=way, fill="none", stroke=stroke, stroke_width=wide, stroke_linecap="round")


def _fill(look: str, palette: Palette) -> str:
    if look == "sea":
        return palette.water[2]
    return palette.levels[int(look) - 1] if look.isdigit() else palette.terrain[look]


def _worn(shore: list[Point]) -> list[Point]:
    """A shore as the sea has worn it: from the middle of a side to that of the next, some further out than others."""
    pairs = pairwise((*shore, shore[0]))
    return [
        ((a + c) / 2 + 4 * drawn((a, b), (c, d), "x"), (b + d) / 2 + 4 * drawn((a, b), (c, d), "y"))
        for (a, b), (c, d) in pairs
    ]


def _wayside(ident: str) -> Point:
    """Where a road passes through a hex: its middle, or a little beside it."""
    x, y = centre(ident)
    return x + 6 * drawn(ident, "road", "x"), y + 6 * drawn(ident, "road", "y")


def _side(start: Point, end: Point, low: Point, what: str, palette: Palette) -> str:
    """What runs along a side: water blue, ravines broken, siege lines thick, slopes with ticks to where it is low."""
    way = line([start, end])
    if what in ("river", "stream", "ford", "ravine"):
        way = line(rough(start, end))
    if what in ("river", "stream", "ford"):
        wide = {"river": 6, "stream": 3, "ford": 3}[what]
        dash = {"stroke_dasharray": "3 3"} if what == "ford" else {}
        return tag("path", d=way, fill="none", stroke=palette.sea, stroke_width=wide, stroke_linecap="round", **dash)
    if what == "bridge":
        x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        return tag("rect", x=x - 5, y=y - 3, width=10, height=6, fill=palette.road[1], stroke=palette.road[0])
    if what == "ravine":
        return tag("path", d=way, fill="none", stroke=palette.hachure, stroke_width=4, stroke_dasharray="2 1.6")
    if what == "siege lines":
        return tag("path", d=way, stroke=palette.barred, stroke_width=5, stroke_dasharray="7 2")
    long = hypot(end[0] - start[0], end[1] - start[1])
    across = -(end[1] - start[1]) / long, (end[0] - start[0]) / long
    towards = 1 if across[0] * (low[0] - start[0]) + across[1] * (low[1] - start[1]) > 0 else -1
    ticks = "".join(
        f"M{number(start[0] + (end[0] - start[0]) * at / 7)} {number(start[1] + (end[1] - start[1]) * at / 7)}"
        f"l{number(7 * towards * across[0])} {number(7 * towards * across[1])}"
        for at in range(1, 7)
    )
    heavy = 2.2 if what == "impassable slope" else 1.2
    return tag("path", d=(way if heavy > 2 else "") + ticks, stroke=palette.hachure, stroke_width=heavy)


def _number(ident: str, palette: Palette) -> str:
    x, y = centre(ident)
    return text(ident, (x, y - TALL / 2 + 9), 7.5, text_anchor="middle", fill=palette.faint, fill_opacity=0.8)
