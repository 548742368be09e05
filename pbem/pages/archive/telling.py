"""Moments in words: what happened, its dice, the charts that were read, the rules, the orders, in both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.chronicle import Chapter, Chronicle
from pbem.engine.data.events import Event
from pbem.engine.data.languages import known
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.game import AnyGame
from pbem.engine.map import printed
from pbem.engine.reasons import of_others
from pbem.engine.run.labels import in_words
from pbem.engine.terms import Because, Orders
from pbem.pages.binder import bare

# The moments of a game: each numbered happening of its letters, with the position after it.


START = "start"
"""What the moment before everything is called in a link."""


class Moment(NamedTuple):
    """A happening: its name in links, such as ``T2.spain.10``, its chapter and number, its events, the position after.

    `number` is 0 for the moment before everything, which has no chapter (-1), and for a chapter that tells nothing.
    `places` are those of its events in the chapter.
    """

    name: str
    chapter: int
    number: int
    view: object
    entry: Entry | None = None
    seen: tuple[tuple[Event, object], ...] = ()
    places: tuple[int, ...] = ()


def moments(chronicle: Chronicle, game: AnyGame) -> tuple[Moment, ...]:
    """Return the moments of a game in order, that before its first phase the first of them."""
    found = [Moment(START, -1, 0, chronicle.start)]
    for at, chapter in enumerate(chronicle.chapters):
        found += _of_chapter(at, chapter, game)
    return tuple(found)


def _of_chapter(at: int, chapter: Chapter, game: AnyGame) -> Iterator[Moment]:
    seen = chapter.seen
    told = game.telling.grouped(seen)
    if not told:
        yield Moment(chapter.name, at, 0, chapter.after)
    upto = -1
    for number, (entry, places) in enumerate(told, 1):
        # What nobody tells belongs to the happening before it; the last has all that is left.
        following = [min(later) for _, later in told[number:] if later]
        upto = max([upto, *places, *([min(following) - 1] if following else [len(seen) - 1])])
        view = seen[upto + 1][1] if upto + 1 < len(seen) else chapter.after
        own = tuple(seen[place] for place in places)
        yield Moment(f"{chapter.name}.{number}", at, number, view, entry, own, places)


Both = Callable[[Msg], list[str]]
"""A sentence in both languages."""


class Teller:
    """Tells of the moments of a chronicle; `rules` are the lines of all rules that it came upon."""

    def __init__(self, chronicle: Chronicle, game: AnyGame, both: Both, names: frozenset[str]) -> None:
        self._chronicle, self._game, self._both, self._names = chronicle, game, both, names
        self.rules: dict[str, Json] = {}

    def step(self, one: Moment) -> dict[str, Json]:
        """Return what a page tells of a moment."""
        head: dict[str, Json] = {"at": one.name, "chapter": one.chapter, "number": one.number}
        if one.entry is None:
            return head
        chapter = self._chronicle.chapters[one.chapter]
        # What stands behind a happening follows from its own events.
        why = self._game.telling.why(one.view, self._chronicle.seat, one.seen, 1, Orders())
        found = {
            **head,
            "text": self._both(self._of_whom(one.entry.text)),
            "rule": one.entry.rule,
            "details": [self._both(self._of_whom(line)) for line in one.entry.details],
            "about": sorted({name for happened, _ in one.seen for name in _strings(happened.data)} & self._names),
            **(self._behind(chapter, why) if why is not None else {}),
        }
        if origin := next((chapter.origins[place] for place in one.places[:1] if chapter.origins), ""):
            found["order"] = self._spoken(origin)
        letters = {seat: numbers[one.places[0]] for seat, numbers in chapter.numbers.items()} if one.places else {}
        if any(number != one.number for number in letters.values()):
            found["letters"] = letters
        return found

    def _of_whom(self, said: Msg) -> Msg:
        """A sentence as those read it who are not its side's: all of them, on a page without a seat."""
        return said if self._chronicle.seat else of_others(said)

    def _behind(self, chapter: Chapter, why: Because) -> dict[str, Json]:
        rules = [number for number in why.rules if self._rule(number)]
        charts = [self._chart(text) for text in why.charts]
        numbers = {label: number for number, label in enumerate(chapter.throws)}
        throws = [numbers[label] for label in dict.fromkeys(why.labels) if label in numbers]
        return {"rules": rules, "charts": charts, "throws": throws}

    def _chart(self, text: str) -> list[str]:
        lines = map(self._both, printed.lines_of(text))
        return ["\n".join(said) for said in zip(*lines, strict=True)]

    def _rule(self, number: str) -> bool:
        """Note the line of a rule; whether there is one."""
        if number not in self.rules:
            told = [self._in_full(number, language) for language in known()]
            self.rules[number] = [*told] if all(told) else []
        return bool(self.rules[number])

    def _in_full(self, number: str, language: str) -> str:
        """Return the line of a rule and below it its text; nothing if there is no such rule."""
        line = self._game.rulebook.rule(number, language)[:1]
        text = self._game.rulebook.full_text(number, language)
        return "\n".join((*line, *(words for _, words in text))) if line else ""

    def _throw(self, chapter: Chapter, label: str) -> Json:
        thrown, fortune = chapter.throws[label], chapter.luck.get(label)
        told: dict[str, Json] = {
            "label": label,
            "told": self._both(in_words(label)),
            "n": thrown.n,
            "sides": thrown.sides,
            "values": list(thrown.values),
            "key": thrown.key,
        }
        return {**told, "luck": [round(one, 2) for one in fortune.luck]} if fortune else told

    def chapter(self, chapter: Chapter) -> Json:
        """Return what a page tells of a phase, or of a ruling, as a whole."""
        return {
            "name": chapter.name,
            "turn": chapter.turn,
            "title": self._both(_title(chapter)),
            "keys": list(chapter.keys),
            "throws": [self._throw(chapter, label) for label in chapter.throws],
            "orders": [
                {
                    "whose": self._both(msg("{seat}", seat=one.seat)),
                    "segment": one.segment,
                    "text": self._spoken(one.text),
                    "standing": self._spoken("\n".join(one.standing)) if one.standing else None,
                }
                for one in chapter.orders
            ],
        }

    def letters(self) -> Json:
        """Return the letters that players let be shown."""
        return [
            {
                "turn": one.turn,
                "whose": self._both(msg("{seat}", seat=one.seat)),
                "to": [] if one.to == ("*",) else [self._both(msg("{seat}", seat=seat)) for seat in one.to],
                "text": bare(one.text),
            }
            for one in self._chronicle.letters
        ]

    def _spoken(self, text: str) -> list[str]:
        bare = text.strip("\n")
        return [bare, *(self._game.telling.spoken(bare, language) for language in known()[1:])]


def _title(chapter: Chapter) -> Msg:
    if not chapter.phase:
        return msg("What is corrected by ruling M{ruling}", ruling=int(chapter.name.removeprefix("M")))
    return msg("{phase}", phase=chapter.name)


def _strings(value: object) -> Iterator[str]:
    """All texts in the data of an event."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)
