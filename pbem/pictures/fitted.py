"""A picture for a letter: PNG below a limit, as large as it can be, drawn over a ground that is kept.

What is kept depends on the ground alone, and so does the size that is tried first, but for how many counters are seen:
what one seat's picture took tells nothing about what another has.
"""

from __future__ import annotations

from collections import OrderedDict
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from pbem.core.data.scene import Scene
from pbem.pictures.colours import packed
from pbem.pictures.drawing import HEAD, MARGIN, Ground, Style, alone, draw
from pbem.pictures.palette import Palette
from pbem.pictures.png import MOST, ZOOMS, to_png

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Kept", "TooLong", "fitted"]

_LADDER = (*ZOOMS, 0.75, 0.5)
_GROWS = {2.0: 2.35, 1.5: 1.65, 1.25: 1.4, 1.0: 1.0}
"""How much longer a picture is than at zoom 1, as maps of ours have it."""
_COUNTER = 400
"""What a counter adds to a picture, in bytes at zoom 1."""
_MOST = 8


class TooLong(ValueError):
    """Not even the smallest picture is short enough."""


class _Sheet(NamedTuple):
    """The whole of a ground at a zoom, and how long it is as PNG, which is reckoned at zoom 1 alone."""

    image: Image
    size: int


class Kept:
    """Grounds by edition, palette and zoom: those that were used last. They have no words of any language."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._sheets = OrderedDict[tuple[str, str, float], _Sheet]()

    def sheet(self, ground: Ground, palette: Palette, zoom: float) -> _Sheet:
        """Return a ground as it is drawn on; one without an edition is not kept."""
        key = (ground.edition, repr(palette), zoom)
        with self._lock:
            if ground.edition and key in self._sheets:
                self._sheets.move_to_end(key)
                return self._sheets[key]
        image = _opaque(to_png(alone(ground, palette), zoom), palette)
        made = _Sheet(image, len(packed(image)) if zoom == 1 else 0)
        if ground.edition:
            with self._lock:
                self._sheets[key] = made
                while len(self._sheets) > self._most:
                    self._sheets.popitem(last=False)
        return made


_KEPT = Kept()


def fitted(scene: Scene, ground: Ground, style: Style, limit: int = MOST, kept: Kept = _KEPT) -> bytes:
    """Return the picture of a scene as PNG of at most so many bytes; Unavailable where nothing can make one."""
    svg = draw(scene, ground, style, over=True)
    first = _first(scene, ground, kept.sheet(ground, style.palette, 1.0).size, limit)
    for zoom in _LADDER[_LADDER.index(first) :]:
        data = packed(_composed(svg, ground, style.palette, zoom, kept))
        if len(data) <= limit:
            return data
    raise TooLong(f"a picture of {len(data)} bytes at zoom {_LADDER[-1]}, and {limit} are allowed")


def _first(scene: Scene, ground: Ground, size: int, limit: int) -> float:
    """The largest zoom that looks short enough: by how much of the ground is seen, and how many counters."""
    left, top, right, bottom = ground.box
    whole = ground.whole or ground.box
    share = (right - left) * (bottom - top) / ((whole[2] - whole[0]) * (whole[3] - whole[1]))
    about = size * share + _COUNTER * len(scene.pieces)
    return next((zoom for zoom, grows in _GROWS.items() if about * grows <= limit), 1.0)


def _composed(svg: str, ground: Ground, palette: Palette, zoom: float, kept: Kept) -> Image:
    """Paper, the part of the ground that is seen, and the scene over both."""
    from PIL import Image as images

    over = images.open(BytesIO(to_png(svg, zoom)))
    left, top, right, bottom = ground.box
    whole = ground.whole or ground.box
    part = (left - whole[0], top - whole[1], right - whole[0], bottom - whole[1])
    sheet = kept.sheet(ground, palette, zoom).image.crop(tuple(round(one * zoom) for one in part))  # type: ignore[arg-type]
    out = images.new("RGB", over.size, palette.paper)
    out.paste(sheet, (round(MARGIN * zoom), round(HEAD * zoom)))
    out.paste(over, (0, 0), over)
    return out


def _opaque(data: bytes, palette: Palette) -> Image:
    from PIL import Image as images

    drawn = images.open(BytesIO(data))
    out = images.new("RGB", drawn.size, palette.paper)
    out.paste(drawn, (0, 0), drawn)
    return out
