"""Lay out a scenario's welcome pack, four pages for somebody new to it.

The first has the battle, its goals, counters and words of orders, two the map, the last a first turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pbem.cli.first_turn import box_around, first_turn, onlooker_view
from pbem.cli.printing import Desk, block_parts, sentences
from pbem.engine.data.languages import language_of
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Piece, Scene, alt_text
from pbem.engine.terms import ONLOOKER
from pbem.letters.catalogue import capitalize_first
from pbem.maps.counters import HIGH, WIDE, counter
from pbem.maps.drawing import board
from pbem.maps.explained import explained_counter
from pbem.maps.grounds import prepare_ground
from pbem.maps.layout import lay_piles, lay_stacks
from pbem.maps.legend import BRANCHES
from pbem.maps.palette import LIGHT
from pbem.maps.svg import line, tag
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


def welcome_document(desk: Desk, scenario: str, paper: str) -> Document:
    """Return the welcome pack, the same for the same scenario.

    It has four pages: the battle, the map over two, a first turn.
    """
    rules, words = desk.rules, desk.words
    state = rules.start(rules.edition(scenario, {}, {}))
    title = words.say(rules.editions().get(scenario, msg("{name}", name=scenario)))
    brief = rules.rulebook.brief(scenario, words.language)
    subtitles = tuple(filter(None, (brief.get("line", ""),)))
    spread = tuple(_map(desk, state, title))
    sections = (
        *_battle(desk, state, brief),
        (*_sequence(desk),),
        *_counters(desk, state),
        (*_words(desk, state),),
        # The whole map in small shows how the two large pages join.
        tuple(Picture(large.svg, large.alt, 26, True) for large in spread),
    )
    parts: tuple[Part, ...] = (Sheet((Columns(sections),)), *spread, Sheet((*first_turn(desk, state),), True))
    return Document(title, words.language, f"pbem · {title}", parts, subtitles, paper=paper)


def _battle(desk: Desk, state: Any, brief: Any) -> Iterator[tuple[Part, ...]]:
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
        settings = sentences(desk, *((0, agreement) for agreement in agreed))
        yield Heading(words.say(msg("Settings of this game")), 2), settings


def _map(desk: Desk, state: Any, title: str) -> Iterator[Spread]:
    """Return the whole map over two pages, which join at a dashed line."""
    if desk.rules.pictured is not None:
        scene = _set_up(desk, state)
        ground = prepare_ground(desk.rules.pictured.ground(state.edition), scene, state.edition.digest)
        ground = ground._replace(box=ground.whole or ground.box)
        stacks = (lay_piles if ground.piles else lay_stacks)(scene, ground)
        # Counters may reach over the edge of the map.
        left, top, right, bottom = box = box_around([ground.box, *(stack.box for stack in stacks.values())])
        svg = board(scene, ground._replace(box=box), desk.style, ())
        fold, dashes = (left + right) / 2, {"stroke": LIGHT.ink, "stroke_width": 1.2, "stroke_dasharray": "7 5"}
        svg = svg.removesuffix("</svg>") + tag("path", d=line([(fold, top), (fold, bottom)]), **dashes) + "</svg>"
        note = desk.words.say(_FOLD)
        yield Spread(svg, desk.words.say(alt_text(scene)), (right - left) / (bottom - top), title, note)


_FOLD = msg("Pages 2 and 3 show the map large; fold them at the dashed line, where they join.")


def _set_up(desk: Desk, state: Any) -> Scene:
    """Return the scene of the set-up; raise LookupError for a game without pictures."""
    if desk.rules.pictured is None:
        raise LookupError(f"{desk.rules.name} has no pictures")
    return desk.rules.pictured.picture(onlooker_view(desk.rules, state), ONLOOKER, ())


def _counters(desk: Desk, state: Any) -> Iterator[tuple[Part, ...]]:
    """Yield a counter with notes; one of each kind, and the meaning of its numbers."""
    kinds, say = tuple[Part, ...](), desk.words.say
    if desk.rules.pictured is not None:
        scene = _set_up(desk, state)
        # Backwards, so that of each kind the first by id stays in the dict: the same one in each print.
        by_kind = {piece.branch: piece for piece in sorted(scene.pieces, key=lambda piece: piece.id, reverse=True)}
        heading = Heading(say(msg("The counters")), 2)
        yield heading, Picture(explained_counter(scene, desk.style), heading.text)
        kinds = (Counters(tuple(_counter(desk, scene, by_kind[kind]) for kind in sorted(by_kind))),)
    yield Heading(say(msg("Branches and signs")), 2), *kinds, sentences(desk, *desk.rules.rulebook.help("signs"))


def _sequence(desk: Desk) -> Iterator[Part]:
    """Return what happens in a turn, one line each."""
    if sequence := desk.rules.rulebook.help("sequence"):
        yield Heading(desk.words.say(msg("The sequence of a turn")), 2)
        yield sentences(desk, *sequence)


def _counter(desk: Desk, scene: Scene, piece: Piece) -> tuple[str, str, str]:
    """Return a counter's drawing, its name, and its branch."""
    camps, style = {camp.id: camp for camp in scene.camps}, desk.style
    name = style.named(piece.name)
    plain = piece._replace(name=name, facing="", lost=0)
    drawing = counter(plain, camps[piece.side], (0.0, 0.0), LIGHT, style.say)
    svg = tag("svg", drawing, xmlns="http://www.w3.org/2000/svg", viewBox=f"-2 -2 {WIDE + 4:g} {HIGH + 4:g}")
    return svg, name, style.say(BRANCHES[piece.branch])


def _words(desk: Desk, state: object) -> Iterator[Part]:
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
    yield sentences(desk, *desk.rules.rulebook.help("roles"), (0, _MORE))


_MORE = msg(
    "HELP orders brings an example of each, RULES the rules in short, RULES and a number one in full; answer any "
    "letter of the game with them."
)
