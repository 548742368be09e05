"""Encode pictures as PNG: pixels by resvg, as large as possible, with 64 colours."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from importlib import import_module, resources
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pbem.engine.data.memory import LruCache
from pbem.engine.data.scene import Scene
from pbem.maps.drawing import HEAD, MARGIN, bare_ground, draw
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.palette import Palette
from pbem.maps.worker_pool import NEEDED

if TYPE_CHECKING:
    from PIL.Image import Image

MOST = 120_000
"""The bytes that a picture in a letter may have."""


class Unavailable(RuntimeError):
    """The libraries that make PNG are not installed."""


def font_files() -> list[str]:
    """Return the files of our own fonts: a picture has no others."""
    folder = resources.files("pbem.maps").joinpath("fonts")
    return sorted(str(Path(str(folder.joinpath(font.name)))) for font in folder.iterdir() if font.name.endswith(".ttf"))


def missing_libraries() -> list[str]:
    """Return the needed libraries that cannot be imported."""
    names = []
    for name in NEEDED:
        try:
            import_module(name)
        except ImportError:
            names.append(name)
    return names


def to_png(svg: str, zoom: float = 1.5) -> bytes:
    """Return a picture as PNG in all its colours; may raise Unavailable."""
    if missing_libraries():
        raise Unavailable("pictures need the extra: pip install 'pbem[pictures]'")
    # An extra, which may not be installed.
    import resvg_py

    png: bytes = bytes(
        resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, skip_system_fonts=True, font_files=font_files())
    )
    return png


# A picture in 64 colours, which makes it a quarter as long: the commonest stay as they are, the others come close.


MANY, EXACT = 64, 40
_WEIGHT = 8
"""The most pixels that count for a colour when a few colours replace many."""
_CELL = 4
"""Pillow looks colours up in cubes of that edge: those of one cube become one."""
_SHADES = (1 << 16, 1 << 24)
"""The most colours to count: Pillow allocates room for all, which takes long for every possible colour."""


def encode_few_colours(image: Image, signals: Sequence[str] = ()) -> bytes:
    """Return an opaque image as PNG of 64 colours, the same bytes for the same image.

    `signals` are colours, as ``#rrggbb``, that stay unchanged even in small amounts.
    """
    # An extra, which may not be installed.
    from PIL import Image as images

    # Every second pixel of every second line: to count all takes a tenth of a second.
    sample = image.resize((-(-image.width // 2), -(-image.height // 2)), images.Resampling.NEAREST)
    colours = next(colour_counts for limit in _SHADES if (colour_counts := _count_colours(sample, limit)) is not None)
    present, exact = {colour for _, colour in colours}, dict[tuple[int, ...], tuple[int, int, int]]()
    kept_signals = [colour for colour in map(_rgb, signals) if colour in present]
    for colour in (*kept_signals, *(colour for _, colour in colours)):
        exact.setdefault(tuple(part // _CELL for part in colour), colour)
        if len(exact) == EXACT:
            break
    chosen = [*exact.values()]
    chosen += _reduce_colours(
        [(count, one) for count, one in colours if tuple(part // _CELL for part in one) not in exact]
    )
    # The lookup uses the corners of the cubes: so it finds a kept colour, and no neighbour of it.
    corners = [part // _CELL * _CELL for colour in chosen for part in colour]
    guide = images.new("P", (1, 1))
    guide.putpalette(corners)
    out = image.quantize(palette=guide, dither=images.Dither.NONE)
    out.putpalette([part for colour in chosen for part in colour])
    data = BytesIO()
    out.save(data, "PNG", compress_level=8)
    return data.getvalue()


def _count_colours(image: Image, limit: int) -> list[tuple[int, tuple[int, int, int]]] | None:
    """Return the colours of an image, the commonest first; None above a limit."""
    counts: list[tuple[int, tuple[int, int, int]]] | None = image.getcolors(limit)  # type: ignore[assignment]
    return None if counts is None else sorted(counts, key=lambda entry: (-entry[0], entry[1]))


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _reduce_colours(counts: list[tuple[int, tuple[int, int, int]]]) -> list[tuple[int, int, int]]:
    """Return the colours that replace all those that cannot stay."""
    # An extra, which may not be installed.
    from PIL import Image as images

    if not counts:
        return []
    pixels = b"".join(bytes(colour) * min(count, _WEIGHT) for count, colour in counts)
    row = images.frombytes("RGB", (len(pixels) // 3, 1), pixels)
    flat = row.quantize(MANY - EXACT, images.Quantize.MEDIANCUT).getpalette() or []
    return [
        (flat[start], flat[start + 1], flat[start + 2])
        for start in range(0, 3 * (MANY - EXACT), 3)
        if start + 2 < len(flat)
    ]


# A picture for a letter: PNG below a limit, as large as possible, drawn over a cached ground.
#
# The cache depends only on the ground, and so does the first size to try, except for the number of visible
# counters: the size of one seat's picture reveals nothing about another's.


ZOOMS = (2.0, 1.75, 1.5, 1.25, 1.0, 0.75, 0.5)
"""Zooms to try, the largest first; at each the frame is whole pixels."""
_GROWS = {False: (2.45, 2.08, 1.74, 1.37, 1.0, 0.66, 0.39), True: (2.45, 2.24, 1.8, 1.43, 1.0, 0.7, 0.42)}
"""The growth of a picture against zoom 1, for areas and for hexes, measured on our maps."""
_ALONE, _COUNTER = 4_000, 550
"""The bytes of heading and legend, and of each counter, at zoom 1."""
_PIXELS = 12_000_000
"""The pixels of cached grounds, of three bytes each."""
_SIZES = 200


class TooLong(ValueError):
    """Not even the smallest picture is short enough."""


class GroundCache:
    """A cache of recent grounds by edition, palette and zoom, without words."""

    def __init__(self, pixels: int = _PIXELS) -> None:
        self._most = pixels
        self._lock = Lock()
        self._sheets: OrderedDict[tuple[str, str, float], Image] = OrderedDict()
        self._sizes = LruCache[str, int](_SIZES)

    def sheet(self, ground: Ground, palette: Palette, zoom: float) -> Image:
        """Return the whole of a ground; one without an edition is not cached."""
        key = (ground.edition, repr(palette), zoom)
        with self._lock:
            if key in self._sheets:
                self._sheets.move_to_end(key)
                return self._sheets[key]
        image = _opaque(to_png(bare_ground(ground, palette), zoom), palette)
        if ground.edition:
            with self._lock:
                self._sheets[key] = image
                while len(self._sheets) > 1 and sum(map(_pixels, self._sheets.values())) > self._most:
                    self._sheets.popitem(last=False)
        return image

    def size(self, ground: Ground, palette: Palette) -> int:
        """Return the length of a ground as PNG at zoom 1."""
        return self._sizes.get(
            f"{ground.edition} {palette!r}" if ground.edition else "",
            lambda: len(
                encode_few_colours(_opaque(to_png(bare_ground(ground, palette), 1.0), palette), palette.signals())
            ),
        )


def _pixels(image: Image) -> int:
    return image.width * image.height


_KEPT = GroundCache()


def encode_png(scene: Scene, ground: Ground, style: Style, limit: int = MOST, cache: GroundCache = _KEPT) -> bytes:
    """Return a scene as PNG of at most so many bytes; raise Unavailable, TooLong."""
    svg = draw(scene, ground, style, over=True)
    estimate = _estimate_length(scene, ground, cache.size(ground, style.palette))
    zooms, growth = list(ZOOMS), dict(zip(ZOOMS, _GROWS[ground.piles], strict=True))
    while zooms:
        # The largest that seems short enough; its length improves the estimate for the next.
        zoom = next((candidate for candidate in zooms if estimate * growth[candidate] <= limit), zooms[-1])
        data = encode_few_colours(_compose_image(svg, ground, style.palette, zoom, cache), style.palette.signals())
        if len(data) <= limit:
            return data
        zooms, estimate = zooms[zooms.index(zoom) + 1 :], len(data) / growth[zoom]
    raise TooLong(f"a picture of {len(data)} bytes at zoom {ZOOMS[-1]}, and {limit} are allowed")


def _estimate_length(scene: Scene, ground: Ground, size: int) -> float:
    """Estimate a picture's length at zoom 1 by visible ground and counters."""
    left, top, right, bottom = ground.box
    whole = ground.whole or ground.box
    fraction = (right - left) * (bottom - top) / ((whole[2] - whole[0]) * (whole[3] - whole[1]))
    return size * fraction + _ALONE + _COUNTER * len(scene.pieces)


def _compose_image(svg: str, ground: Ground, palette: Palette, zoom: float, cache: GroundCache) -> Image:
    """Return paper, the visible part of the ground, and the scene over both."""
    # An extra, which may not be installed.
    from PIL import Image as images

    overlay = images.open(BytesIO(to_png(svg, zoom)))
    left, top, right, bottom = ground.box
    whole = ground.whole or ground.box
    visible = (left - whole[0], top - whole[1], right - whole[0], bottom - whole[1])
    sheet = cache.sheet(ground, palette, zoom).crop(tuple(round(side * zoom) for side in visible))  # type: ignore[arg-type]
    image = images.new("RGB", overlay.size, palette.paper)
    image.paste(sheet, (round(MARGIN * zoom), round(HEAD * zoom)))
    image.paste(overlay, (0, 0), overlay)
    return image


def _opaque(data: bytes, palette: Palette) -> Image:
    # An extra, which may not be installed.
    from PIL import Image as images

    drawing = images.open(BytesIO(data))
    image = images.new("RGB", drawing.size, palette.paper)
    image.paste(drawing, (0, 0), drawing)
    return image
