"""The whole picture: heading and points, the ground, what is out of sight, marks, names, goals, counters, legend."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pbem.engine.data.scene import Camp, Mark, Piece, Scene
from pbem.engine.map.plane import Box, Point
from pbem.maps.counters import counter, epitaph, front, strip
from pbem.maps.drawn_on import Ground, Style, named, within
from pbem.maps.goals import edged, goals_on_hexes, names_and_goals
from pbem.maps.layout import LABEL, Stack, piled, stacked
from pbem.maps.legend import ASKED, legend
from pbem.maps.marks import Border, Marked, Pen, entry, mark
from pbem.maps.palette import Palette
from pbem.maps.svg import ELSEWHERE, line, number, polygon, tag, text, width

# The whole map at a glance, in a corner of a picture that shows a part of it: who stands where, and what was cut.


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


HEAD = 48.0
MARGIN = 12.0
"""Both are whole pixels at every zoom that PNG is made at."""
_BESIDE = (11.0, 13.0)
"""Where a sign between piles in a column hides neither the number of the hex nor strengths."""
_STORMS = ("assault", "move")


def alone(ground: Ground, palette: Palette) -> str:
    """Return the whole of a ground as SVG, with nothing on it and nothing around it."""
    left, top, right, bottom = ground.whole or ground.box
    wide, high = right - left, bottom - top
    view = f"{number(left)} {number(top)} {number(wide)} {number(high)}"
    return tag("svg", ground.svg(palette), xmlns="http://www.w3.org/2000/svg", width=wide, height=high, viewBox=view)


def draw(scene: Scene, ground: Ground, style: Style, over: bool = False) -> str:
    """Return the picture as SVG: the same bytes for the same scene, ground and style.

    With `over` it is without the ground, to be laid over it.
    """
    left, top, right, bottom = ground.box
    palette, wide = style.palette, right - left
    outside = tuple(goal for goal in scene.stakes if not within(goal.place, ground))
    key, high = legend(scene, wide, style, ground, outside)
    body = ("" if over else ground.svg(palette)) + _on(scene, ground, style)
    inner = tag("g", body, transform=f"translate({number(MARGIN - left)} {number(HEAD - top)})")
    total = HEAD + (bottom - top) + high + 8
    frame = _frame((wide, bottom - top), (wide + 2 * MARGIN, total), palette)
    key = tag("g", key, transform=f"translate({number(MARGIN)} {number(HEAD + bottom - top + 8)})")
    fonts = "" if over else tag("style", ELSEWHERE)
    return tag(
        "svg",
        fonts + inner + frame + _heading(scene, wide, style) + key,
        xmlns="http://www.w3.org/2000/svg",
        width=wide + 2 * MARGIN,
        height=total,
        viewBox=f"0 0 {number(wide + 2 * MARGIN)} {number(total)}",
    )


def board(scene: Scene, ground: Ground, style: Style, places: Collection[str]) -> str:
    """Return the map alone, for a page: below everything the outlines of `places`, each with its name, to be chosen."""
    left, top, right, bottom = ground.box
    outlines = "".join(
        polygon(ground.outlines(place), fill="transparent", data_place=place)
        for place in sorted(places)
        if place in ground.sites
    )
    # Where cells reach into the sea only their land can be chosen.
    water = ground.water(style.palette) if ground.water else ""
    body = ground.svg(style.palette) + tag("g", outlines) + water + _on(scene, ground, style._replace(handles=True))
    view = f"{number(left)} {number(top)} {number(right - left)} {number(bottom - top)}"
    return tag("svg", body, xmlns="http://www.w3.org/2000/svg", viewBox=view)


def _on(scene: Scene, ground: Ground, style: Style) -> str:
    """What lies on the ground: shade, arrows, names and goals, counters, signs of what happened, the scale."""
    palette = style.palette
    stacks = piled(scene, ground) if ground.piles else stacked(scene, ground)
    camps = {camp.id: camp for camp in scene.camps}
    standing = [stack for _, stack in sorted(stacks.items())]
    marks = list(marked(scene, ground, stacks, palette))
    names = "".join((goals_on_hexes if ground.piles else names_and_goals)(scene, ground, stacks, style))
    return "".join(
        (
            "".join(shade(place, ground, palette) for place in scene.unseen if place in ground.sites),
            edged(scene, ground, palette) if ground.piles else "",
            *_asked(scene, ground, palette),
            *(leader(stack, palette) for stack in standing),
            *(one.below for one in marks),
            "" if ground.piles else names,
            *(_counters(stack, camps, style) for stack in standing),
            names if ground.piles else "",
            *("".join(_fallen(stack, camps, style)) for stack in standing),
            *(front(one, at, camps[one.side], palette) for stack in standing for one, at in faced(stack)),
            *(one.above for one in marks),
            scale_bar(ground, palette),
            overview(scene, ground, [stack.box for stack in standing], palette),
        )
    )


def _frame(size: tuple[float, float], total: tuple[float, float], palette: Palette) -> str:
    """The paper around the map, over what reaches beyond it: to clip that would take half of the time of a picture."""
    (wide, high), (right, bottom) = size, total
    hole = f"M{number(MARGIN)} {number(HEAD)}v{number(high)}h{number(wide)}v{number(-high)}z"
    paper = tag("path", d=f"M-9 -9H{number(right + 9)}V{number(bottom + 9)}H-9z{hole}", fill=palette.paper)
    edge = {"fill": "none", "stroke": palette.frame, "stroke_width": 2}
    return paper + tag("rect", x=MARGIN, y=HEAD, width=wide, height=high, **edge)


def _heading(scene: Scene, wide: float, style: Style) -> str:
    """The battle, the moment, and the points of each camp that has any."""
    palette, right = style.palette, MARGIN + wide
    out = text(style.say(scene.heading), (MARGIN, 20), 17, "serif-bold", fill=palette.ink)
    out += text(style.say(scene.moment), (MARGIN, 37), 10.5, fill=palette.faint)
    for camp in reversed([camp for camp in scene.camps if camp.points is not None]):
        livery = palette.liveries[camp.tone]
        said = f"{named(camp, style)} {camp.points}{'+?' if camp.more else ''}"
        long = width(said, 12, "sans-bold") + 18
        out += tag(
            "rect",
            x=right - long,
            y=11,
            width=long,
            height=22,
            rx=5,
            fill=livery.ground,
            stroke=livery.rim,
            stroke_width=1.4,
        )
        out += text(said, (right - long / 2, 26.4), 12, "sans-bold", text_anchor="middle", fill=livery.ink)
        right -= long + 6
    return out


def _counters(stack: Stack, camps: Mapping[str, Camp], style: Style) -> str:
    """The counters of a place; what must lie above or below those of other places is drawn by itself."""
    palette, say = style.palette, style.say

    def bare(piece: Piece) -> Piece:
        return piece._replace(name=style.named(piece.name), facing="")

    def held(piece: Piece, drawn: str) -> str:
        return tag("g", drawn, data_unit=piece.id) if style.handles else drawn

    def large(piece: Piece, at: Point) -> str:
        if stack.size == 1.0:
            return counter(bare(piece), camps[piece.side], at, palette, say)
        turn = f"translate({number(at[0])} {number(at[1])}) scale({stack.size:g})"
        return tag("g", counter(bare(piece), camps[piece.side], (0.0, 0.0), palette, say), transform=turn)

    heads = (held(one, strip(bare(one), camps[one.side], at, palette, say)) for one, at in stack.strips)
    return "".join((*heads, *(held(one, large(one, at)) for one, at in stack.counters)))


def faced(stack: Stack) -> Iterator[tuple[Piece, Point]]:
    """Yield the counters that lie on top, and from where their fronts are: above all heads if they face upwards."""
    for piece, (x, y) in stack.counters:
        yield piece, (x, stack.strips[0][1][1] if stack.strips and piece.facing == "N" else y)


def leader(stack: Stack, palette: Palette) -> str:
    """Return the line from a stack that has no room where it belongs to there."""
    if stack.site is None:
        return ""
    (x, y), (left, top, right, bottom) = stack.site, stack.box
    near = min(max(x, left), right), min(max(y, top), bottom)
    dot = tag("circle", cx=x, cy=y, r=3.4, fill=palette.ink, stroke=palette.halo, stroke_width=1.2)
    look = {"stroke_linecap": "round"}
    rim = tag("path", d=line([near, (x, y)]), stroke=palette.halo, stroke_width=4, **look)
    return rim + tag("path", d=line([near, (x, y)]), stroke=palette.ink, stroke_width=1.6, **look) + dot


def shade(place: str, ground: Ground, palette: Palette) -> str:
    """Return the shade in which what is out of sight lies, with a question mark."""
    outline, (x, y) = ground.outlines(place), ground.sites[place]
    veil = polygon(outline, fill=palette.shade, fill_opacity=0.16)
    return veil + text("?", (x, y + 26), 24, "serif-bold", text_anchor="middle", fill=palette.shade, fill_opacity=0.5)


def _asked(scene: Scene, ground: Ground, palette: Palette) -> Iterator[str]:
    """The outlines of where counters could be sent, above them of what they could attack, and of where they stand."""
    for places, look in ((getattr(scene, name), look(palette)) for name, look in ASKED.items()):
        for place in places:
            if within(place, ground):
                yield polygon(ground.outlines(place), **look)
    if ground.water and (scene.reach or scene.targets):
        # Cells reach into the sea.
        yield ground.water(palette)


def marked(scene: Scene, ground: Ground, stacks: Mapping[str, Stack], palette: Palette) -> Iterator[Marked]:
    """Yield the signs of what happened, each beside those that are there already; of an advance nothing by itself."""
    boxes: dict[str, Box] = {place: stack.box for place, stack in stacks.items()}
    at = {place: middle(boxes[place]) if place in boxes else site for place, site in ground.sites.items()}
    camps = {camp.id: camp for camp in scene.camps}
    steps = {kind: {(one.side, one.places[-2:]) for one in scene.marks if one.kind == kind} for kind in _STORMS}
    for number_, one in enumerate(scene.marks):
        step = (one.side, one.places[-2:])
        if one.kind == "move" and len(one.places) == 2 and step in steps["assault"]:
            yield Marked()
            continue
        way = [at[place] for place in one.places if place in at]
        if one.kind == "arrive" and one.places[-1] in stacks:
            way = entry(stacks[one.places[-1]].box, ground.box, boxes.values())
        colour = palette.liveries[camps[one.side].tone].arrow if one.side in camps else palette.ink
        border = _border(one, ground, stacks) if len(way) == len(one.places) > 1 else ()
        pen = Pen(palette, colour, 3.0 if ground.piles else 4.0)
        made = mark(one, way, boxes, pen, Border(border, step in steps["move"]))
        if made.spot is not None:
            x, y = made.spot
            boxes[f"mark {number_}"] = (x - 6, y - 6, x + 6, y + 6)
        yield made


def _border(one: Mark, ground: Ground, stacks: Mapping[str, Stack]) -> Sequence[Point]:
    """The line between the last two places of a mark; between piles in a column it runs where one gives way."""
    found = ground.border(*one.places[-2:])
    here, there = (stacks.get(place) for place in one.places[-2:])
    if not ground.piles or not found or here is None or there is None or here.name[0] != there.name[0]:
        return found
    upper, lower = sorted((here.box, there.box), key=lambda box: box[1])
    y = min(max((upper[3] + lower[1]) / 2, found[0][1]), lower[1]) + LABEL / 2
    return [(here.name[0] + aside, y) for aside in _BESIDE]


def _fallen(stack: Stack, camps: Mapping[str, Camp], style: Style) -> Iterator[str]:
    """Who went out of play, below what stands there now."""
    for piece, (x, y) in stack.graves:
        drawn = epitaph(piece._replace(name=style.named(piece.name)), camps[piece.side], style.palette)
        scale = "" if stack.size == 1.0 else f" scale({stack.size:g})"
        yield tag("g", drawn, transform=f"translate({number(x)} {number(y)}){scale}")


def middle(box: Sequence[float]) -> Point:
    """Return the middle of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def scale_bar(ground: Ground, palette: Palette) -> str:
    """Return the bar of a map's scale; nothing if it has none."""
    if ground.scale is None:
        return ""
    said, long = ground.scale
    x, y = ground.box[0] + 12, ground.box[3] - 14
    bar = line([(x, y - 3), (x, y + 3)]) + line([(x, y), (x + long, y)]) + line([(x + long, y - 3), (x + long, y + 3)])
    words = text(said, (x + long / 2, y - 6), 9, text_anchor="middle", fill=palette.ink)
    return tag("path", d=bar, stroke=palette.ink, stroke_width=1.2, fill="none") + words
