"""Counters as a wargamer knows them: branch, big strength, steps, factors, name, state in words, what was lost."""

from __future__ import annotations

from collections.abc import Callable

from pbem.engine.data.messages import Msg
from pbem.engine.data.scene import Camp, Piece
from pbem.engine.map.hexes import DIRECTIONS
from pbem.maps.palette import Livery, Palette
from pbem.maps.svg import cut, number, tag, text, width

WIDE, HIGH = 43.0, 36.0
"""A counter in the units of the picture."""
STRIP, BAND = 8.6, 8.0
"""What shows of one that lies below; the band on which its state is said."""
STAR = "M0 -7L2 -2.2L7 -2.2L3 1L4.6 6L0 3L-4.6 6L-3 1L-7 -2.2L-2 -2.2Z"
"""The sign of a leader, around its middle."""
Say = Callable[[Msg], str]


def counter(piece: Piece, camp: Camp, at: tuple[float, float], palette: Palette, say: Say) -> str:
    """Return a counter with its left upper corner at a point."""
    livery, (x, y) = palette.liveries[camp.tone], at
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
    less = 9 if piece.lost else 0
    name, size = cut(piece.name, 7.6, WIDE - 5 - less)
    head = text(name, (x + (WIDE - less) / 2, y + 8.4), size, text_anchor="middle", fill=livery.ink)
    body = _leader(piece, (x, y), livery) if leader else _unit(piece, (x, y), livery)
    corner = (x + WIDE - 8, y + HIGH - 3) if piece.form else (x + 3, y + HIGH - 3)
    letter = text(say(camp.letter), corner, 7, "sans-bold", fill=livery.ink)
    form = formation(piece.form, (x + (18 if piece.branch == "guns" else 14), y + HIGH - 5), livery.ink)
    signs = form + loss(piece, (x + WIDE - 4.4, y + 5), palette)
    band = _state(piece, (x, y + HIGH - 1), palette, say)
    return tag("g", front(piece, (x, y), camp, palette) + band + ground + head + body + letter + signs)


def foot(piece: Piece) -> float:
    """Return by how much a counter is higher for the band on which its state is said."""
    return BAND if piece.states else 0.0


def strip(piece: Piece, camp: Camp, at: tuple[float, float], palette: Palette, say: Say) -> str:
    """Return what shows of a counter below others: its name and its strength, its state below them."""
    livery, (x, y) = palette.liveries[camp.tone], at
    high = STRIP + 4 + (BAND if piece.states else 0)
    ground = tag("rect", x=x, y=y, width=WIDE, height=high, rx=3, fill=livery.ground, stroke=livery.rim, stroke_width=1)
    said = piece.factors if piece.branch == "leader" else str(piece.strength)
    long = width(said, 7.6, "sans-bold")
    name, size = cut(piece.name, 7, WIDE - long - (16 if piece.lost else 7))
    badge = loss(piece, (x + WIDE - long - 8, y + STRIP / 2 + 0.3), palette, 4.4)
    words = text(name, (x + 2.5, y + 7), size, fill=livery.ink)
    words += text(said, (x + WIDE - 2.5, y + 7.2), 7.6, "sans-bold", text_anchor="end", fill=livery.ink)
    return ground + words + badge + _state(piece, (x, y + STRIP - 0.5), palette, say)


def front(piece: Piece, at: tuple[float, float], camp: Camp, palette: Palette) -> str:
    """Return a bar with a point before the side that a counter faces, beside the number of its hex if that is above."""
    if piece.facing not in DIRECTIONS:
        return ""
    x, y = at[0] + WIDE / 2, at[1] + HIGH / 2
    # Along the upper or the lower side, or across a corner.
    far = {"N": HIGH / 2 - 0.5, "S": HIGH / 2 + foot(piece)}.get(piece.facing, 26.0)
    aside = {"N": 16.5, "NE": -4.0, "SE": 4.0, "SW": -4.0, "NW": 4.0}.get(piece.facing, 0.0)
    turn = f"translate({number(x)} {number(y)}) rotate({60 * DIRECTIONS.index(piece.facing)})"
    long = 4.5 if piece.facing == "N" else 7.5
    bar = f"M{number(aside - long - 3.5)} {number(-far)}v-3.4h{long}l3.5 -4.4l3.5 4.4h{long}v3.4z"
    colour = palette.liveries[camp.tone].arrow
    return tag("path", d=bar, fill=colour, stroke=palette.halo, stroke_width=0.8, transform=turn)


def formation(form: str, at: tuple[float, float], ink: str) -> str:
    """Return a bar for formed, dots for skirmishers, a square, wheels for limbered guns, a trail for guns in action."""
    sign = {
        "formed": "h9",
        "skirmish": "h1.6m2 0h1.6m2 0h1.6",
        "square": "v-4h5v4z",
        "unlimbered": "l8 -4",
        "limbered": "a1.8 1.8 0 1 1 .1 0m5 0a1.8 1.8 0 1 1 .1 0",
    }.get(form, "")
    if not sign:
        return ""
    way = f"M{number(at[0])} {number(at[1])}{sign}"
    return tag("path", d=way, fill="none", stroke=ink, stroke_width=1.8 if form == "formed" else 1.2)


def _leader(piece: Piece, at: tuple[float, float], livery: Livery) -> str:
    x, y = at
    long = width(piece.factors, 11, "sans-bold")
    left = x + (WIDE - long - 15) / 2
    star = tag("path", d=STAR, fill=livery.ink, transform=f"translate({number(left + 6)} {number(y + 21)}) scale(.85)")
    return star + text(piece.factors, (left + 15, y + 25), 11, "sans-bold", fill=livery.ink)


def _unit(piece: Piece, at: tuple[float, float], livery: Livery) -> str:
    x, y = at
    box = branch(piece.branch, (x + 3.5, y + 11.5), livery.ink)
    big = text(str(piece.strength), (x + WIDE - 4, y + 24), 15, "sans-bold", text_anchor="end", fill=livery.ink)
    # Where there is a formation to be shown, the full strength is a number, and said only of who has lost some.
    left = x + 9 if piece.form else x + 10 + width(piece.factors, 7) / 2
    small = text(piece.factors, (left, y + 32.8), 7, text_anchor="middle", fill=livery.ink) if piece.factors else ""
    if not piece.form:
        return box + big + small + pips(piece.strength, piece.full, (x + WIDE - 3, y + 28), livery.ink)
    if 0 < piece.strength < piece.full:
        small += text(f"/{piece.full}", (x + 33, y + 32.8), 6.4, text_anchor="end", fill=livery.ink)
    return box + big + small


def pips(left: int, full: int, at: tuple[float, float], ink: str) -> str:
    """Return a square for each step that there was, full for one that is left; they end at a point."""
    if not 0 < full <= 5:
        return ""
    x, y = at[0] - 4.4 * full, at[1]
    return "".join(
        tag(
            "rect",
            x=x + 4.4 * step,
            y=y,
            width=3.4,
            height=4.6,
            fill=ink if step < left else "none",
            stroke=ink,
            stroke_width=0.5,
        )
        for step in range(full)
    )


def branch(kind: str, at: tuple[float, float], ink: str) -> str:
    """Return the sign of a branch in its frame, 19 by 13."""
    x, y, wide, high = *at, 19.0, 13.0
    left, top, right, bottom = number(x), number(y), number(x + wide), number(y + high)
    across, down = f"M{left} {bottom}L{right} {top}", f"M{left} {top}L{right} {bottom}"
    middle = number(x + wide / 2)
    lines = {
        "infantry": across + down,
        "light": f"{across}{down}M{middle} {top}V{bottom}",
        "cavalry": across,
        "heavy": across,
        "train": f"M{left} {number(y + high * 0.62)}H{right}",
    }.get(kind, "")
    more = ""
    if kind == "guns":
        more = tag("circle", cx=x + wide / 2, cy=y + high / 2, r=2.8, fill=ink)
    elif kind == "heavy":
        more = tag("path", d=f"M{left} {bottom}L{right} {top}V{bottom}Z", fill=ink)
    elif kind == "train":
        more = tag("circle", cx=x + wide * 0.3, cy=y + 10.4, r=1.6, fill=ink) + tag(
            "circle", cx=x + wide * 0.7, cy=y + 10.4, r=1.6, fill=ink
        )
    frame = tag("rect", x=x, y=y, width=wide, height=high, fill="none", stroke=ink, stroke_width=1.1)
    return frame + (tag("path", d=lines, stroke=ink, stroke_width=1, fill="none") if lines else "") + more


def _state(piece: Piece, at: tuple[float, float], palette: Palette, say: Say) -> str:
    """Words on a band across the counter."""
    if not piece.states:
        return ""
    x, y = at
    words, size = cut(", ".join(map(say, piece.states)), 6.6, WIDE - 3, "sans-bold")
    band = tag("rect", x=x - 1, y=y, width=WIDE + 2, height=BAND, rx=1.5, fill=palette.alarm)
    return band + text(words, (x + WIDE / 2, y + 6.4), size, "sans-bold", text_anchor="middle", fill="#ffffff")


def loss(piece: Piece, at: tuple[float, float], palette: Palette, radius: float = 5.6) -> str:
    """Return what it lost in the phase, on a badge."""
    if not piece.lost:
        return ""
    x, y = at
    badge = tag("circle", cx=x, cy=y, r=radius, fill=palette.alarm, stroke="#ffffff", stroke_width=0.8)
    size = radius * 1.24
    said = text(f"\u2212{piece.lost}", (x, y + 0.36 * size), size, "sans-bold", text_anchor="middle", fill="#ffffff")
    return badge + said


def epitaph(piece: Piece, camp: Camp, palette: Palette) -> str:
    """Return the name of a counter that went out of play, crossed out; its upper middle is the origin."""
    livery = palette.liveries[camp.tone]
    name, size = cut(piece.name, 7, WIDE - 11)
    long = width(name, size) + 12
    plate = tag("rect", x=-long / 2, y=0, width=long, height=STRIP, rx=2, fill=livery.ground, stroke=livery.rim)
    words = text(name, (4 - long / 2 + 5, 7), size, fill=livery.ink)
    return plate + words + crossed((4.5 - long / 2, STRIP / 2), palette)


def crossed(at: tuple[float, float], palette: Palette) -> str:
    """Return the red cross of who is out of play."""
    way = f"M{number(at[0] - 2.4)} {number(at[1] - 2.4)}l4.8 4.8m0 -4.8l-4.8 4.8"
    rim = tag("path", d=way, stroke="#ffffff", stroke_width=3.2, stroke_linecap="round")
    return rim + tag("path", d=way, stroke=palette.alarm, stroke_width=1.8, stroke_linecap="round")
