"""Ground that counts: what it is worth, in a ring whose inside is of its holder's colour; the names of places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pbem.engine.data.scene import UNSEEN, Camp, Scene, Stake
from pbem.engine.map.plane import Point
from pbem.maps.drawn_on import Ground, Style, within
from pbem.maps.layout import Stack
from pbem.maps.palette import Palette
from pbem.maps.svg import number, polygon, tag, text, width

RADIUS = 8.4
SMALL = 6.0
NAME = 12.5


def badge(goal: Stake, holder: Camp | None, at: Point, palette: Palette, radius: float = RADIUS) -> str:
    """Return what a goal is worth, in a ring whose inside is of its holder's colour."""
    livery = palette.liveries[holder.tone] if holder else None
    fill = livery.ground if livery else palette.halo
    said = f"{goal.worth}{UNSEEN if goal.holder == UNSEEN else ''}"
    by = radius / RADIUS
    ring = tag("circle", cx=at[0], cy=at[1], r=radius, fill=fill, stroke=palette.gold, stroke_width=2.6 * by)
    ink = livery.ink if livery else palette.ink
    return ring + text(said, (at[0], at[1] + 3.6 * by), 10 * by, "sans-bold", text_anchor="middle", fill=ink)


def edged(scene: Scene, ground: Ground, palette: Palette) -> str:
    """Return the outline of every hex that counts."""
    return "".join(
        polygon(ground.outlines(goal.place), fill="none", stroke=palette.gold, stroke_width=2.2)
        for goal in scene.stakes
        if within(goal.place, ground)
    )


def beside(goal: Stake, ground: Ground, stack: Stack | None) -> tuple[Point, float]:
    """Return where the badge of a hex is, and its radius: in its middle, or beside the number above a pile."""
    if stack is not None and stack.counters:
        return (stack.box[0] + SMALL, stack.box[1] + 3.6), SMALL
    x, y = ground.sites[goal.place] if stack is None else (ground.sites[goal.place][0], stack.box[1] - RADIUS)
    left, top, right, bottom = ground.box
    far = RADIUS + 3
    return (min(max(x, left + far), right - far), min(max(y, top + far), bottom - far)), RADIUS


def plate(said: str, palette: Palette) -> str:
    """Return the number of a hex as it stands above counters; its upper middle is the origin."""
    wide = max(width(said, 7.4, "sans-bold") + 3, 12)
    ground = tag("rect", x=-wide / 2, width=wide, height=7.8, rx=1.5, fill=palette.halo, fill_opacity=0.9)
    return ground + text(said, (0, 6.5), 7.4, "sans-bold", text_anchor="middle", fill=palette.ink)


def plated(stacks: Mapping[str, Stack]) -> Iterator[tuple[str, Point]]:
    """Yield the hexes in which somebody stands, and where the number of each is: the upper middle of its plate."""
    for place, stack in sorted(stacks.items()):
        if stack.counters:
            yield place, (stack.name[0], stack.box[1] - 0.4)


def goals_on_hexes(scene: Scene, ground: Ground, stacks: Mapping[str, Stack], style: Style) -> Iterator[str]:
    """The number of each hex that counters cover, and what each is worth."""
    camps = {camp.id: camp for camp in scene.camps}
    for place, (x, y) in plated(stacks):
        turn = f"translate({number(x)} {number(y)})"
        yield tag("g", plate(style.named(place), style.palette), transform=turn)
    for goal in scene.stakes:
        if within(goal.place, ground):
            spot, radius = beside(goal, ground, stacks.get(goal.place))
            yield badge(goal, camps.get(goal.holder), spot, style.palette, radius)


def names_and_goals(scene: Scene, ground: Ground, stacks: Mapping[str, Stack], style: Style) -> Iterator[str]:
    """The name of every place, and before it what it is worth."""
    goals = {goal.place: goal for goal in scene.stakes}
    camps = {camp.id: camp for camp in scene.camps}
    for place, stack in sorted(stacks.items()):
        worth = goals.get(place)
        holder = camps.get(worth.holder) if worth else None
        yield place_name(style.named(place), stack.name, style.palette, worth, holder)


def place_name(said: str, at: Point, palette: Palette, worth: Stake | None = None, holder: Camp | None = None) -> str:
    """Return the name of a place around a point, and before it what the place is worth, if anything."""
    x, y = at
    long = width(said, NAME, "serif-italic")
    halo = {"paint_order": "stroke", "stroke": palette.halo, "stroke_width": 3, "stroke_linejoin": "round"}
    shift = 9 if worth else 0
    words = text(said, (x - long / 2 + shift, y), NAME, "serif-italic", fill=palette.ink, **halo)
    return words + (badge(worth, holder, (x - long / 2 - 3, y - 4), palette) if worth else "")
