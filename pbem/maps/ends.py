"""Name the places beyond a phone's picture that its arrows come from and lead to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Scene
from pbem.engine.map.plane import Box, Point, overlaps
from pbem.maps.drawn_on import Ground, Style, direction_beyond
from pbem.maps.marks import DrawnMark
from pbem.maps.svg import tag, text, width

_SIZE = 7.0
"""The size of a name."""
_HALF = _SIZE / 2 + 1.6
"""Half the height of the plate of a name."""
_NEAR = 16.0
"""The largest distance of a plate from the end of its arrow. A choice: less than the plate of another between them."""
_SIGN, _HEAD = 6.0, 5.0
"""How far the sign of an event and the head of an arrow reach around their point."""


class End(NamedTuple):
    """The ends of arrows that one plate names: their places and points."""

    leads_there: bool
    direction: Msg | None
    places: tuple[str, ...]
    points: tuple[Sequence[Point], ...]
    box: Box = (0.0, 0.0, 0.0, 0.0)

    @property
    def words(self) -> Msg:
        """The words of the plate."""
        name = msg("{place}", place=self.places)
        if self.direction is not None:
            name = msg("{place} {direction}", place=self.places, direction=self.direction)
        return msg("to {place}", place=name) if self.leads_there else msg("from {place}", place=name)


def name_ends(
    scene: Scene, ground: Ground, marks: Sequence[DrawnMark], taken: Sequence[Box], style: Style
) -> tuple[list[End], list[End]]:
    """Return the ends of arrows that have a plate, and those without.

    A plate lies beside the visible end of an arrow, and neither on a box that is `taken` nor on another plate. Ends
    without room of their own share a plate.
    """
    spots = [(mark.spot, _SIGN) for mark in marks if mark.spot is not None]
    heads = [(mark.line[-1], _HEAD) for mark in marks if mark.below and mark.line and mark.cut[1] is None]
    signs = [(x - reach, y - reach, x + reach, y + reach) for (x, y), reach in (*spots, *heads)]
    covered, named, unnamed = [*taken, *signs], list[End](), list[End]()
    for end in _ends(scene, ground, marks, taken):
        box = _free_box(end, ground.box, [*covered, *(other.box for other in named)], style)
        if box is not None:
            named.append(end._replace(box=box))
            continue
        for index, other in enumerate(named):
            joined = other._replace(places=other.places + end.places, points=other.points + end.points)
            rest = [*covered, *(another.box for another in named if another is not other)]
            if (end.leads_there, end.direction) == (other.leads_there, other.direction) and (
                box := _free_box(joined, ground.box, rest, style)
            ):
                named[index] = joined._replace(box=box)
                break
        else:
            unnamed.append(end)
    return named, unnamed


def _ends(scene: Scene, ground: Ground, marks: Sequence[DrawnMark], taken: Sequence[Box]) -> list[End]:
    """Return the ends of arrows that are visible where they leave the picture."""
    ends = dict[tuple[bool, str], list[Point]]()
    for event_mark, drawn in zip(scene.marks, marks, strict=True):
        for leads_there in (False, True):
            if drawn.cut[leads_there] is not None and drawn.below:
                x, y = drawn.line[-leads_there]
                if not any(overlaps((x - 4, y - 4, x + 4, y + 4), box) for box in taken):
                    ends.setdefault((leads_there, event_mark.places[-leads_there]), []).append((x, y))
    return [End(there, direction_beyond(place, ground), (place,), (points,)) for (there, place), points in ends.items()]


def _free_box(end: End, frame: Box, covered: Sequence[Box], style: Style) -> Box | None:
    """Return the free box for a plate nearest to its ends; None if none is."""
    half, (left, top, right, bottom) = width(style.say(end.words), _SIZE, "sans-bold") / 2 + 3, frame
    boxes = [
        (u - half, v - _HALF, u + half, v + _HALF)
        for x, y in (point for points in end.points for point in points)
        for across, down in product((1.0, -1.0, 0.5, -0.5, 0.0), (0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0))
        for u in [min(max(x + across * (half + 4), left + half + 1), right - half - 1)]
        for v in [min(max(y + down * (_HALF + 3), top + _HALF + 1), bottom - _HALF - 1)]
    ]

    def far(box: Box) -> float:
        # From the nearest end of each place, and a little more where it lies on that end.
        gaps = [[_gap(box, point) for point in points] for points in end.points]
        return max(map(min, gaps)) + 4.0 * sum(gap == 0.0 for near in gaps for gap in near)

    free = [box for box in boxes if far(box) <= _NEAR and not any(overlaps(box, other) for other in covered)]
    return min(free, key=far, default=None)


def _gap(box: Box, point: Point) -> float:
    """Return the distance of a point from a box, along the axis where it is larger."""
    (left, top, right, bottom), (x, y) = box, point
    return max(left - x, x - right, top - y, y - bottom, 0.0)


def draw_end(end: End, style: Style) -> str:
    """Return the plate that names ends of arrows."""
    left, top, right, bottom = end.box
    look = {"fill": style.palette.halo, "fill_opacity": 0.92}
    plate = tag("rect", x=left, y=top, width=right - left, height=bottom - top, rx=2, **look)
    point = (left + right) / 2, (top + bottom) / 2 + 0.36 * _SIZE
    return plate + text(style.say(end.words), point, _SIZE, "sans-bold", text_anchor="middle", fill=style.palette.ink)
