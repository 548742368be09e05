"""Place counters on a map: rows within their space, or piles on hexes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.scene import Piece, Scene
from pbem.engine.map.plane import Box, Point
from pbem.maps import counters
from pbem.maps.counters import FRONT, HIGH, SLAT, TAB, WIDE, band_height
from pbem.maps.drawn_on import Ground
from pbem.maps.rooms import Room
from pbem.maps.svg import width

ROW = 3
"""Counters side by side, unless another of `_SHAPES` fits better."""
GAP = 2.0
"""The distance between counters of a stack."""
NAME = 15.0
"""The height of a place's name above its counters."""
# The box of a place without counters: room for its name.
EMPTY = (36.0, 13.0)
GRAVE = counters.GRAVE + 1
"""The height of an eliminated counter with the gap below it."""
ROUNDS = 60
"""Rounds of moving stacks apart, each against all others. A choice: crowded maps that are not settled then keep some
overlap."""
SIZES = (1.4, 1.25, 1.1, 1.0)
"""Sizes of counters: the largest at which each stack has room within its space."""
_BESIDE_SMALLER = 1.25
"""The largest size of counters where a space has smaller ones. A choice: sizes on one map differ little."""
_SMALL = (1.0, 0.9, 0.8)
"""Sizes of counters to try for a space where the common size leaves no room."""
_OVER = (4.0, 20.0)
"""How far a stack may reach over the border of its space, normally and without room otherwise."""
_SHAPES = (ROW, 2, 4, 1, 5)
"""Numbers of counters side by side, in the order in which they are tried: the first that fits is taken, unless a later
one brings the stack nearer to its site."""
_NEARER = 400.0
"""The squared distance (20 units) by which a shape further back in `_SHAPES` has to bring a stack nearer. A choice:
about half a counter's width."""
_PLACE = 12.5
"""The size of a place's name, as in `goals.NAME`."""


class Stack(NamedTuple):
    """The pieces of a place: its name's middle, counters' corners, the box.

    `slats` are the counters of a pile that are drawn lower than whole ones. `graves` are the upper middles of
    eliminated counters. Counters are drawn `size` times as large. A stack without room at its place has a line to
    its `site`.
    """

    name: Point
    counters: tuple[tuple[Piece, Point], ...]
    box: Box
    slats: tuple[tuple[Piece, Point], ...] = ()
    size: float = 1.0
    graves: tuple[tuple[Piece, Point], ...] = ()
    site: Point | None = None


class PlacePieces(NamedTuple):
    """The pieces and the eliminated pieces of a place."""

    pieces: list[Piece]
    fallen: list[Piece]


def frame_of(ground: Ground) -> Box:
    """Return the frame for stacks: the whole map, of which a phone shows a part."""
    return ground.whole if ground.narrow and ground.whole else ground.box


def by_place(scene: Scene, sites: Mapping[str, Point]) -> dict[str, PlacePieces]:
    """Return the present and the eliminated pieces of each place."""
    result = {place: PlacePieces([], []) for place in sites}
    for piece in scene.pieces:
        if piece.place in result:
            result[piece.place].pieces.append(piece)
    for piece in {piece.id: piece for piece in scene.fallen}.values():
        if piece.place in result:
            result[piece.place].fallen.append(piece)
    return result


def grave_positions(pieces: PlacePieces, x: float, bottom: float, size: float) -> tuple[tuple[Piece, Point], ...]:
    """Return the upper middles of eliminated counters, above a line."""
    top = bottom - GRAVE * size * len(pieces.fallen)
    return tuple((piece, (x, top + GRAVE * size * index)) for index, piece in enumerate(pieces.fallen))


class _Shape(NamedTuple):
    """A stack before it is placed: counter size, counters in a row, extent."""

    size: float
    across: int
    room: tuple[float, float]


def lay_stacks(scene: Scene, ground: Ground, sizes: Sequence[float] = SIZES) -> dict[str, Stack]:
    """Return a stack for every place, within its space or with a line to it.

    Counters have the first of `sizes` at which all fit; in a space too small for any of them its own are
    smaller.
    """
    sizes = SIZES[-1:] if ground.narrow else sizes
    by_place_name, goals = by_place(scene, ground.sites), {goal.place for goal in scene.stakes}
    name_widths = {
        place: width(place, _PLACE, "serif-italic") + (22 if place in goals else 4) for place in by_place_name
    }
    occupied = {place: pieces for place, pieces in by_place_name.items() if any(pieces)}

    def fitting(size: float) -> dict[str, tuple[_Shape, Point]]:
        shapes = {
            place: _best_shape(pieces, ground.rooms.get(place), size, name_widths[place])
            for place, pieces in occupied.items()
        }
        return {place: fit for place, fit in shapes.items() if fit is not None}

    smallest = fitting(sizes[-1])
    if len(smallest) < len(occupied):
        # Some are smaller still: the others are not twice as large.
        sizes = [size for size in sizes if size <= _BESIDE_SMALLER] or sizes[-1:]
    for size in sizes:
        chosen = fitting(size) if size != sizes[-1] else smallest
        if len(chosen) == len(smallest):
            break
    return _place_stacks(by_place_name, chosen, size, ground, name_widths)


def _best_shape(
    pieces: PlacePieces, room: Room | None, size: float, name_width: float, overhang: float = _OVER[0]
) -> tuple[_Shape, Point] | None:
    """Return the shape that brings a stack nearest to its site, and where; or None."""
    best: tuple[float, _Shape, Point] | None = None
    for rank, across in enumerate(_SHAPES):
        if room is None or (across > len(pieces.pieces) and across > 1):
            continue
        shape = _Shape(size, across, _stack_extent(pieces, size, across, name_width))
        fit = room.fits(shape.room[0] - 2 * overhang, shape.room[1] - overhang)
        if fit is not None and (best is None or fit[0] + rank * _NEARER < best[0]):
            best = fit[0] + rank * _NEARER, shape, fit[1]
    return best and best[1:]


def _place_stacks(
    by_place_name: Mapping[str, PlacePieces],
    chosen: Mapping[str, tuple[_Shape, Point]],
    size: float,
    ground: Ground,
    name_widths: Mapping[str, float],
) -> dict[str, Stack]:
    """Return stacks where they fit; the others near their site, moved apart."""
    shapes, middles, displaced = dict[str, _Shape](), dict[str, Point](), set[str]()
    for place, pieces in by_place_name.items():
        fit, own_size = chosen.get(place), size
        for own_size in (_SMALL[:1] if ground.narrow else _SMALL) if fit is None and any(pieces) else ():
            fit = (
                _best_shape(pieces, ground.rooms.get(place), own_size, name_widths[place], _OVER[1])
                if own_size <= size
                else None
            )
            if fit is not None:
                break
        if fit is None and any(pieces):
            displaced.add(place)
        elif fit is not None and not _is_inside(fit[1], fit[0].room, frame_of(ground)):
            # It may reach over the border of its space, but no frame may cut its name.
            fit = fit[0], _keep_inside(fit[1], fit[0].room, frame_of(ground))
        # One column at least, for eliminated counters alone.
        across = min(max(len(pieces.pieces), 1), ROW)
        shape = _Shape(
            own_size, across, _stack_extent(pieces, own_size, across, name_widths[place]) if any(pieces) else EMPTY
        )
        shapes[place], middles[place] = fit or (shape, _keep_inside(ground.sites[place], shape.room, frame_of(ground)))
    middles = _move_apart(middles, {place: shape.room for place, shape in shapes.items()}, frame_of(ground))
    stacks = {place: _stack(by_place_name[place], middles[place], shapes[place]) for place in by_place_name}
    return {
        place: stack._replace(site=ground.sites[place]) if place in displaced else stack
        for place, stack in stacks.items()
    }


def _stack_extent(pieces: PlacePieces, size: float, across: int, name_width: float) -> tuple[float, float]:
    """Return width and height of a stack, including its name."""
    # The fallen stand one above another: a place with them alone is as wide as one counter.
    row_width = min(across, max(len(pieces.pieces), 1)) * (WIDE * size + GAP) + 2 * GAP
    rows_height = sum(_row_height(row, size) for row in _rows(pieces.pieces, across))
    return max(row_width, name_width), rows_height + NAME + GRAVE * size * len(pieces.fallen)


def _rows(pieces: Sequence[Piece], across: int) -> list[Sequence[Piece]]:
    return [pieces[start : start + across] for start in range(0, len(pieces), across)]


def _row_height(row: Sequence[Piece], size: float) -> float:
    """Return the height of a row; counters with a state need more."""
    return (HIGH + max(band_height(piece) for piece in row)) * size + GAP


def _is_inside(centre: Point, size: tuple[float, float], frame: Box) -> bool:
    """Return whether a box around a middle is inside the frame."""
    return all(
        frame[axis] <= centre[axis] - size[axis] / 2 and centre[axis] + size[axis] / 2 <= frame[axis + 2]
        for axis in (0, 1)
    )


def _keep_inside(centre: Point, size: tuple[float, float], frame: Box) -> Point:
    """Return the middle of a box moved inside the frame."""
    (x, y), (box_width, box_height), (left, top, right, bottom) = centre, size, frame
    x = min(max(x, left + box_width / 2 + 4), right - box_width / 2 - 4)
    return x, min(max(y, top + box_height / 2 + 3), bottom - box_height / 2 - 4)


def _move_apart(middles: dict[str, Point], sizes: Mapping[str, tuple[float, float]], frame: Box) -> dict[str, Point]:
    """Move overlapping boxes apart, each by half of the shorter overlap."""
    names = sorted(middles)
    for _ in range(ROUNDS):
        has_moved = False
        for index, name in enumerate(names):
            for other in names[index + 1 :]:
                (x, y), (u, v) = middles[name], middles[other]
                overlap_x, overlap_y = _overlap((x, y), (u, v), sizes[name], sizes[other])
                if overlap_x <= 0 or overlap_y <= 0:
                    continue
                has_moved = True
                step = (
                    (overlap_x / 2 * (1 if x >= u else -1), 0.0)
                    if overlap_x < overlap_y
                    else (0.0, overlap_y / 2 * (1 if y >= v else -1))
                )
                middles[name] = _keep_inside((x + step[0], y + step[1]), sizes[name], frame)
                middles[other] = _keep_inside((u - step[0], v - step[1]), sizes[other], frame)
        if not has_moved:
            break
    return middles


def _overlap(
    first: Point, second: Point, size: tuple[float, float], second_size: tuple[float, float]
) -> tuple[float, float]:
    """Return the overlap of two boxes across and down; both positive if they overlap."""
    return (size[0] + second_size[0]) / 2 - abs(first[0] - second[0]), (size[1] + second_size[1]) / 2 - abs(
        first[1] - second[1]
    )


def _stack(pieces: PlacePieces, middle: Point, shape: _Shape) -> Stack:
    (x, y), (stack_width, stack_height), size = middle, shape.room, shape.size
    box = (x - stack_width / 2, y - stack_height / 2, x + stack_width / 2, y + stack_height / 2)
    if not any(pieces):
        return Stack((x, y + 4), (), box, size=size)
    across, top, corners = WIDE * size + GAP, box[1] + NAME, list[tuple[Piece, Point]]()
    for row in _rows(pieces.pieces, shape.across):
        left = x - len(row) * across / 2 + GAP / 2
        corners += [(piece, (left + column * across, top)) for column, piece in enumerate(row)]
        top += _row_height(row, size)
    return Stack(
        (x, box[1] + NAME - 4), tuple(corners), box, size=size, graves=grave_positions(pieces, x, box[3], size)
    )


def counters_of(stack: Stack) -> tuple[tuple[Piece, Point], ...]:
    """Return all counters of a stack with their corners."""
    return (*stack.slats, *stack.counters)


def own_boxes(stack: Stack) -> list[tuple[Piece, Box]]:
    """Return all counters of a stack with their boxes, those in a pile too."""
    shown = [(piece, SLAT if piece.branch != "leader" else TAB, point) for piece, point in stack.slats]
    shown += [(piece, HIGH, point) for piece, point in stack.counters]
    # Those of a row are as high as the highest, since the next row begins below it.
    bands = {y: 0.0 for _, _, (_, y) in shown}
    for piece, _, (_, y) in shown:
        bands[y] = max(bands[y], band_height(piece))
    return [(piece, (x, y, x + WIDE * stack.size, y + (high + bands[y]) * stack.size)) for piece, high, (x, y) in shown]


def counter_boxes(stack: Stack) -> list[Box]:
    """Return the boxes of a stack's counters: in a pile one of all of them."""
    boxes = [box for _, box in own_boxes(stack)]
    return [_around(boxes)] if stack.slats else boxes


def is_whole(stack: Stack, frame: Box) -> bool:
    """Return whether all counters of a stack, and eliminated ones, are in a frame."""
    fallen = [(x - WIDE / 2, y, x + WIDE / 2, y + GRAVE) for _, (x, y) in stack.graves]
    return all(
        frame[0] <= left and frame[1] <= top and right <= frame[2] and bottom <= frame[3]
        for left, top, right, bottom in (*counter_boxes(stack), *fallen)
    )


def body(stack: Stack) -> Box:
    """Return the box of a stack's counters, without the names of eliminated ones."""
    return _around(counter_boxes(stack))


def _around(boxes: Sequence[Box]) -> Box:
    """Return the box around boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


# Piles of counters on a hex map: the hex number above each, none over another.
#
# A column of hexes is little wider than a counter: piles move apart up and down.


LABEL = 9.4
"""The height of the hex number above a pile."""
_TOP = 24.6
"""How far above the middle of its hex the ground prints a hex number; a pile lower than its hex has its number there
too."""
_GAP = 0.8
"""The distance between piles of a column."""
_EDGE = (2.0, 4.0)
"""The least distances of a pile from the upper and lower edge."""


def lay_piles(scene: Scene, ground: Ground) -> dict[str, Stack]:
    """Return a pile for every occupied place, in which each counter shows its face.

    The last counter of a pile is whole if there is at most one unit. All others are lower, those of leaders most.
    """
    columns: dict[float, list[tuple[str, PlacePieces]]] = {}
    for place, pieces in by_place(scene, ground.sites).items():
        if any(pieces):
            columns.setdefault(ground.sites[place][0], []).append((place, pieces))
    stacks, frame = dict[str, Stack](), frame_of(ground)
    for x, column_pieces in columns.items():
        # From the top down, as `_spread_piles` moves them apart.
        column_pieces.sort(key=lambda entry: ground.sites[entry[0]][1])
        heights = [_pile_height(occupants) for _, occupants in column_pieces]
        wanted = [
            ground.sites[place][1] - (max(height / 2, _TOP) if occupants.pieces else height / 2)
            for (place, occupants), height in zip(column_pieces, heights, strict=True)
        ]
        tops = _spread_piles(wanted, heights, (frame[1] + _EDGE[0], frame[3] - _EDGE[1]))
        stacks |= {
            place: _pile(occupants, (x, top), height)
            for (place, occupants), top, height in zip(column_pieces, tops, heights, strict=True)
        }
    return stacks


def _heights(pieces: Sequence[Piece]) -> list[float]:
    """Return the heights of a pile's counters; a last one alone is whole."""
    is_crowded = sum(piece.branch != "leader" for piece in pieces) > 1
    heights = [TAB if piece.branch == "leader" else SLAT for piece in pieces]
    heights[-1:] = [heights[-1] if is_crowded else HIGH] if heights else []
    return [height + band_height(piece) for height, piece in zip(heights, pieces, strict=True)]


def _pile_height(pieces: PlacePieces) -> float:
    label = LABEL if pieces.pieces else 0.0
    return label + sum(_heights(pieces.pieces)) + _front_height(pieces.pieces) + GRAVE * len(pieces.fallen)


def _front_height(pieces: Sequence[Piece]) -> float:
    """Return the height below a pile for the sign of a front to the south."""
    return FRONT if any(piece.facing.startswith("S") for piece in pieces) else 0.0


def _spread_piles(wanted: Sequence[float], heights: Sequence[float], frame: tuple[float, float]) -> list[float]:
    """Return the tops of piles without overlaps, together as near as possible."""
    offset, groups = 0.0, list[tuple[float, int]]()
    offsets = list[float]()
    for want, height in zip(wanted, heights, strict=True):
        offsets.append(offset)
        groups.append((want - offset, 1))
        offset += height + _GAP
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (first_mean, first_count), (second_mean, many) = groups[-2:]
            groups[-2:] = [((first_mean * first_count + second_mean * many) / (first_count + many), first_count + many)]
    tops = [
        group + pile_offset
        for group, pile_offset in zip((mean for mean, many in groups for _ in range(many)), offsets, strict=True)
    ]
    lower = frame[1]
    for index in reversed(range(len(tops))):
        tops[index] = min(tops[index], lower - heights[index])
        lower = tops[index] - _GAP
    upper = frame[0]
    for index, height in enumerate(heights):
        tops[index] = max(tops[index], upper)
        upper = tops[index] + height + _GAP
    return tops


def _pile(pieces: PlacePieces, point: Point, height: float) -> Stack:
    """Return a pile from its upper middle, the names of eliminated counters below."""
    x, top = point
    left, y, placed = x - WIDE / 2, top + (LABEL if pieces.pieces else 0.0), list[tuple[Piece, Point]]()
    heights = _heights(pieces.pieces)
    for piece, own_height in zip(pieces.pieces, heights, strict=True):
        placed.append((piece, (left, y)))
        y += own_height
    wholes = 1 if heights and heights[-1] >= HIGH else 0
    box = (left, top, left + WIDE, top + height)
    slats, whole = tuple(placed[: len(placed) - wholes]), tuple(placed[len(placed) - wholes :])
    return Stack((x, top), whole, box, slats, graves=grave_positions(pieces, x, box[3] + 0.5, 1.0))
