"""Split scenes of one game into parts, for a page that steps through them.

Each part is drawn around the origin, so that equal looks are equal bytes wherever they are: a page stores
each look once. Laid in the order of `LAYERS`, those of a layer from the top of the map down, they show the
same as `board`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from pbem.engine.data.scene import Nation, Piece, Scene
from pbem.engine.map.plane import Point
from pbem.maps.counters import counter, crossed_out_name, slat
from pbem.maps.drawing import draw_counter, draw_marks, fronts, land, leader_line, losses, shade, spotlights
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.furniture import scale_bar
from pbem.maps.goals import goal_outlines, goals_on_hexes, number_positions, place_names, plate
from pbem.maps.layout import SIZES, Stack, lay_piles, lay_stacks
from pbem.maps.svg import tag

LAYERS = ("shade", "edges", "lines", "below", "names", "units", "goals", "fronts", "above", "graves", "losses")
# The origin, around which each part is drawn.
_NOWHERE = (0.0, 0.0)


CounterCache = dict[tuple[str, Piece, str, float], str]
"""Counters' SVG: by drawing function, piece, tone of the camp, and size."""


class Part(NamedTuple):
    """A part of the map: layer, key, SVG around the origin, position.

    For a counter `piece` is set; for all else it is None.
    """

    layer: str
    key: str
    look: str
    at: Point
    piece: Piece | None = None


def merge_scenes(scenes: Sequence[Scene]) -> Scene:
    """Return a scene with all parts of these, so that a cut map shows all of them."""
    first = scenes[0]
    return first._replace(
        pieces=tuple(dict.fromkeys(piece for scene in scenes for piece in scene.pieces)),
        marks=tuple(dict.fromkeys(mark for scene in scenes for mark in scene.marks)),
        fallen=tuple(dict.fromkeys(piece for scene in scenes for piece in scene.fallen)),
    )


def common_counter_size(scenes: Sequence[Scene], ground: Ground) -> float:
    """Return the counters' size for all scenes: that of the most crowded one."""
    if ground.piles:
        return 1.0
    crowds = {tuple(sorted((piece.place, piece.side) for piece in scene.pieces)): scene for scene in scenes}
    return reduce(lambda size, scene: _largest_size(scene, ground, size), crowds.values(), SIZES[0])


def _largest_size(scene: Scene, ground: Ground, limit: float) -> float:
    stacks = lay_stacks(scene, ground, [size for size in SIZES if size <= limit])
    return max((stack.size for stack in stacks.values()), default=limit)


def base_svg(ground: Ground, style: Style) -> str:
    """Return the layer below all frames: the map, and the bar of its scale."""
    return land(ground, style.palette) + scale_bar(ground, style.palette)


def frame(scene: Scene, ground: Ground, style: Style, size: float, cache: CounterCache | None = None) -> list[Part]:
    """Return the parts above the ground, with counters `size` times as large.

    `cache` has the looks of counters drawn before, for the same style and size.
    """
    palette, camps = style.palette, {camp.id: camp for camp in scene.camps}
    stacks = lay_piles(scene, ground) if ground.piles else lay_stacks(scene, ground, (size,))
    parts = [
        Part("shade", place, shade(place, ground, palette), _NOWHERE) for place in scene.unseen if place in ground.sites
    ]
    for index, sign in enumerate(draw_marks(scene, ground, stacks, palette)):
        parts += [Part("below", str(index), sign.below, _NOWHERE)] if sign.below else []
        parts += [Part("above", str(index), sign.above, _NOWHERE)] if sign.above else []
    if ground.piles:
        parts += _goal_parts(scene, ground, stacks, style)
    else:
        parts += [Part("names", *named) for named in place_names(scene, ground, stacks, style)]
    parts += [Part("edges", place, rim, _NOWHERE) for place, rim in spotlights(scene, stacks, palette).items()]
    parts += [Part("losses", place, lost, _NOWHERE) for place, lost in losses(stacks, ground, palette).items()]
    for place, stack in sorted(stacks.items()):
        if line := leader_line(stack, palette):
            parts.append(Part("lines", place, line, _NOWHERE))
        if signs := fronts(stack, ground, palette):
            parts.append(Part("fronts", place, signs, _NOWHERE))
        parts += _stack_parts(place, stack, camps, style, {} if cache is None else cache)
    return parts


def _goal_parts(scene: Scene, ground: Ground, stacks: Mapping[str, Stack], style: Style) -> Iterator[Part]:
    """Yield the hexes that are goals, with their worth, and the numbers of hexes."""
    if edges := "".join(goal_outlines(scene, ground, style.palette)):
        yield Part("edges", "goals", edges, _NOWHERE)
    for layer, badges in zip(("names", "goals"), goals_on_hexes(scene, ground, stacks, style), strict=True):
        for place, (look, spot) in badges.items():
            yield Part(layer, f"goal {place}", look, spot)
    for place, point in number_positions(stacks):
        yield Part("goals", f"number {place}", plate(style.named(place), style.palette), point)


def _stack_parts(
    place: str, stack: Stack, camps: Mapping[str, Nation], style: Style, cache: CounterCache
) -> Iterator[Part]:
    """Yield the counters of a place, and those eliminated there."""
    size = stack.size
    for face, placed_pieces in ((slat, stack.slats), (counter, stack.counters)):
        for piece, (x, y) in placed_pieces:
            kind = (face.__name__, piece._replace(facing=""), camps[piece.side].tone, size)
            if kind not in cache:
                look = draw_counter(face, piece, camps, _NOWHERE, style, 1.0)
                cache[kind] = look if size == 1.0 else tag("g", look, transform=f"scale({size:g})")
            yield Part("units", piece.id, cache[kind], (x, y), piece)
    for piece, point in stack.graves:
        look = crossed_out_name(piece._replace(name=style.named(piece.name)), camps[piece.side], style.palette)
        yield Part("graves", piece.id, look if size == 1.0 else tag("g", look, transform=f"scale({size:g})"), point)
