"""Lay out the booklet of a game's rules: contents, every rule with its chart and example, the charts again, an index.

`pbem print --rules` prints it, the site shows it. A game without full texts has its rules in a line each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from pbem.cli.printing import Desk
from pbem.cli.rulebooks import registry
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.map import printed
from pbem.engine.parts import Rulebook
from pbem.engine.war.chain import CAMP
from pbem.letters.catalogue import Catalogue, load
from pbem.pages.printed import Document, Grid, Heading, Lines, Part, Plain
from pbem.play.commands.questions.views import searched


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
        parts += _chapters(reader, title)
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


def _chapters(reader: _Reader, title: str) -> Iterator[Part]:
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
            yield from _rule(reader, number)


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


def _rule(reader: _Reader, number: str) -> Iterator[Part]:
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
            numbers = [line.split()[0] for line in searched(reader.book, word, reader.words.language)]
            if numbers:
                rows[word] = [*rows.get(word, ()), *numbers]
    if rows and last is not None:
        yield Heading(last.say(msg("Index")), 1, True)
        heads = (last.say(msg("Word")), last.say(msg("Rules")))
        listed = tuple((word, ", ".join(numbers)) for word, numbers in sorted(rows.items(), key=_folded))
        yield Grid(heads, (("", listed),), (2, 6))


def _folded(row: tuple[str, list[str]]) -> str:
    return row[0].casefold()
