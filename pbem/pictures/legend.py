"""The legend: every sign that the picture has, and no other, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pbem.core.data.messages import Msg, msg
from pbem.core.data.scene import Scene
from pbem.pictures.counters import STAR, branch
from pbem.pictures.palette import Palette
from pbem.pictures.svg import number, tag, text, width

__all__ = ["legend"]

SIZE, LINE = 9.0, 17.0
Sign = tuple[float, str, Msg]
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


def legend(scene: Scene, wide: float, say: Callable[[Msg], str], palette: Palette) -> tuple[str, float]:
    """Return the legend in rows of a width, and how high it is."""
    out, x, y = "", 0.0, 10.0
    for sign_wide, sign, words in _signs(scene, say, palette):
        said = say(words)
        long = sign_wide + 5 + width(said, SIZE) + 14
        if x and x + long > wide:
            x, y = 0.0, y + LINE
        out += tag("g", sign, transform=f"translate({number(x)} {number(y - 7)})")
        out += text(said, (x + sign_wide + 5, y + 2.6), SIZE, fill=palette.ink)
        x += long
    return out, y + LINE / 2


def _signs(scene: Scene, say: Callable[[Msg], str], palette: Palette) -> Iterator[Sign]:
    """The signs that the scene needs, in a fixed order."""
    there = {piece.branch for piece in scene.pieces}
    for kind, words in BRANCHES.items():
        if kind in there:
            yield (
                (19.0, _star(palette), words) if kind == "leader" else (19.0, branch(kind, (0, 0), palette.ink), words)
            )
    done = {one.kind for one in scene.marks}
    for kind, words in MARKS.items():
        if kind in done:
            yield 26.0, _mark(kind, palette), words
    if any(piece.lost for piece in scene.pieces):
        yield 14.0, tag("circle", cx=7, cy=6, r=6, fill=palette.alarm), msg("lost in this phase")
    if scene.stakes:
        ring = tag("circle", cx=7, cy=6, r=6, fill=palette.halo, stroke=palette.gold, stroke_width=2.2)
        yield 14.0, ring, msg("worth points; the colour is its holder's")
    if scene.unseen:
        veil = tag("rect", x=0, y=0, width=19, height=13, fill=palette.shade, fill_opacity=0.25)
        yield 19.0, veil, msg("out of sight")
    for camp in scene.camps:
        livery = palette.liveries[camp.tone]
        patch = tag("rect", width=19, height=13, rx=2, fill=livery.ground, stroke=livery.rim, stroke_width=1)
        yield (
            19.0,
            patch + text(say(camp.letter), (9.5, 9.6), 8, "sans-bold", text_anchor="middle", fill=livery.ink),
            camp.name,
        )


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
    return shaft + tag("path", d="M26 6l-9 -4.6v9.2z", fill=palette.ink)
