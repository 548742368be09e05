"""Prepare a game's ground for drawing: cells or hexes, whole or cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from pbem.engine.data.memory import LruCache
from pbem.engine.data.scene import Scene
from pbem.engine.map.hexes import RADIUS, TALL, centre, corners, direction, neighbours, side
from pbem.engine.map.plane import Box, Point, box_of, smooth
from pbem.engine.map.sheets import AreaGround, Grounds, HexGround, HexMap
from pbem.maps.areas import Areas
from pbem.maps.drawn_on import Ground, is_within
from pbem.maps.hexes import Hexes
from pbem.maps.palette import Palette
from pbem.maps.rooms import Room
from pbem.maps.svg import Patch
from pbem.maps.windows import narrow_box

ACROSS, DOWN = 1.6, 1.4
"""Columns and rows of hexes shown around the pieces."""
LEAST = (560.0, 420.0)
"""The least size of a picture, in units of the map: heading and legend need the room."""
_LINES = {"ford": ("path", "stream"), "bridge": ("road", "river")}
"""The lines that meet at an edge, where these are not its kind."""
_METRES = 500
"""The length of the scale that a map shows. A choice: a round number of two or three hexes."""


class _Prepared(NamedTuple):
    """What follows from an edition alone: a ground, and how its patches are drawn."""

    ground: Ground
    patches: Callable[[Palette], list[Patch]]


def _nothing(palette: Palette, box: Box) -> str:
    return ""


_GROUNDS, _DRAWN = LruCache[str, _Prepared](32), LruCache[str, list[Patch]](8)


def prepare_ground(ground: Grounds, scene: Scene, edition: str = "", narrow: bool = False) -> Ground:
    """Return the ground for a scene; a hex map is cut to its pieces and events.

    A `narrow` one is cut to where most happened. What follows from an edition alone is cached by its digest.
    """
    prepared, patches = _GROUNDS.get(
        edition, lambda: _areas(ground) if isinstance(ground, AreaGround) else _hexes(ground)
    )

    def seen_patches(palette: Palette, box: Box, is_whole: bool) -> list[Patch]:
        kept = _DRAWN.get(f"{edition} {palette!r}" if edition else "", lambda: patches(palette))
        return [patch for patch in kept if patch.whole == is_whole and patch.is_seen(box)]

    def land(palette: Palette, box: Box) -> str:
        return "".join(patch.svg for patch in seen_patches(palette, box, is_whole=False))

    numbers = partial(seen_patches, is_whole=True)
    prepared = prepared._replace(edition=edition, svg=land, numbers=numbers, narrow=narrow)
    if narrow:
        prepared = prepared._replace(box=narrow_box(scene, prepared))
    elif prepared.piles:
        prepared = prepared._replace(box=_visible_box(scene, prepared))
    return prepared if isinstance(ground, AreaGround) else _limit_legend(ground.area, prepared)


def _limit_legend(area: HexMap, ground: Ground) -> Ground:
    """Limit the legend of a hex map to its visible part."""
    visible = {ident for ident in area.hexes if is_within(ident, ground)}
    levels = {f"{level}" for ident in visible if (level := area.level(ident)) and area.terrain(ident) == "clear"}
    terrains = {area.terrain(ident) for ident in visible if area.terrain(ident) != "clear" or not area.level(ident)}
    lines = tuple(sorted({feature for a, b, feature in area.features if a in visible or b in visible}))
    return ground._replace(lines=lines, terrains=tuple(sorted(terrains | levels)))


def _areas(ground: AreaGround) -> _Prepared:
    areas = Areas.of(ground.area, ground.sheet)
    lines = tuple(sorted({kind for edge in ground.area.edges for kind in _LINES.get(edge.kind, (edge.kind,))}))
    sheet = ground.sheet
    wet = [smooth(shore) for shore in sheet.water]
    rooms = {name: Room.of(areas.outline(name), sheet.sites[name], sheet.box, wet) for name in sorted(areas.cells)}
    prepared = Ground(
        sheet.box,
        _nothing,
        sheet.sites,
        areas.outline,
        sheet.scale,
        whole=sheet.box,
        glance=areas.glance,
        lines=lines,
        water=areas.water,
        border=areas.border,
        rooms=rooms,
        terrains=tuple(sorted({space.terrain for space in ground.area.spaces.values()})),
    )
    return _Prepared(prepared, areas.draw)


def _hexes(ground: HexGround) -> _Prepared:
    hexes = Hexes(ground.area)
    sites = {ident: centre(ident) for ident in ground.area.hexes}
    scale = (f"{_METRES} m", TALL * _METRES / ground.metres) if ground.metres else None
    prepared = Ground(
        hexes.box,
        _nothing,
        sites,
        corners,
        scale,
        piles=True,
        whole=hexes.box,
        glance=hexes.glance,
        border=_hex_side,
    )
    return _Prepared(prepared, hexes.draw)


def _hex_side(hex_name: str, other: str) -> Sequence[Point]:
    """Return the side of a hex towards a neighbour; empty for any other."""
    return side(hex_name, direction(hex_name, other)) if other in neighbours(hex_name) else ()


def _visible_box(scene: Scene, ground: Ground) -> Box:
    """Return the part of the map with pieces and events; the whole map without any.

    Distant goals do not widen it: the legend names them.
    """
    places = {piece.place for piece in (*scene.pieces, *scene.fallen)}
    places |= {place for mark in scene.marks for place in mark.places} | {*scene.reach, *scene.targets}
    points, whole = [ground.sites[place] for place in sorted(places) if place in ground.sites], ground.box
    if not points:
        return whole
    left, top, right, bottom = box_of(points)
    left, right = _cut_span((left, right), ACROSS * 1.5 * RADIUS, LEAST[0], (whole[0], whole[2]))
    top, bottom = _cut_span((top, bottom), DOWN * TALL, LEAST[1], (whole[1], whole[3]))
    return left, top, right, bottom


def _cut_span(
    extent: tuple[float, float], margin: float, least: float, whole: tuple[float, float]
) -> tuple[float, float]:
    """Return the extent with margin and least length, within the whole."""
    # What the extent lacks to the least length; a longer one is not shortened.
    extra = max(0.0, least - (extent[1] - extent[0] + 2 * margin)) / 2
    start, end = extent[0] - margin - extra, extent[1] + margin + extra
    start, end = min(start, whole[1] - least), max(end, whole[0] + least)
    # A strip as narrow as a hex number is shown as well.
    return whole[0] if start < whole[0] + RADIUS else start, whole[1] if end > whole[1] - RADIUS else end
