"""What happened, as arrows and signs: moves, retreats, fire, assaults, arrivals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot

from pbem.core.data.scene import Mark
from pbem.core.map.plane import Point
from pbem.pictures.palette import Palette
from pbem.pictures.svg import line, number, tag

__all__ = ["Boxes", "arrow", "assault_sign", "mark"]

Boxes = Mapping[str, tuple[float, float, float, float]]
"""What stands in a place, left, top, right, bottom: no arrow covers it."""


def mark(one: Mark, colour: str, way: Sequence[Point], boxes: Boxes, palette: Palette) -> str:
    """Return the sign of what happened along a way, through the middles of its places."""
    if len(way) < 2:
        return ""
    way = _outside(list(way), boxes.get(one.places[0]), boxes.get(one.places[-1]))
    if one.kind == "fire":
        return _shot(way, palette)
    if one.kind == "assault":
        (a, b), (c, d) = way[-2], way[-1]
        return arrow(way, colour, palette, dashed=False) + assault_sign(((a + c) / 2, (b + d) / 2), colour, palette)
    return arrow(way, colour, palette, dashed=one.kind == "retreat")


def arrow(way: Sequence[Point], colour: str, palette: Palette, dashed: bool) -> str:
    """Return an arrow with a light rim, broken for a retreat."""
    (a, b), (c, d) = way[-2], way[-1]
    long = hypot(c - a, d - b) or 1.0
    x, y = (c - a) / long, (d - b) / long
    back = c - 9 * x, d - 9 * y
    head = [(c, d), (back[0] - 5 * y, back[1] + 5 * x), (back[0] + 5 * y, back[1] - 5 * x)]
    shaft, dash = line([*way[:-1], back]), {"stroke_dasharray": "9 5"} if dashed else {}
    rim = tag("path", d=shaft, fill="none", stroke=palette.halo, stroke_width=6.4, stroke_linejoin="round")
    body = tag("path", d=shaft, fill="none", stroke=colour, stroke_width=4, stroke_linejoin="round", **dash)
    return rim + body + tag("path", d=line(head, closed=True), fill=colour, stroke=palette.halo, stroke_width=1)


def assault_sign(at: Point, colour: str, palette: Palette) -> str:
    """Return two swords in a ring."""
    x, y = at
    ring = tag("circle", cx=x, cy=y, r=8.6, fill=palette.halo, stroke=colour, stroke_width=2)
    swords = f"M{number(x - 4.5)} {number(y - 4.5)}L{number(x + 4.5)} {number(y + 4.5)}"
    swords += f"M{number(x + 4.5)} {number(y - 4.5)}L{number(x - 4.5)} {number(y + 4.5)}"
    hilts = f"M{number(x - 5)} {number(y + 1.6)}l3.4 3.4M{number(x + 5)} {number(y + 1.6)}l-3.4 3.4"
    return ring + tag("path", d=swords + hilts, stroke=colour, stroke_width=1.8, stroke_linecap="round")


def _shot(way: Sequence[Point], palette: Palette) -> str:
    """A broken red line with a burst at its end."""
    (x, y), way = way[-1], [way[0], way[-1]]
    rim = tag("path", d=line(way), stroke=palette.halo, stroke_width=3.6)
    body = tag("path", d=line(way), stroke=palette.alarm, stroke_width=1.8, stroke_dasharray="3 3")
    star = "".join(
        f"{'M' if at == 0 else 'L'}{number(x + r * dx)} {number(y + r * dy)}"
        for at, (r, dx, dy) in enumerate((5 if at % 2 == 0 else 2.2, _COS[at], _COS[(at + 9) % 12]) for at in range(12))
    )
    return rim + body + tag("path", d=star + "Z", fill=palette.alarm, stroke=palette.halo, stroke_width=0.8)


_COS = (1.0, 0.866, 0.5, 0.0, -0.5, -0.866, -1.0, -0.866, -0.5, 0.0, 0.5, 0.866)


def _outside(way: list[Point], first: tuple[float, ...] | None, last: tuple[float, ...] | None) -> list[Point]:
    """The way from the rim of what stands at its beginning to the rim of what stands at its end."""
    if first is not None:
        way[0] = _rim(way[1], way[0], first)
    if last is not None:
        way[-1] = _rim(way[-2], way[-1], last)
    return way


def _rim(outer: Point, inner: Point, box: Sequence[float]) -> Point:
    """Where the line from outside to a point in a box meets its rim, a little before it."""
    left, top, right, bottom = box[0] - 3, box[1] - 3, box[2] + 3, box[3] + 3
    (a, b), (c, d) = outer, inner
    best = 1.0
    for share in (
        *(((edge - a) / (c - a)) for edge in (left, right) if c != a),
        *(((edge - b) / (d - b)) for edge in (top, bottom) if d != b),
    ):
        x, y = a + share * (c - a), b + share * (d - b)
        if 0 <= share < best and left - 0.1 <= x <= right + 0.1 and top - 0.1 <= y <= bottom + 0.1:
            best = share
    return a + best * (c - a), b + best * (d - b)
