"""A scenario for who is new to it: what it is about, goals, map, counters, rules in short, words, a first turn."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from pbem.audit.dice import Stream
from pbem.cli.printing.sections import Desk, Report, block, cited, drawn, picture, rules_cited, say, told
from pbem.engine.data.events import Event
from pbem.engine.data.languages import chosen, language_of
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Piece, Scene
from pbem.engine.game import Game
from pbem.engine.orders.block import END, ORDERS
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import ONLOOKER, Orders
from pbem.letters.catalogue import capital
from pbem.maps.counters import HIGH, WIDE, counter
from pbem.maps.legend import BRANCHES
from pbem.maps.palette import LIGHT
from pbem.maps.svg import tag
from pbem.pages.printed.document import Counters, Document, Grid, Heading, Lines, Part, Plain

BOT = "forward"
"""Who plays the first turn, if the game has it."""


def document(desk: Desk, scenario: str, paper: str) -> Document:
    """Return the pack: the same for the same scenario."""
    rules, words = desk.rules, desk.words
    state = rules.start(rules.edition(scenario, {}, {}))
    title = words.say(rules.editions().get(scenario, msg("{name}", name=scenario)))
    told_of = rules.rulebook.brief(scenario, words.language)
    parts = [
        *_battle(desk, state, told_of),
        *_map(desk, state),
        *_counters(desk, state),
        *_rules(desk),
        *_words(desk, state),
        *_first_turn(desk, state),
    ]
    parts += rules_cited(desk, cited(parts))
    under = tuple(filter(None, (told_of.get("line", ""), words.say(msg("What to know before the first turn")))))
    contents = words.say(msg("Contents"))
    return Document(title, words.language, f"pbem · {title}", tuple(parts), under, contents, 2, paper)


def _onlooking(rules: Game, state: Any) -> Any:
    """The position as everybody may see it before the game: the set-up is no secret."""
    return rules.view(state, ONLOOKER) or state


def _battle(desk: Desk, state: Any, told_of: Any) -> Iterator[Part]:
    """The battle, each side's part in it, what counts, what is agreed."""
    words, rules = desk.words, desk.rules
    yield Heading(words.say(msg("The battle")), 1)
    if "battle" in told_of:
        yield Lines(((0, told_of["battle"]),))
    for side in dict.fromkeys(rules.seats(state).values()):
        if side in told_of:
            yield Heading(capital(words.say(rules.telling.side(side))), 2)
            yield Lines(((0, told_of[side]),))
    first, *_ = rules.seats(state)
    yield from block(desk, rules.telling.winning(rules.view(state, first), first))
    if agreed := rules.rulebook.agreed(state.edition):
        yield Heading(words.say(msg("What is agreed")), 2)
        yield say(desk, *((0, one) for one in agreed))


def _map(desk: Desk, state: Any) -> Iterator[Part]:
    if desk.rules.pictured is not None:
        yield Heading(desk.words.say(msg("The map")), 1, True)
        yield from picture(desk, Report(ONLOOKER, _onlooking(desk.rules, state)))


def _counters(desk: Desk, state: Any) -> Iterator[Part]:
    """Every counter of the set-up, side by side, and what its numbers are."""
    if desk.rules.pictured is None:
        return
    scene: Scene = desk.rules.pictured.picture(_onlooking(desk.rules, state), ONLOOKER, ())
    words = desk.words
    yield Heading(words.say(msg("The counters")), 1, True)
    for camp in scene.camps:
        pieces = sorted((one for one in scene.pieces if one.side == camp.id), key=lambda one: (one.branch, one.id))
        if pieces:
            yield Heading(capital(words.say(camp.name)), 2)
            yield Counters(tuple(_counter(desk, scene, one) for one in pieces))
    yield Heading(words.say(msg("Abbreviations")), 2)
    yield say(desk, *desk.rules.rulebook.help("signs"))


def _counter(desk: Desk, scene: Scene, piece: Piece) -> tuple[str, str, str]:
    """A counter's drawing, its name, its branch and place."""
    camps, style = {camp.id: camp for camp in scene.camps}, desk.style
    name, place = style.named(piece.name), style.named(piece.place)
    plain = piece._replace(name=name, facing="", lost=0)
    made = counter(plain, camps[piece.side], (0.0, 0.0), LIGHT, style.say)
    svg = tag("svg", made, xmlns="http://www.w3.org/2000/svg", viewBox=f"-2 -2 {WIDE + 4:g} {HIGH + 4:g}")
    said = [style.say(BRANCHES[piece.branch]), *(style.say(one) for one in piece.states), place]
    return svg, name, ", ".join(said)


def _rules(desk: Desk) -> Iterator[Part]:
    """The sequence of play and all else that the table of contents has, a line each."""
    rows = []
    for line in desk.rules.rulebook.contents(desk.words.language):
        number, _, text = line.strip().partition(" ")
        rows.append((number, text.strip()))
    if rows:
        yield Heading(desk.words.say(msg("Sequence of play, and the rules in short")), 1, True)
        heads = tuple(desk.words.say(one) for one in (msg("Rule"), msg("What it says")))
        yield Grid(heads, (("", tuple(rows)),), (1, 11))


def _words(desk: Desk, state: Any) -> Iterator[Part]:
    """The words of orders in both languages, and orders as one writes them."""
    first, *_ = desk.rules.active(state)
    chosen = desk.rules.aids.choices(desk.rules.view(state, first), first)
    meant: dict[str, Msg] = {verb.verb: verb.says for verb in chosen.verbs}
    meant |= {one.clause: one.says for verb in chosen.verbs for one in verb.clauses if one.clause not in meant}
    say_ = desk.words.say
    yield Heading(say_(msg("The words of orders")), 1, True)
    other = desk.words.language if desk.words.language != "en" else "es"
    rows = tuple((word, desk.rules.telling.spoken(word, other), say_(said)) for word, said in meant.items())
    if rows:
        called = say_(msg("Spanish")) if other == "es" else language_of(other).name
        yield Grid((say_(msg("English")), called, say_(msg("What it is for"))), (("", rows),), (2, 2, 4))
    for topic, title in (("orders", msg("Orders, each with an example")), ("standing", msg("Standing orders"))):
        if said := desk.rules.rulebook.help(topic):
            yield Heading(say_(title), 2)
            yield say(desk, *said)


def _first_turn(desk: Desk, state: Any) -> Iterator[Part]:
    """The first turn, played by the program: what was ordered, and what came of it."""
    rules, words = desk.rules, desk.words
    bot = rules.bots.get(BOT) or next(iter(rules.bots.values()), None)
    begun = rules.phase(state)
    if bot is None or begun is None:
        return
    yield Heading(words.say(msg("A first turn, worked through")), 1, True)
    yield say(
        desk,
        (
            0,
            msg(
                "The program plays both sides here, and not well. The numbers are those of a letter; what "
                "stands at the right is the rule."
            ),
        ),
    )
    # Nothing is kept secret by it: the same scenario has to give the same turn.
    chance = random.Random(state.edition.digest)  # noqa: S311
    while (phase := rules.phase(state)) is not None and phase[1] == begun[1]:
        orders = {seat: Orders(()) for seat in rules.seats(state)}
        yield Heading(capital(words.phase(f"T{phase[1]}.{phase[0]}")), 2)
        for seat in rules.active(state):
            view = rules.view(state, seat)
            text = bot(view, seat, chance.randrange)
            orders[seat] = rules.parse(text, view, seat).orders
            yield _ordered(desk, phase[1], rules.canon(orders[seat]))
        world, dice = rules.world(state, orders), Stream(chance.randbytes(64))
        done = play(rules.rules, world, dice, rules.decisions(state, orders, {}))
        if not isinstance(done, Done):
            raise TypeError("nobody is asked where no standing order says so")
        seen = list(_seen(rules, state, done.events))
        state = done.state
        yield from told(desk, Report(ONLOOKER, _onlooking(rules, state), seen), forces=False, level=3)
    if rules.pictured is not None:
        yield Heading(words.say(msg("How it stands then")), 2)
        yield drawn(desk, rules.pictured.picture(_onlooking(rules, state), ONLOOKER, ()), state.edition)


def _seen(rules: Game, before: Any, events: Sequence[Event]) -> Iterator[tuple[Event, Any]]:
    """What everybody may see of events, each with the view before it."""
    for happened in events:
        if rules.see(happened, ONLOOKER, before) is not None or rules.view(before, ONLOOKER) is None:
            yield happened, _onlooking(rules, before)
        before = rules.rules.apply(before, happened)


def _ordered(desk: Desk, turn: int, text: str) -> Plain:
    """A block of orders as a player writes it."""
    begin, end = (chosen(desk.words.language, *words) for words in (ORDERS, END))
    return Plain(f"{begin} T{turn}\n{desk.rules.telling.spoken(text, desk.words.language)}{end}")
