"""SVG as strings: one function that writes an element, and escapes whatever it is given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources

from pbem.engine.map.plane import Point
from pbem.maps.palette import Palette

FACES: Mapping[str, str] = {
    "sans": 'font-family="Pbem Sans"',
    "sans-bold": 'font-family="Pbem Sans" font-weight="bold"',
    "serif-bold": 'font-family="Pbem Serif" font-weight="bold"',
    "serif-italic": 'font-family="Pbem Serif" font-style="italic"',
}
"""The faces that lie beside this file, by the names of their files."""
ELSEWHERE = (
    'text[font-family="Pbem Sans"]{font-family:"Pbem Sans","DejaVu Sans Condensed","Arial Narrow",sans-serif}'
    'text[font-family="Pbem Serif"]{font-family:"Pbem Serif","DejaVu Serif Condensed",Georgia,serif}'
)
"""What a picture is written in where our own fonts are not: as CSS."""


def number(value: float) -> str:
    """Return a length as it is written: at most one digit behind the point."""
    return (
        f"{value:.1f}".removesuffix(".0").replace("-0", "0") if abs(value) < 0.05 else f"{value:.1f}".removesuffix(".0")
    )


def tag(name: str, inner: str = "", /, **attributes: object) -> str:
    """Return an element; ``_`` in the name of an attribute is written ``-``, and lengths are rounded."""
    said = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{said}>{inner}</{name}>" if inner else f"<{name}{said}/>"


def _value(value: object) -> str:
    return number(float(value)) if isinstance(value, int | float) else escape(str(value))


def line(points: Iterable[Point], closed: bool = False) -> str:
    """Return the path through points."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + ("Z" if closed else "")


def curve(points: Sequence[Point], closed: bool = False) -> str:
    """Return a soft path along points: it begins and ends at the first and the last, and bends towards the others."""
    if closed:
        points = [_middle(points[-1], points[0]), *points, _middle(points[-1], points[0])]
    x, y = points[0]
    out = f"M{number(x)} {number(y)}"
    for at, (x, y) in enumerate(points[1:-1], 1):
        end = points[-1] if at == len(points) - 2 else _middle(points[at], points[at + 1])
        out += f"Q{number(x)} {number(y)} {number(end[0])} {number(end[1])}"
    if len(points) == 2:
        out += f"L{number(points[1][0])} {number(points[1][1])}"
    return out + ("Z" if closed else "")


def through(points: Sequence[Point]) -> str:
    """Return a soft path that goes through points."""
    ends = [points[0], *points, points[-1]]
    x, y = points[0]
    out = f"M{number(x)} {number(y)}"
    for (a, b), (c, d), (e, f), (g, h) in zip(ends, ends[1:], ends[2:], ends[3:], strict=False):
        bends = (c + (e - a) / 6, d + (f - b) / 6, e - (g - c) / 6, f - (h - d) / 6, e, f)
        out += f"C{' '.join(map(number, bends))}"
    return out


def _middle(one: Point, other: Point) -> Point:
    return (one[0] + other[0]) / 2, (one[1] + other[1]) / 2


def polygon(points: Iterable[Point], **attributes: object) -> str:
    """Return a filled polygon."""
    return tag("path", d=line(points, closed=True), **attributes)


def text(said: str, at: Point, size: float, face: str = "sans", **attributes: object) -> str:
    """Return words at a point, as they are, in one of `FACES`."""
    more = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    x, y = number(at[0]), number(at[1])
    return f'<text x="{x}" y="{y}" font-size="{number(size)}" {FACES[face]}{more}>{escape(said)}</text>'


@cache
def _widths() -> Mapping[str, Mapping[str, int]]:
    file = resources.files("pbem.maps").joinpath("fonts", "widths.json")
    found: Mapping[str, Mapping[str, int]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def width(said: str, size: float, face: str = "sans") -> float:
    """Return how long words are."""
    known = _widths()[face]
    return sum(known.get(letter, 650) for letter in said) * size / 1000


def cut(said: str, size: float, most: float, face: str = "sans") -> tuple[str, float]:
    """Return words that are no longer than `most`: smaller first, by a third at the most, then cut short."""
    long = width(said, size, face)
    small = max(size * 0.66, min(size, size * most / long)) if long else size
    while len(said) > 1 and width(said, small, face) > most + 0.01:
        said = said.rstrip("\u2026")[:-1] + "\u2026"
    return said, small


# What grows on a map: trees, sand and tufts, the same on areas and on hexes.


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
