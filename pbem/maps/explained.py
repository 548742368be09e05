"""Draw one counter large, with a note on each of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbem.engine.data.messages import msg
from pbem.engine.data.scene import Piece, Scene
from pbem.engine.map.plane import Point
from pbem.maps.counters import HIGH, WIDE, bars, counter, front, loss
from pbem.maps.drawn_on import Style, camp_name
from pbem.maps.legend import BRANCHES, FORMS
from pbem.maps.palette import LIGHT
from pbem.maps.svg import fit_text, line, tag, text, width

_BESIDE, _ABOVE, _BELOW = 33.0, 6.0, 14.0
"""The room for notes beside a counter, and above and below it."""
_SIZE = 3.3
"""The size of a note."""


class _Note(NamedTuple):
    """A note: its words, and its line from the edge of its part to the words."""

    words: str
    line: Sequence[Point]


def _example(scene: Scene) -> Piece:
    """Return a foot unit of the scene as it is after its first loss."""
    fighting = [piece for piece in scene.pieces if 1 < piece.strength < 10]
    foot = max(fighting, key=lambda piece: (piece.form == "formed", piece.branch == "infantry", piece.facing != ""))
    # Its front is at the right, where no other part is.
    return foot._replace(strength=foot.full - 1, lost=1, facing="SE" if foot.facing else "", states=())


def explained_counter(scene: Scene, style: Style) -> str:
    """Return a counter with a line from each note to the edge of its part."""
    piece = _example(scene)
    camp = next(camp for camp in scene.camps if camp.id == piece.side)
    named, box = piece._replace(name=style.named(piece.name)), (0.0, 0.0, WIDE, HIGH)
    svg = counter(named, camp, (0.0, 0.0), LIGHT, style.say)
    svg += bars(front(piece.facing, box), LIGHT.liveries[camp.tone]) if piece.facing else ""
    svg += loss(piece, (0.0, 0.0), 1.0, LIGHT)
    for note in _notes(named, camp_name(camp, style), scene, style):
        (x, y), to_left = note.line[-1], note.line[-1][0] < WIDE * 0.45
        words, size = fit_text(note.words, _SIZE, _BESIDE + (x if to_left else WIDE - x) - 2)
        svg += tag("path", d=line(note.line), fill="none", stroke=LIGHT.ink, stroke_width=0.3)
        anchor = "end" if to_left else "start"
        svg += text(words, (x + (-0.8 if to_left else 0.8), y + 1.1), size, text_anchor=anchor, fill=LIGHT.ink)
    view = f"{-_BESIDE:g} {-_ABOVE:g} {WIDE + 2 * _BESIDE:g} {HIGH + _ABOVE + _BELOW:g}"
    return tag("svg", svg, xmlns="http://www.w3.org/2000/svg", viewBox=view)


def _notes(piece: Piece, nation: str, scene: Scene, style: Style) -> Iterator[_Note]:
    """Yield the notes in the game's own terms, each with its line."""
    say = style.say
    factors = next((say(words) for _, words in scene.key), "")
    yield _Note(say(msg("name")), [(9.0, 2.6), (9.0, -3.0), (7.0, -3.0)])
    yield _Note(nation, [(0.6, 15.0), (-4.0, 15.0)])
    yield _Note(say(msg("lost in this phase")), [(WIDE + 4.1, 3.2), (WIDE + 7.0, 3.2)])
    yield _Note(say(msg("strength")), [(WIDE - 3.4, 17.6), (WIDE + 7.0, 17.6)])
    yield _Note(factors, [(7.0, HIGH - 2.6), (7.0, HIGH + 4.5), (4.0, HIGH + 4.5)])
    yield _Note(say(BRANCHES[piece.branch]), [(20.6, 25.4), (20.6, HIGH + 11.0), (23.0, HIGH + 11.0)])
    if piece.form:
        x = 6.6 + width(piece.factors, 7.6) + 4.4
        yield _Note(say(FORMS[piece.form]), [(x, HIGH - 4.2), (x, HIGH + 11.0), (x - 2.0, HIGH + 11.0)])
    strength, x = msg("full strength") if piece.form else msg("steps left"), WIDE - 6.0
    yield _Note(say(strength), [(x, HIGH - 2.8), (x, HIGH + 4.5), (x + 3.0, HIGH + 4.5)])
    if piece.facing:
        yield _Note(say(msg("front")), [(WIDE - 0.2, HIGH - 8.6), (WIDE + 7.0, HIGH - 8.6)])
