"""A picture in 64 colours, which makes it a quarter as long: the commonest stay as they are, the others come close."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

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
    from PIL import Image as images

    if not found:
        return []
    pixels = b"".join(bytes(colour) * min(many, _WEIGHT) for many, colour in found)
    row = images.frombytes("RGB", (len(pixels) // 3, 1), pixels)
    flat = row.quantize(MANY - EXACT, images.Quantize.MEDIANCUT).getpalette() or []
    return [(flat[at], flat[at + 1], flat[at + 2]) for at in range(0, 3 * (MANY - EXACT), 3) if at + 2 < len(flat)]
