"""Encode pictures as PNG: pixels by resvg, as large as possible, with 64 colours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module, resources
from io import BytesIO
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.engine.data.memory import LruCache
from pbem.engine.data.scene import Scene
from pbem.engine.map.plane import Box
from pbem.maps.drawing import draw
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.furniture import head, margin
from pbem.maps.palette import Palette
from pbem.maps.svg import number, tag
from pbem.maps.worker_pool import NEEDED

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_BYTES = 120_000
"""The most bytes of a picture in a letter. With some such pictures a letter is still far below the size that mail
providers refuse."""


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
        # They come with an extra.
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


# The colours of a picture: all of them, and how many may stay as they are; the rest replace the others.
MANY, EXACT = 80, 52
_WEIGHT = 8
"""The most pixels that one colour counts for when colours are merged: so small areas keep theirs."""
_CELL = 4
"""The edge of the cubes in which Pillow looks colours up: all colours of one cube become one."""
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
        [(count, colour) for count, colour in colours if tuple(part // _CELL for part in colour) not in exact]
    )
    # The lookup uses the corners of the cubes: so it finds a kept colour, and no neighbour of it.
    corners = [part // _CELL * _CELL for colour in chosen for part in colour]
    guide = images.new("P", (1, 1))
    guide.putpalette(corners)
    out = image.quantize(palette=guide, dither=images.Dither.NONE)
    out.putpalette([part for colour in chosen for part in colour])
    data = BytesIO()
    out.save(data, "PNG", compress_level=6)
    return data.getvalue()


def _count_colours(image: Image, limit: int) -> list[tuple[int, tuple[int, int, int]]] | None:
    """Return the colours of an image, the commonest first; None above a limit.

    Equally common ones are in the order of their parts, so that the same image gives the same bytes.
    """
    counts: list[tuple[int, tuple[int, int, int]]] | None = image.getcolors(limit)  # type: ignore[assignment]
    return None if counts is None else sorted(counts, key=lambda entry: (-entry[0], entry[1]))


def _rgb(colour: str) -> tuple[int, int, int]:
    """Return the three parts of a colour ``#rrggbb``."""
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


# A picture for a letter: PNG below a limit, as large as its reader needs. The land of a wide one is kept as pixels,
# since to draw it takes as long as all else; for the phone, where a map would be much larger, it is drawn with the
# scene.


AREAS, PILES, LARGEST, PHONE = 1_000_000, 850_000, 2.0, 660
"""The most pixels of a picture for a wide screen (of an area map; of a hex map with piles); its largest zoom; and the
width in pixels for a phone, whose screen has two or three for each of its 390 units."""
TALL = 690_000
"""The most pixels of a picture for a phone: a taller one takes no longer to draw than others."""
_ZOOM = 0.05
"""Zooms of wide pictures are multiples of that, so that kept land serves most of them."""
_STEPS = (1.0, 0.85, 0.7, 0.55, 0.4, 0.3)
"""Shares of the wanted zoom to try: the first below the limit is taken."""
_KEPT = LruCache[str, "Image"](8)
"""The land of whole maps as pixels: enough for a game's maps in light and dark, some four million bytes each."""


# The size in the head of an SVG of ours: in its first tag, so before any `>`.
_SIDES = re.compile(r'<svg [^>]*?width="([0-9.]+)" height="([0-9.]+)"')


class TooLong(ValueError):
    """Not even the smallest picture is short enough."""


def encode_png(scene: Scene, ground: Ground, style: Style, limit: int = MOST_BYTES) -> bytes:
    """Return a scene as PNG of at most so many bytes; raise Unavailable, TooLong."""
    svg = draw(scene, ground, style, bare=not ground.narrow)
    size = _size(svg)
    most, largest = (TALL, PHONE / size[0]) if ground.narrow else (PILES if ground.piles else AREAS, LARGEST)
    wanted = min((most / prod(size)) ** 0.5, largest)
    for step in _STEPS:
        # One step at least: a zoom of 0 is no picture.
        zoom = step * wanted if ground.narrow else max(int(step * wanted / _ZOOM), 1) * _ZOOM
        image = _pixels(to_png(svg, zoom)) if ground.narrow else _over_land(svg, ground, style.palette, zoom)
        data = encode_few_colours(image, style.palette.signals())
        if len(data) <= limit:
            return data
    raise TooLong(f"a picture of {len(data)} bytes at zoom {zoom:.2f}, and {limit} are allowed")


def _over_land(svg: str, ground: Ground, palette: Palette, zoom: float) -> Image:
    """Return a drawing without land laid over its part of the map."""
    whole, side, above = ground.whole or ground.box, margin(ground), head(ground)
    key = f"{ground.edition} {palette!r} {zoom:.2f}" if ground.edition else ""
    land = _KEPT.get(key, lambda: _pixels(to_png(_land(ground, whole, palette), zoom)))
    corner = round((side - ground.box[0] + whole[0]) * zoom), round((above - ground.box[1] + whole[1]) * zoom)
    over = _open_png(to_png(svg, zoom))
    # An extra, which may not be installed.
    from PIL import Image as images

    image = images.new("RGB", over.size, palette.paper)
    image.paste(land, corner)
    image.paste(over, (0, 0), over)
    return image


def _land(ground: Ground, whole: Box, palette: Palette) -> str:
    """Return the land of a whole map as SVG."""
    left, top, right, bottom = whole
    view = {"viewBox": f"{number(left)} {number(top)} {number(right - left)} {number(bottom - top)}"}
    size = {"width": right - left, "height": bottom - top}
    return tag("svg", ground.svg(palette, whole), xmlns="http://www.w3.org/2000/svg", **size, **view)


def _size(svg: str) -> tuple[float, float]:
    """Return width and height of a drawing in its own units."""
    sides = _SIDES.match(svg)
    if sides is None:
        raise ValueError("no drawing of ours")
    return float(sides[1]), float(sides[2])


def _pixels(data: bytes) -> Image:
    """Return a PNG as image without transparency; its land covers everything."""
    return _open_png(data).convert("RGB")


def _open_png(data: bytes) -> Image:
    # An extra, which may not be installed.
    from PIL import Image as images

    return images.open(BytesIO(data))


# A row of pictures over one ground as GIF, which every mail program and forum shows.


FILM_WIDTH = 720
"""The pixels of an animated picture from left to right. A choice: names can be read, and a film of many moments
can still be mailed."""
STEP_TIME, END_TIME = 1000, 3000
"""How long a picture is shown, and the last one, in thousandths of a second."""


def encode_gif(ground: str, frames: Sequence[str], width: float) -> bytes:
    """Return drawings over a ground as animated GIF; may raise Unavailable.

    All of them have the same `width` in their own units.
    """
    zoom = FILM_WIDTH / width
    base = _pixels(to_png(ground, zoom))
    shown = [_lay_over(base, to_png(svg, zoom)) for svg in frames]
    # An extra, which may not be installed.
    from PIL import Image as images

    # One palette for all, of some of them: then only what changed is stored.
    some = [*shown[:: -(-len(shown) // 5)], shown[-1]]
    sample = images.new("RGB", (base.width, len(some) * base.height))
    for place, image in enumerate(some):
        sample.paste(image, (0, place * base.height))
    palette = sample.quantize(255, images.Quantize.MEDIANCUT)
    first, *others = (image.quantize(palette=palette, dither=images.Dither.NONE) for image in shown)
    data, times = BytesIO(), [STEP_TIME] * len(others) + [END_TIME]
    first.save(data, "GIF", save_all=True, append_images=others, duration=times, loop=0, disposal=1)
    return data.getvalue()


def _lay_over(base: Image, data: bytes) -> Image:
    """Return an image with a transparent PNG laid over it."""
    image, overlay = base.copy(), _open_png(data)
    image.paste(overlay, (0, 0), overlay)
    return image
