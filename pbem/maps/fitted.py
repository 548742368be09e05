"""A picture for a letter: PNG below a limit, as large as it can be, drawn over a ground that is kept.

What is kept depends on the ground alone, and so does the size that is tried first, but for how many counters are seen:
what one seat's picture took tells nothing about what another has.
"""

from __future__ import annotations

from collections import OrderedDict
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING

from pbem.engine.data.memory import Recent
from pbem.engine.data.scene import Scene
from pbem.maps.colours import packed
from pbem.maps.drawing import HEAD, MARGIN, alone, draw
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.palette import Palette
from pbem.maps.png import MOST, to_png

if TYPE_CHECKING:
    from PIL.Image import Image

ZOOMS = (2.0, 1.75, 1.5, 1.25, 1.0, 0.75, 0.5)
"""How large it is tried, the largest first; at each the frame is whole pixels."""
_GROWS = {False: (2.45, 2.08, 1.74, 1.37, 1.0, 0.66, 0.39), True: (2.45, 2.24, 1.8, 1.43, 1.0, 0.7, 0.42)}
"""How much longer a picture is than at zoom 1, of areas and of hexes, as maps of ours have it."""
_ALONE, _COUNTER = 4_000, 550
"""What heading and legend, and what each counter adds to a picture, in bytes at zoom 1."""
_PIXELS = 12_000_000
"""What grounds are kept in memory: so many pixels of three bytes."""
_SIZES = 200


class TooLong(ValueError):
    """Not even the smallest picture is short enough."""


class Kept:
    """Grounds by edition, palette and zoom: those that were used last. They have no words of any language."""

    def __init__(self, pixels: int = _PIXELS) -> None:
        self._most = pixels
        self._lock = Lock()
        self._sheets: OrderedDict[tuple[str, str, float], Image] = OrderedDict()
        self._sizes = Recent[str, int](_SIZES)

    def sheet(self, ground: Ground, palette: Palette, zoom: float) -> Image:
        """Return the whole of a ground as it is drawn on; one without an edition is not kept."""
        key = (ground.edition, repr(palette), zoom)
        with self._lock:
            if key in self._sheets:
                self._sheets.move_to_end(key)
                return self._sheets[key]
        made = _opaque(to_png(alone(ground, palette), zoom), palette)
        if ground.edition:
            with self._lock:
                self._sheets[key] = made
                while len(self._sheets) > 1 and sum(map(_pixels, self._sheets.values())) > self._most:
                    self._sheets.popitem(last=False)
        return made

    def size(self, ground: Ground, palette: Palette) -> int:
        """Return how long a ground is as PNG at zoom 1."""
        return self._sizes.get(
            f"{ground.edition} {palette!r}" if ground.edition else "",
            lambda: len(packed(_opaque(to_png(alone(ground, palette), 1.0), palette), palette.signals())),
        )


def _pixels(image: Image) -> int:
    return image.width * image.height


_KEPT = Kept()


def fitted(scene: Scene, ground: Ground, style: Style, limit: int = MOST, kept: Kept = _KEPT) -> bytes:
    """Return the picture of a scene as PNG of at most so many bytes; Unavailable where nothing can make one."""
    svg = draw(scene, ground, style, over=True)
    about = _about(scene, ground, kept.size(ground, style.palette))
    zooms, grows = list(ZOOMS), dict(zip(ZOOMS, _GROWS[ground.piles], strict=True))
    while zooms:
        # The largest that looks short enough; what it came to tells how long the next will be.
        zoom = next((one for one in zooms if about * grows[one] <= limit), zooms[-1])
        data = packed(_composed(svg, ground, style.palette, zoom, kept), style.palette.signals())
        if len(data) <= limit:
            return data
        zooms, about = zooms[zooms.index(zoom) + 1 :], len(data) / grows[zoom]
    raise TooLong(f"a picture of {len(data)} bytes at zoom {ZOOMS[-1]}, and {limit} are allowed")


def _about(scene: Scene, ground: Ground, size: int) -> float:
    """How long a picture will be at zoom 1: by how much of the ground is seen, and how many counters."""
    left, top, right, bottom = ground.box
    whole = ground.whole or ground.box
    share = (right - left) * (bottom - top) / ((whole[2] - whole[0]) * (whole[3] - whole[1]))
    return size * share + _ALONE + _COUNTER * len(scene.pieces)


def _composed(svg: str, ground: Ground, palette: Palette, zoom: float, kept: Kept) -> Image:
    """Paper, the part of the ground that is seen, and the scene over both."""
    from PIL import Image as images

    over = images.open(BytesIO(to_png(svg, zoom)))
    left, top, right, bottom = ground.box
    whole = ground.whole or ground.box
    part = (left - whole[0], top - whole[1], right - whole[0], bottom - whole[1])
    sheet = kept.sheet(ground, palette, zoom).crop(tuple(round(one * zoom) for one in part))  # type: ignore[arg-type]
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
