"""Ground that counts: what it is worth, in a ring whose inside is of its holder's colour; the names of places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pbem.core.data.scene import UNSEEN, Camp, Scene, Stake
from pbem.core.map.plane import Point
from pbem.pictures.drawn_on import Ground, Style, within
from pbem.pictures.layout import Stack
from pbem.pictures.palette import Palette
from pbem.pictures.svg import polygon, tag, text, width

__all__ = ["badge", "beside", "edged", "goals_on_hexes", "names_and_goals", "place_name"]

RADIUS = 8.4
NAME = 12.5


def badge(goal: Stake, holder: Camp | None, at: Point, palette: Palette) -> str:
    """Return what a goal is worth, in a ring whose inside is of its holder's colour."""
    livery = palette.liveries[holder.tone] if holder else None
    fill = livery.ground if livery else palette.halo
    said = f"{goal.worth}{UNSEEN if goal.holder == UNSEEN else ''}"
    ring = tag("circle", cx=at[0], cy=at[1], r=RADIUS, fill=fill, stroke=palette.gold, stroke_width=2.6)
    ink = livery.ink if livery else palette.ink
    return ring + text(said, (at[0], at[1] + 3.6), 10, "sans-bold", text_anchor="middle", fill=ink)


def edged(scene: Scene, ground: Ground, palette: Palette) -> str:
    """Return the outline of every hex that counts."""
    return "".join(
        polygon(ground.outlines(goal.place), fill="none", stroke=palette.gold, stroke_width=2.2)
        for goal in scene.stakes
        if within(goal.place, ground)
    )


def beside(goal: Stake, ground: Ground, stack: Stack | None) -> Point:
    """Return where the badge of a hex is: in its middle, or at the corner of the pile that stands there."""
    x, y = ground.sites[goal.place] if stack is None else (stack.box[0] - 2, stack.box[1] + 1)
    left, top, right, bottom = ground.box
    far = RADIUS + 3
    return min(max(x, left + far), right - far), min(max(y, top + far), bottom - far)


def goals_on_hexes(scene: Scene, ground: Ground, stacks: Mapping[str, Stack], style: Style) -> Iterator[str]:
    """What each hex is worth."""
    camps = {camp.id: camp for camp in scene.camps}
    for goal in scene.stakes:
        if within(goal.place, ground):
            spot = beside(goal, ground, stacks.get(goal.place))
            yield badge(goal, camps.get(goal.holder), spot, style.palette)


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
