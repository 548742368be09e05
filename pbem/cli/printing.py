"""Lay out what `pbem print` prints: a turn or a game as it was told to its reader, and a scenario's welcome pack.

The parts that several documents have come first: a map, what a report tells, orders, rules by their numbers. A welcome
pack is for somebody new to a scenario: what it is about, goals, map, counters, rules in short, words, a first turn.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.audit.dice import Stream
from pbem.cli.rulebooks import registry
from pbem.engine.data import report as reports
from pbem.engine.data.chronicle import Chapter, Chronicle, Ordered
from pbem.engine.data.events import Event
from pbem.engine.data.languages import chosen, language_of
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import PLAIN, Block
from pbem.engine.data.scene import Piece, Scene, alt_text
from pbem.engine.game import AnyGame
from pbem.engine.map import printed
from pbem.engine.orders.block import END, ORDERS
from pbem.engine.parts import Rulebook
from pbem.engine.reasons import of_others
from pbem.engine.run.labels import in_words
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import ONLOOKER, Orders, Seat, Step
from pbem.engine.war.chain import CAMP
from pbem.letters.catalogue import Catalogue, capital, load
from pbem.letters.layout import Cut, Shown
from pbem.maps.counters import HIGH, WIDE, counter
from pbem.maps.drawing import draw
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import ready
from pbem.maps.legend import BRANCHES
from pbem.maps.palette import LIGHT
from pbem.maps.svg import tag
from pbem.pages.printed import Counters, Document, Grid, Happenings, Heading, Lines, Part, Picture, Plain
from pbem.play.commands.questions.views import search_rulebook

_CITED = re.compile(r"\[([A-Z]\d+\w*(?:\.\d+\w*)*(?:, [A-Z]\d+\w*(?:\.\d+\w*)*)*)\]")


class Desk(NamedTuple):
    """What a document is made with: the game, and the words of its reader."""

    rules: AnyGame
    words: Catalogue

    @property
    def style(self) -> Style:
        """How its drawings are: as in a letter that is read by day."""
        return Style(self.words.say, self.words.called.written)


class Report(NamedTuple):
    """What is told of a phase: who is told, how it stands, what was seen of it.

    `numbers` say, by seat and by place in `seen`, under which number its letter told it, 0 where it did not.
    """

    seat: Seat
    after: Any
    seen: Sequence[tuple[Event, Any]] = ()
    numbers: Mapping[str, Sequence[int]] = MappingProxyType({})


def picture(desk: Desk, report: Report) -> Iterator[Picture]:
    """The map after what was seen; nothing for a game that cannot be drawn."""
    if desk.rules.pictured is not None:
        scene = desk.rules.pictured.picture(report.after, report.seat, report.seen)
        yield drawn(desk, scene, report.after.edition)


def drawn(desk: Desk, scene: Scene, edition: Any) -> Picture:
    """A scene as a picture."""
    if desk.rules.pictured is None:
        raise LookupError(f"{desk.rules.name} has no pictures")
    ground = ready(desk.rules.pictured.ground(edition), scene, edition.digest)
    return Picture(draw(scene, ground, desk.style), desk.words.say(alt_text(scene)))


def told(desk: Desk, report: Report, forces: bool = True, level: int = 2) -> Iterator[Part]:
    """What a report tells: how things stand, in short, each happening by its number, `forces` and whatever follows."""
    shown = Shown(desk.words, Cut(), paged=True)
    said = shown.report(_of_all(desk.rules.telling.report(report.after, report.seat, report.seen), report.seat))
    if forces:
        for standing in said["standing"]:
            yield Heading(standing["title"], level)
            yield _lines(standing["lines"])
    if said["summary"]:
        yield Heading(desk.words.say(msg("In short")), level)
        yield Lines(tuple((0, line) for line in said["summary"]))
    if said["entries"]:
        yield Heading(desk.words.say(msg("What happened")), level)
        letters = _in_letters(desk, report)
        entries = ((one, letters.get(one.number, ())) for one in said["entries"])
        yield Happenings(tuple((one.number, one.said, one.rule, (*one.details, *more)) for one, more in entries))
    for block in said["blocks"] if forces else ():
        # The map is drawn already.
        if block["drawn"]:
            continue
        yield Heading(block["title"], level)
        yield _table(block["table"]) if block["table"] else _lines(block["lines"])


def _of_all(told_: reports.Report, seat: Seat) -> reports.Report:
    """A report in which nobody is meant by "your", unless it is a seat's."""
    if seat != ONLOOKER:
        return told_
    entries = (
        one._replace(text=of_others(one.text), details=tuple(map(of_others, one.details))) for one in told_.entries
    )
    return told_._replace(entries=tuple(entries))


def _in_letters(desk: Desk, report: Report) -> dict[int, tuple[tuple[bool, str], ...]]:
    """Under which numbers the letters of seats told happenings, where it is another than here."""
    found: dict[int, tuple[tuple[bool, str], ...]] = {}
    for number, (_, places) in enumerate(desk.rules.telling.grouped(report.seen) if report.numbers else (), 1):
        told_ = {seat: numbers[places[0]] for seat, numbers in report.numbers.items() if places}
        sides = desk.rules.seats(report.after)
        others = tuple(
            msg("{side} #{number}", side=desk.rules.telling.side(sides[seat]), number=one)
            for seat, one in told_.items()
            if one
        )
        if others and set(told_.values()) != {number}:
            found[number] = ((False, desk.words.say(msg("In the letters of the seats: {numbers}", numbers=others))),)
    return found


def cited(parts: Iterable[Part]) -> list[str]:
    """The numbers of the rules that parts cite, each once, in the order of the rules."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, Happenings):
            for _, said, rule, below in part.entries:
                told_ = [said, *(line for _, line in below)]
                some = [rule, *(one for text in told_ for one in _CITED.findall(text))]
                found |= {number.strip() for one in some for number in one.split(",") if number.strip()}
    return sorted(found, key=_by_number)


def rules_cited(desk: Desk, numbers: Iterable[str]) -> Iterator[Part]:
    """Those rules in a line each; a number that the table of contents does not have is left out."""
    rows = tuple((number, text) for number in numbers for text in _rule(desk, number))
    if rows:
        yield Heading(desk.words.say(msg("The rules that are cited")), 1)
        yield Grid((desk.words.say(msg("Rule")), desk.words.say(msg("What it says"))), (("", rows),), (1, 9))


def block(desk: Desk, of: Block, level: int = 2) -> Iterator[Part]:
    """A titled list of lines."""
    shown = Shown(desk.words, Cut(), paged=True)
    yield Heading(shown.title(of.title), level)
    yield _table(shown.table(of.table)) if of.table else _lines(shown.rows(of.lines))


def say(desk: Desk, *said: tuple[int, Msg]) -> Lines:
    """Sentences with their depth."""
    return Lines(tuple((depth, desk.words.say(one)) for depth, one in said))


def _rule(desk: Desk, number: str) -> Iterator[str]:
    for line in desk.rules.rulebook.rule(number, desk.words.language):
        name, _, text = line.strip().partition(" ")
        if name == number:
            yield text.strip()


def _by_number(rule: str) -> list[tuple[int, str]]:
    return [(int(part) if part.isdigit() else -1, part) for part in re.findall(r"\d+|\D+", rule)]


def _lines(rows: Iterable[Any]) -> Lines:
    return Lines(tuple((max(row.depth, 0), row.text) for row in rows if row.depth != PLAIN))


def _table(table: Any) -> Grid:
    """A table as letters have it: who it is and in what state in the first column."""
    groups = tuple(
        (title, tuple((f"{who} ({state})" if state else who, *cells) for who, state, cells in rows))
        for title, rows in table["groups"]
    )
    heads = tuple(table["heads"])
    return Grid(heads, groups, (3, *(1 for _ in heads[1:])))


def game_document(desk: Desk, game: Chronicle, paper: str, turn: int | None = None) -> Document:
    """Return the document: each phase with its map, happenings and forces, then the rules that they cite.

    With a `turn` it is of that alone.
    """
    words, chapters = desk.words, [one for one in game.chapters if turn in (None, one.turn)]
    parts = list(_chapters(desk, game, chapters))
    if game.over and turn is None:
        steps = [Step(one.turn, one.phase, one.before, one.after) for one in chapters]
        parts += block(desk, desk.rules.telling.account(steps), 1)
    parts += rules_cited(desk, cited(parts))
    title = words.say(desk.rules.telling.report(game.start, game.seat, ()).title)
    line = desk.rules.rulebook.brief(game.scenario, words.language).get("line", "")
    under = (line, words.say(_whose(desk, game)), *(words.say(one) for one in game.result))
    contents = words.say(msg("Contents")) if turn is None else ""
    foot = f"pbem · {game.game} · {title}"
    return Document(title, words.language, foot, tuple(parts), tuple(filter(None, under)), contents, paper=paper)


def _whose(desk: Desk, game: Chronicle) -> Msg:
    """Which game it is, and who saw it so."""
    if game.seat != ONLOOKER:
        side = desk.rules.telling.side(desk.rules.seats(game.start)[game.seat])
        return msg("Game {name}, as {side} saw it", name=game.game, side=side)
    if game.over:
        return msg("Game {name}, which is over", name=game.game)
    return msg("Game {name}, as onlookers see it", name=game.game)


def _chapters(desk: Desk, game: Chronicle, chapters: Sequence[Chapter]) -> Iterator[Part]:
    """Where it began if nothing is over yet, else all that happened."""
    if not chapters:
        yield Heading(desk.words.say(msg("Before the first phase")), 1, True)
        begin = Report(game.seat, game.start)
        yield from picture(desk, begin)
        yield from told(desk, begin)
    standing: dict[str, tuple[str, ...]] = {}
    for one in chapters:
        yield from _chapter(desk, game, one)
        yield from _orders(desk, game, one, standing)
        yield from _dice(desk, one)


def _chapter(desk: Desk, game: Chronicle, one: Chapter) -> Iterator[Part]:
    words, report = desk.words, Report(game.seat, one.after, one.seen, one.numbers)
    ruling = words.say(msg("Turn {turn}: a ruling corrected the position", turn=one.turn))
    yield Heading(capital(words.phase(one.name)) if one.phase else ruling, 1, True)
    yield from picture(desk, report)
    yield from told(desk, report)


def _orders(desk: Desk, game: Chronicle, one: Chapter, standing: dict[str, tuple[str, ...]]) -> Iterator[Part]:
    """What was ordered; standing orders where they are not those that the seat had before, which are noted."""
    words, ordered = desk.words, []
    for by in one.orders:
        news = by.standing if by.segment == 1 and by.standing != standing.get(by.seat, ()) else ()
        if by.segment == 1:
            standing[by.seat] = by.standing
        if by.text or news:
            ordered.append((by, by.text + "".join(_joined(news))))
    if ordered:
        yield Heading(words.say(msg("What was ordered")), 2)
    for by, text in ordered:
        side = desk.rules.telling.side(desk.rules.seats(game.start)[by.seat])
        yield Heading(capital(words.say(_by(by, side))), 3)
        yield Plain(desk.rules.telling.spoken(text, words.language).rstrip("\n"))


def _joined(standing: Sequence[str]) -> Iterator[str]:
    """Standing orders, a rule each, those for the same below one line."""
    for _, rules in groupby(standing, key=lambda rule: rule.partition("\n")[0]):
        first, *others = (rule.splitlines(keepends=True) for rule in rules)
        yield from (*first[:-1], *(line for other in others for line in other[1:-1]), first[-1])


def _dice(desk: Desk, one: Chapter) -> Iterator[Part]:
    words = desk.words
    if one.throws:
        yield Heading(words.say(msg("The dice")), 2)
        heads = tuple(words.say(head) for head in (msg("Roll"), msg("Dice"), msg("They showed")))
        rows = tuple(
            (words.say(in_words(label)), f"{roll.n}d{roll.sides}", " ".join(map(str, roll.values)))
            for label, roll in one.throws.items()
        )
        yield Grid(heads, (("", rows),), (6, 1, 2))


def _by(ordered: Ordered, side: Msg) -> Msg:
    """Who ordered it, and whether later than at first."""
    later = msg("{side}, later ({number})", side=side, number=ordered.segment)
    return later if ordered.segment > 1 else msg("{side}", side=side)


BOT = "forward"
"""Who plays the first turn, if the game has it."""


def welcome_document(desk: Desk, scenario: str, paper: str) -> Document:
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


def _onlooking(rules: AnyGame, state: object) -> Any:
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
        yield Heading(words.say(msg("Settings of this game")), 2)
        yield say(desk, *((0, one) for one in agreed))


def _map(desk: Desk, state: object) -> Iterator[Part]:
    if desk.rules.pictured is not None:
        yield Heading(desk.words.say(msg("The map")), 1, True)
        yield from picture(desk, Report(ONLOOKER, _onlooking(desk.rules, state)))


def _counters(desk: Desk, state: object) -> Iterator[Part]:
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


def _words(desk: Desk, state: object) -> Iterator[Part]:
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


def _seen(rules: AnyGame, before: object, events: Sequence[Event]) -> Iterator[tuple[Event, Any]]:
    """What everybody may see of events, each with the view before it."""
    for happened in events:
        if rules.see(happened, ONLOOKER, before) is not None or rules.view(before, ONLOOKER) is None:
            yield happened, _onlooking(rules, before)
        before = rules.rules.apply(before, happened)


def _ordered(desk: Desk, turn: int, text: str) -> Plain:
    """A block of orders as a player writes it."""
    begin, end = (chosen(desk.words.language, *words) for words in (ORDERS, END))
    return Plain(f"{begin} T{turn}\n{desk.rules.telling.spoken(text, desk.words.language)}{end}")


# Lay out the booklet of a game's rules: contents, every rule with its chart and example, the charts again, an index.
#
# `pbem print --rules` prints it, the site shows it. A game without full texts has its rules in a line each.


class _Reader(NamedTuple):
    """A book and the words of its reader."""

    book: Rulebook[object]
    words: Catalogue

    def say(self, said: Msg) -> str:
        return self.words.say(said)

    def rules(self) -> list[tuple[str, str]]:
        """Return the number and the short line of every rule, in order."""
        language = self.words.language
        lines = [line for top in self.book.contents(language) for line in self.book.rule(top.split()[0], language)]
        pairs = (line.split(maxsplit=1) for line in dict.fromkeys(lines))
        return [(number, words.strip()) for number, words in pairs]


def booklet(desk: Desk, paper: str = "a4") -> Document:
    """Return the rules of a game as a document; those of the war too if the game has wars."""
    own = _Reader(desk.rules.rulebook, desk.words)
    readers = [(desk.rules, own), *_war(desk)]
    parts: list[Part] = []
    for game, reader in readers:
        title = "" if reader is own else reader.say(game.title)
        parts += _book_chapters(reader, title)
    parts += _charts(own)
    parts += _index(reader for _, reader in readers)
    title = desk.words.say(msg("{game}: the rules", game=desk.rules.title))
    under = (desk.words.say(_UNDER),)
    contents = desk.words.say(msg("Contents"))
    return Document(title, desk.words.language, f"pbem · {title}", tuple(parts), under, contents, 2, paper)


_UNDER = msg(
    "Every number here is the one that the server plays by. The examples are cases that the server plays in its tests."
)


def _war(desk: Desk) -> Iterator[tuple[AnyGame, _Reader]]:
    """The rules of camps, for a game that has wars."""
    shelf = desk.rules.shelf
    if shelf is not None and shelf.wars():
        camp = registry(CAMP)
        yield camp, _Reader(camp.rulebook, load(desk.words.language, CAMP))


def _book_chapters(reader: _Reader, title: str) -> Iterator[Part]:
    """The rules, a chapter a letter; below each the rules with their texts, those without parts first."""
    tops = {line.split()[0] for line in reader.book.contents(reader.words.language)}
    for letter, rules in groupby(reader.rules(), key=lambda rule: rule[0][0]):
        rows = list(rules)
        heads = [number for number, _ in rows if number in tops]
        span = msg("Rules {first} to {last}", first=heads[0], last=heads[-1])
        said = title or reader.say(CHAPTERS.get(letter, span))
        yield Heading(f"{said} ({heads[0]}–{heads[-1]})" if letter in CHAPTERS or title else said, 1, True)
        for number, words in rows:
            yield Heading(f"{number}  {words}", 2 if number in tops else 3)
            yield from _rule_in_full(reader, number)


CHAPTERS = {
    "O": msg("The course of play"),
    "S": msg("The course of play"),
    "C": msg("Tables and common rules"),
    "T": msg("The tables"),
    "R": msg("Rulings"),
    "M": msg("Several commanders"),
    "K": msg("Deployment and wars"),
}
"""What the letters of rules stand for."""


def _rule_in_full(reader: _Reader, number: str) -> Iterator[Part]:
    """The text of a rule, the chart that it heads, its example."""
    language = reader.words.language
    if text := reader.book.full_text(number, language):
        yield Lines(text)
    if chart := reader.book.chart(number):
        yield Plain(_chart(reader, chart))
    if example := reader.book.example(number, language):
        (depth, first), *rest = example
        yield Lines(((depth, f"{reader.say(msg('Example'))}. {first}"), *rest))


def _chart(reader: _Reader, text: str) -> str:
    return "\n".join(reader.say(line) for line in printed.lines_of(text)).rstrip("\n")


def _charts(reader: _Reader) -> Iterator[Part]:
    """All charts together, to be laid beside the map."""
    names = reader.book.charts()
    if names:
        yield Heading(reader.say(msg("All charts")), 1, True)
    for name in names:
        yield Plain(_chart(reader, reader.book.chart(name.split()[-1]) or ""))


def _index(readers: Iterable[_Reader]) -> Iterator[Part]:
    """Words, each with the rules that speak of it."""
    rows: dict[str, list[str]] = {}
    last = None
    for reader in readers:
        last = reader
        for word in reader.book.words(reader.words.language):
            numbers = [line.split()[0] for line in search_rulebook(reader.book, word, reader.words.language)]
            if numbers:
                rows[word] = [*rows.get(word, ()), *numbers]
    if rows and last is not None:
        yield Heading(last.say(msg("Index")), 1, True)
        heads = (last.say(msg("Word")), last.say(msg("Rules")))
        listed = tuple((word, ", ".join(numbers)) for word, numbers in sorted(rows.items(), key=_folded))
        yield Grid(heads, (("", listed),), (2, 6))


def _folded(row: tuple[str, list[str]]) -> str:
    return row[0].casefold()
