"""Where counters stand: in rows around the middle of their place, names above them, none upon another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot
from typing import NamedTuple

from pbem.core.data.scene import Piece, Scene
from pbem.core.map.plane import Box, Point
from pbem.pictures.counters import BAND, HIGH, STRIP, WIDE

__all__ = ["SIZES", "Stack", "piled", "stacked"]

ROW = 3
"""Counters side by side."""
GAP = 2.0
NAME = 15.0
"""What the name of a place takes above its counters."""
EMPTY = (36.0, 13.0)
GRAVE = STRIP + 1
ROUNDS = 60
SIZES = (1.4, 1.25, 1.1, 1.0)
"""How large counters may be: so large as leaves each stack near its place and beside the others."""
ASTRAY = 30.0


class Stack(NamedTuple):
    """What stands in a place: where the middle of its name is, each counter with its corner, the box of all that.

    Of `strips` no more is seen than their heads. Of `graves`, who went out of play there, the upper middles are given.
    Counters are drawn `size` times as large as they are.
    """

    name: Point
    counters: tuple[tuple[Piece, Point], ...]
    box: Box
    strips: tuple[tuple[Piece, Point], ...] = ()
    size: float = 1.0
    graves: tuple[tuple[Piece, Point], ...] = ()


class _Here(NamedTuple):
    """Who is in a place, and who was."""

    pieces: list[Piece]
    fallen: list[Piece]


def _by_place(scene: Scene, sites: Mapping[str, Point]) -> dict[str, _Here]:
    out = {place: _Here([], []) for place in sites}
    for piece in scene.pieces:
        if piece.place in out:
            out[piece.place].pieces.append(piece)
    for piece in {one.id: one for one in scene.fallen}.values():
        if piece.place in out:
            out[piece.place].fallen.append(piece)
    return out


def piled(scene: Scene, sites: Mapping[str, Point]) -> dict[str, Stack]:
    """Return a stack for every place that has any: the last counter whole, the heads of the others above it."""
    return {place: _pile(here, sites[place]) for place, here in _by_place(scene, sites).items() if any(here)}


def _pile(here: _Here, at: Point) -> Stack:
    """A pile around the middle of its place, below it who fell there."""
    heads = [STRIP + (BAND if piece.states else 0) for piece in here.pieces[:-1]]
    high = sum(heads) + (HIGH + 1 if here.pieces else 0) + GRAVE * len(here.fallen)
    left, first = at[0] - WIDE / 2, at[1] - high / 2
    y, strips = first, []
    for piece, head in zip(here.pieces, heads, strict=False):
        strips.append((piece, (left, y)))
        y += head
    top = tuple((piece, (left, y)) for piece in here.pieces[-1:])
    graves = _graves(here, at[0], first + high, 1.0)
    return Stack((at[0], first), top, (left, first, left + WIDE, first + high), tuple(strips), graves=graves)


def _graves(here: _Here, x: float, bottom: float, size: float) -> tuple[tuple[Piece, Point], ...]:
    """Who fell, above a line."""
    first = bottom - GRAVE * size * len(here.fallen)
    return tuple((piece, (x, first + GRAVE * size * at)) for at, piece in enumerate(here.fallen))


def stacked(scene: Scene, sites: Mapping[str, Point], frame: Box, sizes: Sequence[float] = SIZES) -> dict[str, Stack]:
    """Return a stack for every place, those with counters moved aside until none covers another.

    Counters are as large as the first of `sizes` that leaves room enough.
    """
    found = _by_place(scene, sites)
    for size in sizes:
        boxes = {place: _room(here, size) for place, here in found.items()}
        starts = {place: _kept(sites[place], boxes[place], frame) for place in sites}
        middles = _apart(dict(starts), boxes, frame)
        far = max((hypot(x - starts[one][0], y - starts[one][1]) for one, (x, y) in middles.items()), default=0)
        if far <= ASTRAY and not _covering(middles, boxes):
            break
    return {place: _stack(found[place], middles[place], boxes[place], size) for place in sites}


def _room(here: _Here, size: float) -> tuple[float, float]:
    """How wide and high a stack is, its name with it."""
    if not any(here):
        return EMPTY
    rows, most = -(-len(here.pieces) // ROW), max(min(len(here.pieces), ROW), 1)
    graves = GRAVE * size * len(here.fallen)
    return most * (WIDE * size + GAP) + 2 * GAP, rows * (HIGH * size + GAP) + NAME + graves


def _kept(at: Point, size: tuple[float, float], frame: Box) -> Point:
    """The middle of a box that is to lie within the frame."""
    (x, y), (wide, high), (left, top, right, bottom) = at, size, frame
    x = min(max(x, left + wide / 2 + 4), right - wide / 2 - 4)
    return x, min(max(y, top + high / 2 + 3), bottom - high / 2 - 4)


def _apart(middles: dict[str, Point], sizes: Mapping[str, tuple[float, float]], frame: Box) -> dict[str, Point]:
    """Boxes that overlap give way to one another, each by half of the shorter way."""
    names = sorted(middles)
    for _ in range(ROUNDS):
        moved = False
        for at, one in enumerate(names):
            for other in names[at + 1 :]:
                (x, y), (u, v) = middles[one], middles[other]
                over, down = _overlap((x, y), (u, v), sizes[one], sizes[other])
                if over <= 0 or down <= 0:
                    continue
                moved = True
                step = (
                    (over / 2 * (1 if x >= u else -1), 0.0) if over < down else (0.0, down / 2 * (1 if y >= v else -1))
                )
                middles[one] = _kept((x + step[0], y + step[1]), sizes[one], frame)
                middles[other] = _kept((u - step[0], v - step[1]), sizes[other], frame)
        if not moved:
            break
    return middles


def _overlap(one: Point, other: Point, size: tuple[float, float], more: tuple[float, float]) -> tuple[float, float]:
    """By how much two boxes overlap, across and down; they do if both are above zero."""
    return (size[0] + more[0]) / 2 - abs(one[0] - other[0]), (size[1] + more[1]) / 2 - abs(one[1] - other[1])


def _covering(middles: Mapping[str, Point], sizes: Mapping[str, tuple[float, float]]) -> bool:
    """Whether any box still covers another by more than a rim."""
    names = sorted(middles)
    return any(
        min(_overlap(middles[one], middles[other], sizes[one], sizes[other])) > 1.0
        for at, one in enumerate(names)
        for other in names[at + 1 :]
    )


def _stack(here: _Here, middle: Point, room: tuple[float, float], size: float) -> Stack:
    (x, y), (wide, high), pieces = middle, room, here.pieces
    box = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
    if not any(here):
        return Stack((x, y + 4), (), box, size=size)
    across, down = WIDE * size + GAP, HIGH * size + GAP
    rows = [pieces[at : at + ROW] for at in range(0, len(pieces), ROW)]
    corners = tuple(
        (piece, (x - len(row) * across / 2 + column * across + GAP / 2, box[1] + NAME + line * down))
        for line, row in enumerate(rows)
        for column, piece in enumerate(row)
    )
    return Stack((x, box[1] + NAME - 4), corners, box, size=size, graves=_graves(here, x, box[3], size))
