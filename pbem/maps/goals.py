"""Draw goals, their worth in a ring of the holder's colour, and place names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pbem.engine.data.scene import UNSEEN_HOLDER, Nation, Scene, SceneGoal
from pbem.engine.map.plane import Point
from pbem.maps.drawn_on import Ground, Style, is_within
from pbem.maps.layout import Stack, counters_of
from pbem.maps.palette import Palette
from pbem.maps.svg import polygon, tag, text, width

RADIUS = 8.4
"""The radius of a goal's badge: two figures fit."""
SMALL, _SMALL_FIGURE = 4.6, 6.7
"""The radius of a goal's badge beside the number of a hex with counters, which leave no more room; and the size of its
figure, which a phone still shows legibly."""
NAME = 12.5
"""The size of a place's name."""


def badge(goal: SceneGoal, holder: Nation | None, centre: Point, palette: Palette, radius: float = RADIUS) -> str:
    """Return a goal's worth, in a ring filled with its holder's colour."""
    livery = palette.liveries[holder.tone] if holder else None
    fill = livery.ground if livery else palette.halo
    figures = f"{goal.worth}{UNSEEN_HOLDER if goal.holder == UNSEEN_HOLDER else ''}"
    size, rim = (_SMALL_FIGURE, 1.3) if radius == SMALL else (10.0, 2.6)
    ring = tag("circle", cx=centre[0], cy=centre[1], r=radius, fill=fill, stroke=palette.gold, stroke_width=rim)
    ink = livery.ink if livery else palette.ink
    point = centre[0], centre[1] + 0.36 * size
    return ring + text(figures, point, size, "sans-bold", text_anchor="middle", fill=ink)


def goal_outlines(scene: Scene, ground: Ground, palette: Palette) -> Iterator[str]:
    """Yield the outline of every hex that is a goal."""
    for goal in scene.stakes:
        if is_within(goal.place, ground):
            yield polygon(ground.outlines(goal.place), fill="none", stroke=palette.gold, stroke_width=2.2)


def badge_position(goal: SceneGoal, ground: Ground, stack: Stack | None) -> tuple[Point, float]:
    """Return a hex badge's place and radius: central, or beside the number."""
    if stack is not None and counters_of(stack):
        # At the other end is the sign of a front, unless it is to the north-west.
        is_left = all(piece.facing != "NW" for piece, _ in counters_of(stack))
        return (stack.box[0] + SMALL if is_left else stack.box[2] - SMALL, stack.box[1] + 4.2), SMALL
    x, y = ground.sites[goal.place] if stack is None else (ground.sites[goal.place][0], stack.box[1] - RADIUS)
    left, top, right, bottom = ground.box
    distance = RADIUS + 3
    return (min(max(x, left + distance), right - distance), min(max(y, top + distance), bottom - distance)), RADIUS


def plate(hex_number: str, palette: Palette) -> str:
    """Return a hex's number as it is above counters, from its upper middle."""
    # A choice for short numbers: their plate is wider than high as well.
    plate_width = max(width(hex_number, 7.4, "sans-bold") + 3, 12)
    ground = tag("rect", x=-plate_width / 2, width=plate_width, height=7.8, rx=1.5, fill=palette.halo, fill_opacity=0.9)
    return ground + text(hex_number, (0, 6.5), 7.4, "sans-bold", text_anchor="middle", fill=palette.ink)


def number_positions(stacks: Mapping[str, Stack]) -> Iterator[tuple[str, Point]]:
    """Yield the occupied hexes, and the upper middle of the plate of each."""
    for place, stack in sorted(stacks.items()):
        if counters_of(stack):
            yield place, (stack.name[0], stack.box[1] + 0.6)


def goals_on_hexes(
    scene: Scene, ground: Ground, stacks: Mapping[str, Stack], style: Style
) -> tuple[dict[str, tuple[str, Point]], ...]:
    """Return the badges of goals by place, for empty and for occupied hexes.

    A badge is its SVG around the origin, and the point where it belongs.
    """
    camps, badges = (
        {camp.id: camp for camp in scene.camps},
        (dict[str, tuple[str, Point]](), dict[str, tuple[str, Point]]()),
    )
    for goal in scene.stakes:
        if is_within(goal.place, ground):
            stack = stacks.get(goal.place)
            spot, radius = badge_position(goal, ground, stack)
            is_occupied = stack is not None and bool(counters_of(stack))
            badges[is_occupied][goal.place] = (
                badge(goal, camps.get(goal.holder), (0.0, 0.0), style.palette, radius),
                spot,
            )
    return badges


def place_names(
    scene: Scene, ground: Ground, stacks: Mapping[str, Stack], style: Style
) -> Iterator[tuple[str, str, Point]]:
    """Yield the place names on the map: worth, look around the origin, spot."""
    goals, camps = {goal.place: goal for goal in scene.stakes}, {camp.id: camp for camp in scene.camps}
    left, top, right, bottom = ground.box
    for place, stack in sorted(stacks.items()):
        name, worth = style.named(place), goals.get(place)
        half, (x, y) = width(name, NAME, "serif-italic") / 2 + (12 if worth else 3), stack.name
        if not left <= x <= right or not top <= (stack.box[1] + stack.box[3]) / 2 <= bottom:
            # Beside the edge it would name the ground that is seen there.
            continue
        if ground.narrow:
            # A name is moved into the picture if its place is there, and left out otherwise.
            if not top + NAME < y < bottom:
                continue
            if not counters_of(stack) and not left + half < x < right - half:
                continue
            x = min(max(x, left + half), right - half)
        holder = camps.get(worth.holder) if worth else None
        yield place, place_name(name, (0.0, 0.0), style.palette, worth, holder), (x, y)


def place_name(
    name: str, centre: Point, palette: Palette, worth: SceneGoal | None = None, holder: Nation | None = None
) -> str:
    """Return the name of a place around a point, with its worth after it, if any."""
    x, y = centre
    name_width = width(name, NAME, "serif-italic")
    halo = {"paint_order": "stroke", "stroke": palette.halo, "stroke_width": 3, "stroke_linejoin": "round"}
    shift = 9 if worth else 0
    words = text(name, (x - name_width / 2 - shift, y), NAME, "serif-italic", fill=palette.ink, **halo)
    return words + (badge(worth, holder, (x + name_width / 2 + 3, y - 4), palette) if worth else "")
