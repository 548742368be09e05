"""Frames: scenes of one game on one ground, taken apart into what lies where, for a page that goes from one to another.

Each part is drawn around the origin, so that what looks alike is alike byte for byte wherever it lies: a page keeps
each look once. Laid in the order of `LAYERS`, those of a layer from the top of the map down, they show what `board`
shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from pbem.engine.data.scene import Camp, Piece, Scene
from pbem.engine.map.plane import Point
from pbem.maps.counters import counter, epitaph, front, strip
from pbem.maps.drawing import faced, leader, marked, scale_bar, shade
from pbem.maps.drawn_on import Ground, Style, within
from pbem.maps.goals import badge, beside, edged, place_name, plate, plated
from pbem.maps.layout import SIZES, Stack, piled, stacked
from pbem.maps.svg import tag

LAYERS = ("shade", "edges", "lines", "below", "names", "units", "goals", "graves", "fronts", "above")
_NOWHERE = (0.0, 0.0)


Known = dict[tuple[str, Piece, str, float], str]
"""How counters look: by how they are drawn, what they are, the tone of their camp, and how large they are."""


class Part(NamedTuple):
    """Something on the map: its layer, what it is in it, how it looks around the origin, where it lies.

    Of a counter `piece` says whose it is; of all else it is None.
    """

    layer: str
    key: str
    look: str
    at: Point
    piece: Piece | None = None


def together(scenes: Sequence[Scene]) -> Scene:
    """Return a scene with all that any of these shows: a map that is cut for it shows all of them."""
    first = scenes[0]
    return first._replace(
        pieces=tuple(dict.fromkeys(piece for scene in scenes for piece in scene.pieces)),
        marks=tuple(dict.fromkeys(mark for scene in scenes for mark in scene.marks)),
        fallen=tuple(dict.fromkeys(piece for scene in scenes for piece in scene.fallen)),
    )


def size_of(scenes: Sequence[Scene], ground: Ground) -> float:
    """Return how large counters are if they are alike in all scenes: as in the one that leaves them least room."""
    if ground.piles:
        return 1.0
    crowds = {tuple(sorted((one.place, one.side) for one in scene.pieces)): scene for scene in scenes}
    return reduce(lambda size, scene: _size(scene, ground, size), crowds.values(), SIZES[0])


def _size(scene: Scene, ground: Ground, most: float) -> float:
    found = stacked(scene, ground, [size for size in SIZES if size <= most])
    return max((stack.size for stack in found.values()), default=most)


def base(ground: Ground, style: Style) -> str:
    """Return what lies below all frames: the map, and the bar of its scale."""
    return ground.svg(style.palette) + scale_bar(ground, style.palette)


def frame(scene: Scene, ground: Ground, style: Style, size: float, known: Known | None = None) -> list[Part]:
    """Return what lies on the ground, counters `size` times as large as they are.

    How a counter looks is `known` if it was drawn before, for the same style and size.
    """
    palette, camps = style.palette, {camp.id: camp for camp in scene.camps}
    stacks = piled(scene, ground) if ground.piles else stacked(scene, ground, (size,))
    found = [
        Part("shade", place, shade(place, ground, palette), _NOWHERE) for place in scene.unseen if place in ground.sites
    ]
    for at, one in enumerate(marked(scene, ground, stacks, palette)):
        found += [Part("below", str(at), one.below, _NOWHERE)] if one.below else []
        found += [Part("above", str(at), one.above, _NOWHERE)] if one.above else []
    found += _goals(scene, ground, stacks, style) if ground.piles else _names(scene, stacks, style)
    for place, stack in sorted(stacks.items()):
        if led := leader(stack, palette):
            found.append(Part("lines", place, led, _NOWHERE))
        found += _stack(stack, camps, style, {} if known is None else known)
    return found


def _names(scene: Scene, stacks: Mapping[str, Stack], style: Style) -> Iterator[Part]:
    """The names of places, with what they are worth."""
    goals, camps = {goal.place: goal for goal in scene.stakes}, {camp.id: camp for camp in scene.camps}
    for place, stack in sorted(stacks.items()):
        worth = goals.get(place)
        holder = camps.get(worth.holder) if worth else None
        look = place_name(style.named(place), _NOWHERE, style.palette, worth, holder)
        yield Part("names", place, look, stack.name)


def _goals(scene: Scene, ground: Ground, stacks: Mapping[str, Stack], style: Style) -> Iterator[Part]:
    """Hexes that count, with what they are worth."""
    camps = {camp.id: camp for camp in scene.camps}
    if edges := edged(scene, ground, style.palette):
        yield Part("edges", "", edges, _NOWHERE)
    for goal in scene.stakes:
        if within(goal.place, ground):
            spot, radius = beside(goal, ground, stacks.get(goal.place))
            yield Part("goals", goal.place, badge(goal, camps.get(goal.holder), _NOWHERE, style.palette, radius), spot)
    for place, at in plated(stacks):
        yield Part("goals", f"number {place}", plate(style.named(place), style.palette), at)


def _stack(stack: Stack, camps: Mapping[str, Camp], style: Style, known: Known) -> Iterator[Part]:
    """Who stands in a place, and who fell there."""
    palette, size = style.palette, stack.size

    def large(drawn: str) -> str:
        return drawn if size == 1.0 or not drawn else tag("g", drawn, transform=f"scale({size:g})")

    for drawn, them in ((strip, stack.strips), (counter, stack.counters)):
        for piece, (x, y) in them:
            bare = piece._replace(name=style.named(piece.name), facing="")
            kind = (drawn.__name__, bare, camps[piece.side].tone, size)
            if kind not in known:
                known[kind] = large(drawn(bare, camps[piece.side], _NOWHERE, palette, style.say))
            yield Part("units", piece.id, known[kind], (x, y), piece)
    for piece, at in faced(stack):
        if bar := front(piece, _NOWHERE, camps[piece.side], palette):
            yield Part("fronts", piece.id, large(bar), at)
    for piece, at in stack.graves:
        look = epitaph(piece._replace(name=style.named(piece.name)), camps[piece.side], palette)
        yield Part("graves", piece.id, large(look), at)
