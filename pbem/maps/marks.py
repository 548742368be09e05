"""What happened, as arrows and signs: moves, retreats, fire, assaults, arrivals.

Arrows run below counters, from the rim of what stands where they begin to the rim of what stands where they end. What
goes from a place to the next with no room between, fire and assaults above all, is drawn across the border of both,
above everything, and where on it fewest counters are covered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import hypot
from typing import NamedTuple

from pbem.engine.data.scene import Mark
from pbem.engine.map.plane import Box, Point
from pbem.maps.palette import Palette
from pbem.maps.svg import curve, line, number, tag

Boxes = Mapping[str, Box]
"""What stands in a place, left, top, right, bottom: no arrow covers it."""
_NEAR = 14.0
"""Rims that are nearer leave no room for an arrow: it is put beside them."""
_ASIDE = (0.0, 14.0, -14.0, 20.0, -20.0, 26.0, -26.0, 32.0, -32.0)
_SIGN = 7.6
_SHARES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.12, 0.88)
"""Where on a border a sign may be, in shares of it."""
_TIP, _TAIL = 18.0, 15.0
"""How far a sign across a border reaches into the place that it points to, and into that which it comes from."""
_ASTRAY = 25.0
"""A way that is so much longer is as bad as to cover a corner of a counter."""
_COMES = 26.0


class Pen(NamedTuple):
    """What a mark is drawn with: the colours of the picture, that of its side, and how wide arrows are."""

    palette: Palette
    colour: str
    wide: float = 4.0

    @property
    def by(self) -> float:
        """How large signs are where arrows are so wide."""
        return self.wide / 4.0


class Gate(NamedTuple):
    """Where something crosses a border, and the direction of length 1 into the place that it goes to."""

    at: Point
    into: Point

    def along(self, far: float) -> Point:
        """Return the point so far beyond the border."""
        return self.at[0] + far * self.into[0], self.at[1] + far * self.into[1]


class Border(NamedTuple):
    """The line between the last two places of a mark, empty if they have none; whether an assault over it has won."""

    line: Sequence[Point] = ()
    won: bool = False


_NONE = Border()


class Marked(NamedTuple):
    """A mark as SVG: what lies below counters, and what above; where its sign is, for others to keep off."""

    below: str = ""
    above: str = ""
    spot: Point | None = None


def mark(one: Mark, way: Sequence[Point], boxes: Boxes, pen: Pen, border: Border = _NONE) -> Marked:
    """Return the sign of what happened along a way, through the middles of its places.

    An assault that has won shows the advance too.
    """
    if len(way) < 2 or len(set(one.places)) == 1 < len(one.places):
        return Marked()
    if one.kind == "arrive":
        return _arrival(way[0], way[-1], pen)
    gate = _gate(border.line, way[-2:], boxes.values(), pen.by) if len(border.line) > 1 else None
    if gate is not None and (one.kind == "assault" or (one.kind == "fire" and len(way) == 2)):
        return _assault(gate, pen, border.won) if one.kind == "assault" else _across(gate, pen)
    cut = _outside(list(way), boxes.get(one.places[0]), boxes.get(one.places[-1]))
    near = len(way) == 2 and _along(way, cut) < _NEAR
    if near and gate is not None:
        made = arrow([gate.along(-_TAIL * pen.by), gate.along(_TIP * pen.by)], pen, dashed=one.kind == "retreat")
        return Marked(above=made, spot=gate.at)
    if near:
        cut = _beside(way, cut, boxes.values())
    middle = _half(cut[-2:])
    if one.kind == "fire":
        return _shot([cut[0], cut[-1]], pen.palette)._replace(spot=middle if near else cut[-1])
    if one.kind != "assault":
        made = arrow(cut, pen, dashed=one.kind == "retreat")
        return Marked(above=made, spot=middle) if near else Marked(made)
    shaft = "" if near else arrow(cut, pen)
    return Marked(shaft, assault_sign(middle, pen), middle)


def _gate(border: Sequence[Point], way: Sequence[Point], boxes: Iterable[Box], by: float) -> Gate:
    """Where a sign on a border covers fewest counters, and lies least off the way."""
    (a, b), (c, d) = border[0], border[-1]
    long = hypot(c - a, d - b) or 1.0
    x, y = -(d - b) / long, (c - a) / long
    (e, f), (g, h) = way
    if x * (g - e) + y * (h - f) < 0:
        x, y = -x, -y
    stand = list(boxes)

    def found(share: float) -> Gate:
        spot = share * (len(border) - 1)
        at = min(int(spot), len(border) - 2)
        (s, t), (u, v) = border[at], border[at + 1]
        return Gate((s + (spot - at) * (u - s), t + (spot - at) * (v - t)), (x, y))

    def cost(gate: Gate) -> float:
        parts = ((gate.at, _SIGN * by - 1.5, 3), (gate.along(_TIP * by - 3), 2.0, 2), (gate.along(-_TAIL * by), 1.0, 1))
        covered = sum(weight for box in stand for point, margin, weight in parts if _covers(box, point, margin))
        (p, q) = gate.at
        return covered + (hypot(p - e, q - f) + hypot(g - p, h - q)) / _ASTRAY

    return min((found(share) for share in _SHARES), key=cost)


def _assault(gate: Gate, pen: Pen, won: bool) -> Marked:
    """Swords on the border and a light head that points at whom they are for, or the arrow of who came in."""
    by = pen.by
    if won:
        ahead = arrow([gate.along(-_TAIL * by), gate.along((_TIP + 4) * by)], pen)
    else:
        (x, y), (u, v), (i, j), half = gate.along(_TIP * by), gate.along((_SIGN - 1) * by), gate.into, 5.5 * by
        head = [(x, y), (u - half * j, v + half * i), (u + half * j, v - half * i)]
        look = {"fill": pen.palette.halo, "stroke": pen.colour, "stroke_width": 1.8 * by, "stroke_linejoin": "round"}
        ahead = tag("path", d=line(head, closed=True), **look)
    return Marked(above=ahead + assault_sign(gate.along(-2.0 * by if won else 0.0), pen), spot=gate.at)


def _across(gate: Gate, pen: Pen) -> Marked:
    """Fire over a border."""
    shot = _shot([gate.along((3 - _TAIL) * pen.by), gate.along((_TIP - 11) * pen.by)], pen.palette, pen.by)
    return Marked(above=shot.below + shot.above, spot=gate.at)


def entry(box: Box, frame: Box, others: Iterable[Box]) -> list[Point]:
    """Return the way of who comes into a place: from the first side on which it is seen, and covers nobody else."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    sides = [
        [(box[0] - _COMES, y), (box[0] - 2, y)],
        [(box[2] + _COMES, y), (box[2] + 2, y)],
        [(x, box[3] + _COMES), (x, box[3] + 2)],
        [(x, box[1] - _COMES), (x, box[1] - 2)],
    ]
    seen = [way for way in sides if frame[0] < way[0][0] - 4 < frame[2] - 8 and frame[1] < way[0][1] - 4 < frame[3] - 8]
    stand = [one for one in others if one != box]
    free = (way for way in seen if not any(_covers(one, way[0], 5) or _covers(one, _half(way), 5) for one in stand))
    return next(free, (seen or sides)[0])


def _half(way: Sequence[Point]) -> Point:
    return (way[0][0] + way[-1][0]) / 2, (way[0][1] + way[-1][1]) / 2


def _arrival(start: Point, end: Point, pen: Pen) -> Marked:
    """An arrow of two heads."""
    long = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    back = end[0] + 8 * (start[0] - end[0]) / long, end[1] + 8 * (start[1] - end[1]) / long
    drawn = arrow([start, end], pen) + arrow([start, back], pen)
    return Marked(above=drawn, spot=_half((start, end)))


def arrow(way: Sequence[Point], pen: Pen, dashed: bool = False) -> str:
    """Return an arrow with a light rim, broken for a retreat."""
    palette, colour, wide = pen
    (a, b), (c, d) = way[-2], way[-1]
    long = hypot(c - a, d - b) or 1.0
    x, y = (c - a) / long, (d - b) / long
    tip, half = 2.2 * wide + 0.5, 1.3 * wide
    back = c - tip * x, d - tip * y
    head = [(c, d), (back[0] - half * y, back[1] + half * x), (back[0] + half * y, back[1] - half * x)]
    shaft = curve([*way[:-1], back])
    dash = {"stroke_dasharray": f"{number(2.2 * wide)} {number(1.2 * wide)}"} if dashed else {}
    rim = tag("path", d=shaft, fill="none", stroke=palette.halo, stroke_width=wide + 2.4, stroke_linejoin="round")
    body = tag("path", d=shaft, fill="none", stroke=colour, stroke_width=wide, stroke_linejoin="round", **dash)
    return rim + body + tag("path", d=line(head, closed=True), fill=colour, stroke=palette.halo, stroke_width=1)


def assault_sign(at: Point, pen: Pen) -> str:
    """Return two swords in a ring."""
    (x, y), colour, by = at, pen.colour, pen.by
    ring = tag("circle", cx=x, cy=y, r=_SIGN * by, fill=pen.palette.halo, stroke=colour, stroke_width=2 * by)
    four, high, low = 4 * by, 1.4 * by, 3 * by
    swords = line([(x - four, y - four), (x + four, y + four)]) + line([(x + four, y - four), (x - four, y + four)])
    left, right = x - 4.4 * by, x + 4.4 * by
    hilts = line([(left, y + high), (left + low, y + high + low)])
    hilts += line([(right, y + high), (right - low, y + high + low)])
    return ring + tag("path", d=swords + hilts, stroke=colour, stroke_width=1.8 * by, stroke_linecap="round")


def _shot(way: Sequence[Point], palette: Palette, by: float = 1.0) -> Marked:
    """A broken red line with a burst at its end."""
    x, y = way[-1]
    rim = tag("path", d=line(way), stroke=palette.halo, stroke_width=3.6)
    body = tag("path", d=line(way), stroke=palette.alarm, stroke_width=1.8, stroke_dasharray="3 3")
    star = "".join(
        f"{'M' if at == 0 else 'L'}{number(x + r * dx)} {number(y + r * dy)}"
        for at, (r, dx, dy) in enumerate(
            (by * (6.0 if at % 2 == 0 else 2.6), _COS[at], _COS[(at + 9) % 12]) for at in range(12)
        )
    )
    burst = tag("path", d=star + "Z", fill=palette.alarm, stroke=palette.halo, stroke_width=0.8)
    return Marked(rim + body, burst)


_COS = (1.0, 0.866, 0.5, 0.0, -0.5, -0.866, -1.0, -0.866, -0.5, 0.0, 0.5, 0.866)


def _outside(way: list[Point], first: Box | None, last: Box | None) -> list[Point]:
    """The way from the rim of what stands at its beginning to the rim of what stands at its end."""
    start, end = way[0], way[-1]
    if first is not None:
        way[0] = _rim(end if len(way) == 2 else way[1], start, first)
    if last is not None:
        way[-1] = _rim(start if len(way) == 2 else way[-2], end, last)
    return way


def _rim(outer: Point, inner: Point, box: Box) -> Point:
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


def _along(way: Sequence[Point], cut: Sequence[Point]) -> float:
    """How far it is from the first point to the last in the direction of a way; below zero if they stand past it."""
    (a, b), (c, d) = way[0], way[-1]
    long = hypot(c - a, d - b) or 1.0
    return ((cut[-1][0] - cut[0][0]) * (c - a) + (cut[-1][1] - cut[0][1]) * (d - b)) / long


def _beside(way: Sequence[Point], cut: Sequence[Point], boxes: Iterable[Box]) -> list[Point]:
    """A short way past the middle of the gap, put so far aside that it covers no counter; over it if none is free."""
    (a, b), (c, d) = way[0], way[-1]
    long = hypot(c - a, d - b) or 1.0
    x, y = (c - a) / long, (d - b) / long
    u, v = (cut[0][0] + cut[-1][0]) / 2, (cut[0][1] + cut[-1][1]) / 2
    stand = list(boxes)
    for aside in _ASIDE:
        middle = u - aside * y, v + aside * x
        if not any(_covers(box, middle, _SIGN - 1.5) for box in stand):
            break
    else:
        middle = u, v
    half = _NEAR / 2 + 2
    return [(middle[0] - half * x, middle[1] - half * y), (middle[0] + half * x, middle[1] + half * y)]


def _covers(box: Box, point: Point, margin: float) -> bool:
    return box[0] - margin < point[0] < box[2] + margin and box[1] - margin < point[1] < box[3] + margin
