"""What `pbem doctor` looks at of pictures: whether this machine can make any."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.cli.server.checks_home import Found

__all__ = ["pictures"]


def pictures() -> Iterator[Found]:
    """Maps as PNG can be made; without their libraries letters are as complete, and have no picture."""
    from pbem.pictures.png import faces, missing

    if gone := missing():
        what = f"maps as PNG cannot be made: {', '.join(gone)} cannot be loaded; games go on without"
        yield Found("mind", "pictures", what, "if you want them: pip install 'pbem[pictures]'")
    else:
        yield Found("ok", "pictures", f"maps can be made as PNG, with {len(faces())} fonts of our own")
