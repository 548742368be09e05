"""Where counters stand: in rows around the middle of their place, names above them, none upon another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.core.data.scene import Piece, Scene
from pbem.core.map.plane import Box, Point
from pbem.pictures.counters import HIGH, STRIP, WIDE

__all__ = ["Stack", "piled", "stacked"]

ROW = 3
"""Counters side by side."""
GAP = 2.0
NAME = 15.0
"""What the name of a place takes above its counters."""
EMPTY = (36.0, 13.0)
ROUNDS = 60


class Stack(NamedTuple):
    """What stands in a place: where the middle of its name is, each counter with its corner, the box of all that.

    Of `strips` no more is seen than their heads.
    """

    name: Point
    counters: tuple[tuple[Piece, Point], ...]
    box: Box
    strips: tuple[tuple[Piece, Point], ...] = ()


def piled(scene: Scene, sites: Mapping[str, Point]) -> dict[str, Stack]:
    """Return a stack for every place that has any: the last counter whole, the heads of the others above it."""
    here: dict[str, list[Piece]] = {}
    for piece in scene.pieces:
        if piece.place in sites:
            here.setdefault(piece.place, []).append(piece)
    out = {}
    for place, pieces in here.items():
        x, y = sites[place]
        left, top = x - WIDE / 2, y - HIGH / 2 + STRIP * (len(pieces) - 1) / 2
        first = top - STRIP * (len(pieces) - 1)
        strips = tuple((piece, (left, first + STRIP * at)) for at, piece in enumerate(pieces[:-1]))
        out[place] = Stack((x, first), ((pieces[-1], (left, top)),), (left, first, left + WIDE, top + HIGH), strips)
    return out


def stacked(scene: Scene, sites: Mapping[str, Point], frame: Box) -> dict[str, Stack]:
    """Return a stack for every place, those with counters moved aside until none covers another."""
    here = {place: [piece for piece in scene.pieces if piece.place == place] for place in sites}
    sizes = {place: _size(pieces) for place, pieces in here.items()}
    middles = _apart({place: _kept(sites[place], sizes[place], frame) for place in sites}, sizes, frame)
    return {place: _stack(here[place], middles[place], sizes[place]) for place in sites}


def _size(pieces: Sequence[Piece]) -> tuple[float, float]:
    """How wide and high a stack is, its name with it."""
    if not pieces:
        return EMPTY
    rows = -(-len(pieces) // ROW)
    return min(len(pieces), ROW) * (WIDE + GAP), rows * (HIGH + GAP) + NAME


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
                over = (sizes[one][0] + sizes[other][0]) / 2 - abs(x - u)
                down = (sizes[one][1] + sizes[other][1]) / 2 - abs(y - v)
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


def _stack(pieces: Sequence[Piece], middle: Point, size: tuple[float, float]) -> Stack:
    (x, y), (wide, high) = middle, size
    box = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
    if not pieces:
        return Stack((x, y + 4), (), box)
    rows = [pieces[at : at + ROW] for at in range(0, len(pieces), ROW)]
    corners = tuple(
        (
            piece,
            (x - len(row) * (WIDE + GAP) / 2 + column * (WIDE + GAP) + GAP / 2, box[1] + NAME + line * (HIGH + GAP)),
        )
        for line, row in enumerate(rows)
        for column, piece in enumerate(row)
    )
    return Stack((x, box[1] + NAME - 4), corners, box)
