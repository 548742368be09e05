"""Draw branches as silhouettes, or by the signs of staff maps, in a box 20 by 15."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.map.plane import Point
from pbem.maps.svg import number, tag

# The size of the box of a silhouette or sign.
WIDE, HIGH = 20.0, 15.0

_SOLDIER = (
    "m-1.5 .2h2.9v2.4h-2.9zm.3 2.9h2.3v1.9h-2.3zm-.9 2.4h3.9"
    "l.6 4.8h-1.1l1.2 4.5h-1.9l-1.1 -3.9l-.9 3.9h-1.9l1 -4.5h-.6z"
)
_SHOULDERED = "m1.8 4.6l1 -9.2h.8l-.9 9.4z"
_LEVELLED = "m-.6 1.1h8.2v1h-8.2z"
_HORSE = (
    "M.3 8.6C1.2 6.5 2.6 6 4.2 6.2L9.8 6.7C11.4 6.6 12.6 5 13.6 3.3L15.4 1.6L15.8 2.9L18.8 5.6L17.9 6.9L15.6 6.2"
    "C15.2 7.6 14.8 8.4 14.1 9.2L17.2 9.9L17.6 12.6L16.4 12.8L15.9 11.1L12.6 10.8L13.6 13.2L12 14.9L11.2 14.2L12 12.9"
    "L10.4 10.6L6.4 10.2L5.2 12.2L3.2 14.6L2.2 14L3.6 11.7L3.3 10.4L1.6 12.6L.1 12.9L.3 11.8L1.6 10.3L2 8.2"
    "C1.4 8.4 1 9.2 .6 10z"
)
_RIDER = "M7.4 6.2L7.9 2.8C8.6 2.2 10 2.2 10.6 2.9L11 6.3zM8.1 2.2V-.2H10.4V2.2z"
_BLADE = "M10.2 3.6L14.6 -.7L15.2 -.2L11 4.6z"
_FIGURES: Mapping[str, str] = {
    "infantry": "".join(f"M{x} 0{_SOLDIER}M{x} 5{_SHOULDERED}" for x in (2.6, 9.2, 15.8)),
    "light": "".join(f"M{x} 0{_SOLDIER}M{x} 4.6{_LEVELLED}" for x in (3.4, 12.4)),
    "cavalry": _HORSE + _RIDER + _BLADE,
    "heavy": (
        _HORSE + "M6.9 6.2L7 3.2C7.6 2 10.8 2 11.4 3.2L11.6 6.3z"
        "M8 2.2V.9H5.8C5.8 -.4 7.2 -1 9.2 -.7C10.6 -.5 11 .1 10.8 .9V2.2z"
        "M10.6 3.8L18.6 .2L19 1.2L11.2 5zM0 15.2H20V16.6H0z"
    ),
    "guns": (
        "M5.2 5.6L18.6 1.6L19.5 4.4L6.6 9zM6.6 7.6L.3 13.2L1.3 14.6L9 10z"
        "M9.4 5.6a4.4 4.4 0 1 0 .1 0zm0 1.5a2.9 2.9 0 1 1 -.1 0zM9 7h.9v6h-.9zM6.4 9.5h6v.9h-6z"
    ),
    "train": (
        "M1.4 8.4C1.4 -.4 15.2 -.4 15.2 8.4zM.6 9h15.6v1.7h-15.6zM16.2 9.4h3.6v1h-3.6z"
        "M4.2 9.6a2.6 2.6 0 1 0 .1 0zm0 1.5a1.1 1.1 0 1 1 -.1 0z"
        "M12.4 9.6a2.6 2.6 0 1 0 .1 0zm0 1.5a1.1 1.1 0 1 1 -.1 0z"
    ),
    "leader": (
        "M2.6 4.8C2.8 2 6 -1.2 10 -1.2S17.2 2 17.4 4.8"
        "C17.4 5.9 16.4 5.7 15.6 5.2C13 4 7 4 4.4 5.2C3.6 5.7 2.6 5.9 2.6 4.8z"
        "M6.7 5.2C9 4.6 11 4.6 13.3 5.2V7.8C13.3 9.6 12 10.8 10 10.8S6.7 9.6 6.7 7.8z"
        "M1.6 15V12.4H3.4C4.4 11.6 5.6 11.3 6.6 11.2"
        "L10 13L13.4 11.2C14.4 11.3 15.6 11.6 16.6 12.4H18.4V15z"
    ),
}
"""Each silhouette as one path: men with muskets, riders, a gun, a waggon, a bicorne; heavy horse has
helmets, and a bar below it."""
STAR = "M0 -7L2 -2.2L7 -2.2L3 1L4.6 6L0 3L-4.6 6L-3 1L-7 -2.2L-2 -2.2Z"
"""The sign of a leader on staff maps, around its centre."""


def branch(kind: str, corner_point: Point, ink: str, figures: bool = True, scale: float = 1.0) -> str:
    """Return a branch's silhouette or sign with its left upper corner at a point."""
    if figures:
        drawing = tag("path", d=_FIGURES.get(kind, ""), fill=ink)
    elif kind == "leader":
        drawing = tag("path", d=STAR, fill=ink, transform="translate(10 8)")
    else:
        drawing = _symbol(kind, ink)
    x, y = map(number, corner_point)
    size = "" if scale == 1.0 else f" scale({scale:g})"
    return tag("g", drawing, transform=f"translate({x} {y}){size}")


def _symbol(kind: str, ink: str) -> str:
    """Return the sign of staff maps: a frame, filled or crossed by branch."""
    lines = {
        "infantry": "M.5 14L19.5 1M.5 1L19.5 14",
        "light": "M.5 14L19.5 1M.5 1L19.5 14M10 1V14",
        "cavalry": "M.5 14L19.5 1",
        "heavy": "M.5 14L19.5 1",
        "train": "M.5 9H19.5",
    }.get(kind, "")
    filled = {
        "guns": "M10 4.4a3.1 3.1 0 1 0 .1 0z",
        "heavy": "M.5 14L19.5 1V14z",
        "train": "M6 10.4a1.6 1.6 0 1 0 .1 0zM14 10.4a1.6 1.6 0 1 0 .1 0z",
    }.get(kind, "")
    frame = tag("path", d=f"M.5 1H19.5V14H.5z{lines}", fill="none", stroke=ink, stroke_width=1.1)
    return frame + (tag("path", d=filled, fill=ink) if filled else "")
