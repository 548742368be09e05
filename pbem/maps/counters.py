"""Draw counters: branch, strength, steps, factors, name, state in words, losses."""

from __future__ import annotations

from collections.abc import Callable

from pbem.engine.data.messages import Msg
from pbem.engine.data.scene import Camp, Piece
from pbem.engine.map.hexes import DIRECTIONS
from pbem.maps.palette import Livery, Palette
from pbem.maps.svg import fit_text, number, tag, text, width

WIDE, HIGH = 43.0, 36.0
"""The size of a counter in units of the picture."""
STRIP, BAND = 8.6, 8.0
"""The visible height of a lower counter; the height of the band with its state."""
STAR = "M0 -7L2 -2.2L7 -2.2L3 1L4.6 6L0 3L-4.6 6L-3 1L-7 -2.2L-2 -2.2Z"
"""The sign of a leader, around its centre."""
Say = Callable[[Msg], str]


def counter(piece: Piece, camp: Camp, corner_point: tuple[float, float], palette: Palette, say: Say) -> str:
    """Return a counter with its left upper corner at a point."""
    livery, (x, y) = palette.liveries[camp.tone], corner_point
    leader = piece.branch == "leader"
    ground = tag(
        "rect",
        x=x,
        y=y,
        width=WIDE,
        height=HIGH,
        rx=9 if leader else 3,
        fill=livery.ground,
        stroke=livery.rim,
        stroke_width=1.4,
    )
    margin = 9 if piece.lost else 0
    name, size = fit_text(piece.name, 7.6, WIDE - 5 - margin)
    title = text(name, (x + (WIDE - margin) / 2, y + 8.4), size, text_anchor="middle", fill=livery.ink)
    body = _leader(piece, (x, y), livery) if leader else _unit(piece, (x, y), livery)
    letter_point = (x + WIDE - 8, y + HIGH - 3) if piece.form else (x + 3, y + HIGH - 3)
    letter = text(say(camp.letter), letter_point, 7, "sans-bold", fill=livery.ink)
    form = formation(piece.form, (x + (18 if piece.branch == "guns" else 14), y + HIGH - 5), livery.ink)
    signs = form + loss(piece, (x + WIDE - 4.4, y + 5), palette)
    band = _state(piece, (x, y + HIGH - 1), palette, say)
    return tag("g", front(piece, (x, y), camp, palette) + band + ground + title + body + letter + signs)


def band_height(piece: Piece) -> float:
    """Return the height that the band with its state adds to a counter."""
    return BAND if piece.states else 0.0


def strip(piece: Piece, camp: Camp, corner_point: tuple[float, float], palette: Palette, say: Say) -> str:
    """Return the visible part of a counter below others: name, strength and state."""
    livery, (x, y) = palette.liveries[camp.tone], corner_point
    height = STRIP + 4 + (BAND if piece.states else 0)
    ground = tag(
        "rect", x=x, y=y, width=WIDE, height=height, rx=3, fill=livery.ground, stroke=livery.rim, stroke_width=1
    )
    figures = piece.factors if piece.branch == "leader" else str(piece.strength)
    figures_width = width(figures, 7.6, "sans-bold")
    name, size = fit_text(piece.name, 7, WIDE - figures_width - (16 if piece.lost else 7))
    badge = loss(piece, (x + WIDE - figures_width - 8, y + STRIP / 2 + 0.3), palette, 4.4)
    words = text(name, (x + 2.5, y + 7), size, fill=livery.ink)
    words += text(figures, (x + WIDE - 2.5, y + 7.2), 7.6, "sans-bold", text_anchor="end", fill=livery.ink)
    return ground + words + badge + _state(piece, (x, y + STRIP - 0.5), palette, say)


def front(piece: Piece, corner_point: tuple[float, float], camp: Camp, palette: Palette) -> str:
    """Return the facing bar with a point, beside the hex number if that is above."""
    if piece.facing not in DIRECTIONS:
        return ""
    x, y = corner_point[0] + WIDE / 2, corner_point[1] + HIGH / 2
    # Along the upper or the lower side, or across a corner.
    distance = {"N": HIGH / 2 - 0.5, "S": HIGH / 2 + band_height(piece)}.get(piece.facing, 26.0)
    shift = {"N": 16.5, "NE": -4.0, "SE": 4.0, "SW": -4.0, "NW": 4.0}.get(piece.facing, 0.0)
    transform = f"translate({number(x)} {number(y)}) rotate({60 * DIRECTIONS.index(piece.facing)})"
    half_width = 4.5 if piece.facing == "N" else 7.5
    bar = (
        f"M{number(shift - half_width - 3.5)} {number(-distance)}v-3.4h{half_width}l3.5 -4.4l3.5 4.4h{half_width}v3.4z"
    )
    colour = palette.liveries[camp.tone].arrow
    return tag("path", d=bar, fill=colour, stroke=palette.halo, stroke_width=0.8, transform=transform)


def formation(form: str, point: tuple[float, float], ink: str) -> str:
    """Return the sign of a formation: bar, dots, square, wheels or trail."""
    sign = {
        "formed": "h9",
        "skirmish": "h1.6m2 0h1.6m2 0h1.6",
        "square": "v-4h5v4z",
        "unlimbered": "l8 -4",
        "limbered": "a1.8 1.8 0 1 1 .1 0m5 0a1.8 1.8 0 1 1 .1 0",
    }.get(form, "")
    if not sign:
        return ""
    path = f"M{number(point[0])} {number(point[1])}{sign}"
    return tag("path", d=path, fill="none", stroke=ink, stroke_width=1.8 if form == "formed" else 1.2)


def _leader(piece: Piece, corner_point: tuple[float, float], livery: Livery) -> str:
    x, y = corner_point
    factors_width = width(piece.factors, 11, "sans-bold")
    left = x + (WIDE - factors_width - 15) / 2
    star = tag("path", d=STAR, fill=livery.ink, transform=f"translate({number(left + 6)} {number(y + 21)}) scale(.85)")
    return star + text(piece.factors, (left + 15, y + 25), 11, "sans-bold", fill=livery.ink)


def _unit(piece: Piece, corner_point: tuple[float, float], livery: Livery) -> str:
    x, y = corner_point
    box = branch(piece.branch, (x + 3.5, y + 11.5), livery.ink)
    strength = text(str(piece.strength), (x + WIDE - 4, y + 24), 15, "sans-bold", text_anchor="end", fill=livery.ink)
    # With a formation, the full strength is a number, and only on units with losses.
    left = x + 9 if piece.form else x + 10 + width(piece.factors, 7) / 2
    factors = text(piece.factors, (left, y + 32.8), 7, text_anchor="middle", fill=livery.ink) if piece.factors else ""
    if not piece.form:
        return box + strength + factors + pips(piece.strength, piece.full, (x + WIDE - 3, y + 28), livery.ink)
    if 0 < piece.strength < piece.full:
        factors += text(f"/{piece.full}", (x + 33, y + 32.8), 6.4, text_anchor="end", fill=livery.ink)
    return box + strength + factors


def pips(remaining: int, full: int, corner_point: tuple[float, float], ink: str) -> str:
    """Return a square for each step, full if it is left; they end at a point."""
    if not 0 < full <= 5:
        return ""
    x, y = corner_point[0] - 4.4 * full, corner_point[1]
    return "".join(
        tag(
            "rect",
            x=x + 4.4 * step,
            y=y,
            width=3.4,
            height=4.6,
            fill=ink if step < remaining else "none",
            stroke=ink,
            stroke_width=0.5,
        )
        for step in range(full)
    )


def branch(kind: str, corner_point: tuple[float, float], ink: str) -> str:
    """Return the sign of a branch in its frame, 19 by 13."""
    x, y, box_width, box_height = *corner_point, 19.0, 13.0
    left, top, right, bottom = number(x), number(y), number(x + box_width), number(y + box_height)
    across, down = f"M{left} {bottom}L{right} {top}", f"M{left} {top}L{right} {bottom}"
    middle = number(x + box_width / 2)
    lines = {
        "infantry": across + down,
        "light": f"{across}{down}M{middle} {top}V{bottom}",
        "cavalry": across,
        "heavy": across,
        "train": f"M{left} {number(y + box_height * 0.62)}H{right}",
    }.get(kind, "")
    extra = ""
    if kind == "guns":
        extra = tag("circle", cx=x + box_width / 2, cy=y + box_height / 2, r=2.8, fill=ink)
    elif kind == "heavy":
        extra = tag("path", d=f"M{left} {bottom}L{right} {top}V{bottom}Z", fill=ink)
    elif kind == "train":
        extra = tag("circle", cx=x + box_width * 0.3, cy=y + 10.4, r=1.6, fill=ink) + tag(
            "circle", cx=x + box_width * 0.7, cy=y + 10.4, r=1.6, fill=ink
        )
    frame = tag("rect", x=x, y=y, width=box_width, height=box_height, fill="none", stroke=ink, stroke_width=1.1)
    return frame + (tag("path", d=lines, stroke=ink, stroke_width=1, fill="none") if lines else "") + extra


def _state(piece: Piece, corner_point: tuple[float, float], palette: Palette, say: Say) -> str:
    """Return the words of its state on a band across the counter."""
    if not piece.states:
        return ""
    x, y = corner_point
    words, size = fit_text(", ".join(map(say, piece.states)), 6.6, WIDE - 3, "sans-bold")
    band = tag("rect", x=x - 1, y=y, width=WIDE + 2, height=BAND, rx=1.5, fill=palette.alarm)
    return band + text(words, (x + WIDE / 2, y + 6.4), size, "sans-bold", text_anchor="middle", fill="#ffffff")


def loss(piece: Piece, centre: tuple[float, float], palette: Palette, radius: float = 5.6) -> str:
    """Return a counter's loss in the phase, on a badge."""
    if not piece.lost:
        return ""
    x, y = centre
    badge = tag("circle", cx=x, cy=y, r=radius, fill=palette.alarm, stroke="#ffffff", stroke_width=0.8)
    size = radius * 1.24
    figure = text(f"\u2212{piece.lost}", (x, y + 0.36 * size), size, "sans-bold", text_anchor="middle", fill="#ffffff")
    return badge + figure


def epitaph(piece: Piece, camp: Camp, palette: Palette) -> str:
    """Return the crossed-out name of an eliminated counter, from its upper middle."""
    livery = palette.liveries[camp.tone]
    name, size = fit_text(piece.name, 7, WIDE - 11)
    plate_width = width(name, size) + 12
    plate = tag(
        "rect", x=-plate_width / 2, y=0, width=plate_width, height=STRIP, rx=2, fill=livery.ground, stroke=livery.rim
    )
    words = text(name, (4 - plate_width / 2 + 5, 7), size, fill=livery.ink)
    return plate + words + red_cross((4.5 - plate_width / 2, STRIP / 2), palette)


def red_cross(centre: tuple[float, float], palette: Palette) -> str:
    """Return the red cross of an eliminated counter."""
    path = f"M{number(centre[0] - 2.4)} {number(centre[1] - 2.4)}l4.8 4.8m0 -4.8l-4.8 4.8"
    rim = tag("path", d=path, stroke="#ffffff", stroke_width=3.2, stroke_linecap="round")
    return rim + tag("path", d=path, stroke=palette.alarm, stroke_width=1.8, stroke_linecap="round")
