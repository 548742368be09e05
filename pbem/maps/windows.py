"""Choose a map's window for a phone: the weightiest, in whole stacks, legible."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import dist
from typing import NamedTuple

from pbem.engine.data.scene import Scene
from pbem.engine.map.hexes import RADIUS
from pbem.engine.map.plane import Box, Point
from pbem.maps.counters import name_size
from pbem.maps.drawn_on import Ground
from pbem.maps.furniture import margin
from pbem.maps.layout import lay_piles, lay_stacks

AREAS = (252.0, 300.0)
"""The least width and height of the window on an area map. On a screen of 390 pixels a name then has 1.5 pixels of
height for each unit."""
PILES = (5 * 1.5 * RADIUS + 10.0, 294.0)
"""The least width and height of the window on a hex map: five columns, whose longest names are as small as can be
read."""
_SCALES = {
    True: ((1.0, 1.0), (1.0, 1.15), (1.0, 1.3), (1.19, 1.0), (1.19, 1.15), (1.19, 1.3), (1.19, 1.45)),
    False: ((1.0, 1.0), (1.0, 1.2), (1.13, 1.13), (1.13, 1.4), (1.26, 1.26), (1.26, 1.4)),
}
"""How many times as wide and high the window on a hex map and on an area map may be, while names stay legible."""
_SCREEN, _LEGIBLE = 390, 9.0
"""The width of a phone's screen, and the least size of a name on it, in pixels."""
_LOST, _CUT = 50.0, 8.0
"""The weights of a lost step, and of a stack that the edge cuts. A choice: one loss outweighs what else happens at a
place, and a whole stack is worth as much as an assault."""
_BOTH = 8.0
"""The weight of both ends of an assault together. A choice: as much as the assault itself."""
_SEEN = 0.8
"""The weight of a counter, so that a window has rather these than empty land."""
_LARGER = 16.0
"""The weight of a window twice as large. A choice: it grows by a step rather than cut a stack."""
_MATTERS = {"assault": 8.0, "fire": 2.5, "retreat": 3.0, "arrive": 1.5, "move": 1.2}
_MINOR = ("arrive", "ride")
"""What happens far from the fight as often as not: no window must show it."""
_NEVER = float("-inf")
"""The weight of an item whose name would not be legible: no window with it is chosen."""
_ANCHORS = 2
"""The number of places where most happened of which a window must show one. A choice: many lesser places, or a large
stack that did nothing, do not outweigh both."""
_AROUND = {True: (5.0, 2.0), False: (6.0, 3.0)}
"""The free edges beside and above a stack, for piles (whose columns have little room) and for stacks on areas."""


class _Item(NamedTuple):
    """A stack or an empty place with its edge, weights (whole, cut), least name size."""

    box: Box
    weight: float
    cut: float
    name: float


_Span = tuple[float, float, int, int]
"""The first and the last start of a window along an axis; then, as sets of bits, the items that lie within the window
and those whose middle does."""


def narrow_box(scene: Scene, ground: Ground) -> Box:
    """Return the busiest part of the map, as large as a phone shows legibly."""
    (items, anchors), (left, top, right, bottom) = _items(scene, ground), ground.box
    (wide, high), choices = PILES if ground.piles else AREAS, list[tuple[bool, float, Box]]()

    @cache
    def spans(axis: int, length: float) -> list[_Span]:
        edges = [(item.box[axis], item.box[axis + 2]) for item in items]
        return _spans(edges, length, (ground.box[axis], ground.box[axis + 2]))

    for wider, higher in _SCALES[ground.piles]:
        size = min(wide * wider, right - left), min(high * higher, bottom - top)
        least = _LEGIBLE * (size[0] + 2 * margin(ground)) / _SCREEN if wider > 1.0 else 0.0
        weighed = [item if item.name >= least else item._replace(weight=_NEVER, cut=_NEVER) for item in items]
        columns, rows = (spans(axis, size[axis]) for axis in (0, 1))
        box, weight = _best_window(weighed, anchors, size, (columns, rows), ground.box)
        has_losses = all(_within(item.box, box) == item.box for item in items if item.weight >= _LOST)
        choices.append((has_losses and weight > _NEVER, weight - _LARGER * (wider * higher - 1.0), box))
    return max(choices)[2]


def _best_window(
    items: Sequence[_Item],
    anchors: int,
    size: tuple[float, float],
    spans: tuple[Sequence[_Span], Sequence[_Span]],
    whole: Box,
) -> tuple[Box, float]:
    """Return the best window of a size that shows an anchor, and how much it shows.

    Among equal windows it is the one whose contents are nearest to its middle.
    """
    weights, cuts, most_weights = (
        [(1 << index, weight) for index, weight in enumerate(every)]
        for every in (
            [item.weight for item in items],
            [item.cut for item in items],
            # An upper bound: an item that counts against a window may lie outside it.
            [max(item.weight, 0.0) for item in items],
        )
    )

    @cache
    def most_of(within: int) -> float:
        return sum([weight for bit, weight in most_weights if within & bit])

    # The most promising first: the search breaks off at the first row that cannot reach the best window.
    columns, rows = (sorted(along, key=lambda span: most_of(span[2]), reverse=True) for along in spans)
    most, best = _NEVER, list[tuple[int, _Span, _Span]]()

    @cache
    def weigh(shown: int, cut: int) -> float:
        whole = sum([weight for bit, weight in weights if shown & bit])
        return whole + sum([weight for bit, weight in cuts if cut & bit])

    # No window weighs more than all that its column and its row could show.
    for column in columns:
        if most_of(column[2]) < most:
            break
        for row in rows:
            shown = column[2] & row[2]
            if most_of(row[2]) < most:
                break
            if shown & anchors or not items:
                weight = weigh(shown, column[3] & row[3] & ~shown)
                if weight >= most:
                    best, most = [*(best if weight == most else ()), (shown, column, row)], weight
    _, (x, y) = min(_corner(items, shown, size, (column, row), whole) for shown, column, row in best)
    return (x, y, x + size[0], y + size[1]), most


def _corner(
    items: Sequence[_Item], shown: int, size: tuple[float, float], spans: tuple[_Span, _Span], whole: Box
) -> tuple[float, Point]:
    """Return a window's start with its contents near its middle, and the offset."""
    boxes = [item.box for index, item in enumerate(items) if shown >> index & 1] or [whole]
    wanted = [
        (min(box[axis] for box in boxes) + max(box[axis + 2] for box in boxes) - size[axis]) / 2 for axis in (0, 1)
    ]
    x, y = (min(max(start, span[0]), span[1]) for start, span in zip(wanted, spans, strict=True))
    return dist(wanted, (x, y)), (x, y)


def _spans(edges: Sequence[tuple[float, float]], size: float, whole: tuple[float, float]) -> list[_Span]:
    """Return a window's starts along an axis between which its contents are the same."""
    first, last = whole[0], whole[1] - size
    # Of what is larger than the window its middle counts.
    halves = [((low + high) / 2, min(high - low, 0.98 * size) / 2) for low, high in edges]
    edges = [(middle - half, middle + half) for middle, half in halves]
    ends = {edge for low, high in edges for edge in (low, (low + high) / 2, high)}
    turns = {start for edge in ends for start in (edge, edge - size) if first < start < last}
    spans = list[_Span]()
    items = [(1 << index, low, high, (low + high) / 2) for index, (low, high) in enumerate(edges)]
    for start, end in pairwise(sorted({first, last, *turns})) if first < last else [(first, first)]:
        # No bit is set twice: their sum is their union.
        middle, beyond = (start + end) / 2, (start + end) / 2 + size
        within = sum([bit for bit, low, high, _ in items if middle <= low and high <= beyond])
        met = sum([bit for bit, _, _, centre in items if middle < centre < beyond])
        spans.append((start, end, within, met))
    return spans


def _items(scene: Scene, ground: Ground) -> tuple[list[_Item], int]:
    """Return a window's possible items, those where most happened first; the anchors.

    The anchors are a set of bits: of these items a window must show one.
    """
    happened, weights = _weights(scene, ground)
    stacks, (beside, above) = (lay_piles if ground.piles else lay_stacks)(scene, ground), _AROUND[ground.piles]
    names = dict[str, float]()
    for piece in (*scene.pieces, *scene.fallen):
        names[piece.place] = min(names.get(piece.place, _LEGIBLE), name_size(piece, ground.piles))
    items, (left, top, right, bottom) = list[_Item](), ground.box

    def box_of(place: str) -> Box:
        x, y = ground.sites[place]
        left, top, right, bottom = stacks[place].box if place in names else (x - 9, y - 9, x + 9, y + 9)
        return _within((left - beside, top - above, right + beside, bottom + above), inner)

    # Kept off the edge of the map, so that more than one window shows all of it.
    inner = left + 1, top + 1, right - 1, bottom - 1

    def rank(entry: tuple[str, float]) -> tuple[float, float, str]:
        place, weight = entry
        return -happened.get(place, 0.0), -weight, place

    anchors = min(len(happened), _ANCHORS) or _ANCHORS
    for place, weight in sorted(weights.items(), key=rank):
        items.append(_Item(box_of(place), weight, -_CUT if place in names else 0.0, names.get(place, _LEGIBLE)))
    for places in sorted({mark.places[-2:] for mark in scene.marks if mark.kind == "assault"}):
        lefts, tops, rights, bottoms = zip(*(box_of(place) for place in places if place in ground.sites), strict=True)
        items.append(_Item((min(lefts), min(tops), max(rights), max(bottoms)), _BOTH, -_BOTH, _LEGIBLE))
    return items, (1 << anchors) - 1


def _weights(scene: Scene, ground: Ground) -> tuple[dict[str, float], dict[str, float]]:
    """Return the weights of what happened in each place, and of all that is there."""
    happened, weights = dict[str, float](), dict[str, float]()

    def add(place: str, weight: float, is_event: bool = True) -> None:
        if place in ground.sites and weight:
            weights[place] = weights.get(place, 0.0) + weight
            if is_event:
                happened[place] = happened.get(place, 0.0) + weight

    occupied = {piece.place for piece in scene.pieces}
    for mark in scene.marks:
        weight, is_event = _MATTERS.get(mark.kind, 0.3), mark.kind not in _MINOR
        add(mark.places[-1], weight, is_event)
        add(mark.places[0], weight / (2 if mark.places[0] in occupied else 4), is_event)
    for piece in scene.pieces:
        add(piece.place, _LOST * piece.lost)
        add(piece.place, _SEEN, is_event=False)
    for piece in scene.fallen:
        add(piece.place, _LOST)
    for place in (*scene.asked, *scene.targets, *scene.reach):
        add(place, 4.0)
    return happened, weights


def _within(box: Box, whole: Box) -> Box:
    """Return the part of a box within another."""
    return max(box[0], whole[0]), max(box[1], whole[1]), min(box[2], whole[2]), min(box[3], whole[3])
