"""From a game's ground to one that is ready to be drawn on: cells or hexes, whole or as far as anything is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pbem.core.data.scene import Scene
from pbem.core.map.grounds import AreaGround, Grounds, HexGround
from pbem.core.map.hexplane import RADIUS, TALL, centre, corners
from pbem.core.map.plane import Box
from pbem.pictures.areas import Areas
from pbem.pictures.drawing import Ground
from pbem.pictures.hexes import Hexes
from pbem.pictures.palette import Palette

__all__ = ["ready"]

ACROSS, DOWN = 2.0, 1.5
"""Columns and rows of hexes that are seen around what is there."""
_METRES = 500
_PIXELS = 4.0
"""A corner on this grid is a whole pixel at every zoom that PNG is made at."""


def ready(ground: Grounds, scene: Scene, edition: str = "") -> Ground:
    """Return the ground for a scene; a map of hexes is cut to where somebody stands or something happened.

    By the digest of its edition what was drawn of it is found again.
    """
    if isinstance(ground, AreaGround):
        areas = Areas.of(ground.area, ground.sheet)
        return Ground(
            ground.sheet.box, areas.draw, ground.sheet.sites, areas.outline, ground.sheet.scale, edition=edition
        )
    hexes = Hexes(ground.area)
    sites = {ident: centre(ident) for ident in ground.area.hexes}
    drawn: Callable[[Palette], str] = hexes.draw
    scale = (f"{_METRES} m", TALL * _METRES / ground.metres) if ground.metres else None
    box = _cut(ground, scene, hexes.box)
    return Ground(box, drawn, sites, partial(corners), scale, piles=True, whole=hexes.box, edition=edition)


def _cut(ground: HexGround, scene: Scene, whole: Box) -> Box:
    """The part of the map where anything is; all of it where nothing is."""
    there = {piece.place for piece in scene.pieces} | {place for mark in scene.marks for place in mark.places}
    there |= {stake.place for stake in scene.stakes}
    points = [centre(place) for place in sorted(there & set(ground.area.hexes))]
    if not points:
        return whole
    xs, ys = [x for x, _ in points], [y for _, y in points]
    left, right = min(xs) - ACROSS * 1.5 * RADIUS, max(xs) + ACROSS * 1.5 * RADIUS
    top, bottom = min(ys) - DOWN * TALL, max(ys) + DOWN * TALL
    left, top = max(left // _PIXELS * _PIXELS, whole[0]), max(top // _PIXELS * _PIXELS, whole[1])
    return left, top, min(right, whole[2]), min(bottom, whole[3])
