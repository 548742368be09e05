"""Lay out what `pbem print` prints: a turn, a game, or the booklet of its rules.

A turn or game is laid out as its reader saw it in letters. The parts that several documents have come first: a map,
a report's content, orders, rules by their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.cli.rulebooks import game_by_name
from pbem.engine.data import report as reports
from pbem.engine.data.chronicle import Chapter, Chronicle, SeatOrders
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import DRAWING_DEPTH, Block
from pbem.engine.data.scene import alt_text
from pbem.engine.game import AnyGame
from pbem.engine.map import printed
from pbem.engine.parts import Rulebook
from pbem.engine.reasons import refusal_for_others
from pbem.engine.run.labels import in_words
from pbem.engine.terms import ONLOOKER, PositionChange, Seat
from pbem.engine.war.chain import CAMP
from pbem.letters.catalogue import Catalogue, capitalize_first, load_catalogue
from pbem.letters.layout import LetterParts
from pbem.maps.drawing import draw
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import prepare_ground
from pbem.pages.printed import (
    Document,
    Grid,
    Happenings,
    Heading,
    Lines,
    Part,
    Picture,
    Plain,
)
from pbem.play.commands.questions.views import search_rulebook

# Numbers of rules in brackets, as sentences cite them: ``[R5.2, R6]``.
_CITED = re.compile(r"\[([A-Z]\d+\w*(?:\.\d+\w*)*(?:, [A-Z]\d+\w*(?:\.\d+\w*)*)*)\]")


class PrintedGame(NamedTuple):
    """The game to print, and the language and names of its reader."""

    rules: AnyGame
    words: Catalogue

    @property
    def style(self) -> Style:
        """Return the style of drawings, as in a letter read by day."""
        return Style(self.words.say, self.words.called.with_names)


class PrintedReport(NamedTuple):
    """The report of a phase: its reader, the position after it, and seen events.

    `numbers` are, by seat and by place in `seen`, the numbers of events in the seat's letter, 0 for an event that
    it did not report.
    """

    seat: Seat
    after: Any
    seen: Sequence[tuple[Event, Any]] = ()
    numbers: Mapping[str, Sequence[int]] = MappingProxyType({})


def draw_printed_map(desk: PrintedGame, report: PrintedReport) -> Iterator[Picture]:
    """Draw the map after what was seen; nothing for a game without pictures."""
    if desk.rules.pictured is not None:
        scene = desk.rules.pictured.picture(report.after, report.seat, report.seen)
        edition = report.after.edition
        ground = prepare_ground(desk.rules.pictured.ground(edition), scene, edition.digest)
        yield Picture(draw(scene, ground, desk.style), desk.words.say(alt_text(scene)))


def report_parts(desk: PrintedGame, report: PrintedReport, forces: bool = True, level: int = 2) -> Iterator[Part]:
    """Return a report's parts: forces and blocks if wanted, summary, happenings.

    Unlike a letter it has all events.
    """
    shown = LetterParts(desk.words, paged=True)
    whole = _address_nobody(desk.rules.telling.report(report.after, report.seat, report.seen), report.seat)
    content = shown.report(whole._replace(entries=tuple(entry.told_here() for entry in whole.entries)).to_json())
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
    """Return a report that addresses nobody, unless it is a seat's.

    A sentence with "your" would be wrong for other readers.
    """
    if seat != ONLOOKER:
        return report_
    entries = (
        entry._replace(text=refusal_for_others(entry.text), details=tuple(map(refusal_for_others, entry.details)))
        for entry in report_.entries
    )
    return report_._replace(entries=tuple(entries))


def _numbers_in_letters(desk: PrintedGame, report: PrintedReport) -> dict[int, tuple[tuple[bool, str], ...]]:
    """Return the numbers that seats' letters gave events, if they differ."""
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


def cited_rules(desk: PrintedGame, numbers: Iterable[str]) -> Iterator[Part]:
    """Return a line for each cited rule that the table of contents has."""
    rows = tuple((number, text) for number in numbers for text in _rule(desk, number))
    if rows:
        yield Heading(desk.words.say(msg("The rules that are cited")), 1)
        yield Grid((desk.words.say(msg("Rule")), desk.words.say(msg("What it says"))), (("", rows),), (1, 9))


def block_parts(desk: PrintedGame, lines_: Block, level: int = 2) -> Iterator[Part]:
    """Return the parts of a titled list of lines."""
    shown, stored = LetterParts(desk.words, paged=True), lines_.to_json()
    yield Heading(shown.title(stored["title"]), level)
    yield _table(shown.table(stored["table"])) if lines_.table else _lines(shown.rows(stored["lines"]))


def sentences_with_depth(desk: PrintedGame, *messages: tuple[int, Msg]) -> Lines:
    """Return sentences with their depth."""
    return Lines(tuple((depth, desk.words.say(message)) for depth, message in messages))


def _rule(desk: PrintedGame, number: str) -> Iterator[str]:
    for line in desk.rules.rulebook.rule(number, desk.words.language):
        name, _, text = line.strip().partition(" ")
        if name == number:
            yield text.strip()


def _by_number(rule: str) -> list[tuple[int, str]]:
    # Figures by their value, so that R5.10 comes after R5.9.
    return [(int(part) if part.isdigit() else -1, part) for part in re.findall(r"\d+|\D+", rule)]


def _lines(rows: Iterable[Any]) -> Lines:
    return Lines(tuple((row.depth, row.text) for row in rows if row.depth != DRAWING_DEPTH))


def _table(table: Any) -> Grid:
    """Return a table as letters have it; the first column has name and state."""
    groups = tuple(
        (title, tuple((f"{name} ({state})" if state else name, *cells) for name, state, cells in rows))
        for title, rows in table["groups"]
    )
    heads = tuple(table["heads"])
    return Grid(heads, groups, (3, *(1 for _ in heads[1:])))


def game_document(desk: PrintedGame, game: Chronicle, paper: str, turn: int | None = None) -> Document:
    """Return the document of a game: each phase with map, happenings and forces.

    The cited rules follow. With a `turn` it has that turn alone.
    """
    words, chapters = desk.words, [chapter for chapter in game.chapters if turn in (None, chapter.turn)]
    parts = list(_chapters(desk, game, chapters))
    if game.over and turn is None:
        steps = [PositionChange(chapter.turn, chapter.phase, chapter.before, chapter.after) for chapter in chapters]
        parts += block_parts(desk, desk.rules.telling.account(steps), 1)
    parts += cited_rules(desk, cited_numbers(parts))
    title = words.say(desk.rules.telling.report(game.start, game.seat, ()).title)
    line = desk.rules.rulebook.brief(game.scenario, words.language).get("line", "")
    subtitles = (line, words.say(_game_line(desk, game)), *(words.say(message) for message in game.result))
    contents = words.say(msg("Contents")) if turn is None else ""
    foot = f"pbem · {game.game} · {title}"
    return Document(title, words.language, foot, tuple(parts), tuple(filter(None, subtitles)), contents, paper=paper)


def _game_line(desk: PrintedGame, game: Chronicle) -> Msg:
    """Return a sentence with the game's name and who saw it so."""
    if game.seat != ONLOOKER:
        side = desk.rules.telling.side(desk.rules.seats(game.start)[game.seat])
        return msg("Game {name}, as {side} saw it", name=game.game, side=side)
    if game.over:
        return msg("Game {name}, which is over", name=game.game)
    return msg("Game {name}, as onlookers see it", name=game.game)


def _chapters(desk: PrintedGame, game: Chronicle, chapters: Sequence[Chapter]) -> Iterator[Part]:
    """Return the first position if no phase is over, else all that happened."""
    if not chapters:
        yield Heading(desk.words.say(msg("Before the first phase")), 1, True)
        first_report = PrintedReport(game.seat, game.start)
        yield from draw_printed_map(desk, first_report)
        yield from report_parts(desk, first_report)
    standing: dict[str, tuple[str, ...]] = {}
    for chapter in chapters:
        yield from _chapter(desk, game, chapter)
        yield from _orders(desk, game, chapter, standing)
        yield from _dice(desk, chapter)


def _chapter(desk: PrintedGame, game: Chronicle, chapter: Chapter) -> Iterator[Part]:
    words, report = desk.words, PrintedReport(game.seat, chapter.after, chapter.seen, chapter.numbers)
    ruling = words.say(msg("Turn {turn}: a ruling corrected the position", turn=chapter.turn))
    yield Heading(capitalize_first(words.phase(chapter.name)) if chapter.phase else ruling, 1, True)
    yield from draw_printed_map(desk, report)
    yield from report_parts(desk, report)


def _orders(
    desk: PrintedGame, game: Chronicle, chapter: Chapter, standing: dict[str, tuple[str, ...]]
) -> Iterator[Part]:
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


def _dice(desk: PrintedGame, chapter: Chapter) -> Iterator[Part]:
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
    """Return the title of orders: the side, and whether they came later in the phase."""
    later = msg("{side}, later ({number})", side=side, number=ordered.segment)
    return later if ordered.segment > 1 else msg("{side}", side=side)


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


def rules_document(desk: PrintedGame, paper: str = "a4") -> Document:
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
    under = tuple(map(desk.words.say, _SUBTITLES))
    contents = desk.words.say(msg("Contents"))
    return Document(title, desk.words.language, f"pbem · {title}", tuple(parts), under, contents, 2, paper)


_SUBTITLES = (
    msg(
        "Every number here is the one that the server plays by. The examples are cases that the server plays in its "
        "tests."
    ),
    msg(
        "There are no maps here: that of a battle is in its welcome pack (pbem print --welcome BATTLE) and among the "
        "pages of a game (pbem print GAME), and MAP sends it by letter."
    ),
)


def _war(desk: PrintedGame) -> Iterator[tuple[AnyGame, _Reader]]:
    """Return the rules of camps, if a game has wars."""
    shelf = desk.rules.shelf
    if shelf is not None and shelf.wars():
        camp = game_by_name(CAMP)
        yield camp, _Reader(camp.rulebook, load_catalogue(desk.words.language, CAMP))


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
    # As readers look a word up, whether or not it begins with a capital.
    return row[0].casefold()
