"""Write SVG as strings: one function writes an element and escapes its input."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

from pbem.engine.map.plane import Box, Point, noise, overlaps
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


class Patch(NamedTuple):
    """A part of a ground as SVG with its box, None if it runs over the map.

    A `whole` part is never cut.
    """

    svg: str
    box: Box | None = None
    whole: bool = False

    def is_seen(self, frame: Box) -> bool:
        """Return whether it belongs to the part of a map within a frame."""
        if self.box is None or not self.whole:
            return self.box is None or overlaps(self.box, frame)
        return (
            frame[0] <= self.box[0] and frame[1] <= self.box[1] and self.box[2] <= frame[2] and self.box[3] <= frame[3]
        )


class Drawn(NamedTuple):
    """A part of a picture: its SVG, in its place or moved from the origin.

    It is drawn `size` times as large. If `box` is set nothing of it lies outside, and `cut` is the part to show.
    """

    look: str
    at: Point | None = None
    size: float = 1.0
    box: Box | None = None
    cut: Box | None = None

    @property
    def svg(self) -> str:
        """Return the part at its place."""
        return self.look if self.at is None else move_to(self.look, self.at, self.size)


def move_to(look: str, spot: Point, size: float = 1.0) -> str:
    """Return what is drawn around the origin at a spot, so many times as large."""
    scale = "" if size == 1.0 else f" scale({size:g})"
    return tag("g", look, transform=f"translate({number(spot[0])} {number(spot[1])}){scale}")


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


def bends(points: Sequence[Point]) -> list[Sequence[Point]]:
    """Return the parts of an open curve, which together run as `curve` does."""
    if len(points) < 4:
        return [points]
    ends = [points[0], *(_middle(*leg) for leg in pairwise(points[1:-1])), points[-1]]
    return [(start, bend, end) for (start, end), bend in zip(pairwise(ends), points[1:-1], strict=True)]


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


def fit_text(words: str, size: float, limit: float, face: str = "sans", least: float = 0.775) -> tuple[str, float]:
    """Return words that fit a width: smaller down to `least`, then cut short."""
    full_length = width(words, size, face)
    smaller = max(size * least, min(size, size * limit / full_length)) if full_length else size
    while len(words) > 1 and width(words, smaller, face) > limit + 0.01:
        words = words.rstrip("\u2026")[:-1] + "\u2026"
    return words, smaller


_CONDENSED, _NAME = 0.62, 0.78
"""How narrow words may be condensed, as a share of their normal width: less is not legible; and names of two words,
which can be abbreviated."""
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where the second word of a name begins that is written as one."""


def size_within(words: str, size: float, limit: float) -> float:
    """Return the size at which `write_within` writes words."""
    return _fit_within(words, size, limit, "sans")[1]


def write_within(words: str, point: Point, size: float, limit: float, face: str = "sans", **attributes: object) -> str:
    """Return words of limited length: condensed, abbreviated, smaller, then cut."""
    words, size = _fit_within(words, size, limit, face)
    if width(words, size, face) > limit + 0.01:
        attributes |= {"textLength": number(limit), "lengthAdjust": "spacingAndGlyphs"}
    return text(words, point, size, face, **attributes)


def _fit_within(words: str, size: float, limit: float, face: str) -> tuple[str, float]:
    """Return words as they are written within a length, and their size.

    Of two words written as one the first is abbreviated, as on printed maps: G.Negra.
    """
    first, *others = _WORD.split(words, 1)
    if not others or width(words, size, face) * _NAME <= limit:
        return fit_text(words, size, limit / _CONDENSED, face)
    short = [f"{first[:letters]}.{others[0]}" for letters in range(max(len(first) - 2, 1), 0, -1)]
    fitting = (name for name in short if width(name, size, face) * _NAME <= limit)
    return fit_text(next(fitting, short[-1]), size, limit / _CONDENSED, face)


def fibres(box: Box, palette: Palette) -> str:
    """Return the fibres of the paper that a map is printed on."""
    left, top, right, bottom = box
    spots = (
        (left + (right - left) * (0.5 + noise(left, index) / 2), top + (bottom - top) * (0.5 + noise(index, left) / 2))
        for index in range(int((right - left) * (bottom - top) / _FIBRE))
    )
    path = "".join(
        f"M{number(x)} {number(y)}q{number(3 * noise(x))} 2 {number(6 * noise(x, y))} {number(6 * noise(y, x))}"
        for x, y in spots
    )
    return tag("path", d=path, fill="none", stroke=palette.frame, stroke_width=0.6, stroke_opacity=0.13)


_FIBRE = 1_800.0
"""The area of paper that has one fibre."""

# Signs of terrain: trees, sand and tufts, the same on areas and on hexes.


def trees(spots: Sequence[Point], palette: Palette) -> str:
    """Return a tree at each spot."""
    trunks = "".join(f"M{number(x)} {number(y + 3)}v3" for x, y in spots)
    crowns = "".join(f"M{number(x - 4.2)} {number(y)}a4.2 3.2 0 1 1 8.4 0a4.2 3.2 0 1 1 -8.4 0" for x, y in spots)
    wood = tag("path", d=trunks, stroke=palette.tree[1], stroke_width=1)
    return wood + tag("path", d=crowns, fill=palette.tree[0], stroke=palette.tree[1], stroke_width=0.6)


def sand(spots: Iterable[Point], palette: Palette) -> str:
    """Return a grain at each spot."""
    dots = "".join(f"M{number(x)} {number(y)}h.1" for x, y in spots)
    return tag("path", d=dots, stroke=palette.sand, stroke_width=1.4, stroke_linecap="round")


def tufts(spots: Iterable[Point], palette: Palette) -> str:
    """Return the reeds of a marsh, one at each spot."""
    reeds = "".join(f"M{number(x - 4)} {number(y)}h8M{number(x)} {number(y)}v-4" for x, y in spots)
    return tag("path", d=reeds, stroke=palette.tree[1], stroke_width=1)
