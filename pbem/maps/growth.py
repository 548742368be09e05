"""What grows on a map: trees, sand and tufts, the same on areas and on hexes."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.engine.map.plane import Point
from pbem.maps.palette import Palette
from pbem.maps.svg import number, tag


def trees(spots: Iterable[Point], palette: Palette) -> str:
    """Return a tree at each spot, in their order: a later one stands before those that were drawn."""
    return "".join(_tree(x, y, palette) for x, y in spots)


def _tree(x: float, y: float, palette: Palette) -> str:
    crown = tag("ellipse", cx=x, cy=y, rx=4.2, ry=3.2, fill=palette.tree[0], stroke=palette.tree[1], stroke_width=0.6)
    return tag("path", d=f"M{number(x)} {number(y + 3)}v3", stroke=palette.tree[1], stroke_width=1) + crown


def sand(spots: Iterable[Point], palette: Palette) -> str:
    """Return a grain at each spot."""
    dots = "".join(f"M{number(x)} {number(y)}h.1" for x, y in spots)
    return tag("path", d=dots, stroke=palette.sand, stroke_width=1.4, stroke_linecap="round")


def tufts(spots: Iterable[Point], palette: Palette) -> str:
    """Return the reeds of a marsh, one at each spot."""
    reeds = "".join(f"M{number(x - 4)} {number(y)}h8M{number(x)} {number(y)}v-4" for x, y in spots)
    return tag("path", d=reeds, stroke=palette.tree[1], stroke_width=1)
