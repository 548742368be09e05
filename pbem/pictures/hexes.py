"""The ground of a map of hexes: terrain and what grows on it, heights, slopes, water, roads, the numbers of hexes."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot
from typing import NamedTuple

from pbem.core.map.grounds import HexMap
from pbem.core.map.hexes import direction
from pbem.core.map.hexplane import RADIUS, TALL, centre, corners, side
from pbem.core.map.plane import Point, drawn
from pbem.pictures.growth import sand, trees, tufts
from pbem.pictures.palette import Palette
from pbem.pictures.svg import number, polygon, tag, text

__all__ = ["Hexes"]

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
    def box(self) -> tuple[float, float, float, float]:
        """The whole map."""
        middles = [centre(ident) for ident in self.area.hexes]
        right, bottom = max(x for x, _ in middles) + RADIUS, max(y for _, y in middles) + TALL / 2
        return 0.0, 0.0, right, bottom

    def draw(self, palette: Palette) -> str:
        """Return the ground as SVG, with the numbers of the hexes."""
        hexes = sorted(self.area.hexes)
        return "".join(
            (
                *(self._hex(ident, palette) for ident in hexes),
                *(self._signs(ident, palette) for ident in hexes),
                *self._features(palette),
                *(_number(ident, palette) for ident in hexes if self.area.terrain(ident) != "sea"),
            )
        )

    def _hex(self, ident: str, palette: Palette) -> str:
        terrain, level = self.area.terrain(ident), self.area.level(ident)
        if terrain == "sea":
            fill = palette.water[1]
        elif level and terrain == "clear":
            fill = palette.levels[min(level, 3) - 1]
        else:
            fill = palette.terrain[_LOOKS.get(terrain, "clear")]
        return polygon(corners(ident), fill=fill, stroke=palette.border, stroke_width=0.5, stroke_opacity=0.55)

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
        roads = sorted({tuple(sorted((a, b))) for a, b, what in self.area.features if what == "road"})
        for stroke, wide in ((palette.road[0], 4.6), (palette.road[1], 2.6)):
            way = "".join(_road(a, b) for a, b in roads)
            if way:
                yield tag("path", d=way, fill="none", stroke=stroke, stroke_width=wide, stroke_linecap="round")


def _road(a: str, b: str) -> str:
    """From the middle of a hex to that of the next."""
    (x, y), (u, v) = centre(a), centre(b)
    return f"M{number(x)} {number(y)}L{number(u)} {number(v)}"


def _side(start: Point, end: Point, low: Point, what: str, palette: Palette) -> str:
    """What runs along a side: water blue, ravines broken, siege lines thick, slopes with ticks to where it is low."""
    way = f"M{number(start[0])} {number(start[1])}L{number(end[0])} {number(end[1])}"
    if what in ("river", "stream", "ford"):
        wide = {"river": 6, "stream": 3, "ford": 3}[what]
        dash = {"stroke_dasharray": "3 3"} if what == "ford" else {}
        return tag("path", d=way, stroke=palette.sea, stroke_width=wide, stroke_linecap="round", **dash)
    if what == "bridge":
        x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        return tag("rect", x=x - 5, y=y - 3, width=10, height=6, fill=palette.road[1], stroke=palette.road[0])
    if what == "ravine":
        return tag("path", d=way, stroke=palette.hachure, stroke_width=4, stroke_dasharray="2 1.6")
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
