"""Parts that several documents have: a map, what a report tells, orders, rules by their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.engine.data import report as reports
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import PLAIN, Block
from pbem.engine.data.scene import Scene, alt_text
from pbem.engine.game import Game
from pbem.engine.reasons import of_others
from pbem.engine.terms import ONLOOKER, Seat
from pbem.letters.catalogue import Catalogue
from pbem.letters.shortening import Cut, Shown
from pbem.maps.drawing import draw
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import ready
from pbem.pages.printed.document import Grid, Happenings, Heading, Lines, Part, Picture

_CITED = re.compile(r"\[([A-Z]\d+\w*(?:\.\d+\w*)*(?:, [A-Z]\d+\w*(?:\.\d+\w*)*)*)\]")


class Desk(NamedTuple):
    """What a document is made with: the game, and the words of its reader."""

    rules: Game
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
