"""Sheets: how a map of areas is drawn. A sheet is presentation and stands outside the edition: games begun replay.

::

    box = [40, -20, 740, 690]
    sites = { Nudos = [417, 132] }              # where cells are drawn around; else the map's own x and y
    water = [[[520, -20], [558, 63], ...]]      # sea and lakes, as polygons
    sea = { text = "MEDITERRÁNEO", at = [722, 250], turn = 78 }
    scale = { text = "500 m", length = 95 }
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from math import hypot
from typing import NamedTuple

from pbem.engine.map.areas import AreaMap
from pbem.engine.map.fitting import LEAST, Fit
from pbem.engine.map.plane import Box, Cell, Point, cells, inside

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
