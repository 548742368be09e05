"""Draw what surrounds a map: paper, title, points, overview, compass, scale."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.scene import Scene
from pbem.engine.map.plane import Box, Point, overlaps
from pbem.maps.drawn_on import Ground, Style, camp_name
from pbem.maps.palette import Palette
from pbem.maps.svg import fit_text, number, polygon, tag, text, width

SHARE = 0.8
"""Above this visible share the whole is not shown at a glance. A choice: it would show little more than the picture."""
GLANCE, NARROW_GLANCE = 120.0, 76.0
"""The width of the whole map at a glance, for a wide and for a narrow picture."""
_OUTSIDE, _INSIDE = 4.0, 1.5
"""How far the lines of the frame reach out of the map and into it, at most."""
_NOTCH = 4.0
"""The radius of the hollow corners of a title, as on engraved maps."""
_CAPTION = {True: (10.0, 15.0), False: (12.0, 22.0)}
"""The size of points, and the height of their plates, for a narrow and for a wide picture."""


def margin(ground: Ground) -> float:
    """Return the paper at the sides of a map."""
    return 4.0 if ground.narrow else 12.0


def head(ground: Ground) -> float:
    """Return the height of the title above a map."""
    return 60.0 if ground.narrow else 50.0


def paper(ground: Ground, size: tuple[float, float], palette: Palette) -> str:
    """Return the paper around the map.

    It is not clipped, which would cost half the time.
    """
    (right, bottom), (x, y, u, v) = size, _sides(ground)
    hole = f"M{number(x)} {number(y)}v{number(v - y)}h{number(u - x)}v{number(y - v)}z"
    return tag("path", d=f"M-9 -9H{number(right + 9)}V{number(bottom + 9)}H-9z{hole}", fill=palette.paper)


def frame(ground: Ground, palette: Palette) -> str:
    """Return the lines of the frame around the map."""
    left, top, right, bottom = _sides(ground)
    rules = {"fill": "none", "stroke": palette.frame}
    svg = tag("rect", x=left, y=top, width=right - left, height=bottom - top, **rules, stroke_width=1.8)
    size = {"width": right - left + 6, "height": bottom - top + 6}
    return svg + tag("rect", x=left - 3, y=top - 3, **size, **rules, stroke_width=0.7)


def frame_edges(ground: Ground) -> tuple[Box, ...]:
    """Return the boxes of the four sides of the frame, which do not overlap."""
    left, top, right, bottom = _sides(ground)
    (x, u), (y, v) = (left - _OUTSIDE, right + _OUTSIDE), (top - _OUTSIDE, bottom + _OUTSIDE)
    upper, lower = top + _INSIDE, bottom - _INSIDE
    return (x, y, u, upper), (x, lower, u, v), (x, upper, left + _INSIDE, lower), (right - _INSIDE, upper, u, lower)


def _sides(ground: Ground) -> Box:
    """Return the box of the map in the picture."""
    (left, top, right, bottom), x, y = ground.box, margin(ground), head(ground)
    return x, y, x + right - left, y + bottom - top


def heading(scene: Scene, ground: Ground, style: Style) -> str:
    """Return the cartouche with battle and moment, and the points of each camp.

    On a phone these have a line of their own below it.
    """
    palette, left, right = style.palette, margin(ground), ground.box[2] - ground.box[0] + margin(ground)
    points, points_left = _points(scene, (left, right), ground.narrow, style)
    room = (right if ground.narrow else points_left) - left - 16
    title, size = fit_text(style.say(scene.heading), 13.5 if ground.narrow else 17.0, room, "serif-bold", 0.6)
    moment, small = fit_text(style.say(scene.moment), 8.6 if ground.narrow else 10.5, room)
    if ground.narrow:
        title_point, moment_point = (left + 8, 17.6), (left + 8, 30.0)
        plate = _cartouche((left, 3.5), (right - left, 32.5), palette)
    else:
        inner = max(width(title, size, "serif-bold"), width(moment, small))
        title_point, moment_point = (left + 14, 23.0), (left + 14, 37.0)
        plate = _cartouche((left, 4.0), (min(inner, room) + 28, 39.0), palette)
    svg = text(title, title_point, size, "serif-bold", fill=palette.ink)
    return plate + svg + text(moment, moment_point, small, fill=palette.faint) + points


def _cartouche(corner: tuple[float, float], size: tuple[float, float], palette: Palette) -> str:
    """Return a plate with hollow corners and two rules."""
    svg = ""
    for inset, stroke_width in ((0.0, 1.2), (2.0, 0.5)):
        x, y, wide, high = corner[0] + inset, corner[1] + inset, size[0] - 2 * inset, size[1] - 2 * inset
        arcs = [
            f"a{_NOTCH:g} {_NOTCH:g} 0 0 0 {dx}{_NOTCH:g} {dy}{_NOTCH:g}"
            for dx, dy in (("", "-"), ("", ""), ("-", ""), ("-", "-"))
        ]
        path = (
            f"M{number(x)} {number(y + _NOTCH)}{arcs[0]}h{number(wide - 2 * _NOTCH)}{arcs[1]}"
            f"v{number(high - 2 * _NOTCH)}{arcs[2]}h{number(2 * _NOTCH - wide)}{arcs[3]}z"
        )
        fill = "none" if inset else palette.halo
        svg += tag("path", d=path, fill=fill, stroke=palette.frame, stroke_width=stroke_width)
    return svg


def _points(scene: Scene, ends: tuple[float, float], narrow: bool, style: Style) -> tuple[str, float]:
    """Return the points of camps on plates in their colours, and where these begin."""
    (size, high), svg, right = _CAPTION[narrow], "", ends[1]
    top = 39.0 if narrow else 12.0
    for camp in reversed([camp for camp in scene.camps if camp.points is not None]):
        livery = style.palette.liveries[camp.tone]
        caption = f"{camp_name(camp, style)} {camp.points}{'+?' if camp.more else ''}"
        caption, size = fit_text(caption, size, (ends[1] - ends[0]) / 3, "sans-bold")
        plate_width = width(caption, size, "sans-bold") + 16
        left = right - plate_width
        look = {"fill": livery.ground, "stroke": livery.rim, "stroke_width": 1.2}
        svg += tag("rect", x=left, y=top, width=plate_width, height=high, rx=2.5, **look)
        for index, colour in enumerate(livery.flag):
            step = (high - 2) / len(livery.flag)
            svg += tag("rect", x=left + 1, y=top + 1 + index * step, width=4.4, height=step, fill=colour)
        svg += text(
            caption,
            (left + plate_width / 2 + 2, top + high / 2 + 0.36 * size),
            size,
            "sans-bold",
            text_anchor="middle",
            fill=livery.ink,
        )
        right = left - 5
    return svg, right


def glance(
    scene: Scene, ground: Ground, palette: Palette, is_loose: bool = False
) -> tuple[list[str], tuple[float, float]]:
    """Return the whole map without counters, and its size.

    If `is_loose` what is on it is a part of its own. Empty if the picture shows most of it.
    """
    whole, box = ground.whole, ground.box
    if whole is None or ground.glance is None:
        return [], (0.0, 0.0)
    wide, high = whole[2] - whole[0], whole[3] - whole[1]
    if (box[2] - box[0]) * (box[3] - box[1]) > SHARE * wide * high:
        return [], (0.0, 0.0)
    size = NARROW_GLANCE if ground.narrow else GLANCE
    factor = min(size / wide, size / high)
    cut = {"x": box[0], "y": box[1], "width": box[2] - box[0], "height": box[3] - box[1]}
    svg = _dots(scene, ground, palette, factor)
    svg += tag("rect", **cut, fill="none", stroke=palette.halo, stroke_width=3.4 / factor)
    svg += tag("rect", **cut, fill="none", stroke=palette.ink, stroke_width=1.6 / factor)
    # Paper covers what reaches beyond the frame.
    edge = 6 / factor
    svg += tag(
        "rect",
        x=whole[0] - edge / 2,
        y=whole[1] - edge / 2,
        width=wide + edge,
        height=high + edge,
        fill="none",
        stroke=palette.paper,
        stroke_width=edge,
    )
    frame = {"fill": "none", "stroke": palette.frame, "stroke_width": 1.2 / factor}
    svg += tag("rect", x=whole[0], y=whole[1], width=wide, height=high, **frame)
    scale = f"scale({factor:.4f}) translate({number(-whole[0])} {number(-whole[1])})"
    parts = (ground.glance(palette), svg) if is_loose else (ground.glance(palette) + svg,)
    return [tag("g", part, transform=scale) for part in parts], (wide * factor, high * factor)


def _dots(scene: Scene, ground: Ground, palette: Palette, factor: float) -> str:
    """Return goals as rings, and occupied places as dots in their side's colour."""
    tones = {camp.id: palette.liveries[camp.tone] for camp in scene.camps}
    occupied = sorted({(piece.place, piece.side) for piece in scene.pieces if piece.place in ground.sites})
    svg = ""
    for goal in scene.stakes:
        if goal.place in ground.sites:
            x, y = ground.sites[goal.place]
            svg += tag("circle", cx=x, cy=y, r=3 / factor, fill="none", stroke=palette.gold, stroke_width=1.6 / factor)
    for place, side in occupied:
        (x, y), livery = ground.sites[place], tones[side]
        look = {"fill": livery.ground, "stroke": palette.glow, "stroke_width": 0.7 / factor}
        svg += tag("circle", cx=x, cy=y, r=2.2 / factor, **look)
    return svg


def scale_bar(ground: Ground, palette: Palette, taken: Sequence[Box] = ()) -> str:
    """Return compass and scale bar in the freest corner; empty without a scale.

    Among equally free corners it is the first.
    """
    if ground.scale is None:
        return ""
    (caption, length), (left, top, right, bottom) = ground.scale, ground.box
    # At least as wide as the compass above a short scale.
    wide, high = max(length, 36.0) + 8, 70.0
    corners = [(x, y) for y in (bottom - 4, top + high + 4) for x in (left + 8, right - wide - 4)]
    x, y = min(corners, key=lambda corner: sum(overlaps(box, _above(corner, (wide, high))) for box in taken))
    y -= 8
    bars = "".join(
        tag("rect", x=x + 4 + index * length / 4, y=y, width=length / 4, height=3, fill=fill)
        for index, fill in enumerate((palette.ink, palette.halo) * 2)
    )
    frame = tag("rect", x=x + 4, y=y, width=length, height=3, fill="none", stroke=palette.ink, stroke_width=0.7)
    look = {"paint_order": "stroke", "stroke": palette.halo, "stroke_width": 2.4, "text_anchor": "middle"}
    words = text(caption, (x + 4 + length / 2, y - 3.5), 8.6, "sans", fill=palette.ink, **look)
    return _compass((x + 22, y - 32), 1.0, palette) + bars + frame + words


def _above(corner: Point, size: tuple[float, float]) -> Box:
    """Return the box of a size over its left lower corner."""
    return corner[0], corner[1] - size[1], corner[0] + size[0], corner[1]


def _compass(centre: tuple[float, float], size: float, palette: Palette) -> str:
    """Return a compass rose: north is up on all maps."""
    svg = tag("circle", r=13.5, fill=palette.halo, fill_opacity=0.75, stroke=palette.frame, stroke_width=0.8)
    svg += tag("circle", r=11.4, fill="none", stroke=palette.frame, stroke_width=0.5)
    diagonals = [(5.2, 5.2), (-5.2, 5.2), (-5.2, -5.2), (5.2, -5.2)]
    svg += "".join(
        polygon([(0, 0), (x * 0.15, -y * 0.75), (x, -y), (x * 0.75, -y * 0.15)], fill=palette.faint)
        for x, y in diagonals
    )
    for x, y, reach in ((0.0, -1.0, 17.0), (1.0, 0.0, 12.5), (0.0, 1.0, 12.5), (-1.0, 0.0, 12.5)):
        tip, back = (x * reach, y * reach), (x * 0, y * 0)
        for turn, fill in ((1, palette.halo), (-1, palette.ink)):
            flank = 2.8 * (x - turn * y), 2.8 * (y + turn * x)
            svg += polygon([back, flank, tip], fill=fill, stroke=palette.ink, stroke_width=0.5)
    svg += text("N", (0.0, -18.5), 8.5, "serif-bold", text_anchor="middle", fill=palette.ink)
    return tag("g", svg, transform=f"translate({number(centre[0])} {number(centre[1])}) scale({size:g})")
