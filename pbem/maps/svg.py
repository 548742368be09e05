"""Write SVG as strings: one function writes an element and escapes its input."""

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
"""The font faces beside this file, by the names of their files."""
ELSEWHERE = (
    'text[font-family="Pbem Sans"]{font-family:"Pbem Sans","DejaVu Sans Condensed","Arial Narrow",sans-serif}'
    'text[font-family="Pbem Serif"]{font-family:"Pbem Serif","DejaVu Serif Condensed",Georgia,serif}'
)
"""CSS for fallback fonts where our own are missing."""


def number(value: float) -> str:
    """Return a length as text with at most one digit behind the point."""
    return (
        f"{value:.1f}".removesuffix(".0").replace("-0", "0") if abs(value) < 0.05 else f"{value:.1f}".removesuffix(".0")
    )


def tag(name: str, inner: str = "", /, **attributes: object) -> str:
    """Return an element; ``_`` in attribute names becomes ``-``, lengths are rounded."""
    attributes_text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items()
    )
    return f"<{name}{attributes_text}>{inner}</{name}>" if inner else f"<{name}{attributes_text}/>"


def _value(value: object) -> str:
    return number(float(value)) if isinstance(value, int | float) else escape(str(value))


def line(points: Iterable[Point], closed: bool = False) -> str:
    """Return the path through points."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + ("Z" if closed else "")


def curve(points: Sequence[Point], closed: bool = False) -> str:
    """Return a soft path from the first point to the last, bent towards the others."""
    if closed:
        points = [_middle(points[-1], points[0]), *points, _middle(points[-1], points[0])]
    x, y = points[0]
    path = f"M{number(x)} {number(y)}"
    for index, (x, y) in enumerate(points[1:-1], 1):
        end = points[-1] if index == len(points) - 2 else _middle(points[index], points[index + 1])
        path += f"Q{number(x)} {number(y)} {number(end[0])} {number(end[1])}"
    if len(points) == 2:
        path += f"L{number(points[1][0])} {number(points[1][1])}"
    return path + ("Z" if closed else "")


def smooth_path(points: Sequence[Point]) -> str:
    """Return a soft path that goes through points."""
    ends = [points[0], *points, points[-1]]
    x, y = points[0]
    path = f"M{number(x)} {number(y)}"
    for (a, b), (c, d), (e, f), (g, h) in zip(ends, ends[1:], ends[2:], ends[3:], strict=False):
        controls = (c + (e - a) / 6, d + (f - b) / 6, e - (g - c) / 6, f - (h - d) / 6, e, f)
        path += f"C{' '.join(map(number, controls))}"
    return path


def _middle(start: Point, end: Point) -> Point:
    return (start[0] + end[0]) / 2, (start[1] + end[1]) / 2


def polygon(points: Iterable[Point], **attributes: object) -> str:
    """Return a filled polygon."""
    return tag("path", d=line(points, closed=True), **attributes)


def text(words: str, point: Point, size: float, face: str = "sans", **attributes: object) -> str:
    """Return words at a point, escaped, in one of `FACES`."""
    extra = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    x, y = number(point[0]), number(point[1])
    return f'<text x="{x}" y="{y}" font-size="{number(size)}" {FACES[face]}{extra}>{escape(words)}</text>'


@cache
def _widths() -> Mapping[str, Mapping[str, int]]:
    file = resources.files("pbem.maps").joinpath("fonts", "widths.json")
    widths: Mapping[str, Mapping[str, int]] = json.loads(file.read_text(encoding="utf-8"))
    return widths


def width(words: str, size: float, face: str = "sans") -> float:
    """Return the length of words."""
    letter_widths = _widths()[face]
    return sum(letter_widths.get(letter, 650) for letter in words) * size / 1000


def fit_text(words: str, size: float, limit: float, face: str = "sans") -> tuple[str, float]:
    """Return words at most so long: first smaller, by up to a fifth, then cut short."""
    full_length = width(words, size, face)
    smaller = max(size * 0.79, min(size, size * limit / full_length)) if full_length else size
    while len(words) > 1 and width(words, smaller, face) > limit + 0.01:
        words = words.rstrip("\u2026")[:-1] + "\u2026"
    return words, smaller


# Signs of terrain: trees, sand and tufts, the same on areas and on hexes.


def trees(spots: Iterable[Point], palette: Palette) -> str:
    """Return a tree at each spot, later ones before earlier ones."""
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
