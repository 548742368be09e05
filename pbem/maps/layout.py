"""Where counters stand on a map of areas: in rows within their own space, names above them, none upon another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.scene import Piece, Scene
from pbem.engine.map.plane import Box, Point
from pbem.maps.counters import HIGH, STRIP, WIDE, foot
from pbem.maps.drawn_on import Ground
from pbem.maps.rooms import Room
from pbem.maps.svg import width

ROW = 3
"""Counters side by side."""
GAP = 2.0
NAME = 15.0
"""What the name of a place takes above its counters."""
EMPTY = (36.0, 13.0)
GRAVE = STRIP + 1
ROUNDS = 60
SIZES = (1.4, 1.25, 1.1, 1.0)
"""How large counters may be: as large as leaves each stack room within its own space."""
_SMALL = (1.0, 0.9, 0.8, 0.7)
"""How large they may be where a space has no room for them otherwise."""
_OVER = (3.0, 12.0)
"""By how much a stack may reach over the border of its space, and one that has no room otherwise."""
_SHAPES = (ROW, 2, 4, 1, 5)
"""How many counters side by side: the first that fits, unless another brings them nearer to their site."""
_NEARER = 400.0
_PLACE = 12.5


class Stack(NamedTuple):
    """What stands in a place: where the middle of its name is, each counter with its corner, the box of all that.

    Of `strips` no more is seen than their heads. Of `graves`, who went out of play there, the upper middles are given.
    Counters are drawn `size` times as large as they are. A stack that has no room where it belongs has a line to its
    `site`.
    """

    name: Point
    counters: tuple[tuple[Piece, Point], ...]
    box: Box
    strips: tuple[tuple[Piece, Point], ...] = ()
    size: float = 1.0
    graves: tuple[tuple[Piece, Point], ...] = ()
    site: Point | None = None


class Here(NamedTuple):
    """Who is in a place, and who was."""

    pieces: list[Piece]
    fallen: list[Piece]


def by_place(scene: Scene, sites: Mapping[str, Point]) -> dict[str, Here]:
    """Return who is in each place, and who fell there."""
    out = {place: Here([], []) for place in sites}
    for piece in scene.pieces:
        if piece.place in out:
            out[piece.place].pieces.append(piece)
    for piece in {one.id: one for one in scene.fallen}.values():
        if piece.place in out:
            out[piece.place].fallen.append(piece)
    return out


def graves(here: Here, x: float, bottom: float, size: float) -> tuple[tuple[Piece, Point], ...]:
    """Return where the upper middles of those are who fell, above a line."""
    first = bottom - GRAVE * size * len(here.fallen)
    return tuple((piece, (x, first + GRAVE * size * at)) for at, piece in enumerate(here.fallen))


class _Shape(NamedTuple):
    """A stack before it has its place: how large its counters are, how many stand side by side, what it takes."""

    size: float
    across: int
    room: tuple[float, float]


def stacked(scene: Scene, ground: Ground, sizes: Sequence[float] = SIZES) -> dict[str, Stack]:
    """Return a stack for every place, those with counters within their own space, or with a line to it.

    Counters are as large as the first of `sizes` for which all have room; where a space is too small for any of them
    its own are smaller.
    """
    found, goals = by_place(scene, ground.sites), {goal.place for goal in scene.stakes}
    heads = {place: width(place, _PLACE, "serif-italic") + (22 if place in goals else 4) for place in found}
    full = {place: here for place, here in found.items() if any(here)}

    def fitting(size: float) -> dict[str, tuple[_Shape, Point]]:
        fits = {place: _fitting(here, ground.rooms.get(place), size, heads[place]) for place, here in full.items()}
        return {place: fit for place, fit in fits.items() if fit is not None}

    least = fitting(sizes[-1])
    for size in sizes:
        chosen = fitting(size) if size != sizes[-1] else least
        if len(chosen) == len(least):
            break
    return _placed(found, chosen, size, ground, heads)


def _fitting(
    here: Here, room: Room | None, size: float, head: float, over: float = _OVER[0]
) -> tuple[_Shape, Point] | None:
    """The shape of a stack that brings it nearest to its site, and where; None if it has room in none."""
    best: tuple[float, _Shape, Point] | None = None
    for worse, across in enumerate(_SHAPES):
        if room is None or (across > len(here.pieces) and across > 1):
            continue
        shape = _Shape(size, across, _room(here, size, across, head))
        fit = room.fits(shape.room[0] - 2 * over, shape.room[1] - over)
        if fit is not None and (best is None or fit[0] + worse * _NEARER < best[0]):
            best = fit[0] + worse * _NEARER, shape, fit[1]
    return best and best[1:]


def _placed(
    found: Mapping[str, Here],
    chosen: Mapping[str, tuple[_Shape, Point]],
    size: float,
    ground: Ground,
    heads: Mapping[str, float],
) -> dict[str, Stack]:
    """Stacks where they have room; the others near their site, moved aside until none covers another."""
    shapes, middles, led = dict[str, _Shape](), dict[str, Point](), set[str]()
    for place, here in found.items():
        fit, small = chosen.get(place), size
        for small in _SMALL if fit is None and any(here) else ():
            fit = _fitting(here, ground.rooms.get(place), small, heads[place], _OVER[1]) if small <= size else None
            if fit is not None:
                break
        if fit is None and any(here):
            led.add(place)
        across = min(max(len(here.pieces), 1), ROW)
        shape = _Shape(small, across, _room(here, small, across, heads[place]) if any(here) else EMPTY)
        shapes[place], middles[place] = fit or (shape, _kept(ground.sites[place], shape.room, ground.box))
    if led:
        middles = _apart(middles, {place: shape.room for place, shape in shapes.items()}, ground.box)
    stacks = {place: _stack(found[place], middles[place], shapes[place]) for place in found}
    return {
        place: stack._replace(site=ground.sites[place]) if place in led else stack for place, stack in stacks.items()
    }


def _room(here: Here, size: float, across: int, head: float) -> tuple[float, float]:
    """How wide and high a stack is, its name with it."""
    wide = min(across, max(len(here.pieces), 1)) * (WIDE * size + GAP) + 2 * GAP
    high = sum(_high(row, size) for row in _rows(here.pieces, across))
    return max(wide, head), high + NAME + GRAVE * size * len(here.fallen)


def _rows(pieces: Sequence[Piece], across: int) -> list[Sequence[Piece]]:
    return [pieces[at : at + across] for at in range(0, len(pieces), across)]


def _high(row: Sequence[Piece], size: float) -> float:
    """How high a row of counters is: those below whom a state is said take more."""
    return (HIGH + max(foot(piece) for piece in row)) * size + GAP


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


def _stack(here: Here, middle: Point, shape: _Shape) -> Stack:
    (x, y), (wide, high), size = middle, shape.room, shape.size
    box = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
    if not any(here):
        return Stack((x, y + 4), (), box, size=size)
    across, top, corners = WIDE * size + GAP, box[1] + NAME, list[tuple[Piece, Point]]()
    for row in _rows(here.pieces, shape.across):
        left = x - len(row) * across / 2 + GAP / 2
        corners += [(piece, (left + column * across, top)) for column, piece in enumerate(row)]
        top += _high(row, size)
    return Stack((x, box[1] + NAME - 4), tuple(corners), box, size=size, graves=graves(here, x, box[3], size))


# Where counters lie on a map of hexes: in piles, the number of the hex above each, none upon another.
#
# A column of hexes is as wide as a counter and a little more: piles give way to one another up and down.


LABEL = 8.0
"""What the number of its hex takes above a pile."""
_TOP = 24.6
"""A pile that is not higher than its hex has its number where the ground has it: so far above the middle."""
_GAP = 0.8
_EDGE = (2.0, 11.0)
"""How near to the upper and to the lower edge of the picture a pile may come: below it the bar of a front has room."""


def piled(scene: Scene, ground: Ground) -> dict[str, Stack]:
    """Return a stack for every place that has any: the last counter whole, the heads of the others above it."""
    columns: dict[float, list[tuple[str, Here]]] = {}
    for place, here in by_place(scene, ground.sites).items():
        if any(here):
            columns.setdefault(ground.sites[place][0], []).append((place, here))
    out = dict[str, Stack]()
    for x, there in columns.items():
        there.sort(key=lambda one: ground.sites[one[0]][1])
        highs = [_pile_height(here) for _, here in there]
        wanted = [
            ground.sites[place][1] - (max(high / 2, _TOP) if here.pieces else high / 2)
            for (place, here), high in zip(there, highs, strict=True)
        ]
        tops = _spread(wanted, highs, (ground.box[1] + _EDGE[0], ground.box[3] - _EDGE[1]))
        out |= {place: _pile(here, (x, top), high) for (place, here), top, high in zip(there, tops, highs, strict=True)}
    return out


def _heads(here: Here) -> list[float]:
    """What shows of those who lie below others."""
    return [STRIP + foot(piece) for piece in here.pieces[:-1]]


def _pile_height(here: Here) -> float:
    last = LABEL + HIGH + foot(here.pieces[-1]) if here.pieces else 0.0
    return sum(_heads(here)) + last + GRAVE * len(here.fallen)


def _spread(wanted: Sequence[float], highs: Sequence[float], frame: tuple[float, float]) -> list[float]:
    """Where each begins so that none covers the next and together they are least far from where they belong."""
    off, groups = 0.0, list[tuple[float, int]]()
    offs = list[float]()
    for want, high in zip(wanted, highs, strict=True):
        offs.append(off)
        groups.append((want - off, 1))
        off += high + _GAP
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (one, few), (other, many) = groups[-2:]
            groups[-2:] = [((one * few + other * many) / (few + many), few + many)]
    tops = [
        group + over for group, over in zip((mean for mean, many in groups for _ in range(many)), offs, strict=True)
    ]
    last = frame[1]
    for at in reversed(range(len(tops))):
        tops[at] = min(tops[at], last - highs[at])
        last = tops[at] - _GAP
    first = frame[0]
    for at, high in enumerate(highs):
        tops[at] = max(tops[at], first)
        first = tops[at] + high + _GAP
    return tops


def _pile(here: Here, at: Point, high: float) -> Stack:
    """A pile from its upper middle down: heads, the last counter, and who fell there."""
    x, top = at
    left, y, strips = x - WIDE / 2, top + (LABEL if here.pieces else 0.0), []
    for piece, head in zip(here.pieces, _heads(here), strict=False):
        strips.append((piece, (left, y)))
        y += head
    last = tuple((piece, (left, y)) for piece in here.pieces[-1:])
    box = (left, top, left + WIDE, top + high)
    return Stack((x, top), last, box, tuple(strips), graves=graves(here, x, box[3] + 0.5, 1.0))
