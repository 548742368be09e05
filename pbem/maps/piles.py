"""Where counters lie on a map of hexes: in piles, the number of the hex above each, none upon another.

A column of hexes is as wide as a counter and a little more: piles give way to one another up and down.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.scene import Scene
from pbem.engine.map.plane import Point
from pbem.maps.counters import HIGH, STRIP, WIDE, foot
from pbem.maps.drawn_on import Ground
from pbem.maps.layout import GRAVE, Here, Stack, by_place, graves

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
        highs = [_high(here) for _, here in there]
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


def _high(here: Here) -> float:
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
