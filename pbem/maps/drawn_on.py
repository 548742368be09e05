"""Define the ground that a picture is drawn on, and the style of its reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Nation
from pbem.engine.map.plane import Box, Point
from pbem.maps.counters import Say
from pbem.maps.palette import LIGHT, Palette
from pbem.maps.rooms import Room
from pbem.maps.svg import Patch


def _no_border(place: str, other: str) -> Sequence[Point]:
    return ()


def _no_numbers(palette: Palette, box: Box) -> Sequence[Patch]:
    return ()


class Ground(NamedTuple):
    """A map to draw on: frame, SVG of land by palette and box, sites, outlines.

    A `narrow` ground is for the screen of a phone.

    `scale` is the bar of its scale: its words, and its length. Where counters are in `piles` there is no room for
    the names of places. `box` may be a part of the `whole`, which is then also shown at a `glance`. `numbers` lie
    above the land; no number is cut by the edge of a box.

    `lines` run over the map and `terrains` cover it, for the legend; `water` lies above all land. The cache of a
    ground has its `edition` as key. `border` is the line between two places, empty where they have none; `rooms`
    are the free areas for stacks in each space.
    """

    box: Box
    svg: Callable[[Palette, Box], str]
    sites: Mapping[str, Point]
    outlines: Callable[[str], Sequence[Point]]
    scale: tuple[str, float] | None = None
    piles: bool = False
    whole: Box | None = None
    edition: str = ""
    glance: Callable[[Palette], str] | None = None
    lines: tuple[str, ...] = ()
    water: Callable[[Palette], str] | None = None
    border: Callable[[str, str], Sequence[Point]] = _no_border
    rooms: Mapping[str, Room] = {}
    terrains: tuple[str, ...] = ()
    narrow: bool = False
    numbers: Callable[[Palette, Box], Sequence[Patch]] = _no_numbers


class Style(NamedTuple):
    """A reader's style: how sentences and names read in their language, and colours.

    If `handles` is set each counter is in a group with its id, so that a page can find it. Branches of the army are
    drawn as `figures`, or else by the signs of staff maps.
    """

    say: Say
    named: Callable[[str], str]
    palette: Palette = LIGHT
    handles: bool = False
    figures: bool = True


def is_within(place: str, ground: Ground) -> bool:
    """Return whether a place is in the drawn part of the map."""
    if place not in ground.sites:
        return False
    (x, y), (left, top, right, bottom) = ground.sites[place], ground.box
    return left <= x <= right and top <= y <= bottom


WINDS: Mapping[str, Msg] = {
    "N": msg("(N)"),
    "NE": msg("(NE)"),
    "E": msg("(E)"),
    "SE": msg("(SE)"),
    "S": msg("(S)"),
    "SW": msg("(SW)"),
    "W": msg("(W)"),
    "NW": msg("(NW)"),
}
"""The directions, with what they stand in: a letter alone is also that of a nation."""


def place_beyond(place: str, ground: Ground) -> Msg:
    """Return the name of a place beyond the picture, of a hex with its direction."""
    way = direction_beyond(place, ground)
    name = msg("{place}", place=place)
    return msg("{place} {direction}", place=place, direction=way) if way is not None else name


def direction_beyond(place: str, ground: Ground) -> Msg | None:
    """Return the direction of a hex beyond the picture; None of any other place."""
    if not ground.piles or place not in ground.sites:
        return None
    (x, y), (left, top, right, bottom) = ground.sites[place], ground.box
    way = ("N" if y < top else "S" if y > bottom else "") + ("W" if x < left else "E" if x > right else "")
    return WINDS[way] if way else None


def camp_name(camp: Nation, style: Style) -> str:
    """Return a nation's name, capitalised for use outside a sentence."""
    name = style.say(camp.name)
    return name[:1].upper() + name[1:]
