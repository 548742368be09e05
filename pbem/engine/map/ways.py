"""Lines over a map as a whole: shores around hexes that lie together, ways from place to place to place."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise

from pbem.engine.map.hexplane import around
from pbem.engine.map.plane import Point

Key = tuple[float, float]


def outlines(middles: Collection[Point]) -> list[list[Point]]:
    """Return the outlines of the hexes around these middles, those that touch taken together, clockwise."""
    sides: dict[tuple[Key, Key], Point] = {}
    for at in sorted(middles):
        found = around(at)
        for start, end in pairwise((*found, found[0])):
            # What two of them share runs one way and the other, and is no shore.
            if sides.pop((_key(end), _key(start)), None) is None:
                sides[_key(start), _key(end)] = start
    after = {start: end for start, end in sides}
    points = {start: point for (start, _), point in sides.items()}
    out = []
    while after:
        here, line = min(after), list[Point]()
        while here in after:
            line.append(points[here])
            here = after.pop(here)
        out.append(line)
    return out


def _key(point: Point) -> Key:
    """The same for the corner of a hex and for that of the next."""
    return round(point[0], 1), round(point[1], 1)


def chains(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return ways through places, each as long as it goes on without a fork, of the steps that they are made of."""
    beside: dict[str, list[str]] = {}
    for a, b in sorted({(min(pair), max(pair)) for pair in pairs}):
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    ends = [place for place in sorted(beside) if len(beside[place]) != 2]
    done, out = set[tuple[str, str]](), list[list[str]]()
    for start in (*ends, *sorted(beside)):  # where ways end or meet; then those that come round to where they began
        for other in beside[start]:
            if (start, other) in done:
                continue
            way = [start, other]
            while len(beside[way[-1]]) == 2 and way[-1] != start:
                way.append(next(one for one in beside[way[-1]] if one != way[-2]))
            done.update(step for a, b in pairwise(way) for step in ((a, b), (b, a)))
            out.append(way)
    return out
