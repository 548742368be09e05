"""SVG to PNG, small enough for a letter, by libraries that not everybody has: `Unavailable` says how to get them."""

from __future__ import annotations

from importlib import import_module, resources
from io import BytesIO
from pathlib import Path

from pbem.pictures.colours import packed

__all__ = ["MOST", "NEEDED", "ZOOMS", "Unavailable", "faces", "missing", "small_png", "to_png"]

NEEDED = ("resvg_py", "PIL")
"""The libraries of the extra, one to draw and one to make it short."""

MOST = 120_000
"""The bytes that a picture in a letter may have."""
ZOOMS = (2.0, 1.5, 1.25, 1.0)
"""How large it is tried, the largest first."""


class Unavailable(RuntimeError):
    """The libraries that make PNG are not installed."""


def faces() -> list[str]:
    """Return the files of our own fonts: a picture has no others."""
    folder = resources.files("pbem.pictures").joinpath("fonts")
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
    import resvg_py

    made: bytes = bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, skip_system_fonts=True, font_files=faces()))
    return made


def small_png(svg: str, first: float = ZOOMS[0]) -> tuple[bytes, float]:
    """Return a picture of at most `MOST` bytes, the largest that is, with its zoom; the smallest if none is.

    `first` is what fitted a picture like it: nothing larger is tried. Unavailable where nothing can make one.
    """
    made, zoom = b"", first
    for zoom in [one for one in ZOOMS if one <= first] or ZOOMS[-1:]:
        drawn = to_png(svg, zoom)
        from PIL import Image

        made = packed(Image.open(BytesIO(drawn)).convert("RGB"))
        if len(made) <= MOST:
            break
    return made, zoom
