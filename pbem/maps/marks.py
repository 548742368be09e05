"""Draw events as arrows and signs: moves, rides, retreats, fire, assaults.

Arrows run below counters, from the rim of the counters at their start to the rim of those at their end.
Between adjacent places without room, as for most fire and assaults, the sign is drawn across their border,
above everything, where it covers fewest counters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import dist, hypot
from typing import NamedTuple

from pbem.engine.data.scene import Mark, Scene
from pbem.engine.map.plane import Box, Point, overlaps
from pbem.maps.palette import Palette
from pbem.maps.svg import curve, line, number, tag

Boxes = Mapping[str, Box]
"""The boxes of places: no arrow covers them."""
_NEAR = 14.0
"""The least distance between two rims for an arrow between them; an arrow of a nearer pair is drawn beside both."""
# Distances from the straight line at which such an arrow is tried, in turn on both sides; the first that covers no
# counter is taken.
_ASIDE = (0.0, 14.0, -14.0, 20.0, -20.0, 26.0, -26.0, 32.0, -32.0)
_SIGN = 7.6
"""The radius of the ring of an assault."""
_SHARES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82, 0.1, 0.9, 0.03, 0.97)
"""Possible positions of a sign on a border, as fractions."""
_TIP, _TAIL = 14.5, 9.0
"""How far a sign across a border reaches into its target and into its origin."""
_SHORT = 0.58
"""The share of it for an arrow or fire between piles, whose gap is no wider."""
_BLUNT = 0.8
"""The share of it for the head of an assault between piles."""
_TEXT = 6
"""How many covered counters a covered text outweighs when the place of a sign is chosen. A choice: a counter in part
covered is still known, a text is not read."""
_FIGURE = 1000
"""How many covered counters a covered strength outweighs: more than all others together."""
_ASTRAY = 50.0
"""The extra length of a route that counts as much as a covered corner of a counter. A choice: a sign leaves the
straight way, but not by far."""
_COMES = 26.0
"""The length of an arrow of reinforcements."""


_PILES = 0.7
"""The scale of signs below which they are for piles: between their largest (2.5 of 4) and the least on areas (0.8)."""


class Pen(NamedTuple):
    """The pen of a mark: palette, its side's colour, and width of arrows."""

    palette: Palette
    colour: str
    wide: float = 4.0

    @property
    def by(self) -> float:
        """Return the scale of signs, which is 1 for arrows of the normal width."""
        return self.wide / 4.0

    @property
    def reach(self) -> float:
        """Return the scale of lines across a border."""
        return self.by * (_SHORT if self.by < _PILES else 1.0)


class Gate(NamedTuple):
    """A point on a border, and the unit vector into the target place."""

    at: Point
    into: Point

    def point_at(self, distance: float) -> Point:
        """Return the point so far beyond the border."""
        return self.at[0] + distance * self.into[0], self.at[1] + distance * self.into[1]

    def line_across(self, pen: Pen) -> list[Point]:
        """Return the line of a sign across the border, from its tail to its tip."""
        return [self.point_at(-_TAIL * pen.reach), self.point_at(_TIP * pen.reach)]


class Border(NamedTuple):
    """The line between a mark's last places, and what is on it.

    It tells whether an assault won, the texts that no sign should cover, and the figures that none may enter. A move
    and the assault at its end have only one head.
    """

    line: Sequence[Point] = ()
    won: bool = False
    has_head: bool = True
    texts: Sequence[Box] = ()
    figures: Sequence[Box] = ()


_NONE = Border()


class DrawnMark(NamedTuple):
    """A mark as SVG below and above counters, its sign's position, and its line."""

    below: str = ""
    above: str = ""
    spot: Point | None = None
    line: Sequence[Point] = ()
    cut: tuple[Point | None, Point | None] = (None, None)


def mark(
    event_mark: Mark,
    route: Sequence[Point],
    boxes: Boxes,
    pen: Pen,
    border: Border = _NONE,
    frame: Box | None = None,
) -> DrawnMark:
    """Return the sign of an event along a route through the middles of its places.

    It lies below the counters where there is no room beside a figure. A route that comes from beyond a frame, or leads
    beyond it, begins or ends there.
    """
    if frame is not None and event_mark.kind in _WAYS and len(route) > 1:
        inner, cut = _cut_route(route, frame)
        if any(cut):
            first = boxes.get(event_mark.places[0]) if cut[0] is None else None
            last = boxes.get(event_mark.places[-1]) if cut[1] is None else None
            visible = _shorten_route(_visible_route(inner, first, last), [*boxes.values(), *border.texts])
            is_short = dist(visible[0], visible[-1]) < _SHORTEST
            svg = "" if is_short else _way(event_mark.kind, visible, pen)
            return DrawnMark(svg, line=visible, cut=cut)
    drawn = _mark(event_mark, route, boxes, pen, border)
    # Of fire only the ends are above counters.
    ends = drawn.line[:: max(len(drawn.line) - 1, 1)] if event_mark.kind == "fire" else _with_middles(drawn.line)
    points = [(point, 1.5 * pen.wide) for point in ends]
    points += [(drawn.spot, _SIGN * pen.by + 1.0)] if drawn.spot and event_mark.kind == "assault" else []
    if drawn.above and _count_entered(points, border.figures):
        return drawn._replace(below=drawn.below + drawn.above, above="")
    return drawn


def _way(kind: str, route: Sequence[Point], pen: Pen) -> str:
    """Return the arrow of a move or a retreat, or the line of a ride."""
    return ride(route, pen) if kind == "ride" else arrow(route, pen, is_dashed=kind == "retreat")


def _cut_route(route: Sequence[Point], frame: Box) -> tuple[list[Point], tuple[Point | None, Point | None]]:
    """Return the part of a route within a frame, and where it comes in and goes out.

    All of the route, and neither, if it is not within the frame at all.
    """
    seen = [(index, part) for index, leg in enumerate(pairwise(route)) if (part := _part_within(*leg, frame))]
    if not seen:
        return list(route), (None, None)
    (first, (start, _)), (last, (_, end)) = seen[0], seen[-1]
    cut = None if _covers(frame, route[0], 0.1) else start, None if _covers(frame, route[-1], 0.1) else end
    return [start, *route[first + 1 : last + 1], end], cut


def _part_within(start: Point, end: Point, frame: Box) -> tuple[Point, Point] | None:
    """Return the ends of the part of a line that is within a frame; None if none is."""
    first, last = 0.0, 1.0
    for axis in (0, 1):
        along = end[axis] - start[axis]
        if along:
            shares = sorted(((frame[axis] - start[axis]) / along, (frame[axis + 2] - start[axis]) / along))
            first, last = max(first, shares[0]), min(last, shares[1])
        elif not frame[axis] <= start[axis] <= frame[axis + 2]:
            return None
    (a, b), (c, d) = start, end
    ends = ((a + (c - a) * share, b + (d - b) * share) for share in (first, last))
    return (next(ends), next(ends)) if first < last else None


def _shorten_route(route: list[Point], boxes: Iterable[Box]) -> list[Point]:
    """Return a route drawn back so far that no counter or sign covers its head."""
    covering, (*_, (a, b), (c, d)) = [box for box in boxes if _covers(box, route[-1], 1.0)], route
    length = hypot(c - a, d - b) or 1.0
    for back in range(2, int(length - _SHORTEST), 2) if covering else ():
        end = c - back * (c - a) / length, d - back * (d - b) / length
        if not any(_covers(box, end, 2.0) for box in covering):
            return [*route[:-1], end]
    return route


_WAYS = ("move", "retreat", "ride")
_SHORTEST = 9.0
"""The least length of an arrow that is cut. A choice: about that of its head with some shaft."""


def _with_middles(points: Sequence[Point]) -> list[Point]:
    return [*points, *(_middle(leg) for leg in pairwise(points))]


def _count_entered(points: Iterable[tuple[Point, float]], figures: Sequence[Box]) -> int:
    """Return how many figures are within the distance of a point."""
    return sum(_covers(box, point, margin) for point, margin in points for box in figures)


def _mark(event_mark: Mark, route: Sequence[Point], boxes: Boxes, pen: Pen, border: Border) -> DrawnMark:
    """Return the sign of an event; a won assault shows the advance too."""
    if len(route) < 2 or len(set(event_mark.places)) == 1 < len(event_mark.places):
        return DrawnMark()
    if event_mark.kind == "arrive":
        return _arrival(route[0], route[-1], pen)
    scale = pen.by if event_mark.kind == "assault" else pen.reach
    gate = _best_gate(border, route[-2:], boxes.values(), pen, scale) if len(border.line) > 1 else None
    if gate is not None and (event_mark.kind == "assault" or (event_mark.kind == "fire" and len(route) == 2)):
        if event_mark.kind == "assault":
            return _assault(gate, pen, border)
        across = gate.line_across(pen)
        return DrawnMark(above="".join(shot(across, pen)), spot=gate.at, line=across)
    visible = _visible_route(list(route), boxes.get(event_mark.places[0]), boxes.get(event_mark.places[-1]))
    is_near = len(route) == 2 and _signed_length(route, visible) < _NEAR
    if is_near and gate is not None:
        across = gate.line_across(pen)
        return DrawnMark(above=_way(event_mark.kind, across, pen), spot=gate.at, line=across)
    if is_near:
        visible = _route_aside(route, visible, [*boxes.values(), *border.texts])
    middle = _middle(visible[-2:])
    if event_mark.kind in _WAYS:
        visible = visible if is_near else _shorten_route(visible, [*boxes.values(), *border.texts])
        svg = _way(event_mark.kind, visible, pen)
        is_above = is_near and event_mark.kind != "ride"
        return DrawnMark(above=svg, spot=middle, line=visible) if is_above else DrawnMark(svg, line=visible)
    if event_mark.kind == "fire":
        others = [box for place, box in boxes.items() if place not in event_mark.places]
        visible = _bent(visible, [box for box in others if box[2] - box[0] > 2 * _SIGN])
        end = _free_end(visible[-2], visible[-1], border.texts)
        return DrawnMark(*shot([*visible[:-1], end], pen), middle if is_near else end, visible)
    shaft = arrow(visible, pen) if border.has_head and not is_near else ""
    return DrawnMark(shaft, assault_sign(middle, pen), middle, [middle])


def _best_gate(border: Border, route: Sequence[Point], boxes: Iterable[Box], pen: Pen, scale: float) -> Gate:
    """Return the point of a border, near the route, where a sign covers least.

    It covers no text if possible, and a figure only if there is no other point.
    """
    line_points, reach = border.line, _TIP * scale
    (a, b), (c, d) = line_points[0], line_points[-1]
    length = hypot(c - a, d - b) or 1.0
    x, y = -(d - b) / length, (c - a) / length
    (e, f), (g, h) = route
    if x * (g - e) + y * (h - f) < 0:
        x, y = -x, -y
    near = min(a, c) - reach, min(b, d) - reach, max(a, c) + reach, max(b, d) + reach
    covers = [(box, 1) for box in boxes if overlaps(box, near)]
    covers += [(box, _TEXT) for box in border.texts if overlaps(box, near)]
    figures = [box for box in border.figures if overlaps(box, near)]

    def gate_at(fraction: float) -> Gate:
        spot = fraction * (len(line_points) - 1)
        index = min(int(spot), len(line_points) - 2)
        (s, t), (u, v) = line_points[index], line_points[index + 1]
        return Gate((s + (spot - index) * (u - s), t + (spot - index) * (v - t)), (x, y))

    def cost(gate: Gate) -> float:
        parts = (
            (gate.at, _SIGN * scale - 1.0, 3),
            (gate.point_at(reach - 2), 2.5, 2),
            (gate.point_at(-_TAIL * scale), 1.5, 2),
        )
        covered = sum(
            weight * share for box, share in covers for point, margin, weight in parts if _covers(box, point, margin)
        )
        along = ((gate.point_at(part), 1.5 * pen.wide) for part in (-_TAIL * scale, reach / 2, reach))
        covered += _FIGURE * _count_entered([(gate.at, _SIGN * scale + 1.0), *along], figures)
        (p, q) = gate.at
        return covered + (hypot(p - e, q - f) + hypot(g - p, h - q)) / _ASTRAY

    return min((gate_at(share) for share in _SHARES), key=cost)


def _assault(gate: Gate, pen: Pen, border: Border) -> DrawnMark:
    """Return swords on the border and a light head, or the arrow of the winner."""
    factor, head_svg = pen.by, ""
    if border.won and border.has_head:
        head_svg = arrow([gate.point_at(-_TAIL * factor), gate.point_at((_TIP + 4) * factor)], pen)
    elif border.has_head:
        (x, y), (u, v), (i, j), half = (
            gate.point_at(_TIP * factor * (_BLUNT if factor < _PILES else 1.0)),
            gate.point_at((_SIGN - 1) * factor),
            gate.into,
            5.5 * factor,
        )
        head = [(x, y), (u - half * j, v + half * i), (u + half * j, v - half * i)]
        attributes = {
            "fill": pen.palette.halo,
            "stroke": pen.colour,
            "stroke_width": 1.8 * factor,
            "stroke_linejoin": "round",
        }
        head_svg = tag("path", d=line(head, closed=True), **attributes)
    svg = head_svg + assault_sign(gate.point_at(-2.0 * factor if border.won else 0.0), pen)
    return DrawnMark(above=svg, spot=gate.at, line=[gate.at, gate.point_at(_TIP * factor)] if head_svg else [gate.at])


def entry_route(box: Box, frame: Box, others: Iterable[Box]) -> list[Point]:
    """Return an arrival's route from the first visible side without other counters."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    sides = [
        [(box[0] - _COMES, y), (box[0] - 2, y)],
        [(box[2] + _COMES, y), (box[2] + 2, y)],
        [(x, box[3] + _COMES), (x, box[3] + 2)],
        [(x, box[1] - _COMES), (x, box[1] - 2)],
    ]
    visible = [
        route
        for route in sides
        if frame[0] < route[0][0] - 4 < frame[2] - 8 and frame[1] < route[0][1] - 4 < frame[3] - 8
    ]
    obstacles = [other_box for other_box in others if other_box != box]
    free = (
        route
        for route in visible
        if not any(_covers(obstacle, route[0], 5) or _covers(obstacle, _middle(route), 5) for obstacle in obstacles)
    )
    return next(free, (visible or sides)[0])


def _middle(route: Sequence[Point]) -> Point:
    return (route[0][0] + route[-1][0]) / 2, (route[0][1] + route[-1][1]) / 2


def _arrival(start: Point, end: Point, pen: Pen) -> DrawnMark:
    """Return an arrow with two heads."""
    length = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    back = end[0] + 8 * (start[0] - end[0]) / length, end[1] + 8 * (start[1] - end[1]) / length
    svg = arrow([start, end], pen) + arrow([start, back], pen)
    return DrawnMark(above=svg, spot=_middle((start, end)), line=[start, end])


def has_room(route: Sequence[Point], boxes: Boxes, places: Sequence[str]) -> bool:
    """Return whether there is room for an arrow between the counters of two places."""
    visible = _visible_route(list(route), boxes.get(places[0]), boxes.get(places[-1]))
    return _signed_length(route, visible) >= _NEAR


def arrow(route: Sequence[Point], pen: Pen, is_dashed: bool = False, has_head: bool = True) -> str:
    """Return an arrow with a light rim, dashed for a retreat."""
    palette, colour, stroke_width = pen
    (a, b), (c, d) = route[-2], route[-1]
    length = hypot(c - a, d - b) or 1.0
    x, y = (c - a) / length, (d - b) / length
    tip, half = 2.2 * stroke_width + 2.0, 1.3 * stroke_width + 0.9
    back = c - tip * x, d - tip * y
    head = [(c, d), (back[0] - half * y, back[1] + half * x), (back[0] + half * y, back[1] - half * x)]
    shaft = curve([*route[:-1], back])
    dash = {"stroke_dasharray": f"{number(2.2 * stroke_width)} {number(1.2 * stroke_width)}"} if is_dashed else {}
    rim = tag(
        "path", d=shaft, fill="none", stroke=palette.halo, stroke_width=stroke_width + 2.4, stroke_linejoin="round"
    )
    body = tag("path", d=shaft, fill="none", stroke=colour, stroke_width=stroke_width, stroke_linejoin="round", **dash)
    head_svg = tag("path", d=line(head, closed=True), fill=colour, stroke=palette.halo, stroke_width=1)
    return rim + body + (head_svg if has_head else "")


def ride(route: Sequence[Point], pen: Pen) -> str:
    """Return the light line of dots of a leader without troops."""
    dots = {"stroke_linecap": "round", "stroke_dasharray": "0.1 4", "stroke_linejoin": "round"}
    way = curve(route)
    rim = tag("path", d=way, fill="none", stroke=pen.palette.halo, stroke_width=3.2, stroke_opacity=0.7)
    end = tag("circle", cx=route[-1][0], cy=route[-1][1], r=2.4, fill=pen.palette.halo, stroke=pen.colour)
    return rim + tag("path", d=way, fill="none", stroke=pen.colour, stroke_width=1.7, **dots) + end


def assault_sign(centre: Point, pen: Pen) -> str:
    """Return two swords in a ring."""
    (x, y), colour, factor = centre, pen.colour, pen.by
    ring = tag("circle", cx=x, cy=y, r=_SIGN * factor, fill=pen.palette.halo, stroke=colour, stroke_width=2 * factor)
    four, high, low = 4 * factor, 1.4 * factor, 3 * factor
    swords = line([(x - four, y - four), (x + four, y + four)]) + line([(x + four, y - four), (x - four, y + four)])
    left, right = x - 4.4 * factor, x + 4.4 * factor
    hilts = line([(left, y + high), (left + low, y + high + low)])
    hilts += line([(right, y + high), (right - low, y + high + low)])
    return ring + tag("path", d=swords + hilts, stroke=colour, stroke_width=1.8 * factor, stroke_linecap="round")


def shot(route: Sequence[Point], pen: Pen) -> tuple[str, str]:
    """Return a dark zigzag, and its ends: a dot at who fires, a point at the target."""
    dark, light, bright = pen.palette.fire
    # Among piles too the point and the dot are large enough to be seen.
    (a, b), (c, d), factor = route[-2], route[-1], max(pen.by, 0.7)
    length = hypot(c - a, d - b) or 1.0
    x, y, tip, half = (c - a) / length, (d - b) / length, 8.0 * factor, 4.2 * factor
    back = c - tip * x, d - tip * y
    way = "".join(line(_zigzag(leg)) for leg in pairwise([*route[:-1], back]))
    head = line([(c, d), (back[0] - half * y, back[1] + half * x), (back[0] + half * y, back[1] - half * x)], True)
    dot = {"cx": route[0][0], "cy": route[0][1], "r": 2.4 * factor}
    shaft = tag("path", d=way, fill="none", stroke=light, stroke_width=3.6, stroke_linejoin="round")
    shaft += tag("path", d=way, fill="none", stroke=dark, stroke_width=1.5, stroke_linejoin="round")
    rim, look = {"stroke": light, "stroke_width": 3.0}, {"fill": bright, "stroke": dark, "stroke_linejoin": "round"}
    ends = tag("path", d=head, **rim) + tag("circle", **dot, **rim)
    return shaft, ends + tag("path", d=head, **look) + tag("circle", **dot, **look)


def _bent(route: list[Point], boxes: Sequence[Box]) -> list[Point]:
    """Return a straight route, or the shortest round one or two corners of a box."""

    def is_crossed(box: Box, start: Point, end: Point) -> bool:
        (a, b), (c, d) = start, end
        return any(_covers(box, (a + (c - a) * step / 16, b + (d - b) * step / 16), 1.0) for step in range(17))

    ways = list[list[Point]]()
    for left, top, right, bottom in (box for box in boxes if is_crossed(box, route[0], route[-1])):
        west, north, east, south = left - _ROUND, top - _ROUND, right + _ROUND, bottom + _ROUND
        corners = [(west, north), (east, north), (east, south), (west, south), (west, north)]
        ways += [[route[0], *turns, route[-1]] for pair in pairwise(corners) for turns in (pair[:1], pair, pair[::-1])]
    free = (way for way in ways if not any(is_crossed(box, *leg) for box in boxes for leg in pairwise(way)))
    return min(free, key=lambda way: sum(dist(*leg) for leg in pairwise(way)), default=route)


def _free_end(start: Point, end: Point, texts: Sequence[Box]) -> Point:
    """Return the end of a line, drawn back so far that its point covers no text."""
    (a, b), (c, d) = start, end
    length = hypot(c - a, d - b) or 1.0
    near = [box for box in texts if _covers(box, end, 16)]
    ends = [(c - back * (c - a) / length, d - back * (d - b) / length) for back in _BACK if back <= length / 2]
    return next((point for point in ends if not any(_covers(box, point, 3.5) for box in near)), end)


_ROUND = 7.0
"""How far from the corner of counters a shot passes."""
_BACK = (0.0, 3.0, 6.0, 9.0, 12.0)
"""How far the point of a shot may stay behind its target."""
_WAVE = 5.0, 1.7
"""The length and the height of each part of a zigzag."""


def ghost(box: Box, colour: str, palette: Palette) -> str:
    """Return the dashed outline of counters that have left."""
    size = {"x": box[0], "y": box[1], "width": box[2] - box[0], "height": box[3] - box[1], "rx": 2}
    look = {"fill": palette.halo, "fill_opacity": 0.45, "stroke": colour, "stroke_width": 1.4}
    return tag("rect", **size, **look, stroke_dasharray="4 2.4")


def left_targets(scene: Scene) -> dict[str, str]:
    """Return the empty places that were fired at, with the side that was there."""
    occupied = {piece.place for piece in (*scene.pieces, *scene.fallen)}
    return {
        place: other.side
        for fire in scene.marks
        if fire.kind == "fire" and (place := fire.places[-1]) not in occupied
        for other in scene.marks
        if other.side != fire.side and other.kind != "fire" and place in (other.places[0], other.places[-1])
    }


def _zigzag(route: Sequence[Point]) -> list[Point]:
    """Return a straight line as a zigzag."""
    (a, b), (c, d) = route[0], route[-1]
    length = hypot(c - a, d - b) or 1.0
    # A way shorter than one part stays straight.
    parts = max(int(length / _WAVE[0]), 1)
    x, y = (c - a) / parts, (d - b) / parts
    u, v = -(d - b) / length * _WAVE[1], (c - a) / length * _WAVE[1]
    turns = [(a + x * step + u * (1 - step % 2 * 2), b + y * step + v * (1 - step % 2 * 2)) for step in range(1, parts)]
    return [(a, b), *turns, (c, d)]


def _visible_route(route: list[Point], first: Box | None, last: Box | None) -> list[Point]:
    """Return the route from the rim of its first counters to the rim of its last."""
    start, end = route[0], route[-1]
    if first is not None:
        route[0] = _rim_point(end if len(route) == 2 else route[1], start, first)
    if last is not None:
        route[-1] = _rim_point(start if len(route) == 2 else route[-2], end, last)
    return route


def _rim_point(outer: Point, inner: Point, box: Box) -> Point:
    """Return where a line into a box meets its rim, a little before it."""
    left, top, right, bottom = box[0] - 3, box[1] - 3, box[2] + 3, box[3] + 3
    (a, b), (c, d) = outer, inner
    best = 1.0
    for fraction in (
        *(((edge - a) / (c - a)) for edge in (left, right) if c != a),
        *(((edge - b) / (d - b)) for edge in (top, bottom) if d != b),
    ):
        x, y = a + fraction * (c - a), b + fraction * (d - b)
        if 0 <= fraction < best and left - 0.1 <= x <= right + 0.1 and top - 0.1 <= y <= bottom + 0.1:
            best = fraction
    return a + best * (c - a), b + best * (d - b)


def _signed_length(route: Sequence[Point], visible: Sequence[Point]) -> float:
    """Return the visible length in a route's direction; negative if its ends overlap."""
    (a, b), (c, d) = route[0], route[-1]
    length = hypot(c - a, d - b) or 1.0
    return ((visible[-1][0] - visible[0][0]) * (c - a) + (visible[-1][1] - visible[0][1]) * (d - b)) / length


def _route_aside(route: Sequence[Point], visible: Sequence[Point], boxes: Iterable[Box]) -> list[Point]:
    """Return a short route beside the gap that covers no counter, else through it."""
    (a, b), (c, d) = route[0], route[-1]
    length = hypot(c - a, d - b) or 1.0
    x, y = (c - a) / length, (d - b) / length
    u, v = (visible[0][0] + visible[-1][0]) / 2, (visible[0][1] + visible[-1][1]) / 2
    obstacles = list(boxes)
    for aside in _ASIDE:
        middle = u - aside * y, v + aside * x
        if not any(_covers(box, middle, _SIGN - 1.5) for box in obstacles):
            break
    else:
        middle = u, v
    half = _NEAR / 2 + 2
    return [(middle[0] - half * x, middle[1] - half * y), (middle[0] + half * x, middle[1] + half * y)]


def _covers(box: Box, point: Point, margin: float) -> bool:
    return box[0] - margin < point[0] < box[2] + margin and box[1] - margin < point[1] < box[3] + margin
