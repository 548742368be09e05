"""What a picture is drawn on and for whom: a map that is ready, and how its reader has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.scene import Camp
from pbem.engine.map.plane import Box, Point
from pbem.maps.counters import Say
from pbem.maps.palette import LIGHT, Palette
from pbem.maps.rooms import Room


def _unbordered(one: str, other: str) -> Sequence[Point]:
    return ()


class Ground(NamedTuple):
    """A map ready to be drawn on: its frame, its SVG by palette, where places are and what they look like.

    `scale` is the bar of its scale: its words, and its length. Where counters lie in `piles` there is no room for the
    names of places. `box` may be a part of the `whole`, which is then shown at a `glance` besides. `lines` are what
    runs over the map and `terrains` what it is covered with, for the legend; `water` is what lies above all land. What
    is kept of a ground is kept under its `edition`. `border` is the line between two places, empty where they have
    none; `rooms` tells where within its own space a stack has room.
    """

    box: Box
    svg: Callable[[Palette], str]
    sites: Mapping[str, Point]
    outlines: Callable[[str], Sequence[Point]]
    scale: tuple[str, float] | None = None
    piles: bool = False
    whole: Box | None = None
    edition: str = ""
    glance: Callable[[Palette], str] | None = None
    lines: tuple[str, ...] = ()
    water: Callable[[Palette], str] | None = None
    border: Callable[[str, str], Sequence[Point]] = _unbordered
    rooms: Mapping[str, Room] = {}
    terrains: tuple[str, ...] = ()


class Style(NamedTuple):
    """How a reader has it: sentences and names of places and counters in his language, and the colours.

    Where a page is to find counters, each lies in a group that says whose it is: it has `handles`.
    """

    say: Say
    named: Callable[[str], str]
    palette: Palette = LIGHT
    handles: bool = False


def within(place: str, ground: Ground) -> bool:
    """Return whether a place lies in the part of the map that is drawn."""
    if place not in ground.sites:
        return False
    (x, y), (left, top, right, bottom) = ground.sites[place], ground.box
    return left <= x <= right and top <= y <= bottom


def named(camp: Camp, style: Style) -> str:
    """Return what a nation is called where nothing is said of it."""
    said = style.say(camp.name)
    return said[:1].upper() + said[1:]
