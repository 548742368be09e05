"""Draw the whole picture: heading, ground, marks, counters, legend."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from pbem.engine.data.scene import Mark, Nation, Piece, Scene
from pbem.engine.map.plane import Box, Point, box_of, overlaps
from pbem.maps.counters import (
    LOSS,
    LOSS_HALF,
    PLATE,
    WIDE,
    counter,
    crossed_out_name,
    figure_box,
    front,
    front_box,
    loss,
    loss_middle,
    plate_of,
    slat,
    texts,
)
from pbem.maps.drawn_on import Ground, Style, is_within
from pbem.maps.ends import draw_end, name_ends
from pbem.maps.furniture import frame, frame_edges, glance, head, heading, margin, paper, scale_bar
from pbem.maps.goals import RADIUS as BADGE
from pbem.maps.goals import goal_outlines, goals_on_hexes, number_positions, place_names, plate
from pbem.maps.layout import (
    GRAVE,
    LABEL,
    NAME,
    Stack,
    body,
    counter_boxes,
    counters_of,
    is_whole,
    lay_piles,
    lay_stacks,
)
from pbem.maps.legend import ASKED, legend, outside_signs, unnamed_ends
from pbem.maps.marks import Border, DrawnMark, Pen, entry_route, ghost, has_room, left_targets, mark
from pbem.maps.palette import Palette
from pbem.maps.svg import ELSEWHERE, Drawn, Patch, line, move_to, number, polygon, tag, text, width

_BESIDE = 21.0
"""How far a sign may be from the middle of the gap between two piles. A choice: half the width of a
counter, so that it is still between them."""
_OFF_STRENGTHS = 2.6
"""How far a sign between two piles side by side is from the middle of their gap, to the right: there it covers no
strengths of the left pile."""
_NUMBER = 10.0
"""Half the width of the number of a hex above its counters."""
_SHARES = 8
"""The number of parts of each leg of a move whose ends are tested: one of them must be in the picture.
A choice: a leg that only cuts a corner of the picture between two of them is left out."""


def land(ground: Ground, palette: Palette) -> str:
    """Return the land as SVG, cut to the ground's box, with the numbers of hexes."""
    return ground.svg(palette, ground.box) + "".join(part.svg for part in ground.numbers(palette, ground.box))


class Picture(NamedTuple):
    """A picture in parts, each above those before it.

    Parts `above_land` are in units of the map, whose box lies at a `corner` of the picture and cuts them; those
    `around` it are in units of the picture.
    """

    size: tuple[float, float]
    corner: Point
    above_land: Sequence[Drawn]
    around: Sequence[Drawn]


def draw(scene: Scene, ground: Ground, style: Style) -> str:
    """Return the picture as SVG.

    The same scene, ground and style give the same bytes.
    """
    picture = lay_out(scene, ground, style)
    (left, top, *_), (x, y), size = ground.box, picture.corner, picture.size
    body = ground.svg(style.palette, ground.box) + "".join(part.svg for part in picture.above_land)
    parts = (
        tag("style", ELSEWHERE),
        tag("g", body, transform=f"translate({number(x - left)} {number(y - top)})"),
        paper(ground, size, style.palette),
        *(part.svg for part in picture.around),
    )
    view = f"0 0 {number(size[0])} {number(size[1])}"
    return tag("svg", "".join(parts), xmlns="http://www.w3.org/2000/svg", width=size[0], height=size[1], viewBox=view)


def lay_out(scene: Scene, ground: Ground, style: Style, is_loose: bool = False) -> Picture:
    """Return the parts of a picture.

    If it `is_loose`, counters are around the origin, and what changes by itself is a part of its own.
    """
    left, top, right, bottom = ground.box
    palette, map_width, side, above = style.palette, right - left, margin(ground), head(ground)
    whole, (glance_width, glance_height) = glance(scene, ground, palette, is_loose)
    indent = glance_width + 9 if whole else 0.0
    stacks = lay_piles(scene, ground) if ground.piles else lay_stacks(scene, ground)
    cut = {place for place, stack in stacks.items() if ground.narrow and not is_whole(stack, ground.box)}
    stacks = {place: stack for place, stack in stacks.items() if place not in cut}
    marks = list(draw_marks(scene, ground, stacks, palette))
    seen = ground._replace(sites={place: site for place, site in ground.sites.items() if place not in cut})
    shown = _visible_scene(scene, seen, marks)
    plates = list(_plates(scene, ground, cut, style))
    taken = [
        *(stack.box for stack in stacks.values()),
        *_text_boxes(stacks, ground, scene),
        *(box for box, _ in plates),
    ]
    named, unnamed = name_ends(scene, ground, marks, taken, style)
    outside = (*outside_signs(scene, ground, cut, palette), *unnamed_ends(unnamed, palette))
    legend_svg, legend_height = legend(shown, map_width - indent, style, ground, outside)
    below = above + bottom - top + 10
    size = map_width + 2 * side, below + max(legend_height, glance_height) + side / 2
    box = -1.0, -1.0, glance_width + 1.0, glance_height + 1.0
    return Picture(
        size,
        (side, above),
        [
            *_numbers(ground, palette, is_loose),
            *_overlay(scene, ground, style, stacks, marks, is_loose),
            *(Drawn(plate) for _, plate in plates),
            *(Drawn(draw_end(end, style)) for end in named),
        ],
        [
            *(Drawn(frame(ground, palette), box=box) for box in (frame_edges(ground) if is_loose else (None,))),
            Drawn(heading(scene, ground, style)),
            *(Drawn(look, (side, below), box=box) for look in whole),
            Drawn(legend_svg, (side + indent, below)),
        ],
    )


def _numbers(ground: Ground, palette: Palette, is_loose: bool) -> Iterator[Drawn]:
    """Yield the numbers of hexes; by columns in wide pictures that are loose."""
    # A phone shows less than half a column.
    if ground.narrow or not is_loose:
        yield from (Drawn(patch.svg, box=patch.box) for patch in ground.numbers(palette, ground.box))
        return
    columns = dict[float, list[Patch]]()
    for patch in ground.numbers(palette, ground.whole or ground.box):
        columns.setdefault(patch.box[0] if patch.box else 0.0, []).append(patch)
    for patches in columns.values():
        if shown := [patch for patch in patches if patch.is_seen(ground.box)]:
            yield Drawn("".join(patch.svg for patch in patches), box=_around(patches), cut=_around(shown))


def _around(patches: Iterable[Patch]) -> Box:
    """Return the box around patches."""
    boxes = [patch.box for patch in patches if patch.box]
    return box_of([corner for box in boxes for corner in (box[:2], box[2:])])


def _plates(scene: Scene, ground: Ground, places: Collection[str], style: Style) -> Iterator[tuple[Box, str]]:
    """Yield the boxes and plates of stacks that the picture's edge would cut."""
    tones, (left, _, right, bottom) = {camp.id: camp.tone for camp in scene.camps}, ground.box
    for place in sorted(places):
        sides = [piece.side for piece in scene.pieces if piece.place == place]
        if sides and is_within(place, ground):
            words, (x, y) = f"{style.named(place)} \u00d7{len(sides)}", ground.sites[place]
            half = width(words, PLATE, "sans-bold") / 2 + 5
            point = min(max(x, left + half), right - half), min(y, bottom - 9)
            box = point[0] - half, point[1] - 7, point[0] + half, point[1] + 7
            yield box, plate_of(words, style.palette.liveries[tones[sides[0]]], point)


def _visible_scene(scene: Scene, ground: Ground, drawn_marks: Sequence[DrawnMark]) -> Scene:
    """Return a scene with only those pieces and events that a cut picture shows."""
    left, top, right, bottom = ground.box

    def is_seen(points: Sequence[Point]) -> bool:
        # A long move may cross the picture without a halt in it.
        ways = [
            (x + (u - x) * share / _SHARES, y + (v - y) * share / _SHARES)
            for (x, y), (u, v) in zip(points, points[1:] or points, strict=False)
            for share in range(_SHARES + 1)
        ]
        return any(left <= x <= right and top <= y <= bottom for x, y in ways)

    pieces, fallen = (
        tuple(piece for piece in shown if is_within(piece.place, ground)) for shown in (scene.pieces, scene.fallen)
    )
    unseen = tuple(place for place in scene.unseen if is_within(place, ground))
    marks = tuple(mark for mark, drawn in zip(scene.marks, drawn_marks, strict=True) if is_seen(drawn.line))
    return scene._replace(pieces=pieces, fallen=fallen, unseen=unseen, marks=marks)


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
    stacks = lay_piles(scene, ground) if ground.piles else lay_stacks(scene, ground)
    marks = list(draw_marks(scene, ground, stacks, style.palette))
    above = _overlay(scene, ground, style._replace(handles=True), stacks, marks)
    overlay = "".join(part.svg for part in above)
    body = land(ground, style.palette) + tag("g", outlines) + water + overlay
    view = f"{number(left)} {number(top)} {number(right - left)} {number(bottom - top)}"
    return tag("svg", body, xmlns="http://www.w3.org/2000/svg", viewBox=view)


def _overlay(
    scene: Scene,
    ground: Ground,
    style: Style,
    stacks: Mapping[str, Stack],
    marks: Sequence[DrawnMark],
    is_loose: bool = False,
) -> list[Drawn]:
    """Return everything above the ground: compass, shade, arrows, names, counters."""
    palette = style.palette
    camps = {camp.id: camp for camp in scene.camps}
    standing = [stack for _, stack in sorted(stacks.items()) if overlaps(stack.box, ground.box)]
    names = list[Drawn]()
    if ground.piles:
        empty, occupied = goals_on_hexes(scene, ground, stacks, style)
        below = [Drawn(*drawn) for drawn in empty.values()]
        names = [Drawn(plate(style.named(place), palette), point) for place, point in number_positions(stacks)]
        names += [Drawn(*drawn) for drawn in occupied.values()]
    else:
        below = [Drawn(look, spot) for _, look, spot in place_names(scene, ground, stacks, style)]
    looks = (
        "" if ground.narrow else scale_bar(ground, palette, [stack.box for stack in standing]),
        *(shade(place, ground, palette) for place in scene.unseen if place in ground.sites),
        *(goal_outlines(scene, ground, palette) if ground.piles else ()),
        *_reach_outlines(scene, ground, palette),
        *(leader_line(stack, palette) for stack in standing),
        *spotlights(scene, stacks, palette).values(),
        *(sign.below for sign in marks),
    )
    looks_above = (*(fronts(stack, ground, palette) for stack in standing), *(sign.above for sign in marks))
    return [
        *(Drawn(look) for look in looks if look),
        *below,
        *(drawn for stack in standing for drawn in _counters(stack, camps, style, is_loose)),
        *names,
        *(Drawn(look) for look in looks_above if look),
        *(drawn for stack in standing for drawn in _crossed_out_names(stack, camps, style)),
        *map(Drawn, losses(stacks, ground, palette).values()),
    ]


def spotlights(scene: Scene, stacks: Mapping[str, Stack], palette: Palette) -> dict[str, str]:
    """Return by place a light rim around counters that moved, fought or lost.

    The rim has a frame where counters fought or lost.
    """
    moved = {mark.places[-1] for mark in scene.marks if mark.kind != "ride"}
    fought = {place for mark in scene.marks if mark.kind in ("assault", "fire") for place in mark.places[-1:]}
    fought |= {piece.place for piece in (*scene.pieces, *scene.fallen) if piece.lost or piece in scene.fallen}
    rims, (dark, bright) = {}, palette.band
    for place in sorted((moved | fought) & stacks.keys()):
        if boxes := counter_boxes(stacks[place]):
            path = "".join(_rim_path(box) for box in boxes)
            # The rim lies over the frames of counters side by side, so that these have one.
            frame = ((dark, 4.2), (bright, 2.0)) if place in fought else ()
            rims[place] = "".join(tag("path", d=path, stroke=colour, stroke_width=wide) for colour, wide in frame)
            rims[place] += tag("path", d=path, fill=palette.glow)
    return rims


def _rim_path(box: Box, rim: float = 3.0) -> str:
    """Return the path of a box with its rim."""
    left, top, wide, high = box[0] - rim, box[1] - rim, box[2] - box[0] + 2 * rim, box[3] - box[1] + 2 * rim
    across, down = number(wide - 2 * rim), number(high - 2 * rim)
    return (
        f"M{number(left + rim)} {number(top)}h{across}a3 3 0 0 1 3 3v{down}a3 3 0 0 1 -3 3"
        f"h-{across}a3 3 0 0 1 -3 -3v-{down}a3 3 0 0 1 3 -3z"
    )


def losses(stacks: Mapping[str, Stack], ground: Ground, palette: Palette) -> dict[str, str]:
    """Return by place the signs of its counters' losses, which lie above all else."""
    right, by_place = ground.box[2], dict[str, str]()
    for place, stack in sorted(stacks.items()):
        lost = [(piece, point) for piece, point in counters_of(stack) if piece.lost]
        if lost and overlaps(stack.box, ground.box):
            # At the edge of the map it is moved into the picture.
            most = right - loss_middle((LOSS + 1, 0.0), stack.size)[0]
            by_place[place] = "".join(loss(piece, (min(x, most), y), stack.size, palette) for piece, (x, y) in lost)
    return by_place


def _counters(stack: Stack, camps: Mapping[str, Nation], style: Style, is_loose: bool) -> Iterator[Drawn]:
    """Yield a place's counters; parts above or below other places are drawn apart."""
    for face, placed in ((slat, stack.slats), (counter, stack.counters)):
        for piece, point in placed:
            if is_loose:
                yield Drawn(draw_counter(face, piece, camps, (0.0, 0.0), style, 1.0), point, stack.size)
            else:
                svg = draw_counter(face, piece, camps, point, style, stack.size)
                yield Drawn(tag("g", svg, data_unit=piece.id) if style.handles else svg)


def draw_counter(
    face: Callable[..., str], piece: Piece, camps: Mapping[str, Nation], point: Point, style: Style, size: float
) -> str:
    """Return a counter as drawn by `face`, so many times as large."""
    named, where = piece._replace(name=style.named(piece.name)), point if size == 1.0 else (0.0, 0.0)
    svg = face(named, camps[piece.side], where, style.palette, style.say, style.figures)
    return svg if size == 1.0 else move_to(svg, point, size)


def fronts(stack: Stack, ground: Ground, palette: Palette) -> str:
    """Return the signs of the sides that a place's units face, no frame across them."""
    return "".join(front(facing, box, palette) for facing, box in _facings(stack, ground))


def _facings(stack: Stack, ground: Ground) -> Iterator[tuple[str, Box]]:
    """Yield the sides that a place's units face, and the box for their sign."""
    for facing in sorted({piece.facing for piece, _ in counters_of(stack)} - {""}):
        left, top, right, bottom = body(stack)
        wide = 8.0 if len(facing) > 1 else 0.0
        yield facing, (max(left, ground.box[0] + wide), top, min(right, ground.box[2] - wide), bottom)


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
    """Yield the signs of events, each beside earlier ones; without any for some.

    Who was fired at on a hex and has left it is a dashed outline there.
    """
    # A sign may lie beside the number of a hex.
    boxes = {
        place: body(stack) if ground.piles and counters_of(stack) else stack.box for place, stack in stacks.items()
    }
    points = {place: centre_of(boxes[place]) if place in boxes else site for place, site in ground.sites.items()}
    camps = {camp.id: camp for camp in scene.camps}
    reserved, figures = (_text_boxes(stacks, ground, scene), _figure_boxes(stacks)) if scene.marks else ([], [])
    won = {(event_mark.side, event_mark.places[-2:]) for event_mark in scene.marks if event_mark.kind == "move"}
    gone = left_targets(scene) if ground.piles else {}
    boxes |= {place: (x - 13, y - 9, x + 13, y + 9) for place in gone for x, y in [ground.sites[place]]}

    def colour_of(side: str) -> str:
        return palette.liveries[camps[side].tone].arrow if side in camps else palette.ink

    drawn_marks, going_on = _with_heads(scene, points, boxes)
    frame = _inside(ground) if ground.narrow else None
    for number_, event_mark in enumerate(drawn_marks):
        if event_mark is None:
            yield DrawnMark()
            continue
        route = [points[place] for place in event_mark.places if place in points]
        if event_mark.kind == "arrive" and event_mark.places[-1] in stacks:
            route = entry_route(stacks[event_mark.places[-1]].box, ground.box, boxes.values())
        border = _border(event_mark, ground, stacks) if len(route) == len(event_mark.places) > 1 else ()
        # A move alone is slighter than a fight.
        wide = (2.5 if ground.piles else 4.0) * (0.8 if event_mark.kind == "move" else 1.0)
        leg = event_mark.side, event_mark.places[-2:]
        has_head = event_mark.kind != "assault" or leg not in going_on
        pen = Pen(palette, colour_of(event_mark.side), wide)
        border_line = Border(border, leg in won, has_head, reserved, figures)
        drawn_mark = mark(event_mark, route, boxes, pen, border_line, frame)
        if drawn_mark.spot is not None:
            x, y = drawn_mark.spot
            boxes[f"mark {number_}"] = (x - 6, y - 6, x + 6, y + 6)
            reserved.append(boxes[f"mark {number_}"])
        elif drawn_mark.line:
            # No later sign covers the head.
            x, y = drawn_mark.line[-1]
            reserved.append((x - 5, y - 5, x + 5, y + 5))
        if event_mark.kind == "fire" and (target := event_mark.places[-1]) in gone:
            outline = ghost(boxes[target], colour_of(gone.pop(target)), palette)
            drawn_mark = drawn_mark._replace(below=outline + drawn_mark.below)
        yield drawn_mark


def _with_heads(
    scene: Scene, points: Mapping[str, Point], boxes: Mapping[str, Box]
) -> tuple[list[Mark | None], set[tuple[str, tuple[str, ...]]]]:
    """Return what is drawn of each mark, and the last legs that have a move's head.

    A move that goes on to where its assault took it has its head there if there is room; otherwise it ends where the
    assault began, which has a head of its own.
    """
    marks, going_on = list(_drawn_marks(scene)), set[tuple[str, tuple[str, ...]]]()
    for index, (event_mark, undrawn) in enumerate(zip(marks, scene.marks, strict=True)):
        if event_mark is not None and event_mark.kind == "move" and event_mark.places != undrawn.places:
            pair = event_mark.places[-2:]
            if points.keys() >= {*pair} and has_room([points[place] for place in pair], boxes, pair):
                going_on.add((event_mark.side, pair))
            else:
                marks[index] = undrawn
    return marks, going_on


def _inside(ground: Ground) -> Box:
    """Return the part of a phone's picture in which arrows have their ends."""
    left, top, right, bottom = ground.box
    return left + 3, top + 3, right - 3, bottom - 3


def _drawn_marks(scene: Scene) -> Iterator[Mark | None]:
    """Yield what is drawn of each mark, None for nothing.

    A lone advance has no sign, nor has a second that is alike, nor a leader as far as he goes along with a move. A
    move ends where the assault after it took its units.
    """
    legs = {(mark_.side, leg) for mark_ in scene.marks if mark_.kind == "move" for leg in pairwise(mark_.places)}
    assaults = {(mark_.side, mark_.places[-2:]) for mark_ in scene.marks if mark_.kind == "assault"}
    occupied, done = {piece.place for piece in scene.pieces}, set[Mark]()
    stormed = {
        (mark_.side, mark_.places[0]): mark_.places[1:]
        for mark_ in scene.marks
        if mark_.kind == "move" and (mark_.side, mark_.places) in assaults
    }
    for event_mark in scene.marks:
        kind, side, places = event_mark
        while kind == "ride" and len(places) > 1 and (side, places[-2:]) in legs:
            places = places[:-1]
        while kind == "ride" and len(places) > 1 and (side, places[:2]) in legs:
            places = places[1:]
        has_sign = len(places) > 1 or kind == "arrive"
        if kind == "move" and stormed.get((side, places[0])) == places[1:]:
            has_sign = False
        elif kind == "move" and places[-1] not in occupied:
            places += stormed.get((side, places[-1]), ())
        # Fire is the same whoever fires.
        look = Mark(kind, "" if kind == "fire" else side, places)
        yield Mark(kind, side, places) if has_sign and look not in done else None
        done.add(look)


def _figure_boxes(stacks: Mapping[str, Stack]) -> list[Box]:
    """Return the boxes of strengths and of leaders' factors."""
    return [
        (x + left * stack.size, y + top * stack.size, x + right * stack.size, y + bottom * stack.size)
        for stack in stacks.values()
        for in_pile, placed in ((True, stack.slats), (False, stack.counters))
        for piece, (x, y) in placed
        for left, top, right, bottom in [figure_box(piece, in_pile)]
    ]


def _text_boxes(stacks: Mapping[str, Stack], ground: Ground, scene: Scene) -> list[Box]:
    """Return the boxes of texts that no sign may cover.

    They are names, numbers, strengths, losses and the worth of goals.

    Where counters are in piles there is no room beside them for signs.
    """
    boxes, goals = list[Box](), {goal.place for goal in scene.stakes}
    free = goals & ground.sites.keys() - {place for place, stack in stacks.items() if counters_of(stack)}
    for x, y in (ground.sites[place] for place in sorted(free) if ground.piles):
        boxes.append((x - BADGE, y - BADGE, x + BADGE, y + BADGE))
    for place, stack in stacks.items():
        for in_pile, placed in ((True, stack.slats), (False, stack.counters)):
            for piece, point in placed:
                boxes += texts(piece, point, stack.size, in_pile) if ground.piles else ()
                if piece.lost:
                    x, y = loss_middle(point, stack.size)
                    boxes.append((x - LOSS, y - LOSS_HALF, x + LOSS, y + LOSS_HALF))
        boxes += ((x - WIDE / 2, y, x + WIDE / 2, y + GRAVE) for _, (x, y) in stack.graves)
        x, y = stack.name
        if not ground.piles:
            boxes += counter_boxes(stack)
            half = width(place, NAME, "serif-italic") / 2
            boxes.append((x - half, y - 10, x + half, y + 3))
        elif counters_of(stack):
            ends = (stack.box[0], stack.box[2]) if place in goals else (x - _NUMBER, x + _NUMBER)
            boxes.append((ends[0], y, ends[1], y + LABEL))
            boxes += (front_box(*sign) for sign in _facings(stack, ground))
    return boxes


def _border(event_mark: Mark, ground: Ground, stacks: Mapping[str, Stack]) -> Sequence[Point]:
    """Return the line between a mark's last places; between piles, their gap."""
    places = event_mark.places[-2:]
    side = ground.border(*places)
    standing = [place for place in places if place in stacks and counters_of(stacks[place])]
    if not ground.piles or not side or not standing:
        return side
    origin, target = (ground.sites[place] for place in places)
    if len(standing) == 1:
        # A pile that was moved may lie over the side of a hex: then the sign is at the edge of who stands there.
        half_way, (alone,) = centre_of((*side[0], *side[-1])), standing
        is_covered = any(_holds(stack.box, half_way) for stack in stacks.values())
        return _edge(stacks[alone].box, target if alone == places[0] else origin) if is_covered else side
    first, second = (stacks[place] for place in standing)
    if origin[0] == target[0]:
        # By height: an event may go up or down.
        upper, lower = sorted((first.box, second.box), key=lambda box: box[1])
        height = min(max((upper[3] + lower[1]) / 2, side[0][1]), lower[1]) + LABEL / 2
        return [(origin[0] + aside, height) for aside in (-_BESIDE, _BESIDE)]
    (_, top, _, bottom), (_, other_top, _, other_bottom) = body(first), body(second)
    # A little to the right, so that the strengths of the left pile stay free.
    across = (origin[0] + target[0]) / 2 + _OFF_STRENGTHS
    upper_end, lower_end = max(top, other_top), min(bottom, other_bottom)
    middle, half = (upper_end + lower_end) / 2, max((lower_end - upper_end) / 2 - 3, _BESIDE)
    return [(across, middle - half), (across, middle + half)]


def _edge(box: Box, other: Point) -> Sequence[Point]:
    """Return the line beside a pile on the side of another place."""
    (x, y), half = centre_of(box), (box[2] - box[0]) / 2
    if abs(other[0] - x) < half:
        height = (box[1] if other[1] < y else box[3]) + LABEL / 2
        # Beyond the edge as well: who fell may lie there.
        return [(x - half - 8, height), (x + half + 8, height)]
    beside = box[0] - 1 if other[0] < x else box[2] + 1
    return [(beside, box[1] + 3), (beside, box[3] - 3)]


def _holds(box: Box, point: Point) -> bool:
    return box[0] < point[0] < box[2] and box[1] < point[1] < box[3]


def _crossed_out_names(stack: Stack, camps: Mapping[str, Nation], style: Style) -> Iterator[Drawn]:
    """Yield eliminated counters below those of a place."""
    for piece, point in stack.graves:
        svg = crossed_out_name(piece._replace(name=style.named(piece.name)), camps[piece.side], style.palette)
        yield Drawn(svg, point, stack.size)


def centre_of(box: Sequence[float]) -> Point:
    """Return the middle of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
