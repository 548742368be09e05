"""Describe moments in all languages: events, dice, charts, rules and orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.chronicle import Chapter, Chronicle
from pbem.engine.data.events import Event
from pbem.engine.data.languages import supported_languages
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.game import AnyGame
from pbem.engine.map import printed
from pbem.engine.reasons import refusal_for_others
from pbem.engine.run.labels import in_words
from pbem.engine.terms import Explanation, Orders, Seat
from pbem.pages.binder import printable

# The moments of a game: each numbered event of its letters, with the position after it.


START = "start"
"""The name of the first moment in links."""


class Moment(NamedTuple):
    """An event or a stack's part in it: link name, chapter, number, events, position.

    A link name is ``T2.spain.10``, and ``T2.spain.10.2`` for its second part. `number` is 0 for the moment before
    everything, which has no chapter (-1), and for a chapter without events. `places` are the indexes of its events
    in the chapter; `shown` are those of its part, the last of `part`.
    """

    name: str
    chapter: int
    number: int
    view: object
    entry: Entry | None = None
    seen: tuple[tuple[Event, object], ...] = ()
    places: tuple[int, ...] = ()
    shown: tuple[tuple[Event, object], ...] = ()
    part: tuple[int, int] = (1, 1)


def moments(chronicle: Chronicle, game: AnyGame) -> tuple[Moment, ...]:
    """Return the moments of a game in order, first the one before its first phase."""
    all_moments = [Moment(START, -1, 0, chronicle.start)]
    for index, chapter in enumerate(chronicle.chapters):
        for moment in _moments_of_chapter(index, chapter, game):
            all_moments += _split_by_stack(moment, chronicle.seat, game)
    return tuple(all_moments)


def _moments_of_chapter(index: int, chapter: Chapter, game: AnyGame) -> Iterator[Moment]:
    events = chapter.seen
    groups = game.telling.grouped(events)
    if not groups:
        yield Moment(chapter.name, index, 0, chapter.after)
    last_used = -1
    for number, (entry, places) in enumerate(groups, 1):
        # Untold events belong to the entry before; the last entry has all that are left.
        following = [min(later) for _, later in groups[number:] if later]
        last_used = max([last_used, *places, *([min(following) - 1] if following else [len(events) - 1])])
        view = events[last_used + 1][1] if last_used + 1 < len(events) else chapter.after
        own_events = tuple(events[place] for place in places)
        yield Moment(f"{chapter.name}.{number}", index, number, view, entry, own_events, places, own_events)


def _split_by_stack(moment: Moment, seat: Seat, game: AnyGame) -> Iterator[Moment]:
    """Yield a moment's parts: each later event that moves counters begins one."""
    if game.pictured is None or len(moment.seen) < 2:
        yield moment
        return
    views = [*(before for _, before in moment.seen), moment.view]
    stands = [{piece.id: piece.place for piece in game.pictured.picture(view, seat, ()).pieces} for view in views]
    moving = [
        index
        for index, (before, after) in enumerate(pairwise(stands))
        if any(after.get(unit, place) != place for unit, place in before.items())
    ]
    ends = [*moving[1:], len(moment.seen)]
    for part, (first, end) in enumerate(pairwise((0, *ends)), 1):
        name = moment.name if part == 1 else f"{moment.name}.{part}"
        yield moment._replace(name=name, view=views[end], shown=moment.seen[first:end], part=(part, len(ends)))


Both = Callable[[Msg], list[str]]
"""A sentence in all languages."""


class MomentWriter:
    """A writer of a chronicle's moments; `rules` collects the texts of cited rules."""

    def __init__(self, chronicle: Chronicle, game: AnyGame, both: Both, names: frozenset[str]) -> None:
        self._chronicle, self._game, self._both, self._names = chronicle, game, both, names
        self.rules: dict[str, Json] = {}

    def step(self, moment: Moment) -> dict[str, Json]:
        """Return a moment's content for a page."""
        identity: dict[str, Json] = {"at": moment.name, "chapter": moment.chapter, "number": moment.number}
        if moment.part[1] > 1:
            identity["part"] = [*moment.part]
        # What is told of a later part is told of the first.
        if moment.entry is None or moment.part[0] > 1:
            return identity
        chapter = self._chronicle.chapters[moment.chapter]
        # The explanation follows from its own events.
        reasons = self._game.telling.why(moment.view, self._chronicle.seat, moment.seen, 1, Orders())
        content = {
            **identity,
            "text": self._both(self._for_readers(moment.entry.text)),
            "rule": moment.entry.rule,
            "details": [self._both(self._for_readers(line)) for line in moment.entry.details],
            "about": sorted({name for event, _ in moment.seen for name in _strings(event.data)} & self._names),
            **(self._behind(chapter, reasons) if reasons is not None else {}),
        }
        if origin := next((chapter.origins[place] for place in moment.places[:1] if chapter.origins), ""):
            content["order"] = self._in_languages(origin)
        letters = (
            {seat: numbers[moment.places[0]] for seat, numbers in chapter.numbers.items()} if moment.places else {}
        )
        if any(number != moment.number for number in letters.values()):
            content["letters"] = letters
        return content

    def _for_readers(self, sentence: Msg) -> Msg:
        """Return a sentence as other sides read it, if the page is for no seat."""
        return sentence if self._chronicle.seat else refusal_for_others(sentence)

    def _behind(self, chapter: Chapter, reasons: Explanation) -> dict[str, Json]:
        rules = [number for number in reasons.rules if self._rule(number)]
        charts = [self._chart(text) for text in reasons.charts]
        numbers = {label: number for number, label in enumerate(chapter.throws)}
        throws = [numbers[label] for label in dict.fromkeys(reasons.labels) if label in numbers]
        return {"rules": rules, "charts": charts, "throws": throws}

    def _chart(self, text: str) -> list[str]:
        lines = map(self._both, printed.lines_of(text))
        return ["\n".join(columns) for columns in zip(*lines, strict=True)]

    def _rule(self, number: str) -> bool:
        """Store the line of a rule; return whether there is one."""
        if number not in self.rules:
            texts = [self._rule_text(number, language) for language in supported_languages()]
            self.rules[number] = [*texts] if all(texts) else []
        return bool(self.rules[number])

    def _rule_text(self, number: str, language: str) -> str:
        """Return the line of a rule and its text below; empty if there is no such rule."""
        line = self._game.rulebook.rule(number, language)[:1]
        text = self._game.rulebook.full_text(number, language)
        return "\n".join((*line, *(words for _, words in text))) if line else ""

    def _throw(self, chapter: Chapter, label: str) -> Json:
        roll, fortune = chapter.throws[label], chapter.luck.get(label)
        content: dict[str, Json] = {
            "label": label,
            "told": self._both(in_words(label)),
            "n": roll.n,
            "sides": roll.sides,
            "values": list(roll.values),
            "key": roll.key,
        }
        return {**content, "luck": [round(value, 2) for value in fortune.luck]} if fortune else content

    def chapter(self, chapter: Chapter) -> Json:
        """Return a phase's or a ruling's content for a page."""
        return {
            "name": chapter.name,
            "turn": chapter.turn,
            "title": self._both(chapter_title(chapter)),
            "keys": list(chapter.keys),
            "throws": [self._throw(chapter, label) for label in chapter.throws],
            "orders": [
                {
                    "whose": self._both(msg("{seat}", seat=seat_orders.seat)),
                    "segment": seat_orders.segment,
                    "text": self._in_languages(seat_orders.text),
                    "standing": self._in_languages("\n".join(seat_orders.standing)) if seat_orders.standing else None,
                }
                for seat_orders in chapter.orders
            ],
        }

    def letters(self) -> Json:
        """Return the letters that their authors have published."""
        return [
            {
                "turn": letter.turn,
                "whose": self._both(msg("{seat}", seat=letter.seat)),
                "to": [] if letter.to == ("*",) else [self._both(msg("{seat}", seat=seat)) for seat in letter.to],
                "text": printable(letter.text),
            }
            for letter in self._chronicle.letters
        ]

    def _in_languages(self, text: str) -> list[str]:
        stripped = text.strip("\n")
        return [stripped, *(self._game.telling.spoken(stripped, language) for language in supported_languages()[1:])]


def chapter_title(chapter: Chapter) -> Msg:
    """Return the title of a phase, or of a ruling."""
    if not chapter.phase:
        return msg("What is corrected by ruling M{ruling}", ruling=int(chapter.name.removeprefix("M")))
    return msg("{phase}", phase=chapter.name)


def _strings(value: object) -> Iterator[str]:
    """Yield all texts in the data of an event."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)
