"""Pictures as PNG: pixels by resvg, as large as the map allows, with a palette of colours where that saves bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from importlib import import_module, resources
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pbem.engine.data.memory import Recent
from pbem.engine.data.scene import Scene
from pbem.maps.drawing import HEAD, MARGIN, alone, draw
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.palette import Palette
from pbem.maps.worker_pool import NEEDED

if TYPE_CHECKING:
    from PIL.Image import Image

MOST = 120_000
"""The bytes that a picture in a letter may have."""


class Unavailable(RuntimeError):
    """The libraries that make PNG are not installed."""


def faces() -> list[str]:
    """Return the files of our own fonts: a picture has no others."""
    folder = resources.files("pbem.maps").joinpath("fonts")
    return sorted(str(Path(str(folder.joinpath(one.name)))) for one in folder.iterdir() if one.name.endswith(".ttf"))


def missing() -> list[str]:
    """Return the libraries that are needed and cannot be imported; none if pictures can be made."""
    found = []
    for name in NEEDED:
        try:
            import_module(name)
        except ImportError:
            found.append(name)
    return found


def to_png(svg: str, zoom: float = 1.5) -> bytes:
    """Return a picture as PNG in all its colours; Unavailable where nothing can make one."""
    if missing():
        raise Unavailable("pictures need the extra: pip install 'pbem[pictures]'")
    # An extra, which may not be installed.
    import resvg_py

    made: bytes = bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, skip_system_fonts=True, font_files=faces()))
    return made


# A picture in 64 colours, which makes it a quarter as long: the commonest stay as they are, the others come close.


MANY, EXACT = 64, 40
_WEIGHT = 8
"""A colour counts for so many pixels at the most where few colours are to stand for many."""
_CELL = 4
"""Pillow looks colours up in cubes of that edge: those of one cube become one."""
_SHADES = (1 << 16, 1 << 24)
"""Colours that are counted at most: Pillow lays out room for them all, which takes long where any colour may come."""


def packed(image: Image, signals: Sequence[str] = ()) -> bytes:
    """Return an opaque image as PNG of 64 colours, the same bytes for the same image.

    `signals` are colours, as ``#rrggbb``, that stay as they are even if there is little of them.
    """
    # An extra, which may not be installed.
    from PIL import Image as images

    # Every second pixel of every second line: to count all takes a tenth of a second.
    sample = image.resize((-(-image.width // 2), -(-image.height // 2)), images.Resampling.NEAREST)
    found = next(counted for most in _SHADES if (counted := _counted(sample, most)) is not None)
    there, exact = {colour for _, colour in found}, dict[tuple[int, ...], tuple[int, int, int]]()
    first = [colour for colour in map(_rgb, signals) if colour in there]
    for colour in (*first, *(colour for _, colour in found)):
        exact.setdefault(tuple(part // _CELL for part in colour), colour)
        if len(exact) == EXACT:
            break
    chosen = [*exact.values()]
    chosen += _few([(many, one) for many, one in found if tuple(part // _CELL for part in one) not in exact])
    # It is looked up by the corners of the cubes: so it finds a colour that is to stay, and no neighbour of it.
    corners = [part // _CELL * _CELL for colour in chosen for part in colour]
    guide = images.new("P", (1, 1))
    guide.putpalette(corners)
    out = image.quantize(palette=guide, dither=images.Dither.NONE)
    out.putpalette([part for colour in chosen for part in colour])
    data = BytesIO()
    out.save(data, "PNG", compress_level=8)
    return data.getvalue()


def _counted(image: Image, most: int) -> list[tuple[int, tuple[int, int, int]]] | None:
    """The colours of an image, the commonest first; None if there are more than `most`."""
    found: list[tuple[int, tuple[int, int, int]]] | None = image.getcolors(most)  # type: ignore[assignment]
    return None if found is None else sorted(found, key=lambda one: (-one[0], one[1]))


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _few(found: list[tuple[int, tuple[int, int, int]]]) -> list[tuple[int, int, int]]:
    """The colours that stand for all those that cannot stay."""
    # An extra, which may not be installed.
    from PIL import Image as images

    if not found:
        return []
    pixels = b"".join(bytes(colour) * min(many, _WEIGHT) for many, colour in found)
    row = images.frombytes("RGB", (len(pixels) // 3, 1), pixels)
    flat = row.quantize(MANY - EXACT, images.Quantize.MEDIANCUT).getpalette() or []
    return [(flat[at], flat[at + 1], flat[at + 2]) for at in range(0, 3 * (MANY - EXACT), 3) if at + 2 < len(flat)]


# A picture for a letter: PNG below a limit, as large as it can be, drawn over a ground that is kept.
#
# What is kept depends on the ground alone, and so does the size that is tried first, but for how many counters are
# seen: what one seat's picture took tells nothing about what another has.


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
    # An extra, which may not be installed.
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
    # An extra, which may not be installed.
    from PIL import Image as images

    drawn = images.open(BytesIO(data))
    out = images.new("RGB", drawn.size, palette.paper)
    out.paste(drawn, (0, 0), drawn)
    return out
