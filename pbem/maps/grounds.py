"""From a game's ground to one that is ready to be drawn on: cells or hexes, whole or as far as anything is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.memory import Recent
from pbem.engine.data.scene import Scene
from pbem.engine.map.hexes import RADIUS, TALL, centre, corners, direction, neighbours, side
from pbem.engine.map.plane import Box, Point, smooth
from pbem.engine.map.sheets import AreaGround, Grounds, HexGround, HexMap
from pbem.maps.areas import Areas
from pbem.maps.drawn_on import Ground, within
from pbem.maps.hexes import Hexes
from pbem.maps.rooms import Room

ACROSS, DOWN = 1.6, 1.4
"""Columns and rows of hexes that are seen around what is there."""
LEAST = (560.0, 420.0)
"""No picture is smaller, in the units of the map: its heading and its legend need the room."""
_LINES = {"ford": "stream", "bridge": "river"}
_METRES = 500
_PIXELS = 4.0
"""A corner on this grid is a whole pixel at every zoom that PNG is made at."""


class _Numbers(NamedTuple):
    """Where the numbers of hexes stand: the middle of the first, from each to the next, half of what one takes."""

    first: float
    step: float
    half: float

    def cut(self, at: float) -> bool:
        """Whether a cut goes through numbers."""
        off = (at - self.first) % self.step
        return min(off, self.step - off) < self.half


_COLUMNS, _ROWS = _Numbers(RADIUS, 1.5 * RADIUS, 11.0), _Numbers(6.0, TALL / 2, 5.0)
_GROUNDS, _DRAWN = Recent[str, Ground](32), Recent[str, str](8)


def ready(ground: Grounds, scene: Scene, edition: str = "") -> Ground:
    """Return the ground for a scene; a map of hexes is cut to where somebody stands or something happened.

    By the digest of its edition what was made of it is found again.
    """
    found = _GROUNDS.get(edition, lambda: _areas(ground) if isinstance(ground, AreaGround) else _hexes(ground))
    whole = found.svg
    found = found._replace(
        edition=edition,
        svg=lambda palette: _DRAWN.get(f"{edition} {palette!r}" if edition else "", lambda: whole(palette)),
    )
    return found if isinstance(ground, AreaGround) else _seen(ground.area, found._replace(box=_cut(scene, found)))


def _seen(area: HexMap, found: Ground) -> Ground:
    """A map of hexes with no more said of it than is seen of it."""
    seen = {ident for ident in area.hexes if within(ident, found)}
    levels = {f"{level}" for ident in seen if (level := area.level(ident)) and area.terrain(ident) == "clear"}
    terrains = {area.terrain(ident) for ident in seen if area.terrain(ident) != "clear" or not area.level(ident)}
    lines = tuple(sorted({what for a, b, what in area.features if a in seen or b in seen}))
    return found._replace(lines=lines, terrains=tuple(sorted(terrains | levels)))


def _areas(ground: AreaGround) -> Ground:
    areas = Areas.of(ground.area, ground.sheet)
    lines = tuple(sorted({_LINES.get(edge.kind, edge.kind) for edge in ground.area.edges}))
    sheet = ground.sheet
    wet = [smooth(shore) for shore in sheet.water]
    rooms = {name: Room.of(areas.outline(name), sheet.sites[name], sheet.box, wet) for name in sorted(areas.cells)}
    return Ground(
        sheet.box,
        areas.draw,
        sheet.sites,
        areas.outline,
        sheet.scale,
        lines=lines,
        water=areas.water,
        border=areas.border,
        rooms=rooms,
        terrains=tuple(sorted({one.terrain for one in ground.area.spaces.values()})),
    )


def _hexes(ground: HexGround) -> Ground:
    hexes = Hexes(ground.area)
    sites = {ident: centre(ident) for ident in ground.area.hexes}
    scale = (f"{_METRES} m", TALL * _METRES / ground.metres) if ground.metres else None
    return Ground(
        hexes.box,
        hexes.draw,
        sites,
        corners,
        scale,
        piles=True,
        whole=hexes.box,
        glance=hexes.glance,
        border=_side,
    )


def _side(one: str, other: str) -> Sequence[Point]:
    """The side of a hex towards another, if that is next to it."""
    return side(one, direction(one, other)) if other in neighbours(one) else ()


def _cut(scene: Scene, ground: Ground) -> Box:
    """The part of the map where anybody stands or something happened; all of it where nothing is.

    Goals that lie far off do not widen it: where they are is said besides.
    """
    there = {piece.place for piece in (*scene.pieces, *scene.fallen)}
    there |= {place for mark in scene.marks for place in mark.places} | {*scene.reach, *scene.targets}
    points, whole = [ground.sites[place] for place in sorted(there) if place in ground.sites], ground.box
    if not points:
        return whole
    xs, ys = [x for x, _ in points], [y for _, y in points]
    left, right = _span((min(xs), max(xs)), ACROSS * 1.5 * RADIUS, LEAST[0], (whole[0], whole[2]), _COLUMNS)
    top, bottom = _span((min(ys), max(ys)), DOWN * TALL, LEAST[1], (whole[1], whole[3]), _ROWS)
    return left, top, right, bottom


def _span(
    there: tuple[float, float], around: float, least: float, whole: tuple[float, float], numbers: _Numbers
) -> tuple[float, float]:
    """From one end to the other with some room around, as long as it must be, within the map, through no number."""
    more = max(0.0, least - (there[1] - there[0] + 2 * around)) / 2
    start, end = there[0] - around - more, there[1] + around + more
    start, end = min(start, whole[1] - least), max(end, whole[0] + least)
    start = start // _PIXELS * _PIXELS
    while numbers.cut(start):
        start -= _PIXELS
    while numbers.cut(end):
        end += 1
    # What would be cut away is as narrow as a number of a hex: better none than half of it.
    return whole[0] if start < whole[0] + RADIUS else start, whole[1] if end > whole[1] - RADIUS else end
