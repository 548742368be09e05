"""Lay out a scenario's welcome pack, four pages for somebody new to it.

The first has the battle, its goals, counters and words of orders, two the map, the last a first turn.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pbem.audit.dice import Stream
from pbem.cli.printing import Desk, Report, block_parts, report_parts, sentences
from pbem.engine.data.events import Event
from pbem.engine.data.languages import language_of, pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Piece, Scene, alt_text
from pbem.engine.game import AnyGame
from pbem.engine.map.plane import box_of
from pbem.engine.orders.block import END, ORDERS
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import ONLOOKER, Orders
from pbem.letters.catalogue import capitalize_first
from pbem.maps.counters import HIGH, WIDE, counter, disc
from pbem.maps.drawing import board
from pbem.maps.grounds import prepare_ground
from pbem.maps.layout import lay_piles, lay_stacks
from pbem.maps.legend import BRANCHES
from pbem.maps.palette import LIGHT
from pbem.maps.svg import line, tag, text
from pbem.pages.printed import (
    Counters,
    Document,
    Grid,
    Happenings,
    Heading,
    Lines,
    Pair,
    Part,
    Picture,
    Plain,
    Sheet,
    Spread,
)

BOT = "forward"
"""The bot that plays the first turn, if the game has it: it plays well and fast."""


def welcome_document(desk: Desk, scenario: str, paper: str) -> Document:
    """Return the welcome pack, the same for the same scenario.

    It has four pages: the battle, the map over two, a first turn.
    """
    rules, words = desk.rules, desk.words
    state = rules.start(rules.edition(scenario, {}, {}))
    title = words.say(rules.editions().get(scenario, msg("{name}", name=scenario)))
    brief = rules.rulebook.brief(scenario, words.language)
    subtitles = tuple(filter(None, (brief.get("line", ""), words.say(msg("What to know before the first turn")))))
    left: tuple[Part, ...] = (*_battle(desk, state, brief), *_small_map(desk, state))
    battle = Sheet((Pair(left, (*_counters(desk, state), *_words(desk, state), *_sequence(desk))),))
    parts: tuple[Part, ...] = (battle, *_map(desk, state), Sheet((*_first_turn(desk, state),), True))
    return Document(title, words.language, f"pbem · {title}", parts, subtitles, paper=paper)


def _onlooker_view(rules: AnyGame, state: object) -> Any:
    """Return the position as everybody may see it; the set-up is no secret."""
    return rules.view(state, ONLOOKER) or state


def _battle(desk: Desk, state: Any, brief: Any) -> Iterator[Part]:
    """Return the battle, each side's part in it, victory, and what is agreed."""
    words, rules = desk.words, desk.rules
    yield Heading(words.say(msg("The battle")), 2)
    if "battle" in brief:
        yield Lines(((0, brief["battle"]),))
    for side in dict.fromkeys(rules.seats(state).values()):
        if side in brief:
            yield Heading(capitalize_first(words.say(rules.telling.side(side))), 2)
            yield Lines(((0, brief[side]),))
    first, *_ = rules.seats(state)
    yield from block_parts(desk, rules.telling.winning(rules.view(state, first), first))
    if agreed := rules.rulebook.agreed(state.edition):
        yield Heading(words.say(msg("Settings of this game")), 2)
        yield sentences(desk, *((0, agreement) for agreement in agreed))


def _map(desk: Desk, state: Any) -> Iterator[Spread]:
    """Return the whole map over two pages."""
    if desk.rules.pictured is not None:
        scene = _set_up(desk, state)
        ground = prepare_ground(desk.rules.pictured.ground(state.edition), scene, state.edition.digest)
        whole = ground._replace(box=ground.whole or ground.box)
        left, top, right, bottom = whole.box
        svg = board(scene, whole, desk.style, ())
        yield Spread(svg, desk.words.say(alt_text(scene)), (right - left) / (bottom - top))


def _set_up(desk: Desk, state: Any) -> Scene:
    """Return the scene of the set-up; raise LookupError for a game without pictures."""
    if desk.rules.pictured is None:
        raise LookupError(f"{desk.rules.name} has no pictures")
    return desk.rules.pictured.picture(_onlooker_view(desk.rules, state), ONLOOKER, ())


def _counters(desk: Desk, state: Any) -> Iterator[Part]:
    """Return a counter of each kind, and the meaning of its numbers."""
    words = desk.words
    if desk.rules.pictured is not None:
        scene = _set_up(desk, state)
        kinds = {piece.branch: piece for piece in sorted(scene.pieces, key=lambda piece: piece.id, reverse=True)}
        yield Heading(words.say(msg("The counters")), 2)
        yield Picture(_explained_counters(desk, scene), words.say(msg("The counters")), 30)
        yield Counters(tuple(_counter(desk, scene, kinds[kind]) for kind in sorted(kinds)), 2)
    yield sentences(desk, *desk.rules.rulebook.help("signs"))


def _sequence(desk: Desk) -> Iterator[Part]:
    """Return what happens in a turn, one line each."""
    if sequence := desk.rules.rulebook.help("sequence"):
        yield Heading(desk.words.say(msg("The sequence of a turn")), 2)
        yield sentences(desk, *sequence)


def _small_map(desk: Desk, state: Any) -> Iterator[Part]:
    """Return the whole map in small, which shows how the two large pages join."""
    for large in _map(desk, state):
        yield Picture(large.svg, large.alt, 26, True)
        yield sentences(desk, (0, _BOTH_PAGES))


_BOTH_PAGES = msg("Whole on this page; pages 2 and 3 show it large, each with the fold of the other.")


def _counter(desk: Desk, scene: Scene, piece: Piece) -> tuple[str, str, str]:
    """Return a counter's drawing, its name, and its branch and place."""
    camps, style = {camp.id: camp for camp in scene.camps}, desk.style
    name, place = style.named(piece.name), style.named(piece.place)
    plain = piece._replace(name=name, facing="", lost=0)
    drawing = counter(plain, camps[piece.side], (0.0, 0.0), LIGHT, style.say)
    svg = tag("svg", drawing, xmlns="http://www.w3.org/2000/svg", viewBox=f"-2 -2 {WIDE + 4:g} {HIGH + 4:g}")
    texts = [style.say(BRANCHES[piece.branch]), *(style.say(piece_state) for piece_state in piece.states), place]
    return svg, name, ", ".join(texts)


_NOTES = (
    (msg("name"), (0.93, 0.2), 8.0),
    (msg("branch"), (0.3, 0.5), 20.0),
    (msg("strength"), (0.86, 0.5), 20.0),
    (msg("factors"), (0.2, 0.86), 32.0),
    (msg("steps or formation"), (0.75, 0.88), 32.0),
)
"""The notes on a counter: words, a point as shares of its width and height, and the height of the words."""
_BESIDE = 32.0, 62.0
"""The room for words on the left and on the right of an explained counter."""


def _explained_counters(desk: Desk, scene: Scene) -> str:
    """Return a counter of each side with what is on it."""
    style, camps = desk.style, {camp.id: camp for camp in scene.camps}
    firsts = {piece.side: piece for piece in sorted(scene.pieces, key=lambda piece: piece.strength) if piece.strength}
    svg, left = "", 0.0
    for piece in [*firsts.values()][:2]:
        x = left + _BESIDE[0]
        svg += counter(piece._replace(facing="", lost=0), camps[piece.side], (x, 4.0), LIGHT, style.say)
        for words, (across, down), height in _NOTES:
            is_left = across < 0.5
            end = (x - 5 if is_left else x + WIDE + 5), height
            svg += tag("path", d=line([(x + across * WIDE, 4 + down * HIGH), end]), stroke=LIGHT.ink, stroke_width=0.6)
            look = {"text_anchor": "end" if is_left else "start"}
            svg += text(style.say(words), (end[0] + (-1.5 if is_left else 1.5), height + 2.4), 6.6, "sans", **look)
        left += WIDE + sum(_BESIDE)
    return tag("svg", svg, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {left:g} {HIGH + 10:g}")


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


def _first_turn(desk: Desk, state: Any) -> Iterator[Part]:
    """Return the first phase, played by bots: map with arrows, orders, results."""
    rules, words = desk.rules, desk.words
    bot = rules.bots.get(BOT) or next(iter(rules.bots.values()), None)
    first_phase = rules.phase(state)
    if bot is None or first_phase is None:
        return
    phase, turn = first_phase
    # Nothing is kept secret by it: the same scenario has to give the same turn.
    chance = random.Random(state.edition.digest)  # noqa: S311
    orders, texts = {seat: Orders(()) for seat in rules.seats(state)}, []
    for seat in rules.active(state):
        view = rules.view(state, seat)
        orders[seat] = rules.parse(bot(view, seat, chance.randrange), view, seat).orders
        texts.append(_orders_block(desk, turn, rules.canon(orders[seat])))
    world, dice = rules.world(state, orders), Stream(chance.randbytes(64))
    result = play(rules.rules, world, dice, rules.decisions(state, orders, {}))
    if not isinstance(result, Done):
        raise TypeError("nobody is asked where no standing order says so")
    report = Report(ONLOOKER, _onlooker_view(rules, result.state), list(_visible_events(rules, state, result.events)))
    yield Heading(words.say(msg("Your first turn: {phase}", phase=words.phase(f"T{turn}.{phase}"))), 1)
    yield sentences(desk, *((0, step) for step in _STEPS))
    happenings = [part for part in report_parts(desk, report, forces=False) if isinstance(part, Happenings)]
    results = "\n".join(sentence for part in happenings for _, sentence, _, _ in part.entries)
    arrows = _number_arrows(desk, report, texts)
    # The fewer lines stand below it, the larger is the map.
    longest = max(results.count("\n"), *(len(text.text.splitlines()) // text.columns for text in texts))
    yield from _numbered_map(desk, report, arrows, max(95, 165 - 2 * longest))
    yield Pair(
        (
            Heading(words.say(msg("What was written")), 2),
            *(text._replace(numbers=_numbers_of(desk, text.text, arrows)) for text in texts),
        ),
        (
            Heading(words.say(msg("What came of it")), 2),
            Plain(results, numbers=_numbers_of(desk, results, arrows), is_code=False),
        ),
        (3, 2),
    )


def _number_arrows(desk: Desk, report: Report, texts: Sequence[Plain]) -> dict[str, str]:
    """Number the places where arrows end, in the order of the lines that name them."""
    if desk.rules.pictured is None:
        return {}
    scene = desk.rules.pictured.picture(report.after, report.seat, report.seen)
    ends = {mark.places[-1] for mark in scene.marks}
    lines = [line for text in texts for line in text.text.splitlines()]
    named = dict.fromkeys(place for line in lines if (place := _place_in(desk, line, ends)))
    return {place: f"{number}" for number, place in enumerate(named, 1)}


def _place_in(desk: Desk, line: str, places: Collection[str]) -> str:
    """Return the place of a line; a line that only activates a space has none."""
    words = [word.strip(".,:;") for word in line.split()]
    named = {desk.style.named(place): place for place in places}
    hits = [named[word] for word in words if word in named]
    # A way of hexes ends in its last; an assault on a space names that first.
    return (hits[-1] if hits[-1].isdigit() else hits[0]) if hits and len(words) > 3 else ""


def _numbers_of(desk: Desk, text: str, arrows: Mapping[str, str]) -> tuple[str, ...]:
    """Return the number of each line's arrow, or nothing."""
    return tuple(arrows.get(_place_in(desk, line, arrows), "") for line in text.splitlines())


_AROUND_ARROWS = 34.0
"""The width of land shown around the ends of arrows, in units of the map."""


def _numbered_map(desk: Desk, report: Report, arrows: Mapping[str, str], high: int) -> Iterator[Picture]:
    """Return the part of the map where something happened, with numbered arrows."""
    if desk.rules.pictured is None:
        return
    scene = desk.rules.pictured.picture(report.after, report.seat, report.seen)
    whole = prepare_ground(desk.rules.pictured.ground(report.after.edition), scene, report.after.edition.digest)
    stacks = (lay_piles if whole.piles else lay_stacks)(scene, whole)
    ends = [stacks[place].box for place in arrows if place in stacks]
    box = box_of(
        [corner for left, top, right, bottom in ends for corner in ((left, top), (right, bottom))]
        or [whole.box[:2], whole.box[2:]],
        _AROUND_ARROWS,
    )
    left, top, right, bottom = whole.whole or whole.box
    ground = whole._replace(box=(max(box[0], left), max(box[1], top), min(box[2], right), min(box[3], bottom)))
    discs = "".join(
        disc(number, (stacks[place].box[0] - 2, stacks[place].box[1] + 6), LIGHT)
        for place, number in arrows.items()
        if place in stacks
    )
    svg = board(scene, ground, desk.style, ()).removesuffix("</svg>") + discs + "</svg>"
    yield Picture(svg, desk.words.say(alt_text(scene)), high)


_STEPS = (
    msg("1. Your report comes by letter, with this map, how it stands, and a form of lines to choose from."),
    msg(
        "2. You answer it with the lines that you want, between ORDERS and END. The server says what it understood; "
        "VERIFY in place of ORDERS only has them checked. Later orders replace earlier ones until the deadline."
    ),
    msg(
        "3. The phase is played, and everybody has the next report. Here the program gave the orders, and not well: "
        "arrows show where they led."
    ),
)


def _visible_events(rules: AnyGame, before: object, events: Sequence[Event]) -> Iterator[tuple[Event, Any]]:
    """Return the events that everybody may see, each with the view before it."""
    for happened in events:
        if rules.see(happened, ONLOOKER, before) is not None or rules.view(before, ONLOOKER) is None:
            yield happened, _onlooker_view(rules, before)
        before = rules.rules.apply(before, happened)


_LONG_BLOCK = 24
"""Lines of orders from which on they stand in two columns, so that the page has room for its map."""


def _orders_block(desk: Desk, turn: int, text: str) -> Plain:
    """Return a block of orders as a player writes it."""
    begin, end = (pick_phrase(desk.words.language, *words) for words in (ORDERS, END))
    block = f"{begin} T{turn}\n{desk.rules.telling.spoken(text, desk.words.language)}{end}"
    return Plain(block, 2 if block.count("\n") >= _LONG_BLOCK else 1)
