"""Make the pages that letters bring: order desks, and games as archives.

The game says what may be done and how it went, the catalogue how it is called.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.cli.rulebooks import registry
from pbem.engine.data.canon import Json
from pbem.engine.data.languages import at_hand, follow, known
from pbem.engine.data.messages import Msg
from pbem.letters.catalogue import load
from pbem.letters.layout import clean
from pbem.pages.archive import Shown, archive_page
from pbem.pages.archive.data import archive_data
from pbem.pages.archive.index import Listed
from pbem.pages.archive.words import WORDS as ARCHIVE_WORDS
from pbem.pages.desk import ATTACHMENT, desk_page
from pbem.pages.desk.data import Desk, Sent, desk_data
from pbem.pages.desk.words import WORDS as DESK_WORDS
from pbem.pages.wording import in_language, worded

if TYPE_CHECKING:
    from pbem.engine.data.chronicle import Chronicle
    from pbem.runtime.page_makers import Workplace

PAGE = "desk.html"
"""The name under which a letter brings the page."""


class DeskJoiner:
    """Lays one desk after another, in the thread that asks."""

    def lay(self, place: Workplace) -> Sequence[tuple[str, str]]:
        """Return the page with the data in it, and the data alone."""
        data = laid(place)
        return (PAGE, desk_page(page_words(), data)), (ATTACHMENT, json.dumps(data, indent=0) + "\n")


def laid(place: Workplace) -> Json:
    """Return the data of a desk."""
    rules = registry(place.rules)
    if rules.pictured is None:
        raise LookupError(f"{place.rules} has no map that can be drawn")
    return desk_data(
        Desk(
            rules,
            place.view,
            place.seat,
            place.language,
            Sent(place.address, place.subject, place.turn, place.code),
            rules.pictured.picture(place.view, place.seat, ()),
            rules.aids.offers(place.view, place.seat, place.terms),
            place.terms.begun,
        ),
        partial(says, place.rules),
    )


def says(game: str, language: str, sentence: Msg) -> str:
    """Return a sentence of the house or of a game, as a language has it."""
    return load(at_hand(language), game).say(sentence)


@cache
def page_words() -> dict[str, list[str]]:
    """Return all that the page says, in all languages."""
    return worded(partial(says, ""), DESK_WORDS)


follow(page_words.cache_clear)


def page_of(told: Chronicle, language: str) -> str:
    """Return the page of a game, in a language first; ValueError if it has no map, or the language is none of ours."""
    rules = registry(told.rules)
    data = archive_data(told, rules, partial(say_clean, told.rules), language)
    title = f"{in_language(listed(told).title, language)}: {told.game}"
    return archive_page(_archive_words(), data, Shown(title, language, secret=bool(told.seat)))


class PageBinder:
    """Makes one page after another, in the thread that asks."""

    def bind(self, told: Chronicle, language: str) -> tuple[str, str]:
        """Return the page as a file of the game's name."""
        return f"{told.game}.html", page_of(told, language)


def listed(told: Chronicle) -> Listed:
    """Return a game as the list of games has it."""
    rules = registry(told.rules)
    heading = rules.telling.report(told.start, told.seat, ()).title
    title = tuple(say_clean(told.rules, language, heading) for language in known())
    last = told.chapters[-1].turn if told.chapters else 0
    return Listed(told.game, title, last, told.over)


def say_clean(game: str, language: str, sentence: Msg) -> str:
    """Return a sentence without what cannot be seen in it, or turns the writing round: it may hold words of players."""
    return clean(says(game, language, sentence))


@cache
def _archive_words() -> dict[str, list[str]]:
    return worded(partial(says, ""), ARCHIVE_WORDS)


follow(_archive_words.cache_clear)


def put(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file: whoever reads it meanwhile has the old one or the new, and what is for all may be read by all.

    OSError if it cannot be written.
    """
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, "utf-8")
    new.chmod(mode)
    os.replace(new, path)
