"""The whole map at a glance, in a corner of a picture that shows a part of it: who stands where, and what was cut."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.scene import Scene
from pbem.engine.map.plane import Box
from pbem.maps.drawn_on import Ground
from pbem.maps.palette import Palette
from pbem.maps.svg import number, tag

SHARE = 0.8
"""Where more of the map is seen, no glance at the whole is wanted."""
WIDE = 120.0
_AWAY = 8.0


def overview(scene: Scene, ground: Ground, boxes: Sequence[Box], palette: Palette) -> str:
    """Return the whole map in the corner in which it covers no counter; nothing where it would."""
    whole = ground.whole
    if whole is None or ground.glance is None or _size(ground.box) > SHARE * _size(whole):
        return ""
    by = WIDE / (whole[2] - whole[0])
    spot = _corner(ground.box, (WIDE, by * (whole[3] - whole[1])), boxes)
    if spot is None:
        return ""
    left, top, right, bottom = ground.box
    frame = tag("rect", x=left, y=top, width=right - left, height=bottom - top, **_line(palette.alarm, 1.6 / by))
    rim = tag("rect", width=whole[2] - whole[0], height=whole[3] - whole[1], **_line(palette.frame, 1.6 / by))
    inner = ground.glance(palette) + _dots(scene, ground, palette) + frame + rim
    x, y = spot
    scale = f"translate({number(x)} {number(y)}) scale({by:.4f}) translate({number(-whole[0])} {number(-whole[1])})"
    return tag("g", inner, transform=scale)


def _size(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _line(colour: str, wide: float) -> dict[str, object]:
    return {"fill": "none", "stroke": colour, "stroke_width": wide}


def _corner(box: Box, size: tuple[float, float], boxes: Sequence[Box]) -> tuple[float, float] | None:
    """The left upper corner of the place for it; the scale has the left lower corner to itself."""
    left, right = box[0] + _AWAY, box[2] - _AWAY - size[0]
    top, bottom = box[1] + _AWAY, box[3] - _AWAY - size[1]
    for x, y in ((left, top), (right, top), (right, bottom)):
        covers = (x - 8, y - 8, x + size[0] + 8, y + size[1] + 8)
        if not any(
            one[0] < covers[2] and covers[0] < one[2] and one[1] < covers[3] and covers[1] < one[3] for one in boxes
        ):
            return x, y
    return None


def _dots(scene: Scene, ground: Ground, palette: Palette) -> str:
    """Goals as rings, and where anybody stands in his colour."""
    tones = {camp.id: palette.liveries[camp.tone] for camp in scene.camps}
    held = sorted({(piece.place, piece.side) for piece in scene.pieces if piece.place in ground.sites})
    out = ""
    for goal in scene.stakes:
        if goal.place in ground.sites:
            x, y = ground.sites[goal.place]
            out += tag("circle", cx=x, cy=y, r=30, fill="none", stroke=palette.gold, stroke_width=16)
    for place, side in held:
        (x, y), livery = ground.sites[place], tones[side]
        out += tag("circle", cx=x, cy=y, r=22, fill=livery.ground, stroke=livery.rim, stroke_width=8)
    return out
