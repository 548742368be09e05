"""Who makes the pages of games: the campaign tells how a game went, the catalogue how it is called."""

from __future__ import annotations

import os
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.cli.desks import says
from pbem.cli.rulebooks import registry
from pbem.engine.data.languages import follow, known
from pbem.letters.layout import clean
from pbem.pages.archive import Shown, archive_page
from pbem.pages.archive.data import archive_data
from pbem.pages.archive.index import Listed
from pbem.pages.archive.words import WORDS as ARCHIVE_WORDS
from pbem.pages.wording import in_language, worded

if TYPE_CHECKING:
    from pbem.engine.data.chronicle import Chronicle
    from pbem.engine.data.messages import Msg


def page_of(told: Chronicle, language: str) -> str:
    """Return the page of a game, in a language first; ValueError if it has no map, or the language is none of ours."""
    rules = registry(told.rules)
    data = archive_data(told, rules, partial(say_clean, told.rules), language)
    title = f"{in_language(listed(told).title, language)}: {told.game}"
    return archive_page(_words(), data, Shown(title, language, secret=bool(told.seat)))


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
def _words() -> dict[str, list[str]]:
    return worded(partial(says, ""), ARCHIVE_WORDS)


follow(_words.cache_clear)


def put(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file: whoever reads it meanwhile has the old one or the new, and what is for all may be read by all.

    OSError if it cannot be written.
    """
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, "utf-8")
    new.chmod(mode)
    os.replace(new, path)
