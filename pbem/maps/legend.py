"""Draw the legend: every sign in the picture, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Piece, Scene
from pbem.maps.counters import GRAVE, LOSS, cross, formation, front, loss_plate, pips
from pbem.maps.drawn_on import Ground, Style, camp_name, is_within, place_beyond
from pbem.maps.ends import End
from pbem.maps.figures import branch
from pbem.maps.marks import Pen, assault_sign, ghost, left_targets, ride, shot
from pbem.maps.palette import Palette
from pbem.maps.svg import fit_text, number, tag, text, trees, width

SIZE, LINE = 9.0, 17.0
NARROW_SIZE, NARROW_LINE = 7.6, 14.0
Sign = tuple[float, str, str]
UntranslatedSign = tuple[float, str, Msg]
"""The width of a sign, its SVG, and its words."""

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
    "ride": msg("leader alone"),
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
    "impassable slope": msg("impassable slope"),
    "parapet": msg("parapet, ticks outside"),
    "ravine": msg("ravine"),
    "river": msg("river"),
    "stream": msg("stream"),
    "road": msg("road"),
    "path": msg("path"),
}


TERRAINS: Mapping[str, tuple[str, Msg]] = {
    "clear": ("clear", msg("open ground")),
    "1": ("1", msg("height, level {level}", level=1)),
    "2": ("2", msg("height, level {level}", level=2)),
    "3": ("3", msg("height, level {level}", level=3)),
    "heights": ("heights", msg("heights")),
    "woods": ("woods", msg("woods")),
    "light wood": ("woods", msg("light wood")),
    "dense wood": ("woods", msg("dense wood")),
    "cultivated": ("camp", msg("cultivated")),
    "beach": ("beach", msg("beach")),
    "marsh": ("marsh", msg("marsh")),
    "camp": ("camp", msg("camp")),
    "town": ("town", msg("town")),
    "village": ("town", msg("village")),
    "city": ("town", msg("city")),
    "fortified": ("fortified", msg("fortified place")),
    "strong buildings": ("fortified", msg("strong buildings")),
}
"""The look of each terrain or level, and its words."""
ASKS: Mapping[str, Msg] = {
    "reach": msg("could be sent there"),
    "far": msg("only a leader could be sent there"),
    "targets": msg("could be attacked"),
    "asked": msg("asked about"),
}
_IN_ROW = 3
"""The number of places of arrows that fit into a row of the legend on a phone."""
ASKED: Mapping[str, Callable[[Palette], dict[str, object]]] = {
    "far": lambda palette: {**_outline_look(palette.ink, 1.4), "stroke_dasharray": "2 4"},
    "reach": lambda palette: {**_outline_look(palette.ink, 2.4, 0.12), "stroke_dasharray": "5 4"},
    "targets": lambda palette: _outline_look(palette.alarm, 2.4, 0.1),
    "asked": lambda palette: _outline_look(palette.ink, 4.0),
}
"""The outlines of a question, from the lowest up."""


def _outline_look(colour: str, stroke_width: float, opacity: float = 0.0) -> dict[str, object]:
    return {
        "fill": colour if opacity else "none",
        "fill_opacity": opacity,
        "stroke": colour,
        "stroke_width": stroke_width,
    }


def legend(
    scene: Scene, row_width: float, style: Style, ground: Ground, outside: Sequence[UntranslatedSign]
) -> tuple[str, float]:
    """Return the legend in rows of a width, and its height.

    `outside` are the signs of what lies beyond the cut picture.
    """
    svg, x, y = "", 0.0, 10.0
    palette, (largest, line) = style.palette, (NARROW_SIZE, NARROW_LINE) if ground.narrow else (SIZE, LINE)
    for sign_width, sign, words in _signs(scene, style, ground, outside):
        caption, size = fit_text(words, largest, row_width - sign_width - 5)
        entry_width = sign_width + 5 + width(caption, size) + (9 if ground.narrow else 14)
        if x and x + entry_width - 9 > row_width:
            x, y = 0.0, y + line
        svg += tag("g", sign, transform=f"translate({number(x)} {number(y - 7)})")
        svg += text(caption, (x + sign_width + 5, y + 2.6), size, fill=palette.ink)
        x += entry_width
    return svg, y + line / 2


def _signs(scene: Scene, style: Style, ground: Ground, outside: Sequence[UntranslatedSign]) -> Iterator[Sign]:
    """Yield the scene's signs in a fixed order; on a phone only those of events."""
    palette, say = style.palette, style.say
    front_sign = _front(scene, palette) if ground.narrow else ()
    happened = (
        *_marks(scene, ground, palette),
        *front_sign,
        *_ground(scene, () if ground.narrow else ground.lines, palette),
    )
    for sign_width, sign, words in (
        (*happened, *outside) if ground.narrow else (*_counters(scene, palette, style.figures), *happened)
    ):
        yield sign_width, sign, say(words)
    if ground.narrow:
        # Where each side has one colour, the points beside the title tell whose it is.
        seen = {piece.side for piece in (*scene.pieces, *scene.fallen)}
        allies = tuple(camp for camp in scene.camps if camp.points is not None or camp.id in seen)
        yield from _nations(scene._replace(camps=allies), style) if any(camp.ally for camp in allies) else ()
        return
    for sample, words in scene.key if scene.pieces else ():
        sample_svg = text(sample, (0, 9.4), 8.6, "sans-bold", fill=palette.ink)
        yield width(sample, 8.6, "sans-bold"), sample_svg, say(words)
    for terrain, (look, words) in TERRAINS.items():
        if terrain in ground.terrains:
            yield 19.0, _patch(look, terrain, palette), say(words)
    for sign_width, sign, words in outside:
        yield sign_width, sign, say(words)
    yield from _nations(scene, style)


def _nations(scene: Scene, style: Style) -> Iterator[Sign]:
    """Yield the colours of the nations, and on whose side they fight."""
    names = {camp.id: camp_name(camp, style) for camp in scene.camps}
    for camp in scene.camps:
        livery = style.palette.liveries[camp.tone]
        patch = tag("rect", width=19, height=13, rx=2, fill=livery.ground, stroke=livery.rim, stroke_width=1)
        step = 11.8 / max(len(livery.flag), 1)
        for index, colour in enumerate(livery.flag):
            patch += tag("rect", x=0.6, y=0.6 + index * step, width=3.6, height=step, fill=colour)
        letter = text(style.say(camp.letter), (11.5, 9.6), 8, "sans-bold", text_anchor="middle", fill=livery.ink)
        words = names[camp.id]
        if camp.ally in names:
            allies = next(other.name for other in scene.camps if other.id == camp.ally)
            words = style.say(msg("{nation}, with {side}", nation=msg("{name}", name=words), side=allies))
        yield 19.0, patch + letter, words


_STEPS = Piece("", "", "", "", "", 2, 3)
"""A counter with two of three steps left: its pips show both signs."""


def _counters(scene: Scene, palette: Palette, figures: bool) -> Iterator[UntranslatedSign]:
    """Yield the signs on counters."""
    branches, forms = {piece.branch for piece in scene.pieces}, {piece.form for piece in scene.pieces}
    for kind, words in BRANCHES.items():
        if kind in branches:
            yield 20.0, branch(kind, (0, -1), palette.ink, figures), words
    fighting = [piece for piece in scene.pieces if piece.strength]
    if any(piece.form for piece in fighting):
        yield 8.0, text("6", (0, 10.6), 13, "sans-bold", fill=palette.ink), msg("strength")
    if any(not piece.form for piece in fighting):
        number_of = text("2", (0, 10.6), 13, "sans-bold", fill=palette.ink)
        yield 24.0, number_of + pips(_STEPS, (23.5, 5.6), palette.ink), msg("steps left")
    for form, words in FORMS.items():
        if form in forms:
            yield 10.0, formation(form, (0, 8), palette.ink), words
    yield from _front(scene, palette)


def _front(scene: Scene, palette: Palette) -> Iterator[UntranslatedSign]:
    """Yield the sign of a front, if there is one."""
    if any(piece.facing for piece in scene.pieces):
        plate = tag("rect", y=5, width=16, height=7, rx=2, fill=palette.halo, stroke=palette.ink, stroke_width=0.8)
        sign = plate + front("NE", (0, 5, 16, 12), palette)
        # Within the row: the head reaches four above the plate, and its rim one more.
        yield 20.0, tag("g", sign, transform="translate(0.6 4) scale(.76)"), msg("front")


def _marks(scene: Scene, ground: Ground, palette: Palette) -> Iterator[UntranslatedSign]:
    """Yield the signs of events."""
    kinds = {event_mark.kind for event_mark in scene.marks}
    for kind, words in MARKS.items():
        if kind in kinds:
            yield 26.0, _mark(kind, palette), words
    if any(piece.lost for piece in scene.pieces):
        yield 2 * LOSS + 1, loss_plate("\u20131", (LOSS + 0.5, 6), palette), msg("lost in this phase")
    if ground.piles and any(is_within(place, ground) for place in left_targets(scene)):
        yield 20.0, ghost((0.7, 0.5, 19, 12), palette.ink, palette), msg("was fired at here, and left")
    if scene.fallen:
        plate = tag("rect", width=22, height=GRAVE, y=2, rx=2, fill="none", stroke=palette.ink)
        yield 22.0, plate + cross((5, 6.5), palette), msg("out of play in this phase")


def _ground(scene: Scene, lines: Collection[str], palette: Palette) -> Iterator[UntranslatedSign]:
    """Yield the signs on the map."""
    if scene.stakes:
        yield 14.0, _ring(palette), msg("worth points; the colour is its holder's")
    for name, words in ASKS.items():
        if getattr(scene, name):
            yield 19.0, tag("rect", x=1.5, y=1.5, width=16, height=10, **ASKED[name](palette)), words
    if scene.unseen:
        veil = tag("rect", x=0, y=0, width=19, height=13, fill=palette.shade, fill_opacity=0.25)
        yield 19.0, veil, msg("out of sight")
    for kind, words in LINES.items():
        if kind in lines:
            yield 22.0, _line(kind, palette), words


def outside_signs(scene: Scene, ground: Ground, cut: Collection[str], palette: Palette) -> Iterator[UntranslatedSign]:
    """Yield the signs of goals, on a phone of fights, beyond the picture or cut."""
    sign = (14.0, _ring(palette))
    places = [goal.place for goal in scene.stakes]
    if ground.narrow:
        sign = 14.0, assault_sign((7, 6), Pen(palette, palette.ink, 3.2))
        hit = {mark.places[-1] for mark in scene.marks if mark.kind in ("assault", "fire")}
        places = sorted(hit | {piece.place for piece in scene.pieces if piece.lost} | {p.place for p in scene.fallen})
    outside = [place for place in places if place in cut or not is_within(place, ground)]
    if outside:
        words = tuple(place_beyond(place, ground) for place in outside)
        yield *sign, msg("beyond the picture: {places}", places=words)


def unnamed_ends(ends: Sequence[End], palette: Palette) -> Iterator[UntranslatedSign]:
    """Yield signs for ends of arrows that have no name in the picture."""
    ways = dict[tuple[bool, Msg | None], list[End]]()
    for end in ends:
        ways.setdefault((end.leads_there, end.direction), []).append(end)
    for alike in ways.values():
        places = tuple(place for end in alike for place in end.places)
        for start in range(0, len(places), _IN_ROW):
            words = alike[0]._replace(places=places[start : start + _IN_ROW]).words
            yield 26.0, _mark("move", palette), msg("beyond the picture: {places}", places=(words,))


def _ring(palette: Palette) -> str:
    return tag("circle", cx=7, cy=6, r=6, fill=palette.halo, stroke=palette.gold, stroke_width=2.2)


def _line(kind: str, palette: Palette) -> str:
    """Return a line's sign as it is drawn on the map."""
    path = "M0 6.5h22"
    if kind == "road":
        return tag("path", d=path, stroke=palette.road[0], stroke_width=4) + tag(
            "path", d=path, stroke=palette.road[1], stroke_width=2
        )
    if kind in ("slope", "impassable slope", "parapet"):
        stroke_width = 2.2 if kind == "impassable slope" else 1.2
        ticks = "".join(f"M{x} 3v7" for x in range(2, 22, 6))
        parapet = tag("path", d="M0 3h22", stroke=palette.barred, stroke_width=4, stroke_dasharray="7 2")
        slope = tag("path", d=f"M0 3h22{ticks}", stroke=palette.hachure, stroke_width=stroke_width, fill="none")
        return slope + (parapet if kind == "parapet" else "")
    looks: dict[str, dict[str, object]] = {
        "path": {"stroke": palette.path, "stroke_width": 1.6, "stroke_dasharray": "3 2.5"},
        "ravine": {"stroke": palette.hachure, "stroke_width": 4, "stroke_dasharray": "2 1.6"},
        "river": {"stroke": palette.sea, "stroke_width": 6},
        "stream": {"stroke": palette.sea, "stroke_width": 3},
    }
    return tag("path", d=path, **looks[kind])


def _patch(look: str, terrain: str, palette: Palette) -> str:
    """Return a piece of land with its sign."""
    fill = palette.levels[int(look) - 1] if look.isdigit() else palette.terrain[look]
    svg = tag("rect", width=19, height=13, rx=2, fill=fill, stroke=palette.border, stroke_width=0.8)
    if look.isdigit():
        lines = "".join(f"M2 {12.5 - 3 * level}Q9 {5 - 2 * level} 17 {8 - 3 * level}" for level in range(int(look)))
        return svg + tag("path", d=lines, fill="none", stroke=palette.hachure, stroke_width=1.1)
    if look == "woods":
        return svg + trees([(6, 9), (13, 9)] if terrain != "light wood" else [(9.5, 9)], palette)
    shape = {"town": "M6 4.5h7v5h-7z", "fortified": "M5.5 2.5h8v8h-8z", "camp": "M4.5 10.5l5 -8l5 8zm5 -8v8"}.get(
        look, ""
    )
    if not shape or terrain == "cultivated":
        return svg
    fill_colour = palette.house if look == "town" else "none"
    return svg + tag("path", d=shape, fill=fill_colour, stroke=palette.house, stroke_width=1)


def _mark(kind: str, palette: Palette) -> str:
    if kind == "ride":
        return ride([(0, 6), (24, 6)], Pen(palette, palette.ink))
    if kind == "fire":
        return "".join(shot([(3, 6), (25, 6)], Pen(palette, palette.ink)))
    if kind == "assault":
        head = tag("path", d="M26 6l-7.6 -4.6v9.2z", fill="none", stroke=palette.ink, stroke_width=1.2)
        return head + assault_sign((10, 6), Pen(palette, palette.ink, 3.2))
    dash = {"stroke_dasharray": "6 3"} if kind == "retreat" else {}
    shaft = tag("path", d="M0 6h18", stroke=palette.ink, stroke_width=3, **dash)
    heads = "M26 6l-9 -4.6v9.2z" + ("M18 6l-9 -4.6v9.2z" if kind == "arrive" else "")
    return shaft + tag("path", d=heads, fill=palette.ink)
