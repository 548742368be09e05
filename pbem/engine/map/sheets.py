"""Sheets: how a map of areas is drawn. Grounds: the map below a picture.

A sheet is only presentation, and not part of the edition, so that it may change while games are under way::

    box = [40, -20, 740, 690]
    sites = { Nudos = [417, 132] }              # centres of cells; else the map's own x and y
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
from pbem.engine.map.plane import Box, Cell, Point, cells, inside, noise

LEAST = 30.0
"""Least length of a border that is seen. A choice: cells that only touch at a corner are no neighbours."""
POINT = 1.0
"""A shorter border counts as a point at which cells meet."""
Pairs = Collection[frozenset[str]]


class Fit(NamedTuple):
    """Differences between a map and its drawing: edges and borders without the other."""

    missing: frozenset[frozenset[str]]
    false: frozenset[frozenset[str]]

    def __bool__(self) -> bool:
        """Return whether the borders are exactly the edges."""
        return not self.missing and not self.false


def compare_borders(sites: Mapping[str, Point], edges: Pairs, box: Box) -> Fit:
    """Compare the borders of the sites' cells with the edges."""
    borders = _borders(cells(sites, box))
    return Fit(frozenset(edges) - frozenset(borders), frozenset(borders) - frozenset(edges))


def _borders(cell_by_name: Mapping[str, Cell]) -> dict[frozenset[str], float]:
    """Return the borders between cells, and the length of each."""
    lengths = {}
    for name, cell in cell_by_name.items():
        for other in filter(None, cell.sides):
            side = cell.border(other)
            if side is not None and name < other:
                (a, b), (c, d) = side
                length = hypot(c - a, d - b)
                if length >= POINT:
                    lengths[frozenset((name, other))] = length
    return lengths


def fit(sites: Mapping[str, Point], edges: Pairs, box: Box, steps: int = 30_000) -> dict[str, Point]:
    """Return the sites, moved as little as possible so that borders match the edges.

    If none fits, the best result is returned. The search follows from the names alone: the same map gives the
    same result.
    """
    start, current, names = dict(sites), dict(sites), sorted(sites)
    wanted = frozenset(edges)
    cost = best = _cost(current, start, wanted, box)
    best_sites = current
    for step in range(steps):
        heat = 1.0 - step / steps
        name = names[int((noise(step, "which") + 1) / 2 * len(names)) % len(names)]
        x, y = current[name]
        distance = 4.0 + 50.0 * heat
        moved = {**current, name: (x + distance * noise(step, name, "x"), y + distance * noise(step, name, "y"))}
        new_cost = _cost(moved, start, wanted, box)
        if new_cost <= cost or (noise(step, "keep") + 1) / 2 < exp((cost - new_cost) / (40.0 * heat + 0.01)):
            current, cost = moved, new_cost
            if cost < best:
                best, best_sites = cost, current
    return {name: (round(x), round(y)) for name, (x, y) in best_sites.items()}


def _cost(sites: Mapping[str, Point], start: Mapping[str, Point], wanted: frozenset[frozenset[str]], box: Box) -> float:
    """Return the cost of a solution.

    It counts edges without border, borders without edge, short borders, and sites far from their start.
    """
    borders = _borders(cells(sites, box))
    # The weights are a choice: a missing neighbour is worst, one too many half as bad, a short border least. Beyond ten
    # more than the least a border need not grow.
    cost = sum(300.0 + 0.5 * _apart(sites, pair) for pair in wanted if pair not in borders)
    cost += sum(150.0 + 3.0 * long for pair, long in borders.items() if pair not in wanted)
    cost += sum(2.0 * max(0.0, LEAST + 10.0 - borders[pair]) for pair in wanted if pair in borders)
    return cost + sum(_stray_cost(point, start[name]) for name, point in sites.items())


def _apart(sites: Mapping[str, Point], pair: frozenset[str]) -> float:
    (a, b), (c, d) = (sites[name] for name in sorted(pair))
    return hypot(c - a, d - b)


def _stray_cost(now: Point, start: Point) -> float:
    """Return a site's cost of moving from its start: prohibitive if far."""
    return (hypot(now[0] - start[0], now[1] - start[1]) / 12.0) ** 2


MARGIN = 70
"""Units of paper around the outermost sites, so that all that is drawn at them is on the sheet."""
_STEPS = 40
"""Points at which a way is tested for dry ground. A choice: water narrower than a fortieth of the way may be missed."""


class Inscription(NamedTuple):
    """Words on the map: position, and rotation in degrees."""

    text: str
    at: Point
    turn: float


class Sheet(NamedTuple):
    """The drawing of a map; `length` is that of the scale's bar."""

    box: Box
    sites: Mapping[str, Point]
    water: tuple[tuple[Point, ...], ...] = ()
    sea: Inscription | None = None
    scale: tuple[str, float] | None = None

    def cells(self) -> dict[str, Cell]:
        """Return the cells of all spaces."""
        return cells(self.sites, self.box)


def plain(area: AreaMap) -> Sheet:
    """Return the default sheet of a map: cells around its own coordinates.

    Sites are in alphabetical order, whatever that of the map: the first point of a cell's outline depends on it.
    """
    sites = {name: (float(space.x), float(space.y)) for name, space in sorted(area.spaces.items())}
    xs, ys = [x for x, _ in sites.values()], [y for _, y in sites.values()]
    return Sheet((min(xs) - MARGIN, min(ys) - MARGIN, max(xs) + MARGIN, max(ys) + MARGIN), sites)


def read_sheet(text: str, area: AreaMap) -> Sheet:
    """Read a sheet; raise ValueError if it names an unknown space."""
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
    """Return the borders of the sheet's cells, each with its length on land."""
    out = {}
    for name, cell in sheet.cells().items():
        for other in filter(None, cell.sides):
            side = cell.border(other)
            if side is not None and name < other and (dry := _dry_length(sheet, *side)) >= 1.0:
                out[frozenset((name, other))] = dry
    return out


def _dry_length(sheet: Sheet, start: Point, end: Point) -> float:
    shares = [(step + 0.5) / _STEPS for step in range(_STEPS)]
    points = [(start[0] + s * (end[0] - start[0]), start[1] + s * (end[1] - start[1])) for s in shares]
    dry = sum(not any(inside(polygon, point) for polygon in sheet.water) for point in points)
    return hypot(end[0] - start[0], end[1] - start[1]) * dry / _STEPS


def compare_seen_borders(sheet: Sheet, area: AreaMap) -> Fit:
    """Compare visible borders with the edges.

    A border too short to be seen counts as missing.
    """
    borders = seen_borders(sheet)
    edges = {frozenset((edge.a, edge.b)) for edge in area.edges}
    visible = {pair for pair, dry in borders.items() if dry >= LEAST}
    return Fit(frozenset(edges - visible), frozenset(set(borders) - edges))


# Grounds: what a picture is drawn on, a map of areas with its sheet, or a map of hexes.


class HexMap(Protocol):
    """A map of hexes to be drawn; features of sides are (hex, next hex, kind)."""

    @property
    def hexes(self) -> Collection[str]:
        """Return all ids."""
        ...

    @property
    def features(self) -> Iterable[tuple[str, str, str]]:
        """Return the features between hexes, or from one to the next."""
        ...

    def terrain(self, ident: str) -> str:
        """Return the terrain of a hex."""
        ...

    def level(self, ident: str) -> int:
        """Return its height; 0 is the plain."""
        ...


class AreaGround(NamedTuple):
    """A map of spaces to be drawn: the spaces, and the sheet that outlines them."""

    area: AreaMap
    sheet: Sheet


class HexGround(NamedTuple):
    """A map of hexes to be drawn: the hexes, and their width in metres (0: unknown)."""

    area: HexMap
    metres: int = 0


Grounds = AreaGround | HexGround
