"""Lay out a scenario's welcome pack, four pages for somebody new to it.

The first has the battle, its goals, counters and words of orders, two the map, the last a first turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pbem.cli.first_turn import box_around, first_turn_parts, onlooker_view, stretch
from pbem.cli.printing import PrintedGame, block_parts, sentences_with_depth
from pbem.engine.data.languages import language_of
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Piece, Scene, alt_text
from pbem.engine.map.plane import Box, Point
from pbem.engine.terms import ONLOOKER, Seat
from pbem.letters.catalogue import capitalize_first
from pbem.maps.counters import HIGH, WIDE, counter, front, front_box, loss
from pbem.maps.drawing import board
from pbem.maps.drawn_on import Ground, Style, camp_name
from pbem.maps.grounds import prepare_ground
from pbem.maps.layout import lay_piles, lay_stacks
from pbem.maps.legend import BRANCHES, FORMS, legend
from pbem.maps.palette import LIGHT
from pbem.maps.svg import fit_text, line, tag, text, width
from pbem.pages.printed import (
    Columns,
    Counters,
    Document,
    Grid,
    Heading,
    Lines,
    Part,
    Picture,
    Sheet,
    Spread,
)


def welcome_document(desk: PrintedGame, scenario: str, paper: str, seat: Seat = "") -> Document:
    """Return the welcome pack, the same for the same scenario and seat.

    It has four pages: the battle, the map over two, a first turn: that of the seat, or of who begins.
    """
    rules, words = desk.rules, desk.words
    state = rules.start(rules.edition(scenario, {}, {}))
    title = words.say(rules.editions().get(scenario, msg("{name}", name=scenario)))
    brief = rules.rulebook.brief(scenario, words.language)
    subtitles = tuple(filter(None, (brief.get("line", ""),)))
    maps = tuple(_maps(desk, state, title))
    sections = (
        *_battle(desk, state, brief),
        (*_sequence(desk),),
        tuple(small for small, _ in maps),
        *_counters(desk, state),
        (*_words(desk, state),),
    )
    spread = (large for _, large in maps)
    parts: tuple[Part, ...] = (
        Sheet((Columns(sections),)),
        *spread,
        Sheet((*first_turn_parts(desk, state, seat),), True),
    )
    return Document(title, words.language, f"pbem · {title}", parts, subtitles, paper=paper)


def _battle(desk: PrintedGame, state: Any, brief: Any) -> Iterator[tuple[Part, ...]]:
    """Yield the battle, each side's part in it, victory, and what is agreed."""
    words, rules = desk.words, desk.rules
    if "battle" in brief:
        yield Heading(words.say(msg("The battle")), 2), Lines(((0, brief["battle"]),))
    for side in dict.fromkeys(rules.seats(state).values()):
        if side in brief:
            yield Heading(capitalize_first(words.say(rules.telling.side(side))), 2), Lines(((0, brief[side]),))
    first, *_ = rules.seats(state)
    yield tuple(block_parts(desk, rules.telling.winning(rules.view(state, first), first)))
    if agreed := rules.rulebook.agreed(state.edition):
        settings = sentences_with_depth(desk, *((0, agreement) for agreement in agreed))
        yield Heading(words.say(msg("Settings of this game")), 2), settings


_LEGEND = 430.0
"""The width of a legend below a large map, in its own units. A choice: the smaller it is, the larger its signs."""
_SPREAD = 980.0, 690.0
"""The most units of a hex map, across and down, that two pages show with the longest names of counters in 6.4 points,
on both sizes of paper."""
_WHOLE = msg("Pages 2 and 3 show the map large; fold them at the dashed line, where they join.")
_PART = msg(
    "Pages 2 and 3 show the part of the map where the armies are; fold them at the dashed line, where they join. "
    "Page 1 shows all of it."
)


def _maps(desk: PrintedGame, state: Any, title: str) -> Iterator[tuple[Picture, Spread]]:
    """Yield the whole map in small, and large over two pages.

    These join at a dashed line. Of a map too large for them they show the part where the armies are.
    """
    if desk.rules.pictured is not None:
        scene = _set_up(desk, state)
        ground = prepare_ground(desk.rules.pictured.ground(state.edition), scene, state.edition.digest)

        def with_counters(part: Box) -> Box:
            # Counters may reach over the edge of the map.
            stacks = (lay_piles if ground.piles else lay_stacks)(scene, ground._replace(box=part))
            return box_around([part, *(stack.box for stack in stacks.values())])

        whole, box = with_counters(ground.whole or ground.box), with_counters(_spread_box(ground))
        left, top, right, bottom = box
        fold, dashes = (left + right) / 2, {"stroke": LIGHT.ink, "stroke_dasharray": "7 5"}

        def draw(part: Box, wide: float) -> str:
            svg = board(scene, ground._replace(box=part), desk.style, ())
            joint = tag("path", d=line([(fold, top), (fold, bottom)]), **dashes, stroke_width=wide)
            if part != box:
                cut = {"x": left, "y": top, "width": right - left, "height": bottom - top}
                joint += tag("rect", **cut, fill="none", stroke=LIGHT.ink, stroke_width=wide * 2)
            return svg.removesuffix("</svg>") + joint + "</svg>"

        alt = desk.words.say(alt_text(scene))
        note = desk.words.say(_WHOLE if box == whole else _PART)
        # In small it shows how the two large pages join, and what lies beyond them.
        small = Picture(draw(whole, 1.2 if box == whole else 3.0), alt, 26, True)
        ratio, legends = (right - left) / (bottom - top), tuple(_legends(scene, ground._replace(box=box), desk.style))
        yield small, Spread(draw(box, 1.2), alt, ratio, title, note, legends)


def _legends(scene: Scene, ground: Ground, style: Style) -> Iterator[tuple[str, float]]:
    """Yield the legends of counters and of land, each with its proportions."""
    counters_only, land_only = ground._replace(lines=(), terrains=()), scene._replace(pieces=(), camps=())
    for shown, part in ((scene._replace(stakes=(), unseen=()), counters_only), (land_only, ground)):
        signs, high = legend(shown, _LEGEND, style, part, ())
        view = f"0 0 {_LEGEND:g} {high:g}"
        yield tag("svg", signs, xmlns="http://www.w3.org/2000/svg", viewBox=view), _LEGEND / high


def _spread_box(ground: Ground) -> Box:
    """Return the part of a map for two pages: all of it if its type can be read."""
    whole = ground.whole or ground.box
    if not ground.piles or all(whole[axis + 2] - whole[axis] <= most for axis, most in enumerate(_SPREAD)):
        return whole
    (left, right), (top, bottom) = (
        stretch(ground.box[axis], ground.box[axis + 2], min(most, whole[axis + 2] - whole[axis]), whole[axis::2])
        for axis, most in enumerate(_SPREAD)
    )
    return left, top, right, bottom


def _set_up(desk: PrintedGame, state: Any) -> Scene:
    """Return the scene of the set-up; raise LookupError for a game without pictures."""
    if desk.rules.pictured is None:
        raise LookupError(f"{desk.rules.name} has no pictures")
    return desk.rules.pictured.picture(onlooker_view(desk.rules, state), ONLOOKER, ())


def _counters(desk: PrintedGame, state: Any) -> Iterator[tuple[Part, ...]]:
    """Yield a counter with notes; one of each kind, and the meaning of its numbers."""
    kinds, say = tuple[Part, ...](), desk.words.say
    if desk.rules.pictured is not None:
        scene = _set_up(desk, state)
        # Backwards, so that of each kind the first by id stays in the dict: the same one in each print.
        by_kind = {piece.branch: piece for piece in sorted(scene.pieces, key=lambda piece: piece.id, reverse=True)}
        heading = Heading(say(msg("The counters")), 2)
        yield heading, Picture(explained_counter(scene, desk.style), heading.text)
        kinds = (Counters(tuple(_counter(desk, scene, by_kind[kind]) for kind in sorted(by_kind))),)
    yield (
        Heading(say(msg("Branches and signs")), 2),
        *kinds,
        sentences_with_depth(desk, *desk.rules.rulebook.help("signs")),
    )


def _sequence(desk: PrintedGame) -> Iterator[Part]:
    """Return what happens in a turn, one line each."""
    if sequence := desk.rules.rulebook.help("sequence"):
        yield Heading(desk.words.say(msg("The sequence of a turn")), 2)
        yield sentences_with_depth(desk, *sequence)


def _counter(desk: PrintedGame, scene: Scene, piece: Piece) -> tuple[str, str, str]:
    """Return a counter's drawing, its name, and its branch."""
    camps, style = {camp.id: camp for camp in scene.camps}, desk.style
    name = style.named(piece.name)
    plain = piece._replace(name=name, facing="", lost=0)
    drawing = counter(plain, camps[piece.side], (0.0, 0.0), LIGHT, style.say)
    svg = tag("svg", drawing, xmlns="http://www.w3.org/2000/svg", viewBox=f"-2 -2 {WIDE + 4:g} {HIGH + 4:g}")
    return svg, name, style.say(BRANCHES[piece.branch])


def _words(desk: PrintedGame, state: object) -> Iterator[Part]:
    """Return the words of orders in both languages."""
    first, *_ = desk.rules.active(state)
    chosen = desk.rules.aids.choices(desk.rules.view(state, first), first)
    meanings: dict[str, Msg] = {verb.verb: verb.says for verb in chosen.verbs}
    say_ = desk.words.say
    other = desk.words.language if desk.words.language != "en" else "es"
    rows = tuple((word, desk.rules.telling.spoken(word, other), say_(meaning)) for word, meaning in meanings.items())
    if rows:
        called = say_(msg("Spanish")) if other == "es" else language_of(other).name
        yield Heading(say_(msg("The words of orders")), 2)
        yield Grid((say_(msg("English")), called, say_(msg("What it is for"))), (("", rows),), (2, 2, 4))
    yield sentences_with_depth(desk, *desk.rules.rulebook.help("roles"), (0, _MORE))


_MORE = msg(
    "HELP orders brings an example of each, RULES the rules in short, RULES and a number one in full; answer any "
    "letter of the game with them."
)


# One counter large, with a note on each of its parts.


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
    svg += front(piece.facing, box, LIGHT) if piece.facing else ""
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
    if not piece.facing:
        yield _Note(say(strength), [(x, HIGH - 2.8), (x, HIGH + 4.5), (x + 3.0, HIGH + 4.5)])
        return
    # The sign of the front lies below and to the right of the counter.
    yield _Note(say(strength), [(WIDE - 2.4, HIGH - 6.4), (WIDE + 7.0, HIGH - 6.4)])
    *_, right, tip = front_box(piece.facing, (0.0, 0.0, WIDE, HIGH))
    yield _Note(say(msg("front")), [(right - 1.2, tip - 0.7), (right + 4.0, tip - 0.7)])
