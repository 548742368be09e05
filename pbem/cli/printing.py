"""Lay out what `pbem print` prints: a turn, a game, or a scenario's welcome pack.

A turn or game is laid out as its reader was informed of it. The parts that several documents have come
first: a map, a report's content, orders, rules by their numbers. A welcome pack is for somebody new to a
scenario: what it is about, goals, map, counters, rules in short, words, a first turn.
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
from pbem.engine.data.chronicle import Chapter, Chronicle, SeatOrders
from pbem.engine.data.events import Event
from pbem.engine.data.languages import language_of, pick_phrase
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
from pbem.letters.catalogue import Catalogue, capitalize_first, load
from pbem.letters.layout import Cut, LetterParts
from pbem.maps.counters import HIGH, WIDE, counter
from pbem.maps.drawing import draw
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import prepare_ground
from pbem.maps.legend import BRANCHES
from pbem.maps.palette import LIGHT
from pbem.maps.svg import tag
from pbem.pages.printed import Counters, Document, Grid, Happenings, Heading, Lines, Part, Picture, Plain
from pbem.play.commands.questions.views import search_rulebook

_CITED = re.compile(r"\[([A-Z]\d+\w*(?:\.\d+\w*)*(?:, [A-Z]\d+\w*(?:\.\d+\w*)*)*)\]")


class Desk(NamedTuple):
    """The game that is printed, and the words of its reader."""

    rules: AnyGame
    words: Catalogue

    @property
    def style(self) -> Style:
        """Return the style of drawings, as in a letter read by day."""
        return Style(self.words.say, self.words.called.written)


class Report(NamedTuple):
    """The report of a phase: its reader, the position after it, and what he saw.

    `numbers` say, by seat and by place in `seen`, under which number its letter reported it, 0 where it did not.
    """

    seat: Seat
    after: Any
    seen: Sequence[tuple[Event, Any]] = ()
    numbers: Mapping[str, Sequence[int]] = MappingProxyType({})


def picture(desk: Desk, report: Report) -> Iterator[Picture]:
    """Draw the map after what was seen; nothing for a game without pictures."""
    if desk.rules.pictured is not None:
        scene = desk.rules.pictured.picture(report.after, report.seat, report.seen)
        yield draw_scene(desk, scene, report.after.edition)


def draw_scene(desk: Desk, scene: Scene, edition: Any) -> Picture:
    """Draw a scene; raise LookupError if the game has no pictures."""
    if desk.rules.pictured is None:
        raise LookupError(f"{desk.rules.name} has no pictures")
    ground = prepare_ground(desk.rules.pictured.ground(edition), scene, edition.digest)
    return Picture(draw(scene, ground, desk.style), desk.words.say(alt_text(scene)))


def report_parts(desk: Desk, report: Report, forces: bool = True, level: int = 2) -> Iterator[Part]:
    """Return a report's parts: forces and blocks if wanted, summary, happenings."""
    shown = LetterParts(desk.words, Cut(), paged=True)
    content = shown.report(
        _address_nobody(desk.rules.telling.report(report.after, report.seat, report.seen), report.seat)
    )
    if forces:
        for standing in content["standing"]:
            yield Heading(standing["title"], level)
            yield _lines(standing["lines"])
    if content["summary"]:
        yield Heading(desk.words.say(msg("In short")), level)
        yield Lines(tuple((0, line) for line in content["summary"]))
    if content["entries"]:
        yield Heading(desk.words.say(msg("What happened")), level)
        letters = _numbers_in_letters(desk, report)
        entries = ((entry, letters.get(entry.number, ())) for entry in content["entries"])
        yield Happenings(
            tuple((entry.number, entry.said, entry.rule, (*entry.details, *remarks)) for entry, remarks in entries)
        )
    for block in content["blocks"] if forces else ():
        # The map is drawn already.
        if block["drawn"]:
            continue
        yield Heading(block["title"], level)
        yield _table(block["table"]) if block["table"] else _lines(block["lines"])


def _address_nobody(report_: reports.Report, seat: Seat) -> reports.Report:
    """Return a report in which "your" means nobody, unless it is a seat's."""
    if seat != ONLOOKER:
        return report_
    entries = (
        entry._replace(text=of_others(entry.text), details=tuple(map(of_others, entry.details)))
        for entry in report_.entries
    )
    return report_._replace(entries=tuple(entries))


def _numbers_in_letters(desk: Desk, report: Report) -> dict[int, tuple[tuple[bool, str], ...]]:
    """Return the numbers that seats' letters gave happenings, where they differ."""
    remarks: dict[int, tuple[tuple[bool, str], ...]] = {}
    for number, (_, places) in enumerate(desk.rules.telling.grouped(report.seen) if report.numbers else (), 1):
        letter_numbers = {seat: numbers[places[0]] for seat, numbers in report.numbers.items() if places}
        sides = desk.rules.seats(report.after)
        others = tuple(
            msg("{side} #{number}", side=desk.rules.telling.side(sides[seat]), number=letter_number)
            for seat, letter_number in letter_numbers.items()
            if letter_number
        )
        if others and set(letter_numbers.values()) != {number}:
            remarks[number] = ((False, desk.words.say(msg("In the letters of the seats: {numbers}", numbers=others))),)
    return remarks


def cited_numbers(parts: Iterable[Part]) -> list[str]:
    """Return the numbers of cited rules, each once, in the order of the rules."""
    numbers: set[str] = set()
    for part in parts:
        if isinstance(part, Happenings):
            for _, text_, rule, below in part.entries:
                texts = [text_, *(line for _, line in below)]
                citations = [rule, *(citation for text in texts for citation in _CITED.findall(text))]
                numbers |= {
                    number.strip() for citation in citations for number in citation.split(",") if number.strip()
                }
    return sorted(numbers, key=_by_number)


def cited_rules(desk: Desk, numbers: Iterable[str]) -> Iterator[Part]:
    """Return a line for each cited rule that the table of contents has."""
    rows = tuple((number, text) for number in numbers for text in _rule(desk, number))
    if rows:
        yield Heading(desk.words.say(msg("The rules that are cited")), 1)
        yield Grid((desk.words.say(msg("Rule")), desk.words.say(msg("What it says"))), (("", rows),), (1, 9))


def block_parts(desk: Desk, lines_: Block, level: int = 2) -> Iterator[Part]:
    """Return the parts of a titled list of lines."""
    shown = LetterParts(desk.words, Cut(), paged=True)
    yield Heading(shown.title(lines_.title), level)
    yield _table(shown.table(lines_.table)) if lines_.table else _lines(shown.rows(lines_.lines))


def sentences(desk: Desk, *messages: tuple[int, Msg]) -> Lines:
    """Return sentences with their depth."""
    return Lines(tuple((depth, desk.words.say(message)) for depth, message in messages))


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
    """Return a table as letters have it; the first column has name and state."""
    groups = tuple(
        (title, tuple((f"{name} ({state})" if state else name, *cells) for name, state, cells in rows))
        for title, rows in table["groups"]
    )
    heads = tuple(table["heads"])
    return Grid(heads, groups, (3, *(1 for _ in heads[1:])))


def game_document(desk: Desk, game: Chronicle, paper: str, turn: int | None = None) -> Document:
    """Return the document of a game: each phase with map, happenings and forces.

    The cited rules follow. With a `turn` it has that turn alone.
    """
    words, chapters = desk.words, [chapter for chapter in game.chapters if turn in (None, chapter.turn)]
    parts = list(_chapters(desk, game, chapters))
    if game.over and turn is None:
        steps = [Step(chapter.turn, chapter.phase, chapter.before, chapter.after) for chapter in chapters]
        parts += block_parts(desk, desk.rules.telling.account(steps), 1)
    parts += cited_rules(desk, cited_numbers(parts))
    title = words.say(desk.rules.telling.report(game.start, game.seat, ()).title)
    line = desk.rules.rulebook.brief(game.scenario, words.language).get("line", "")
    subtitles = (line, words.say(_game_line(desk, game)), *(words.say(message) for message in game.result))
    contents = words.say(msg("Contents")) if turn is None else ""
    foot = f"pbem · {game.game} · {title}"
    return Document(title, words.language, foot, tuple(parts), tuple(filter(None, subtitles)), contents, paper=paper)


def _game_line(desk: Desk, game: Chronicle) -> Msg:
    """Return a sentence with the game's name and who saw it so."""
    if game.seat != ONLOOKER:
        side = desk.rules.telling.side(desk.rules.seats(game.start)[game.seat])
        return msg("Game {name}, as {side} saw it", name=game.game, side=side)
    if game.over:
        return msg("Game {name}, which is over", name=game.game)
    return msg("Game {name}, as onlookers see it", name=game.game)


def _chapters(desk: Desk, game: Chronicle, chapters: Sequence[Chapter]) -> Iterator[Part]:
    """Return the first position if no phase is over, else all that happened."""
    if not chapters:
        yield Heading(desk.words.say(msg("Before the first phase")), 1, True)
        first_report = Report(game.seat, game.start)
        yield from picture(desk, first_report)
        yield from report_parts(desk, first_report)
    standing: dict[str, tuple[str, ...]] = {}
    for chapter in chapters:
        yield from _chapter(desk, game, chapter)
        yield from _orders(desk, game, chapter, standing)
        yield from _dice(desk, chapter)


def _chapter(desk: Desk, game: Chronicle, chapter: Chapter) -> Iterator[Part]:
    words, report = desk.words, Report(game.seat, chapter.after, chapter.seen, chapter.numbers)
    ruling = words.say(msg("Turn {turn}: a ruling corrected the position", turn=chapter.turn))
    yield Heading(capitalize_first(words.phase(chapter.name)) if chapter.phase else ruling, 1, True)
    yield from picture(desk, report)
    yield from report_parts(desk, report)


def _orders(desk: Desk, game: Chronicle, chapter: Chapter, standing: dict[str, tuple[str, ...]]) -> Iterator[Part]:
    """Return a phase's orders, with standing orders that changed, and note those."""
    words, ordered = desk.words, []
    for seat_orders in chapter.orders:
        changed = (
            seat_orders.standing
            if seat_orders.segment == 1 and seat_orders.standing != standing.get(seat_orders.seat, ())
            else ()
        )
        if seat_orders.segment == 1:
            standing[seat_orders.seat] = seat_orders.standing
        if seat_orders.text or changed:
            ordered.append((seat_orders, seat_orders.text + "".join(_merge_standing(changed))))
    if ordered:
        yield Heading(words.say(msg("What was ordered")), 2)
    for seat_orders, text in ordered:
        side = desk.rules.telling.side(desk.rules.seats(game.start)[seat_orders.seat])
        yield Heading(capitalize_first(words.say(_orders_title(seat_orders, side))), 3)
        yield Plain(desk.rules.telling.spoken(text, words.language).rstrip("\n"))


def _merge_standing(standing: Sequence[str]) -> Iterator[str]:
    """Merge standing orders, a rule each, under one line for each addressee."""
    for _, rules in groupby(standing, key=lambda rule: rule.partition("\n")[0]):
        first, *others = (rule.splitlines(keepends=True) for rule in rules)
        yield from (*first[:-1], *(line for other in others for line in other[1:-1]), first[-1])


def _dice(desk: Desk, chapter: Chapter) -> Iterator[Part]:
    words = desk.words
    if chapter.throws:
        yield Heading(words.say(msg("The dice")), 2)
        heads = tuple(words.say(head) for head in (msg("Roll"), msg("Dice"), msg("They showed")))
        rows = tuple(
            (words.say(in_words(label)), f"{roll.n}d{roll.sides}", " ".join(map(str, roll.values)))
            for label, roll in chapter.throws.items()
        )
        yield Grid(heads, (("", rows),), (6, 1, 2))


def _orders_title(ordered: SeatOrders, side: Msg) -> Msg:
    """Return the side that ordered, and whether later than at first."""
    later = msg("{side}, later ({number})", side=side, number=ordered.segment)
    return later if ordered.segment > 1 else msg("{side}", side=side)


BOT = "forward"
"""The bot that plays the first turn, if the game has it."""


def welcome_document(desk: Desk, scenario: str, paper: str) -> Document:
    """Return the welcome pack, the same for the same scenario."""
    rules, words = desk.rules, desk.words
    state = rules.start(rules.edition(scenario, {}, {}))
    title = words.say(rules.editions().get(scenario, msg("{name}", name=scenario)))
    brief = rules.rulebook.brief(scenario, words.language)
    parts = [
        *_battle(desk, state, brief),
        *_map(desk, state),
        *_counters(desk, state),
        *_rules(desk),
        *_words(desk, state),
        *_first_turn(desk, state),
    ]
    parts += cited_rules(desk, cited_numbers(parts))
    subtitles = tuple(filter(None, (brief.get("line", ""), words.say(msg("What to know before the first turn")))))
    contents = words.say(msg("Contents"))
    return Document(title, words.language, f"pbem · {title}", tuple(parts), subtitles, contents, 2, paper)


def _onlooker_view(rules: AnyGame, state: object) -> Any:
    """Return the position as everybody may see it; the set-up is no secret."""
    return rules.view(state, ONLOOKER) or state


def _battle(desk: Desk, state: Any, brief: Any) -> Iterator[Part]:
    """Return the battle, each side's part in it, victory, and what is agreed."""
    words, rules = desk.words, desk.rules
    yield Heading(words.say(msg("The battle")), 1)
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


def _map(desk: Desk, state: object) -> Iterator[Part]:
    if desk.rules.pictured is not None:
        yield Heading(desk.words.say(msg("The map")), 1, True)
        yield from picture(desk, Report(ONLOOKER, _onlooker_view(desk.rules, state)))


def _counters(desk: Desk, state: object) -> Iterator[Part]:
    """Return every counter of the set-up, and the meaning of its numbers."""
    if desk.rules.pictured is None:
        return
    scene: Scene = desk.rules.pictured.picture(_onlooker_view(desk.rules, state), ONLOOKER, ())
    words = desk.words
    yield Heading(words.say(msg("The counters")), 1, True)
    for camp in scene.camps:
        pieces = sorted(
            (piece for piece in scene.pieces if piece.side == camp.id), key=lambda piece: (piece.branch, piece.id)
        )
        if pieces:
            yield Heading(capitalize_first(words.say(camp.name)), 2)
            yield Counters(tuple(_counter(desk, scene, piece) for piece in pieces))
    yield Heading(words.say(msg("Abbreviations")), 2)
    yield sentences(desk, *desk.rules.rulebook.help("signs"))


def _counter(desk: Desk, scene: Scene, piece: Piece) -> tuple[str, str, str]:
    """Return a counter's drawing, its name, and its branch and place."""
    camps, style = {camp.id: camp for camp in scene.camps}, desk.style
    name, place = style.named(piece.name), style.named(piece.place)
    plain = piece._replace(name=name, facing="", lost=0)
    drawing = counter(plain, camps[piece.side], (0.0, 0.0), LIGHT, style.say)
    svg = tag("svg", drawing, xmlns="http://www.w3.org/2000/svg", viewBox=f"-2 -2 {WIDE + 4:g} {HIGH + 4:g}")
    texts = [style.say(BRANCHES[piece.branch]), *(style.say(piece_state) for piece_state in piece.states), place]
    return svg, name, ", ".join(texts)


def _rules(desk: Desk) -> Iterator[Part]:
    """Return the sequence of play and the other rules, a line each."""
    rows = []
    for line in desk.rules.rulebook.contents(desk.words.language):
        number, _, text = line.strip().partition(" ")
        rows.append((number, text.strip()))
    if rows:
        yield Heading(desk.words.say(msg("Sequence of play, and the rules in short")), 1, True)
        heads = tuple(desk.words.say(head_) for head_ in (msg("Rule"), msg("What it says")))
        yield Grid(heads, (("", tuple(rows)),), (1, 11))


def _words(desk: Desk, state: object) -> Iterator[Part]:
    """Return the words of orders in both languages, and examples."""
    first, *_ = desk.rules.active(state)
    chosen = desk.rules.aids.choices(desk.rules.view(state, first), first)
    meanings: dict[str, Msg] = {verb.verb: verb.says for verb in chosen.verbs}
    meanings |= {one.clause: one.says for verb in chosen.verbs for one in verb.clauses if one.clause not in meanings}
    say_ = desk.words.say
    yield Heading(say_(msg("The words of orders")), 1, True)
    other = desk.words.language if desk.words.language != "en" else "es"
    rows = tuple((word, desk.rules.telling.spoken(word, other), say_(meaning)) for word, meaning in meanings.items())
    if rows:
        called = say_(msg("Spanish")) if other == "es" else language_of(other).name
        yield Grid((say_(msg("English")), called, say_(msg("What it is for"))), (("", rows),), (2, 2, 4))
    for topic, title in (("orders", msg("Orders, each with an example")), ("standing", msg("Standing orders"))):
        if help_lines := desk.rules.rulebook.help(topic):
            yield Heading(say_(title), 2)
            yield sentences(desk, *help_lines)


def _first_turn(desk: Desk, state: Any) -> Iterator[Part]:
    """Return a first turn, played by the program: orders and results."""
    rules, words = desk.rules, desk.words
    bot = rules.bots.get(BOT) or next(iter(rules.bots.values()), None)
    first_phase = rules.phase(state)
    if bot is None or first_phase is None:
        return
    yield Heading(words.say(msg("A first turn, worked through")), 1, True)
    yield sentences(
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
    while (phase := rules.phase(state)) is not None and phase[1] == first_phase[1]:
        orders = {seat: Orders(()) for seat in rules.seats(state)}
        yield Heading(capitalize_first(words.phase(f"T{phase[1]}.{phase[0]}")), 2)
        for seat in rules.active(state):
            view = rules.view(state, seat)
            text = bot(view, seat, chance.randrange)
            orders[seat] = rules.parse(text, view, seat).orders
            yield _orders_block(desk, phase[1], rules.canon(orders[seat]))
        world, dice = rules.world(state, orders), Stream(chance.randbytes(64))
        result = play(rules.rules, world, dice, rules.decisions(state, orders, {}))
        if not isinstance(result, Done):
            raise TypeError("nobody is asked where no standing order says so")
        seen = list(_visible_events(rules, state, result.events))
        state = result.state
        yield from report_parts(desk, Report(ONLOOKER, _onlooker_view(rules, state), seen), forces=False, level=3)
    if rules.pictured is not None:
        yield Heading(words.say(msg("How it stands then")), 2)
        yield draw_scene(desk, rules.pictured.picture(_onlooker_view(rules, state), ONLOOKER, ()), state.edition)


def _visible_events(rules: AnyGame, before: object, events: Sequence[Event]) -> Iterator[tuple[Event, Any]]:
    """Return the events that everybody may see, each with the view before it."""
    for happened in events:
        if rules.see(happened, ONLOOKER, before) is not None or rules.view(before, ONLOOKER) is None:
            yield happened, _onlooker_view(rules, before)
        before = rules.rules.apply(before, happened)


def _orders_block(desk: Desk, turn: int, text: str) -> Plain:
    """Return a block of orders as a player writes it."""
    begin, end = (pick_phrase(desk.words.language, *words) for words in (ORDERS, END))
    return Plain(f"{begin} T{turn}\n{desk.rules.telling.spoken(text, desk.words.language)}{end}")


# Lay out the booklet of a game's rules: contents, every rule with its chart and example, the charts again, an index.
#
# `pbem print --rules` prints it, the site shows it. A game without full texts has its rules in a line each.


class _Reader(NamedTuple):
    """A rule book and the words of its reader."""

    book: Rulebook[object]
    words: Catalogue

    def say(self, message: Msg) -> str:
        return self.words.say(message)

    def rules(self) -> list[tuple[str, str]]:
        """Return the number and the short line of every rule, in order."""
        language = self.words.language
        lines = [
            line
            for rule_line in self.book.contents(language)
            for line in self.book.rule(rule_line.split()[0], language)
        ]
        pairs = (line.split(maxsplit=1) for line in dict.fromkeys(lines))
        return [(number, words.strip()) for number, words in pairs]


def booklet(desk: Desk, paper: str = "a4") -> Document:
    """Return the rules of a game as a document, with those of its wars."""
    own = _Reader(desk.rules.rulebook, desk.words)
    readers = [(desk.rules, own), *_war(desk)]
    parts: list[Part] = []
    for game, reader in readers:
        title = "" if reader is own else reader.say(game.title)
        parts += _book_chapters(reader, title)
    parts += _charts(own)
    parts += _errata(own)
    parts += _index(reader for _, reader in readers)
    title = desk.words.say(msg("{game}: the rules", game=desk.rules.title))
    under = (desk.words.say(_SUBTITLE),)
    contents = desk.words.say(msg("Contents"))
    return Document(title, desk.words.language, f"pbem · {title}", tuple(parts), under, contents, 2, paper)


_SUBTITLE = msg(
    "Every number here is the one that the server plays by. The examples are cases that the server plays in its tests."
)


def _war(desk: Desk) -> Iterator[tuple[AnyGame, _Reader]]:
    """Return the rules of camps, for a game that has wars."""
    shelf = desk.rules.shelf
    if shelf is not None and shelf.wars():
        camp = registry(CAMP)
        yield camp, _Reader(camp.rulebook, load(desk.words.language, CAMP))


def _book_chapters(reader: _Reader, title: str) -> Iterator[Part]:
    """Return the rules by chapter, each with its text; rules without parts first."""
    tops = {line.split()[0] for line in reader.book.contents(reader.words.language)}
    for letter, rules in groupby(reader.rules(), key=lambda rule: rule[0][0]):
        rows = list(rules)
        heads = [number for number, _ in rows if number in tops]
        span = msg("Rules {first} to {last}", first=heads[0], last=heads[-1])
        chapter_title = title or reader.say(CHAPTERS.get(letter, span))
        yield Heading(
            f"{chapter_title} ({heads[0]}–{heads[-1]})" if letter in CHAPTERS or title else chapter_title, 1, True
        )
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
"""The chapters by the first letter of a rule."""


def _rule_in_full(reader: _Reader, number: str) -> Iterator[Part]:
    """Return the text of a rule, its chart and its example."""
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
    """Return all charts together, to be laid beside the map."""
    names = reader.book.charts()
    if names:
        yield Heading(reader.say(msg("All charts")), 1, True)
    for name in names:
        yield Plain(_chart(reader, reader.book.chart(name.split()[-1]) or ""))


def _errata(reader: _Reader) -> Iterator[Part]:
    """Return all rulings with their dates."""
    if rulings := reader.book.errata("", reader.words.language):
        yield Heading(reader.say(msg("Errata: rulings with their dates")), 1, True)
        yield Lines(rulings)


def _index(readers: Iterable[_Reader]) -> Iterator[Part]:
    """Return the index: words, each with the rules that mention it."""
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
        listed = tuple((word, ", ".join(numbers)) for word, numbers in sorted(rows.items(), key=_index_key))
        yield Grid(heads, (("", listed),), (2, 6))


def _index_key(row: tuple[str, list[str]]) -> str:
    return row[0].casefold()
