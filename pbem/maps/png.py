"""SVG to PNG, by libraries that not everybody has: `Unavailable` says how to get them."""

from __future__ import annotations

from importlib import import_module, resources
from pathlib import Path

NEEDED = ("resvg_py", "PIL")
"""The libraries of the extra, one to draw and one to make it short."""

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
    import resvg_py

    made: bytes = bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, skip_system_fonts=True, font_files=faces()))
    return made
