"""The whole picture: heading and points, the ground, what is out of sight, marks, names, goals, counters, legend."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.core.data.scene import UNSEEN, Camp, Piece, Scene, Stake
from pbem.core.map.plane import Box, Point
from pbem.pictures.counters import Say, counter, strip
from pbem.pictures.layout import Stack, piled, stacked
from pbem.pictures.legend import legend
from pbem.pictures.marks import Boxes, mark
from pbem.pictures.palette import LIGHT, Palette
from pbem.pictures.svg import line, number, polygon, tag, text, width

__all__ = ["HEAD", "MARGIN", "Ground", "Style", "alone", "board", "draw"]

HEAD = 48.0
MARGIN = 12.0
"""Both are whole pixels at every zoom that PNG is made at."""


class Ground(NamedTuple):
    """A map ready to be drawn on: its frame, its SVG by palette, where places are and what they look like.

    `scale` is the bar of its scale: its words, and its length. Where counters lie in `piles` there is no room for the
    names of places. `box` may be a part of the `whole`. What is kept of a ground is kept under its `edition`.
    """

    box: Box
    svg: Callable[[Palette], str]
    sites: Mapping[str, Point]
    outlines: Callable[[str], Sequence[Point]]
    scale: tuple[str, float] | None = None
    piles: bool = False
    whole: Box | None = None
    edition: str = ""


class Style(NamedTuple):
    """How a reader has it: sentences and names of places and counters in his language, and the colours.

    Where a page is to find counters, each lies in a group that says whose it is: it has `handles`.
    """

    say: Say
    named: Callable[[str], str]
    palette: Palette = LIGHT
    handles: bool = False


def alone(ground: Ground, palette: Palette) -> str:
    """Return the whole of a ground as SVG, with nothing on it and nothing around it."""
    left, top, right, bottom = ground.whole or ground.box
    wide, high = right - left, bottom - top
    view = f"{number(left)} {number(top)} {number(wide)} {number(high)}"
    return tag("svg", ground.svg(palette), xmlns="http://www.w3.org/2000/svg", width=wide, height=high, viewBox=view)


def draw(scene: Scene, ground: Ground, style: Style, over: bool = False) -> str:
    """Return the picture as SVG: the same bytes for the same scene, ground and style.

    With `over` it is without paper and ground, to be laid over them.
    """
    left, top, right, bottom = ground.box
    palette, wide = style.palette, right - left
    key, high = legend(scene, wide, style.say, palette)
    body = ("" if over else ground.svg(palette)) + _on(scene, ground, style)
    view = f"{number(left)} {number(top)} {number(wide)} {number(bottom - top)}"
    inner = tag("svg", body, x=MARGIN, y=HEAD, width=wide, height=bottom - top, viewBox=view)
    frame = tag(
        "rect", x=MARGIN, y=HEAD, width=wide, height=bottom - top, fill="none", stroke=palette.frame, stroke_width=2
    )
    total = HEAD + (bottom - top) + high + 8
    paper = "" if over else tag("rect", width=wide + 2 * MARGIN, height=total, fill=palette.paper)
    key = tag("g", key, transform=f"translate({number(MARGIN)} {number(HEAD + bottom - top + 8)})")
    head = _heading(scene, wide, style)
    return tag(
        "svg", paper + head + inner + frame + key, xmlns="http://www.w3.org/2000/svg",
        width=wide + 2 * MARGIN, height=total, viewBox=f"0 0 {number(wide + 2 * MARGIN)} {number(total)}",
    )  # fmt: skip


def board(scene: Scene, ground: Ground, style: Style, places: Collection[str]) -> str:
    """Return the map alone, for a page: below everything the outlines of `places`, each with its name, to be chosen."""
    left, top, right, bottom = ground.box
    outlines = "".join(
        polygon(ground.outlines(place), fill="transparent", data_place=place)
        for place in sorted(places)
        if place in ground.sites
    )
    body = ground.svg(style.palette) + tag("g", outlines) + _on(scene, ground, style._replace(handles=True))
    view = f"{number(left)} {number(top)} {number(right - left)} {number(bottom - top)}"
    return tag("svg", body, xmlns="http://www.w3.org/2000/svg", viewBox=view)


def _on(scene: Scene, ground: Ground, style: Style) -> str:
    """What lies on the ground: shade, names and goals, counters, arrows, the scale."""
    palette = style.palette
    stacks = piled(scene, ground.sites) if ground.piles else stacked(scene, ground.sites, ground.box)
    camps = {camp.id: camp for camp in scene.camps}
    return "".join(
        (
            "".join(_shade(place, ground, palette) for place in scene.unseen if place in ground.sites),
            "" if ground.piles else "".join(_names(scene, ground, stacks, style)),
            "".join(_counters(stacks[place], camps, style) for place in sorted(stacks)),
            "".join(_marks(scene, ground, stacks, palette)),
            "".join(_names(scene, ground, stacks, style)) if ground.piles else "",
            _scale(ground, palette),
        )
    )


def _heading(scene: Scene, wide: float, style: Style) -> str:
    """The battle, the moment, and the points of each camp that has any."""
    palette, right = style.palette, MARGIN + wide
    out = text(style.say(scene.heading), (MARGIN, 20), 17, "serif-bold", fill=palette.ink)
    out += text(style.say(scene.moment), (MARGIN, 37), 10.5, fill=palette.faint)
    for camp in reversed([camp for camp in scene.camps if camp.points is not None]):
        livery = palette.liveries[camp.tone]
        said = f"{style.say(camp.name)} {camp.points}{'+?' if camp.more else ''}"
        long = width(said, 12, "sans-bold") + 18
        out += tag(
            "rect", x=right - long, y=11, width=long, height=22, rx=5, fill=livery.ground, stroke=livery.rim,
            stroke_width=1.4,
        )  # fmt: skip
        out += text(said, (right - long / 2, 26.4), 12, "sans-bold", text_anchor="middle", fill=livery.ink)
        right -= long + 6
    return out


def _counters(stack: Stack, camps: Mapping[str, Camp], style: Style) -> str:
    def named(piece: Piece) -> Piece:
        return piece._replace(name=style.named(piece.name))

    def held(piece: Piece, drawn: str) -> str:
        return tag("g", drawn, data_unit=piece.id) if style.handles else drawn

    heads = (held(one, strip(named(one), camps[one.side], at, style.palette)) for one, at in stack.strips)
    whole = (
        held(one, counter(named(one), camps[one.side], at, style.palette, style.say)) for one, at in stack.counters
    )
    return "".join((*heads, *whole))


def _shade(place: str, ground: Ground, palette: Palette) -> str:
    """What is out of sight lies in shade, with a question mark."""
    outline, (x, y) = ground.outlines(place), ground.sites[place]
    veil = polygon(outline, fill=palette.shade, fill_opacity=0.16)
    return veil + text("?", (x, y + 26), 24, "serif-bold", text_anchor="middle", fill=palette.shade, fill_opacity=0.5)


def _marks(scene: Scene, ground: Ground, stacks: Mapping[str, Stack], palette: Palette) -> Iterator[str]:
    boxes: Boxes = {place: stack.box for place, stack in stacks.items()}
    at = {place: _middle(boxes[place]) if place in boxes else site for place, site in ground.sites.items()}
    tones = {camp.id: palette.liveries[camp.tone] for camp in scene.camps}
    for one in scene.marks:
        way = [at[place] for place in one.places if place in at]
        livery = tones.get(one.side)
        colour = palette.ink if livery is None else livery.rim if livery.ink == "#2a1d05" else livery.ground
        yield mark(one, colour, way, boxes, palette)


def _middle(box: Sequence[float]) -> Point:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _names(scene: Scene, ground: Ground, stacks: Mapping[str, Stack], style: Style) -> Iterator[str]:
    """The name of every place, before it what it is worth and, by the colour of the ring's inside, who has it."""
    palette = style.palette
    goals = {goal.place: goal for goal in scene.stakes}
    tones = {camp.id: camp for camp in scene.camps}
    if ground.piles:
        for goal in scene.stakes:
            if goal.place in ground.sites:
                x, y = stacks[goal.place].name if goal.place in stacks else ground.sites[goal.place]
                yield badge(goal, tones.get(goal.holder), (x - 22, y), palette)
        return
    for place, stack in sorted(stacks.items()):
        said, (x, y) = style.named(place), stack.name
        long = width(said, 12, "serif-italic")
        halo = {"paint_order": "stroke", "stroke": palette.halo, "stroke_width": 3, "stroke_linejoin": "round"}
        worth = goals.get(place)
        shift = 9 if worth else 0
        yield text(said, (x - long / 2 + shift, y), 12, "serif-italic", fill=palette.ink, **halo)
        if worth:
            yield badge(worth, tones.get(worth.holder), (x - long / 2 - 3, y - 4), palette)


def badge(goal: Stake, holder: Camp | None, at: Point, palette: Palette) -> str:
    """Return what a goal is worth, in a ring whose inside is of its holder's colour."""
    livery = palette.liveries[holder.tone] if holder else None
    fill = livery.ground if livery else palette.halo
    said = f"{goal.worth}{UNSEEN if goal.holder == UNSEEN else ''}"
    ring = tag("circle", cx=at[0], cy=at[1], r=8.4, fill=fill, stroke=palette.gold, stroke_width=2.6)
    ink = livery.ink if livery else palette.ink
    return ring + text(said, (at[0], at[1] + 3.6), 10, "sans-bold", text_anchor="middle", fill=ink)


def _scale(ground: Ground, palette: Palette) -> str:
    if ground.scale is None:
        return ""
    said, long = ground.scale
    x, y = ground.box[0] + 12, ground.box[3] - 14
    bar = line([(x, y - 3), (x, y + 3)]) + line([(x, y), (x + long, y)]) + line([(x + long, y - 3), (x + long, y + 3)])
    words = text(said, (x + long / 2, y - 6), 9, text_anchor="middle", fill=palette.ink)
    return tag("path", d=bar, stroke=palette.ink, stroke_width=1.2, fill="none") + words
