"""Sites moved until the borders of their cells are exactly the edges of a map, so that a picture cannot lie.

A sheet keeps the sites that were found: this is for whoever draws a new map, and takes some seconds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import exp, hypot
from typing import NamedTuple

from pbem.engine.map.plane import Box, Cell, Point, cells, drawn

LEAST = 30.0
"""A border that is seen is at least so long."""
POINT = 1.0
"""What is shorter is a point at which cells meet, and no border."""
Pairs = Collection[frozenset[str]]


class Fit(NamedTuple):
    """Edges without a border, and borders without an edge."""

    missing: frozenset[frozenset[str]]
    false: frozenset[frozenset[str]]

    def __bool__(self) -> bool:
        """Whether borders are the edges, and nothing else."""
        return not self.missing and not self.false


def held(sites: Mapping[str, Point], edges: Pairs, box: Box) -> Fit:
    """Hold the borders of the sites' cells against the edges."""
    found = _borders(cells(sites, box))
    return Fit(frozenset(edges) - frozenset(found), frozenset(found) - frozenset(edges))


def _borders(found: Mapping[str, Cell]) -> dict[frozenset[str], float]:
    """The borders between cells, and how long each is."""
    out = {}
    for name, cell in found.items():
        for other in filter(None, cell.sides):
            side = cell.border(other)
            if side is not None and name < other:
                (a, b), (c, d) = side
                long = hypot(c - a, d - b)
                if long >= POINT:
                    out[frozenset((name, other))] = long
    return out


def fit(sites: Mapping[str, Point], edges: Pairs, box: Box, steps: int = 30_000) -> dict[str, Point]:
    """Return the sites, moved as little as may be, for their borders to be the edges; the best found if none fits.

    What is tried belongs to the names alone: the same map is fitted the same way again.
    """
    start, now, names = dict(sites), dict(sites), sorted(sites)
    wanted = frozenset(edges)
    cost = best = _cost(now, start, wanted, box)
    found = now
    for step in range(steps):
        heat = 1.0 - step / steps
        name = names[int((drawn(step, "which") + 1) / 2 * len(names)) % len(names)]
        x, y = now[name]
        far = 4.0 + 50.0 * heat
        moved = {**now, name: (x + far * drawn(step, name, "x"), y + far * drawn(step, name, "y"))}
        tried = _cost(moved, start, wanted, box)
        if tried <= cost or (drawn(step, "keep") + 1) / 2 < exp((cost - tried) / (40.0 * heat + 0.01)):
            now, cost = moved, tried
            if cost < best:
                best, found = cost, now
    return {name: (round(x), round(y)) for name, (x, y) in found.items()}


def _cost(now: Mapping[str, Point], start: Mapping[str, Point], wanted: frozenset[frozenset[str]], box: Box) -> float:
    """What is wrong: edges without border, borders without edge, short borders, sites far from where they were."""
    seen = _borders(cells(now, box))
    cost = sum(300.0 + 0.5 * _apart(now, pair) for pair in wanted if pair not in seen)
    cost += sum(150.0 + 3.0 * long for pair, long in seen.items() if pair not in wanted)
    cost += sum(2.0 * max(0.0, LEAST + 10.0 - seen[pair]) for pair in wanted if pair in seen)
    return cost + sum(_strayed(at, start[name]) for name, at in now.items())


def _apart(sites: Mapping[str, Point], pair: frozenset[str]) -> float:
    (a, b), (c, d) = (sites[name] for name in sorted(pair))
    return hypot(c - a, d - b)


def _strayed(now: Point, start: Point) -> float:
    """Near is nothing, far is more than any gain is worth."""
    return (hypot(now[0] - start[0], now[1] - start[1]) / 12.0) ** 2
