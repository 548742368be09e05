"""Draw printed counters: flag, name, figure or sign, factors, state, losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pbem.engine.data.messages import Msg
from pbem.engine.data.scene import Nation, Piece
from pbem.engine.map.plane import Box, Point
from pbem.maps.figures import WIDE as BRANCH_WIDE
from pbem.maps.figures import branch
from pbem.maps.palette import Livery, Palette
from pbem.maps.svg import fit_text, line, number, size_within, tag, text, width, write_within

WIDE, HIGH = 43.0, 36.0
"""The size of a counter in units of the picture."""
SLAT, TAB, BAND, GRAVE = 19.0, 10.0, 8.0, 8.6
"""The height of a unit's counter in a pile, of a leader's; of the band with its state, of an eliminated counter."""
FRONT = 6.5
"""The height below a pile for the sign of a front to the south."""
_HEAD, _WING, _OUT = 12.5, 5.2, 7.0
"""The length of the head of a front at a corner, half its width, and how far it reaches beyond the counter."""
_FLAG = 4.0
"""The width of the flag at the left edge of a counter."""
_NAME, _PLATE_NAME, _TAB_SIZE = 7.8, 7.6, 6.9
"""The size of a counter's name, whole, and in a pile or eliminated (longer names are written smaller); last, the size
of the factors of a leader in a pile."""
PLATE = 8.0
"""The size of words on a plate that stands for counters beyond the picture."""
LOSS, LOSS_HALF = 6.2, 4.7
"""Half the width and half the height of a counter's loss: in a pile it lies between the strength of its own counter
and that of the next one up."""
_LOSS_RIM, _LOSS_ROOM = 0.8, 11.6
"""The width of a loss's rim with the gap to the name, and how far both reach into its counter from the right edge: so
far that it touches no counter beside, nor a loss there."""
Say = Callable[[Msg], str]


def counter(piece: Piece, camp: Nation, corner: Point, palette: Palette, say: Say, figures: bool = True) -> str:
    """Return a counter with its left upper corner at a point."""
    livery, (x, y) = palette.liveries[camp.tone], corner
    left, (start, end) = x + _FLAG, _name_room(piece, False)
    svg = _band(piece, (x, y + HIGH - 1), palette, say) + _plate(piece, corner, HIGH, livery)
    # Beside a loss it begins at the left: its end, which tells units apart, is not covered.
    look = {"fill": livery.ink} if piece.lost else {"fill": livery.ink, "text_anchor": "middle"}
    name_x = start if piece.lost else (start + end) / 2
    svg += write_within(piece.name, (x + name_x, y + 8.4), _NAME, end - start, **look)
    if piece.branch == "leader":
        svg += branch(piece.branch, (left + 2, y + 14), livery.ink, figures, 0.95)
    else:
        # Two digits leave less room.
        svg += branch(piece.branch, (left + 2.2, y + 11.6), livery.ink, figures, 0.66 if piece.strength > 9 else 0.95)
        svg += "".join(_lower_row(piece, (left + 2.6, y + HIGH - 3.2), livery, False))
        svg += _full_strength(piece, (x + WIDE - 2.6, y + HIGH - 3.2), livery)
    return tag("g", svg + _figure(piece, corner, False, livery))


_FIGURES = {
    (False, False): (4.0, 24.4, 15.0),
    (False, True): (3.0, 25.4, 10.0),
    (True, False): (5.0, 16.2, 10.2),
    (True, True): (3.4, 7.6, _TAB_SIZE),
}
"""By pile and leader, where a counter's figure ends (from the right edge, from the top), and its size."""
_DIGIT = 0.73
"""The height of a digit, as a share of its size."""


def _figure(piece: Piece, corner: Point, in_pile: bool, livery: Livery) -> str:
    """Return a unit's strength, or a leader's factors."""
    is_leader = piece.branch == "leader"
    right, bottom, size = _FIGURES[in_pile, is_leader]
    words, end = piece.factors if is_leader else str(piece.strength), (corner[0] + WIDE - right, corner[1] + bottom)
    return text(words, end, size, "sans-bold", text_anchor="end", fill=livery.ink)


def figure_box(piece: Piece, in_pile: bool) -> Box:
    """Return the box of a unit's strength or a leader's factors on its counter.

    No bar or mark may enter it.
    """
    is_leader = piece.branch == "leader"
    right, bottom, size = _FIGURES[in_pile, is_leader]
    wide = width(piece.factors if is_leader else str(piece.strength), size, "sans-bold")
    return WIDE - right - wide, bottom - _DIGIT * size, WIDE - right, bottom


def name_size(piece: Piece, in_pile: bool) -> float:
    """Return the size of a counter's name, on its plate too if it is eliminated."""
    start, end = _name_room(piece, in_pile)
    return min(size_within(piece.name, _NAME, end - start), _PLATE_NAME)


def _name_room(piece: Piece, in_pile: bool) -> tuple[float, float]:
    """Return where a counter's name may begin and end, from its left edge."""
    if in_pile and piece.branch == "leader":
        return 4.0, figure_box(piece, True)[0] - 1.4
    return _FLAG + (0.9 if piece.lost else 2.0), WIDE - (_LOSS_ROOM if piece.lost else 2.0)


def texts(piece: Piece, corner: Point, size: float, in_pile: bool) -> Iterator[Box]:
    """Yield the boxes of a counter's strength, name and state.

    No sign may cover them.
    """
    (x, y), (start, end) = corner, _name_room(piece, in_pile)
    half = min(width(piece.name, _PLATE_NAME), end - start) / 2
    middle = start + half if in_pile or piece.lost else (start + end) / 2
    is_leader = piece.branch == "leader"
    high = TAB if in_pile and is_leader else SLAT if in_pile else HIGH
    boxes = [figure_box(piece, in_pile), (middle - half, 1.5, middle + half, 9.0)]
    if piece.states:
        boxes.append((0.0, high, WIDE, high + BAND))
    for left, upper, right, lower in boxes:
        yield x + left * size, y + upper * size, x + right * size, y + lower * size


def slat(piece: Piece, camp: Nation, corner: Point, palette: Palette, say: Say, figures: bool = True) -> str:
    """Return a counter in a pile: half as high, with all that a whole one shows."""
    livery, (x, y) = palette.liveries[camp.tone], corner
    is_leader = piece.branch == "leader"
    high = TAB if is_leader else SLAT
    start, end = _name_room(piece, True)
    svg = _plate(piece, corner, high, livery)
    svg += write_within(piece.name, (x + start, y + 7.8), _PLATE_NAME, end - start, fill=livery.ink)
    if not is_leader:
        # A branch is smaller beside longer factors.
        row_start = min(18.0, figure_box(piece, True)[0] - 1.0 - _row_width(piece))
        branch_start = _FLAG + 1.4
        scale = min((row_start - 0.6 - branch_start) / BRANCH_WIDE, 0.58)
        svg += branch(piece.branch, (x + branch_start, y + 9), livery.ink, figures, scale)
        svg += "".join(_lower_row(piece, (x + row_start, y + 16.2), livery, True))
    svg += _figure(piece, corner, True, livery)
    return tag("g", svg + _band(piece, (x, y + high - 0.5), palette, say))


def band_height(piece: Piece) -> float:
    """Return the height that the band with its state adds to a counter."""
    return BAND if piece.states else 0.0


def _plate(piece: Piece, corner: Point, high: float, livery: Livery) -> str:
    """Return a counter's body: shadow, ground, bevel, flag."""
    (x, y), is_leader = corner, piece.branch == "leader"
    # A radius above half the height would shorten the bevel, which begins behind the round corner.
    size = {"width": WIDE, "height": high, "rx": min(9.0, high / 2) if is_leader else 2.2}
    svg = tag("rect", x=x + 1.2, y=y + 1.6, **size, fill="#000000", fill_opacity=0.3)
    svg += tag("rect", x=x, y=y, **size, fill=livery.ground, stroke=livery.rim, stroke_width=1)
    inset = size["rx"] * 0.4 + 0.6
    bevel = line([(x + inset, y + 1), (x + WIDE - inset, y + 1)])
    flag = livery.flag if high > TAB else ()
    if not flag:
        bevel = line([(x + 1, y + high - inset), (x + 1, y + inset)]) + bevel
    svg += tag("path", d=bevel, fill="none", stroke=livery.light, stroke_width=1)
    # At least one part, since a livery without a flag has none to divide by.
    top, step = y + inset, (high - 2 * inset) / max(len(flag), 1)
    for index, colour in enumerate(flag):
        svg += tag("rect", x=x + 0.8, y=top + index * step, width=_FLAG - 0.6, height=step, fill=colour)
    return svg


_ROW = {False: (7.6, 1.0), True: (6.9, 0.72)}
"""The size of factors and the scale of the formation, whole and in a pile: on a phone of 390 pixels the former are 9
pixels high."""
_SIGN_WIDTHS = {"formed": 5.6, "skirmish": 8.8, "square": 5.6, "unlimbered": 8.4, "limbered": 9.4}


def _row_width(piece: Piece) -> float:
    """Return the width of factors and formation in a pile."""
    size, scale = _ROW[True]
    return width(piece.factors, size) + (1.6 + _SIGN_WIDTHS.get(piece.form, 0.0) * scale if piece.form else 0.0)


def _lower_row(piece: Piece, start: Point, livery: Livery, in_pile: bool) -> Iterator[str]:
    """Yield factors and formation, from a point to the right."""
    (x, y), (size, scale) = start, _ROW[in_pile]
    if piece.factors:
        yield text(piece.factors, start, size, fill=livery.ink)
    if piece.form:
        yield formation(piece.form, (x + width(piece.factors, size) + 1.6, y - 2.2), livery.ink, scale)


def _full_strength(piece: Piece, end: Point, livery: Livery) -> str:
    """Return a unit's steps, or full strength with a formation, left of a point."""
    if not piece.form:
        return pips(piece, (end[0], end[1] - 4.8), livery.ink)
    if not 0 < piece.strength < piece.full:
        return ""
    return text(f"/{piece.full}", (end[0] - 0.8, end[1]), 6.9, text_anchor="end", fill=livery.ink)


def front(facing: str, box: Box, palette: Palette) -> str:
    """Return the arrow head outside a box of counters where they face."""
    (x, y), (u, v), length = _front_head(facing, box)
    points = [
        (x - back * u - aside * v, y - back * v + aside * u)
        for back, aside in ((0.0, 0.0), (length, _WING), (0.7 * length, 0.0), (length, -_WING))
    ]
    (fill, rim), path = palette.front, line(points, closed=True)
    edge = tag("path", d=path, fill=rim, stroke=rim, stroke_width=2.4, stroke_linejoin="round")
    return edge + tag("path", d=path, fill=fill)


def front_box(facing: str, box: Box) -> Box:
    """Return the box of the sign of a front."""
    (x, y), (u, v), length = _front_head(facing, box)
    (a, b), aside = (x - length * u, y - length * v), _WING
    across, down = aside * abs(v), aside * abs(u)
    return min(x, a - across), min(y, b - down), max(x, a + across), max(y, b + down)


def _front_head(facing: str, box: Box) -> tuple[Point, Point, float]:
    """Return the tip of the sign of a front, its direction, and its length."""
    left, top, right, bottom = box
    down, y = (-1.0, top) if facing[0] == "N" else (1.0, bottom)
    if len(facing) == 1:
        # Above a pile its middle has the number of the hex.
        x = right - _WING if facing == "N" else (left + right) / 2
        return (x, y + down * 9.0), (0.0, down), 9.0
    x, out = (right, 1.0) if facing[1] == "E" else (left, -1.0)
    return (x + out * _OUT, y + down * 9.0), (out * 0.866, down * 0.5), _HEAD


def formation(form: str, point: Point, ink: str, scale: float = 1.0) -> str:
    """Return the sign of a formation: bar, dots, square, wheels or trail."""
    sign = {
        "formed": "h5.6",
        "skirmish": "h1.6m2 0h1.6m2 0h1.6",
        "square": "v-4h5v4z",
        "unlimbered": "l8 -4",
        "limbered": "a1.8 1.8 0 1 1 .1 0m5 0a1.8 1.8 0 1 1 .1 0",
    }.get(form, "")
    if not sign:
        return ""
    place = f"translate({number(point[0])} {number(point[1])}) scale({scale:g})"
    stroke_width = 1.8 if form == "formed" else 1.2
    return tag("path", d=f"M0 0{sign}", fill="none", stroke=ink, stroke_width=stroke_width, transform=place)


def pips(piece: Piece, corner: Point, ink: str) -> str:
    """Return a square for each step, ending at a point.

    It is full if the step is left, crossed if lost in the phase.
    """
    if not 0 < piece.full <= 5:
        return ""
    x, y, kinds = corner[0] - 4.4 * piece.full, corner[1], {"left": "", "lost": "", "gone": ""}
    for step in range(piece.full):
        corner_move = f"M{number(x + 4.4 * step)} {number(y)}"
        if step < piece.strength:
            kinds["left"] += f"{corner_move}h3.4v4.6h-3.4z"
        elif step < piece.strength + piece.lost:
            kinds["lost"] += f"{corner_move}l3.4 4.6m0 -4.6l-3.4 4.6"
        else:
            kinds["gone"] += f"{corner_move}h3.4v4.6h-3.4z"
    solid = tag("path", d=kinds["left"], fill=ink) if kinds["left"] else ""
    return solid + "".join(
        tag("path", d=kinds[kind], fill="none", stroke=ink, stroke_width=stroke_width)
        for kind, stroke_width in (("lost", 1.3), ("gone", 0.6))
        if kinds[kind]
    )


def _band(piece: Piece, corner: Point, palette: Palette, say: Say) -> str:
    """Return the words of its state on a band below the counter."""
    if not piece.states:
        return ""
    x, y = corner
    words, look = ", ".join(map(say, piece.states)), {"text_anchor": "middle", "fill": palette.band[1]}
    # Two of them are smaller, so that neither is cut short.
    size = 7.5 if len(piece.states) == 1 else 6.6
    band = tag("rect", x=x - 0.5, y=y, width=WIDE + 1, height=BAND, rx=1.5, fill=palette.band[0])
    return band + write_within(words, (x + WIDE / 2, y + 6.7), size, WIDE - 3, "sans-bold", **look)


def loss(piece: Piece, corner: Point, size: float, palette: Palette) -> str:
    """Return a counter's loss in the phase, on a plate at its right upper corner."""
    return loss_plate(f"\u2013{piece.lost}", loss_middle(corner, size), palette) if piece.lost else ""


def loss_middle(corner: Point, size: float) -> Point:
    """Return the middle of a counter's loss, from its left upper corner."""
    # It is as large on small counters, and covers no more of their names.
    return corner[0] + WIDE * size - _LOSS_ROOM * min(size, 1.0) + _LOSS_RIM + LOSS, corner[1] + 3.2


def loss_plate(figure: str, centre: Point, palette: Palette) -> str:
    """Return a white plate with a black figure."""
    dark, (x, y) = palette.band[0], centre
    box = {"x": x - LOSS, "y": y - LOSS_HALF, "width": 2 * LOSS, "height": 2 * LOSS_HALF, "rx": LOSS_HALF}
    plate = tag("rect", **box, fill="#ffffff", stroke=dark, stroke_width=1.2)
    words, size = fit_text(figure, 8.8, 2 * LOSS - 1.8, "sans-bold", 0.5)
    look = {"text_anchor": "middle", "letter_spacing": 0.5, "fill": dark}
    return plate + text(words, (x - 0.1, y + 0.36 * size), size, "sans-bold", **look)


def crossed_out_name(piece: Piece, camp: Nation, palette: Palette) -> str:
    """Return the crossed-out name of an eliminated counter, from its upper middle."""
    livery = palette.liveries[camp.tone]
    room = WIDE - 4
    size = size_within(piece.name, _PLATE_NAME, room)
    plate_width = min(width(piece.name, size), room) + 12
    plate = tag(
        "rect", x=-plate_width / 2, y=0, width=plate_width, height=GRAVE, rx=2, fill=livery.ground, stroke=livery.rim
    )
    words = write_within(piece.name, (9 - plate_width / 2, 7), _PLATE_NAME, room, fill=livery.ink)
    return plate + words + cross((4.5 - plate_width / 2, GRAVE / 2), palette)


def plate_of(words: str, livery: Livery, centre: Point) -> str:
    """Return words on a plate in a camp's colours around a point."""
    (x, y), wide = centre, width(words, PLATE, "sans-bold") + 8
    look = {"fill": livery.ground, "stroke": livery.rim}
    plate = tag("rect", x=x - wide / 2, y=y - 6, width=wide, height=12, rx=2, **look)
    return plate + text(words, (x, y + 3), PLATE, "sans-bold", text_anchor="middle", fill=livery.ink)


def cross(centre: tuple[float, float], palette: Palette) -> str:
    """Return the cross of an eliminated counter."""
    path = f"M{number(centre[0] - 2.4)} {number(centre[1] - 2.4)}l4.8 4.8m0 -4.8l-4.8 4.8"
    rim = tag("path", d=path, stroke="#ffffff", stroke_width=3.2, stroke_linecap="round")
    return rim + tag("path", d=path, stroke=palette.band[0], stroke_width=1.8, stroke_linecap="round")
