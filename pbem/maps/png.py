"""Encode pictures as PNG: parts kept as pixels by resvg, laid together.

A picture is as large as it may be, and has 64 colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial
from importlib import import_module, resources
from io import BytesIO
from math import ceil, floor, prod
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbem.engine.data.memory import LruCache
from pbem.engine.data.scene import Scene
from pbem.engine.map.plane import Box, overlaps
from pbem.maps.drawing import Picture, lay_out
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.extents import anchor, extent, split
from pbem.maps.palette import Palette
from pbem.maps.svg import Drawn, tag
from pbem.maps.worker_pool import NEEDED

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = tuple[int, int, int, int]
"""The box of some pixels: left, top, and the first beyond on the right and below."""
_SVG = "http://www.w3.org/2000/svg"
MOST_BYTES = 120_000
"""The most bytes of a picture in a letter. With some such pictures a letter is still far below the size that mail
providers refuse."""


class Unavailable(RuntimeError):
    """The libraries that make PNG are not installed."""


@cache
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


def _check_libraries() -> None:
    if missing_libraries():
        raise Unavailable("pictures need the extra: pip install 'pbem[pictures]'")


def to_png(svg: str, zoom: float = 1.5) -> bytes:
    """Return a picture as PNG in all its colours; may raise Unavailable."""
    _check_libraries()
    # An extra, which may not be installed.
    import resvg_py

    png: bytes = bytes(
        resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, skip_system_fonts=True, font_files=font_files())
    )
    return png


def _open_png(data: bytes) -> Image:
    # An extra, which may not be installed.
    from PIL import Image as images

    return images.open(BytesIO(data))


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
    present, exact = {colour for _, colour in colours}, dict[tuple[int, int, int], tuple[int, int, int]]()
    kept_signals = [colour for colour in map(_rgb, signals) if colour in present]
    for colour in (*kept_signals, *(colour for _, colour in colours)):
        exact.setdefault(_cell(colour), colour)
        if len(exact) == EXACT:
            break
    chosen = [*exact.values()]
    chosen += _reduce_colours([entry for entry in colours if _cell(entry[1]) not in exact])
    # The lookup uses the corners of the cubes: so it finds a kept colour, and no neighbour of it.
    corners = [part // _CELL * _CELL for colour in chosen for part in colour]
    guide = images.new("P", (1, 1))
    guide.putpalette(corners)
    out = image.quantize(palette=guide, dither=images.Dither.NONE)
    out.putpalette([part for colour in chosen for part in colour])
    data = BytesIO()
    out.save(data, "PNG", compress_level=6)
    return data.getvalue()


def _cell(colour: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the cube of a colour."""
    red, green, blue = colour
    return red // _CELL, green // _CELL, blue // _CELL


def _count_colours(image: Image, limit: int) -> list[tuple[int, tuple[int, int, int]]] | None:
    """Return the colours of an image, the commonest first; None above a limit.

    Equally common ones are in the order of their parts, so that the same image gives the same bytes.
    """
    counts: list[tuple[int, tuple[int, int, int]]] | None = image.getcolors(limit)  # type: ignore[assignment]
    # Sorted by colours, then by counts: equal ones stay in the order of their colours.
    return None if counts is None else sorted(sorted(counts, key=itemgetter(1)), key=itemgetter(0), reverse=True)


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


# A picture for a letter: PNG below a limit, as large as its reader needs. Land in squares and all that lies on it are
# kept as pixels: most of it is in every map of a battle.


AREAS, PILES, LARGEST, PHONE = 1_000_000, 850_000, 2.0, 2.25
"""The most pixels of a picture for a wide screen (of an area map; of a hex map with piles); its largest zoom; and that
for a phone, whose screen has two or three pixels for each of its 390 units."""
TALL = 770_000
"""The most pixels of a picture for a phone: a taller one takes no longer to draw than others."""
_ZOOMS = {False: 0.05, True: 0.25}
"""Zooms are multiples of that, for a wide screen and for a phone, so that kept pixels serve most pictures."""
_STEPS = (1.0, 0.85, 0.7, 0.55, 0.4, 0.3)
"""Shares of the wanted zoom to try: the first below the limit is taken."""


class TooLong(ValueError):
    """Not even the smallest picture is short enough."""


def encode_png(scene: Scene, ground: Ground, style: Style, limit: int = MOST_BYTES) -> bytes:
    """Return a scene as PNG of at most so many bytes; raise Unavailable, TooLong."""
    _check_libraries()
    picture = lay_out(scene, ground, style, is_loose=True)
    most, largest = (TALL, PHONE) if ground.narrow else (PILES if ground.piles else AREAS, LARGEST)
    wanted, unit = min((most / prod(picture.size)) ** 0.5, largest), _ZOOMS[ground.narrow]
    for step in _STEPS:
        # One step at least: a zoom of 0 is no picture.
        zoom = max(int(step * wanted / unit), 1) * unit
        data = encode_few_colours(paint(picture, ground, style.palette, zoom), style.palette.signals())
        if len(data) <= limit:
            return data
    raise TooLong(f"a picture of {len(data)} bytes at zoom {zoom:.2f}, and {limit} are allowed")


TILE = 256
"""The pixels of a square of land along each side. A choice: larger ones have more that no picture shows."""
KEPT = 128 << 20
"""The bytes of pixels to keep: squares of land and parts of some battles, in light and dark at some zooms."""
_FINE = 2
"""Words and signs in a part are at halves of a pixel, so that they stay in its middle."""
_LARGE = TILE * TILE
"""A part of more pixels is cut to what is seen of it."""


_APART = 20_000
"""A part of more pixels, as the legend, is kept as words and groups. A choice: a counter has fewer."""


class _Sprite(NamedTuple):
    """A part as pixels, and how far they are from its point; None for nothing."""

    image: Image | None
    right: int
    down: int

    def weigh(self) -> int:
        """Return its bytes, with some for its key."""
        return 2048 + (4 * prod(self.image.size) if self.image else 0)


_SPRITES = LruCache[object, _Sprite](KEPT, _Sprite.weigh)
_EXTENTS, _ANCHORED = LruCache[str, Box | None](8192), LruCache[str, Drawn](8192)


def paint(picture: Picture, ground: Ground, palette: Palette, zoom: float) -> Image:
    """Return a picture as pixels, the same whether its parts were kept or not.

    The origin of the map lies on a whole pixel, wherever the map is cut: so its parts look alike in every picture.
    """
    # An extra, which may not be installed.
    from PIL import Image as images

    (x, y), box = picture.corner, ground.box
    corner, end = _pixel((x, y), zoom), _pixel((x + box[2] - box[0], y + box[3] - box[1]), zoom)
    land = images.new("RGB", (end[0] - corner[0], end[1] - corner[1]))
    left, top = _pixel(box[:2], zoom)
    theme = f"{ground.edition} {palette!r} {zoom}" if ground.edition else ""
    # Nothing is seen beyond the map's edge.
    edge = _pixel((ground.whole or box)[2:], zoom)
    for across in range(left // TILE * TILE, left + land.width, TILE):
        for down in range(top // TILE * TILE, top + land.height, TILE):
            pixels = across, down, min(across + TILE, edge[0] + 1), min(down + TILE, edge[1] + 1)
            tile = _SPRITES.get(theme and (theme, pixels), partial(_land, ground, palette, zoom, pixels))
            _paste(land, tile, across - left, down - top)
    _lay_over(land, picture.above_land, zoom, (left, top))
    image = images.new("RGB", _pixel(picture.size, zoom), palette.paper)
    image.paste(land, corner)
    _lay_over(image, picture.around, zoom, (0, 0))
    return image


def _pixel(point: tuple[float, float], zoom: float) -> tuple[int, int]:
    return round(point[0] * zoom), round(point[1] * zoom)


def _land(ground: Ground, palette: Palette, zoom: float, pixels: Pixels) -> _Sprite:
    """Return a square of the land of a map."""
    left, top, right, bottom = (value / zoom for value in pixels)
    image = _rasterise(ground.svg(palette, (left, top, right, bottom)), zoom, pixels)
    return _Sprite(image.convert("RGB"), 0, 0)


def _lay_over(image: Image, parts: Iterable[Drawn], zoom: float, corner: tuple[int, ...], fine: int = 1) -> None:
    """Lay parts over an image, whose left upper pixel is a `corner`.

    Each is at the nearest whole pixel, or one of so many parts of a pixel, so that few looks have to be kept.
    """
    for part in parts:
        if part.at is None and part.box is None:
            part = _ANCHORED.get(part.look, partial(anchor, part.look))
        scale = zoom * part.size
        across, down = _pixel(part.at or (0.0, 0.0), zoom * fine)
        x, y, shift = across // fine - corner[0], down // fine - corner[1], (across % fine / fine, down % fine / fine)
        seen = -x, -y, image.width - x, image.height - y
        pixels = _part_pixels(part, scale, shift, seen)
        if pixels[0] >= pixels[2] or pixels[1] >= pixels[3] or not overlaps(pixels, seen):
            continue
        key = part.look, scale, shift, pixels
        sprite = _SPRITES.get(key, partial(_sprite, *key, is_whole=part.cut is not None))
        _paste(image, sprite if part.cut is None else _cut(sprite, _round(part.cut, scale)), x, y)


def _cut(sprite: _Sprite, pixels: Pixels) -> _Sprite:
    """Return what a sprite shows within a box."""
    if sprite.image is None:
        return sprite
    left, top = max(pixels[0] - sprite.right, 0), max(pixels[1] - sprite.down, 0)
    right, bottom = pixels[2] - sprite.right, pixels[3] - sprite.down
    image = sprite.image.crop((left, top, min(right, sprite.image.width), min(bottom, sprite.image.height)))
    return _Sprite(image, sprite.right + left, sprite.down + top)


def _paste(image: Image, sprite: _Sprite, x: int, y: int) -> None:
    """Lay a sprite over an image at a point, which may be outside."""
    over, x, y = sprite.image, x + sprite.right, y + sprite.down
    if over is None:
        return
    left, top = max(-x, 0), max(-y, 0)
    if image.mode == "RGB":
        image.paste(over, (x, y), over if over.mode == "RGBA" else None)
    elif left < over.width and top < over.height and x < image.width and y < image.height:
        image.alpha_composite(over, (max(x, 0), max(y, 0)), (left, top))


def _part_pixels(part: Drawn, scale: float, shift: tuple[float, float], seen: Pixels) -> Pixels:
    """Return the pixels of a part from its point; of a large one those that are seen."""
    (right, down), box = shift, part.box
    if box is not None:
        return _round(box, scale)
    box = _EXTENTS.get(part.look, lambda: _extent(part.look))
    if box is None:
        return seen
    left, top = floor(box[0] * scale + right), floor(box[1] * scale + down)
    pixels = left, top, ceil(box[2] * scale + right), ceil(box[3] * scale + down)
    if (pixels[2] - left) * (pixels[3] - top) <= _LARGE:
        return pixels
    return max(left, seen[0]), max(top, seen[1]), min(pixels[2], seen[2]), min(pixels[3], seen[3])


def _round(box: Box, scale: float) -> Pixels:
    """Return the pixels of a box."""
    return round(box[0] * scale), round(box[1] * scale), round(box[2] * scale), round(box[3] * scale)


def _extent(look: str) -> Box | None:
    """Return the box of a part; None if it has what is not measured."""
    try:
        return extent(look)
    except (KeyError, ValueError):
        return None


def _sprite(look: str, scale: float, shift: tuple[float, float], pixels: Pixels, is_whole: bool = False) -> _Sprite:
    """Return a part as pixels, without empty edges.

    Words and groups of a large one are kept by themselves unless it `is_whole`, so that with other words it is not
    wholly new.
    """
    is_large = not is_whole and (pixels[2] - pixels[0]) * (pixels[3] - pixels[1]) > _APART
    parts = split(look) if is_large else []
    if not is_large or (len(parts) == 1 and parts[0].look == look):
        image = _rasterise(look, scale, pixels, shift)
    else:
        # An extra, which may not be installed.
        from PIL import Image as images

        image = images.new("RGBA", (pixels[2] - pixels[0], pixels[3] - pixels[1]))
        _lay_over(image, parts, scale, pixels[:2], _FINE)
    box = image.getbbox()
    return _Sprite(image.crop(box), pixels[0] + box[0], pixels[1] + box[1]) if box else _Sprite(None, 0, 0)


def _rasterise(look: str, scale: float, pixels: Pixels, shift: tuple[float, float] = (0.0, 0.0)) -> Image:
    """Return some pixels of a drawing."""
    left, top, right, bottom = pixels
    moved = f"translate({shift[0] - left} {shift[1] - top}) scale({scale})"
    size = {"width": right - left, "height": bottom - top}
    return _open_png(to_png(tag("svg", tag("g", look, transform=moved), xmlns=_SVG, **size), 1.0))


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
    base = _open_png(to_png(ground, zoom)).convert("RGB")
    shown = [_lay_frame_over(base, to_png(svg, zoom)) for svg in frames]
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


def _lay_frame_over(base: Image, data: bytes) -> Image:
    """Return an image with a transparent PNG laid over it."""
    image, overlay = base.copy(), _open_png(data)
    image.paste(overlay, (0, 0), overlay)
    return image
