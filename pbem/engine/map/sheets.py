"""Grounds, what a picture is drawn on, and sheets: how a map of areas is drawn.

A sheet is presentation and stands outside the edition: games begun replay::

    box = [40, -20, 740, 690]
    sites = { Nudos = [417, 132] }              # where cells are drawn around; else the map's own x and y
    water = [[[520, -20], [558, 63], ...]]      # sea and lakes, as polygons
    sea = { text = "MEDITERRÁNEO", at = [722, 250], turn = 78 }
    scale = { text = "500 m", length = 95 }
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from math import exp, hypot
from typing import NamedTuple, Protocol

from pbem.engine.map.areas import AreaMap
from pbem.engine.map.plane import Box, Cell, Point, cells, drawn, inside

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


MARGIN = 70
_STEPS = 40


class Inscription(NamedTuple):
    """Words on the map: where, and turned by how many degrees."""

    text: str
    at: Point
    turn: float


class Sheet(NamedTuple):
    """How a map is drawn; `length` is that of the scale's bar."""

    box: Box
    sites: Mapping[str, Point]
    water: tuple[tuple[Point, ...], ...] = ()
    sea: Inscription | None = None
    scale: tuple[str, float] | None = None

    def cells(self) -> dict[str, Cell]:
        """The cells of all spaces."""
        return cells(self.sites, self.box)


def plain(area: AreaMap) -> Sheet:
    """Return the sheet of a map that has none: cells around its own coordinates.

    In the order of the alphabet, whatever that of the map: where the outline of a cell begins hangs on it.
    """
    sites = {name: (float(space.x), float(space.y)) for name, space in sorted(area.spaces.items())}
    xs, ys = [x for x, _ in sites.values()], [y for _, y in sites.values()]
    return Sheet((min(xs) - MARGIN, min(ys) - MARGIN, max(xs) + MARGIN, max(ys) + MARGIN), sites)


def read_sheet(text: str, area: AreaMap) -> Sheet:
    """Read a sheet; ValueError if it names a space that the map has not."""
    data = tomllib.loads(text)
    base = plain(area)
    moved = {name: (float(x), float(y)) for name, (x, y) in data.get("sites", {}).items()}
    for name in moved:
        if name not in area.spaces:
            raise ValueError(f"the sheet of {area.name} names {name!r}, which is no space of it")
    sea, scale = data.get("sea"), data.get("scale")
    left, top, right, bottom = data.get("box", base.box)
    return Sheet(
        (left, top, right, bottom),
        {**base.sites, **moved},
        tuple(tuple((float(x), float(y)) for x, y in polygon) for polygon in data.get("water", ())),
        Inscription(sea["text"], tuple(sea["at"]), float(sea.get("turn", 0))) if sea else None,
        (scale["text"], float(scale["length"])) if scale else None,
    )


def seen_borders(sheet: Sheet) -> dict[frozenset[str], float]:
    """Return the borders of the sheet's cells, and how much of each is not under water."""
    out = {}
    for name, cell in sheet.cells().items():
        for other in filter(None, cell.sides):
            side = cell.border(other)
            if side is not None and name < other and (dry := _dry(sheet, *side)) >= 1.0:
                out[frozenset((name, other))] = dry
    return out


def _dry(sheet: Sheet, start: Point, end: Point) -> float:
    shares = [(at + 0.5) / _STEPS for at in range(_STEPS)]
    points = [(start[0] + s * (end[0] - start[0]), start[1] + s * (end[1] - start[1])) for s in shares]
    dry = sum(not any(inside(polygon, point) for polygon in sheet.water) for point in points)
    return hypot(end[0] - start[0], end[1] - start[1]) * dry / _STEPS


def told_apart(sheet: Sheet, area: AreaMap) -> Fit:
    """Hold the borders that are seen against the edges: one that is too short for the eye is missing."""
    seen = seen_borders(sheet)
    edges = {frozenset((edge.a, edge.b)) for edge in area.edges}
    long = {pair for pair, dry in seen.items() if dry >= LEAST}
    return Fit(frozenset(edges - long), frozenset(set(seen) - edges))


# Grounds: what a picture is drawn on, a map of areas with its sheet, or a map of hexes.


class HexMap(Protocol):
    """A map of hexes as it can be drawn; features of sides are (hex, next hex, what)."""

    @property
    def hexes(self) -> Collection[str]:
        """All ids."""
        ...

    @property
    def features(self) -> Iterable[tuple[str, str, str]]:
        """What runs between hexes, or from one to the next."""
        ...

    def terrain(self, ident: str) -> str:
        """The terrain of a hex."""
        ...

    def level(self, ident: str) -> int:
        """Its height; 0 is the plain."""
        ...


class AreaGround(NamedTuple):
    """Spaces, and how they are drawn."""

    area: AreaMap
    sheet: Sheet


class HexGround(NamedTuple):
    """Hexes, each so many metres wide; 0 where nobody knows."""

    area: HexMap
    metres: int = 0


Grounds = AreaGround | HexGround
