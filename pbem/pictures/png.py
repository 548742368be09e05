"""SVG to PNG, small enough for a letter, by libraries that not everybody has: `Unavailable` says how to get them."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

__all__ = ["MOST", "ZOOMS", "Unavailable", "faces", "small_png", "to_png"]

MOST = 120_000
"""The bytes that a picture in a letter may have."""
ZOOMS = (2.0, 1.5, 1.25, 1.0)
"""How large it is tried, the largest first."""
EXACT, REST = 48, 16
"""Colours that stay as they are, those that the picture names; and into how many all others are gathered."""
_NAMED = re.compile("#[0-9a-f]{6}")


class Unavailable(RuntimeError):
    """The libraries that make PNG are not installed."""


def faces() -> list[str]:
    """Return the files of our own fonts: a picture has no others."""
    folder = resources.files("pbem.pictures").joinpath("fonts")
    return sorted(str(Path(str(folder.joinpath(one.name)))) for one in folder.iterdir() if one.name.endswith(".ttf"))


def to_png(svg: str, zoom: float = 1.5) -> bytes:
    """Return a picture as PNG in all its colours; Unavailable where nothing can make one."""
    try:
        import resvg_py
    except ImportError:
        raise Unavailable("pictures need the extra: pip install 'pbem[pictures]'") from None
    made: bytes = bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, skip_system_fonts=True, font_files=faces()))
    return made


def small_png(svg: str, first: float = ZOOMS[0]) -> tuple[bytes, float]:
    """Return a picture of at most `MOST` bytes, the largest that is, with its zoom; the smallest if none is.

    `first` is what fitted a picture like it: nothing larger is tried. Unavailable where nothing can make one.
    """
    made, zoom, named = b"", first, tuple(dict.fromkeys(_NAMED.findall(svg)))[:EXACT]
    for zoom in [one for one in ZOOMS if one <= first] or ZOOMS[-1:]:
        made = _gathered(to_png(svg, zoom), named)
        if len(made) <= MOST:
            break
    return made, zoom


def _gathered(data: bytes, named: Sequence[str]) -> bytes:
    """A picture in few colours: the named as they are, each other in the nearest of those or of some for the rest."""
    try:
        from PIL import Image
    except ImportError:
        raise Unavailable("pictures need the extra: pip install 'pbem[pictures]'") from None
    image = Image.open(io.BytesIO(data)).convert("RGB")
    exact = [int(colour[at : at + 2], 16) for colour in named for at in (1, 3, 5)]
    rest = image.quantize(REST, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    gathered = (rest.getpalette() or [])[: 3 * REST]
    palette = Image.new("P", (1, 1))
    palette.putpalette(exact + gathered)
    out = io.BytesIO()
    image.quantize(palette=palette, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()
