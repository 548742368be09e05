"""SVG to PNG, by a library that not everybody has: `Unavailable` says how to come by it."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

__all__ = ["Unavailable", "faces", "to_png"]


class Unavailable(RuntimeError):
    """The library that makes PNG is not installed."""


def faces() -> list[str]:
    """Return the files of our own fonts: a picture has no others."""
    folder = resources.files("pbem.pictures").joinpath("fonts")
    return [str(Path(str(folder.joinpath(one.name)))) for one in folder.iterdir() if one.name.endswith(".ttf")]


def to_png(svg: str, zoom: float = 1.5) -> bytes:
    """Return a picture as PNG; Unavailable where nothing can make one."""
    try:
        import resvg_py
    except ImportError:
        raise Unavailable("pictures need the extra: pip install 'pbem[pictures]'") from None
    made: bytes = bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, skip_system_fonts=True, font_files=faces()))
    return made
