"""The legend: every sign that the picture has, and no other, in the reader's language."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pbem.core.data.messages import Msg, msg
from pbem.core.data.scene import Scene, Stake
from pbem.pictures.counters import STAR, STRIP, branch, crossed, formation
from pbem.pictures.drawn_on import Style, named
from pbem.pictures.palette import Palette
from pbem.pictures.svg import number, tag, text, width

__all__ = ["legend"]

SIZE, LINE = 9.0, 17.0
Sign = tuple[float, str, str]
Unsaid = tuple[float, str, Msg]
"""How wide a sign is, its SVG, and its words."""

BRANCHES: Mapping[str, Msg] = {
    "infantry": msg("infantry"),
    "light": msg("light infantry"),
    "cavalry": msg("cavalry"),
    "heavy": msg("heavy cavalry"),
    "guns": msg("guns"),
    "train": msg("train"),
    "leader": msg("leader"),
}
MARKS: Mapping[str, Msg] = {
    "move": msg("move"),
    "retreat": msg("retreat"),
    "fire": msg("fire"),
    "assault": msg("assault"),
    "arrive": msg("arrival"),
}
FORMS: Mapping[str, Msg] = {
    "formed": msg("formed"),
    "skirmish": msg("skirmishing"),
    "square": msg("in square"),
    "limbered": msg("limbered"),
    "unlimbered": msg("unlimbered"),
}
LINES: Mapping[str, Msg] = {
    "slope": msg("slope, down to the ticks' side"),
    "ravine": msg("ravine"),
    "river": msg("river"),
    "stream": msg("stream"),
    "road": msg("road"),
    "path": msg("path"),
}


def legend(
    scene: Scene, wide: float, style: Style, lines: Collection[str], outside: Sequence[Stake]
) -> tuple[str, float]:
    """Return the legend in rows of a width, and how high it is.

    `lines` are what runs over the map, `outside` the goals that lie where the picture is cut.
    """
    out, x, y = "", 0.0, 10.0
    palette = style.palette
    for sign_wide, sign, said in _signs(scene, style, lines, outside):
        long = sign_wide + 5 + width(said, SIZE) + 14
        if x and x + long > wide:
            x, y = 0.0, y + LINE
        out += tag("g", sign, transform=f"translate({number(x)} {number(y - 7)})")
        out += text(said, (x + sign_wide + 5, y + 2.6), SIZE, fill=palette.ink)
        x += long
    return out, y + LINE / 2


def _signs(scene: Scene, style: Style, lines: Collection[str], outside: Sequence[Stake]) -> Iterator[Sign]:
    """The signs that the scene needs, in a fixed order."""
    palette, say = style.palette, style.say
    for wide, sign, words in (*_counters(scene, palette), *_marks(scene, palette), *_ground(scene, lines, palette)):
        yield wide, sign, say(words)
    for sample, words in scene.key if scene.pieces else ():
        looks = text(sample, (0, 9.4), 8.6, "sans-bold", fill=palette.ink)
        yield width(sample, 8.6, "sans-bold"), looks, say(words)
    if outside:
        yield 14.0, _ring(palette), say(_far(outside))
    for camp in scene.camps:
        livery = palette.liveries[camp.tone]
        patch = tag("rect", width=19, height=13, rx=2, fill=livery.ground, stroke=livery.rim, stroke_width=1)
        letter = text(say(camp.letter), (9.5, 9.6), 8, "sans-bold", text_anchor="middle", fill=livery.ink)
        yield 19.0, patch + letter, named(camp, style)


def _counters(scene: Scene, palette: Palette) -> Iterator[Unsaid]:
    """What is on counters."""
    there, forms = {piece.branch for piece in scene.pieces}, {piece.form for piece in scene.pieces}
    for kind, words in BRANCHES.items():
        if kind in there:
            yield 19.0, _star(palette) if kind == "leader" else branch(kind, (0, 0), palette.ink), words
    for form, words in FORMS.items():
        if form in forms:
            yield 10.0, formation(form, (0, 8), palette.ink), words
    if any(piece.facing for piece in scene.pieces):
        bar = tag("path", d="M0 10v-3.4h7.5l3.5 -4.4l3.5 4.4h7.5v3.4z", fill=palette.ink)
        yield 22.0, bar, msg("front")


def _marks(scene: Scene, palette: Palette) -> Iterator[Unsaid]:
    """What happened."""
    done = {one.kind for one in scene.marks}
    for kind, words in MARKS.items():
        if kind in done:
            yield 26.0, _mark(kind, palette), words
    if any(piece.lost for piece in scene.pieces):
        minus = text("\u2212", (7, 8.8), 7.6, "sans-bold", text_anchor="middle", fill="#ffffff")
        yield 14.0, tag("circle", cx=7, cy=6, r=6, fill=palette.alarm) + minus, msg("lost in this phase")
    if scene.fallen:
        plate = tag("rect", width=22, height=STRIP, y=2, rx=2, fill="none", stroke=palette.ink)
        yield 22.0, plate + crossed((5, 6.5), palette), msg("out of play in this phase")


def _ground(scene: Scene, lines: Collection[str], palette: Palette) -> Iterator[Unsaid]:
    """What is on the map."""
    if scene.stakes:
        yield 14.0, _ring(palette), msg("worth points; the colour is its holder's")
    for there, colour, dash, words in (
        (scene.reach, palette.ink, "4 3", msg("could be sent there")),
        (scene.targets, palette.alarm, None, msg("could be attacked")),
    ):
        if there:
            plate = {"fill": colour, "fill_opacity": 0.1, "stroke": colour, "stroke_dasharray": dash}
            yield 19.0, tag("rect", x=1, y=1, width=17, height=11, stroke_width=1.6, **plate), words
    if scene.unseen:
        veil = tag("rect", x=0, y=0, width=19, height=13, fill=palette.shade, fill_opacity=0.25)
        yield 19.0, veil, msg("out of sight")
    for kind, words in LINES.items():
        if kind in lines:
            yield 22.0, _line(kind, palette), words


def _far(outside: Sequence[Stake]) -> Msg:
    places = tuple(goal.place for goal in outside)
    return msg("beyond the picture: {places}", places=places)


def _ring(palette: Palette) -> str:
    return tag("circle", cx=7, cy=6, r=6, fill=palette.halo, stroke=palette.gold, stroke_width=2.2)


def _line(kind: str, palette: Palette) -> str:
    """What runs over the map, as it is drawn there."""
    way = "M0 6.5h22"
    if kind == "road":
        return tag("path", d=way, stroke=palette.road[0], stroke_width=4) + tag(
            "path", d=way, stroke=palette.road[1], stroke_width=2
        )
    if kind == "slope":
        ticks = "".join(f"M{at} 3v7" for at in range(2, 22, 6))
        return tag("path", d=f"M0 3h22{ticks}", stroke=palette.hachure, stroke_width=1.2, fill="none")
    looks: dict[str, dict[str, object]] = {
        "path": {"stroke": palette.path, "stroke_width": 1.6, "stroke_dasharray": "3 2.5"},
        "ravine": {"stroke": palette.hachure, "stroke_width": 4, "stroke_dasharray": "2 1.6"},
        "river": {"stroke": palette.sea, "stroke_width": 6},
        "stream": {"stroke": palette.sea, "stroke_width": 3},
    }
    return tag("path", d=way, **looks[kind])


def _star(palette: Palette) -> str:
    return tag("path", d=STAR, fill=palette.ink, transform="translate(9 7) scale(.8)")


def _mark(kind: str, palette: Palette) -> str:
    if kind == "fire":
        return tag("path", d="M0 6h25", stroke=palette.alarm, stroke_width=1.8, stroke_dasharray="3 3")
    if kind == "assault":
        ring = tag("circle", cx=13, cy=6, r=6.4, fill="none", stroke=palette.ink, stroke_width=1.4)
        return ring + tag("path", d="M10 3l6 6M16 3l-6 6", stroke=palette.ink, stroke_width=1.4)
    dash = {"stroke_dasharray": "6 3"} if kind == "retreat" else {}
    shaft = tag("path", d="M0 6h18", stroke=palette.ink, stroke_width=3, **dash)
    heads = "M26 6l-9 -4.6v9.2z" + ("M18 6l-9 -4.6v9.2z" if kind == "arrive" else "")
    return shaft + tag("path", d=heads, fill=palette.ink)
