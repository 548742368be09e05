"""Draw the whole picture: heading, ground, marks, counters, legend."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from pbem.engine.data.scene import Camp, Mark, Piece, Scene
from pbem.engine.map.plane import Box, Point
from pbem.maps.counters import counter, epitaph, front, slat
from pbem.maps.drawn_on import Ground, Style, camp_name, is_within
from pbem.maps.goals import goal_outlines, goals_on_hexes, names_and_goals
from pbem.maps.layout import LABEL, Stack, body, lay_piles, lay_stacks
from pbem.maps.legend import ASKED, legend
from pbem.maps.marks import Border, DrawnMark, Pen, entry_route, mark
from pbem.maps.palette import Palette
from pbem.maps.svg import ELSEWHERE, line, number, polygon, tag, text, width

# An overview in a corner of a cut picture: the whole map, occupied places, and the cut.


SHARE = 0.8
"""Above this visible share no overview is drawn."""
WIDE = 120.0
_AWAY = 8.0


def overview(scene: Scene, ground: Ground, boxes: Sequence[Box], palette: Palette) -> str:
    """Return the whole map in a corner without counters; empty if there is none."""
    whole = ground.whole
    if whole is None or ground.glance is None or _size(ground.box) > SHARE * _size(whole):
        return ""
    factor = WIDE / (whole[2] - whole[0])
    corner = _corner(ground.box, (WIDE, factor * (whole[3] - whole[1])), boxes)
    if corner is None:
        return ""
    left, top, right, bottom = ground.box
    frame = tag("rect", x=left, y=top, width=right - left, height=bottom - top, **_line(palette.alarm, 1.6 / factor))
    rim = tag("rect", width=whole[2] - whole[0], height=whole[3] - whole[1], **_line(palette.frame, 1.6 / factor))
    inner = ground.glance(palette) + _dots(scene, ground, palette) + frame + rim
    x, y = corner
    scale = f"translate({number(x)} {number(y)}) scale({factor:.4f}) translate({number(-whole[0])} {number(-whole[1])})"
    return tag("g", inner, transform=scale)


def _size(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _line(colour: str, wide: float) -> dict[str, object]:
    return {"fill": "none", "stroke": colour, "stroke_width": wide}


def _corner(box: Box, size: tuple[float, float], boxes: Sequence[Box]) -> tuple[float, float] | None:
    """Return the left upper corner of a free place; the scale has the left lower one."""
    left, right = box[0] + _AWAY, box[2] - _AWAY - size[0]
    top, bottom = box[1] + _AWAY, box[3] - _AWAY - size[1]
    for x, y in ((left, top), (right, top), (right, bottom)):
        area = (x - 8, y - 8, x + size[0] + 8, y + size[1] + 8)
        if not any(
            box_taken[0] < area[2] and area[0] < box_taken[2] and box_taken[1] < area[3] and area[1] < box_taken[3]
            for box_taken in boxes
        ):
            return x, y
    return None


def _dots(scene: Scene, ground: Ground, palette: Palette) -> str:
    """Return goals as rings, and occupied places as dots in their side's colour."""
    tones = {camp.id: palette.liveries[camp.tone] for camp in scene.camps}
    occupied = sorted({(piece.place, piece.side) for piece in scene.pieces if piece.place in ground.sites})
    svg = ""
    for goal in scene.stakes:
        if goal.place in ground.sites:
            x, y = ground.sites[goal.place]
            svg += tag("circle", cx=x, cy=y, r=30, fill="none", stroke=palette.gold, stroke_width=16)
    for place, side in occupied:
        (x, y), livery = ground.sites[place], tones[side]
        svg += tag("circle", cx=x, cy=y, r=22, fill=livery.ground, stroke=livery.rim, stroke_width=8)
    return svg


HEAD = 48.0
MARGIN = 12.0
_BESIDE = (11.0, 13.0)
"""The shifts at which a sign between piles of a column hides neither hex number nor strengths."""
_STORMS = ("assault", "move")


def draw(scene: Scene, ground: Ground, style: Style) -> str:
    """Return the picture as SVG: the same bytes for the same scene, ground and style."""
    left, top, right, bottom = ground.box
    palette, map_width = style.palette, right - left
    outside = tuple(goal for goal in scene.stakes if not is_within(goal.place, ground))
    legend_svg, legend_height = legend(scene, map_width, style, ground, outside)
    body = ground.svg(palette) + _overlay(scene, ground, style)
    inner = tag("g", body, transform=f"translate({number(MARGIN - left)} {number(HEAD - top)})")
    total_height = HEAD + (bottom - top) + legend_height + 8
    frame = _frame((map_width, bottom - top), (map_width + 2 * MARGIN, total_height), palette)
    legend_svg = tag("g", legend_svg, transform=f"translate({number(MARGIN)} {number(HEAD + bottom - top + 8)})")
    return tag(
        "svg",
        tag("style", ELSEWHERE) + inner + frame + _heading(scene, map_width, style) + legend_svg,
        xmlns="http://www.w3.org/2000/svg",
        width=map_width + 2 * MARGIN,
        height=total_height,
        viewBox=f"0 0 {number(map_width + 2 * MARGIN)} {number(total_height)}",
    )


def board(scene: Scene, ground: Ground, style: Style, places: Collection[str]) -> str:
    """Return the map for a page, with outlines of `places` to be chosen."""
    left, top, right, bottom = ground.box
    outlines = "".join(
        polygon(ground.outlines(place), fill="transparent", data_place=place)
        for place in sorted(places)
        if place in ground.sites
    )
    # Where cells reach into the sea only their land can be chosen.
    water = ground.water(style.palette) if ground.water else ""
    body = (
        ground.svg(style.palette) + tag("g", outlines) + water + _overlay(scene, ground, style._replace(handles=True))
    )
    view = f"{number(left)} {number(top)} {number(right - left)} {number(bottom - top)}"
    return tag("svg", body, xmlns="http://www.w3.org/2000/svg", viewBox=view)


def _overlay(scene: Scene, ground: Ground, style: Style) -> str:
    """Return everything above the ground: shade, arrows, names, counters."""
    palette = style.palette
    stacks = lay_piles(scene, ground) if ground.piles else lay_stacks(scene, ground)
    camps = {camp.id: camp for camp in scene.camps}
    standing = [stack for _, stack in sorted(stacks.items())]
    marks = list(draw_marks(scene, ground, stacks, palette))
    names = "".join((goals_on_hexes if ground.piles else names_and_goals)(scene, ground, stacks, style))
    return "".join(
        (
            "".join(shade(place, ground, palette) for place in scene.unseen if place in ground.sites),
            goal_outlines(scene, ground, palette) if ground.piles else "",
            *_reach_outlines(scene, ground, palette),
            *(leader_line(stack, palette) for stack in standing),
            *(sign.below for sign in marks),
            "" if ground.piles else names,
            *(_counters(stack, camps, style) for stack in standing),
            names if ground.piles else "",
            *("".join(_epitaphs(stack, camps, style)) for stack in standing),
            *(bar for stack in standing for bar in fronts(stack, camps, palette)),
            *(sign.above for sign in marks),
            scale_bar(ground, palette),
            overview(scene, ground, [stack.box for stack in standing], palette),
        )
    )


def _frame(size: tuple[float, float], total: tuple[float, float], palette: Palette) -> str:
    """Return the paper around the map; clipping would cost half the time."""
    (map_width, map_height), (right, bottom) = size, total
    hole = f"M{number(MARGIN)} {number(HEAD)}v{number(map_height)}h{number(map_width)}v{number(-map_height)}z"
    paper = tag("path", d=f"M-9 -9H{number(right + 9)}V{number(bottom + 9)}H-9z{hole}", fill=palette.paper)
    edge = {"fill": "none", "stroke": palette.frame, "stroke_width": 2}
    return paper + tag("rect", x=MARGIN, y=HEAD, width=map_width, height=map_height, **edge)


def _heading(scene: Scene, wide: float, style: Style) -> str:
    """Return the battle, the moment, and the points of each camp that has any."""
    palette, right = style.palette, MARGIN + wide
    svg = text(style.say(scene.heading), (MARGIN, 20), 17, "serif-bold", fill=palette.ink)
    svg += text(style.say(scene.moment), (MARGIN, 37), 10.5, fill=palette.faint)
    for camp in reversed([camp for camp in scene.camps if camp.points is not None]):
        livery = palette.liveries[camp.tone]
        caption = f"{camp_name(camp, style)} {camp.points}{'+?' if camp.more else ''}"
        box_width = width(caption, 12, "sans-bold") + 18
        svg += tag(
            "rect",
            x=right - box_width,
            y=11,
            width=box_width,
            height=22,
            rx=5,
            fill=livery.ground,
            stroke=livery.rim,
            stroke_width=1.4,
        )
        svg += text(caption, (right - box_width / 2, 26.4), 12, "sans-bold", text_anchor="middle", fill=livery.ink)
        right -= box_width + 6
    return svg


def _counters(stack: Stack, camps: Mapping[str, Camp], style: Style) -> str:
    """Return a place's counters; parts above or below other places are drawn apart."""
    svg = ""
    for face, placed in ((slat, stack.slats), (counter, stack.counters)):
        for piece, point in placed:
            drawn = draw_counter(face, piece, camps, point, style, stack.size)
            svg += tag("g", drawn, data_unit=piece.id) if style.handles else drawn
    return svg


def draw_counter(
    face: Callable[..., str], piece: Piece, camps: Mapping[str, Camp], point: Point, style: Style, size: float
) -> str:
    """Return a counter as drawn by `face`, so many times as large."""
    named, where = piece._replace(name=style.named(piece.name)), point if size == 1.0 else (0.0, 0.0)
    svg = face(named, camps[piece.side], where, style.palette, style.say, style.figures)
    scale = f"translate({number(point[0])} {number(point[1])}) scale({size:g})"
    return svg if size == 1.0 else tag("g", svg, transform=scale)


def fronts(stack: Stack, camps: Mapping[str, Camp], palette: Palette) -> Iterator[str]:
    """Yield a bar for each side that units of a pile face."""
    facings = {piece.facing: piece.side for piece, _ in (*stack.slats, *stack.counters) if piece.facing}
    for facing, side in facings.items():
        yield front(facing, body(stack), palette.liveries[camps[side].tone].arrow, palette)


def leader_line(stack: Stack, palette: Palette) -> str:
    """Return the line from a displaced stack to its place."""
    if stack.site is None:
        return ""
    (x, y), (left, top, right, bottom) = stack.site, stack.box
    nearest = min(max(x, left), right), min(max(y, top), bottom)
    dot = tag("circle", cx=x, cy=y, r=3.4, fill=palette.ink, stroke=palette.halo, stroke_width=1.2)
    attributes = {"stroke_linecap": "round"}
    rim = tag("path", d=line([nearest, (x, y)]), stroke=palette.halo, stroke_width=4, **attributes)
    return rim + tag("path", d=line([nearest, (x, y)]), stroke=palette.ink, stroke_width=1.6, **attributes) + dot


def shade(place: str, ground: Ground, palette: Palette) -> str:
    """Return the shade over a place out of sight, with a question mark."""
    outline, (x, y) = ground.outlines(place), ground.sites[place]
    veil = polygon(outline, fill=palette.shade, fill_opacity=0.16)
    return veil + text("?", (x, y + 26), 24, "serif-bold", text_anchor="middle", fill=palette.shade, fill_opacity=0.5)


def _reach_outlines(scene: Scene, ground: Ground, palette: Palette) -> Iterator[str]:
    """Yield the outlines of places in reach, then of targets, then of own places."""
    for places, attributes in ((getattr(scene, name), make_look(palette)) for name, make_look in ASKED.items()):
        for place in places:
            if is_within(place, ground):
                yield polygon(ground.outlines(place), **attributes)
    if ground.water and (scene.reach or scene.targets):
        # Cells reach into the sea.
        yield ground.water(palette)


def draw_marks(scene: Scene, ground: Ground, stacks: Mapping[str, Stack], palette: Palette) -> Iterator[DrawnMark]:
    """Yield the signs of events, each beside earlier ones; an advance alone has none."""
    boxes: dict[str, Box] = {place: stack.box for place, stack in stacks.items()}
    points = {place: centre_of(boxes[place]) if place in boxes else site for place, site in ground.sites.items()}
    camps = {camp.id: camp for camp in scene.camps}
    steps = {
        kind: {(event_mark.side, event_mark.places[-2:]) for event_mark in scene.marks if event_mark.kind == kind}
        for kind in _STORMS
    }
    for number_, event_mark in enumerate(scene.marks):
        step = (event_mark.side, event_mark.places[-2:])
        if event_mark.kind == "move" and len(event_mark.places) == 2 and step in steps["assault"]:
            yield DrawnMark()
            continue
        route = [points[place] for place in event_mark.places if place in points]
        if event_mark.kind == "arrive" and event_mark.places[-1] in stacks:
            route = entry_route(stacks[event_mark.places[-1]].box, ground.box, boxes.values())
        colour = palette.liveries[camps[event_mark.side].tone].arrow if event_mark.side in camps else palette.ink
        border = _border(event_mark, ground, stacks) if len(route) == len(event_mark.places) > 1 else ()
        pen = Pen(palette, colour, 3.0 if ground.piles else 4.0)
        drawn_mark = mark(event_mark, route, boxes, pen, Border(border, step in steps["move"]))
        if drawn_mark.spot is not None:
            x, y = drawn_mark.spot
            boxes[f"mark {number_}"] = (x - 6, y - 6, x + 6, y + 6)
        yield drawn_mark


def _border(event_mark: Mark, ground: Ground, stacks: Mapping[str, Stack]) -> Sequence[Point]:
    """Return the line between a mark's last places; between piles, their gap."""
    line_points = ground.border(*event_mark.places[-2:])
    first, second = (stacks.get(place) for place in event_mark.places[-2:])
    if not ground.piles or not line_points or first is None or second is None or first.name[0] != second.name[0]:
        return line_points
    upper, lower = sorted((first.box, second.box), key=lambda box: box[1])
    y = min(max((upper[3] + lower[1]) / 2, line_points[0][1]), lower[1]) + LABEL / 2
    return [(first.name[0] + aside, y) for aside in _BESIDE]


def _epitaphs(stack: Stack, camps: Mapping[str, Camp], style: Style) -> Iterator[str]:
    """Yield eliminated counters below those of a place."""
    for piece, (x, y) in stack.graves:
        svg = epitaph(piece._replace(name=style.named(piece.name)), camps[piece.side], style.palette)
        scale = "" if stack.size == 1.0 else f" scale({stack.size:g})"
        yield tag("g", svg, transform=f"translate({number(x)} {number(y)}){scale}")


def centre_of(box: Sequence[float]) -> Point:
    """Return the middle of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def scale_bar(ground: Ground, palette: Palette) -> str:
    """Return the bar of a map's scale; empty if it has none."""
    if ground.scale is None:
        return ""
    caption, length = ground.scale
    x, y = ground.box[0] + 12, ground.box[3] - 14
    bar = (
        line([(x, y - 3), (x, y + 3)])
        + line([(x, y), (x + length, y)])
        + line([(x + length, y - 3), (x + length, y + 3)])
    )
    words = text(caption, (x + length / 2, y - 6), 9, text_anchor="middle", fill=palette.ink)
    return tag("path", d=bar, stroke=palette.ink, stroke_width=1.2, fill="none") + words
