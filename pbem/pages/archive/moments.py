"""The moments of a game: each numbered happening of its letters, with the position after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pbem.engine.data.chronicle import Chapter, Chronicle
from pbem.engine.data.events import Event
from pbem.engine.data.report import Entry
from pbem.engine.game import Game

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
    view: Any
    entry: Entry | None = None
    seen: tuple[tuple[Event, Any], ...] = ()
    places: tuple[int, ...] = ()


def moments(chronicle: Chronicle, game: Game) -> tuple[Moment, ...]:
    """Return the moments of a game in order, that before its first phase the first of them."""
    found = [Moment(START, -1, 0, chronicle.start)]
    for at, chapter in enumerate(chronicle.chapters):
        found += _of_chapter(at, chapter, game)
    return tuple(found)


def _of_chapter(at: int, chapter: Chapter, game: Game) -> Iterator[Moment]:
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
