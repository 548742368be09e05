"""Prepare a game's ground for drawing: cells or hexes, whole or cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pbem.engine.data.memory import LruCache
from pbem.engine.data.scene import Scene
from pbem.engine.map.hexes import RADIUS, TALL, centre, corners, direction, neighbours, side
from pbem.engine.map.plane import Box, Point, box_of, smooth
from pbem.engine.map.sheets import AreaGround, Grounds, HexGround, HexMap
from pbem.maps.areas import Areas
from pbem.maps.drawn_on import Ground, is_within
from pbem.maps.hexes import Hexes
from pbem.maps.layout import Stack, lay_piles, lay_stacks
from pbem.maps.palette import Palette
from pbem.maps.rooms import Room
from pbem.maps.svg import Patch

ACROSS, DOWN = 1.6, 1.4
"""Columns and rows of hexes shown around the pieces."""
LEAST = (560.0, 420.0)
"""The least size of a picture, in units of the map: heading and legend need the room."""
NARROW = (248.0, 300.0)
"""The part of a map that a phone shows: names are 1.5 pixels high for each unit on a screen of 390."""
_COLUMN, _BESIDE = 1.5 * RADIUS, 2.0
NARROW_PILES = (5 * _COLUMN + 2 * _BESIDE, 288.0)
_HEAVY = 14
"""So many places are weighed in pairs."""
_MATTERS = {"assault": 8.0, "fire": 2.5, "retreat": 3.0, "arrive": 1.5, "move": 1.2}
_LINES = {"ford": "stream", "bridge": "river"}
_METRES = 500
"""The length of the scale that a map shows."""


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

    def draw(palette: Palette, box: Box) -> str:
        drawn = _DRAWN.get(f"{edition} {palette!r}" if edition else "", lambda: patches(palette))
        return "".join(patch.svg for patch in drawn if patch.is_seen(box))

    prepared = prepared._replace(edition=edition, svg=draw, narrow=narrow)
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
    lines = tuple(sorted({_LINES.get(edge.kind, edge.kind) for edge in ground.area.edges}))
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
    extra = max(0.0, least - (extent[1] - extent[0] + 2 * margin)) / 2
    start, end = extent[0] - margin - extra, extent[1] + margin + extra
    start, end = min(start, whole[1] - least), max(end, whole[0] + least)
    # A strip as narrow as a hex number is shown as well.
    return whole[0] if start < whole[0] + RADIUS else start, whole[1] if end > whole[1] - RADIUS else end


def narrow_box(scene: Scene, ground: Ground) -> Box:
    """Return the part of the map where most happened, as large as a phone can show with legible names."""
    wide, high = NARROW_PILES if ground.piles else NARROW
    weights, stacks = _weights(scene, ground), (lay_piles if ground.piles else lay_stacks)(scene, ground)
    boxes = {place: _around(ground.sites[place], stacks.get(place)) for place in sorted(weights)}
    heavy = sorted(boxes, key=lambda place: (-weights[place], place))[:_HEAVY]
    windows = [_window(boxes[a], boxes[b]) for number, a in enumerate(heavy) for b in heavy[: number + 1]]

    def is_seen(box: Box, middle: Point) -> bool:
        return all(
            abs((box[side] + box[side + 2]) / 2 - middle[side]) + (box[side + 2] - box[side]) / 2 <= size / 2
            for side, size in enumerate((wide, high))
        )

    left, top, right, bottom = ground.box
    middle = ((left + right) / 2, (top + bottom) / 2)
    if windows:
        middle = max(
            windows, key=lambda spot: sum(weights[place] for place, box in boxes.items() if is_seen(box, spot))
        )
        shown = [box for box in boxes.values() if is_seen(box, middle)]
        middle = _window(*shown) if shown else middle
    wide, high = min(wide, right - left), min(high, bottom - top)
    x = min(max(middle[0] - wide / 2, left), right - wide)
    if ground.piles:
        # Whole columns: the next counters begin at the frame.
        x = min(round((x + _BESIDE) / _COLUMN) * _COLUMN - _BESIDE + RADIUS / 4, right - wide)
    y = min(max(middle[1] - high / 2, top), bottom - high)
    return x, y, x + wide, y + high


def _around(site: Point, stack: Stack | None) -> Box:
    """Return the box of a place's stack with its name, or of an empty place."""
    return stack.box if stack is not None else (site[0] - 12, site[1] - 12, site[0] + 12, site[1] + 12)


def _window(*boxes: Box) -> Point:
    """Return the middle of what some boxes cover."""
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    return (left + max(box[2] for box in boxes)) / 2, (top + max(box[3] for box in boxes)) / 2


def _weights(scene: Scene, ground: Ground) -> dict[str, float]:
    """Return how much each place matters: fights and losses most, then moves, then who stands there."""
    weights = dict[str, float]()

    def add(place: str, weight: float) -> None:
        if place in ground.sites:
            weights[place] = weights.get(place, 0.0) + weight

    for mark in scene.marks:
        add(mark.places[-1], _MATTERS.get(mark.kind, 0.3))
        add(mark.places[0], _MATTERS.get(mark.kind, 0.3) / 2)
    for piece in (*scene.pieces, *scene.fallen):
        add(piece.place, 3.0 if piece.lost or piece in scene.fallen else 0.3)
    for place in (*scene.asked, *scene.targets, *scene.reach):
        add(place, 4.0)
    return weights
