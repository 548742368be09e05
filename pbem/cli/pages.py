"""Make the pages that letters bring: order desks, and games as archives.

The game provides possible orders and the course of play, the catalogue the words.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.canon import Json
from pbem.engine.data.languages import available_language, on_language_change, supported_languages
from pbem.engine.data.messages import Msg
from pbem.letters.catalogue import load_catalogue
from pbem.letters.layout import strip_controls
from pbem.pages.archive import PageHead, archive_page
from pbem.pages.archive.data import archive_data
from pbem.pages.archive.index import IndexEntry
from pbem.pages.archive.words import WORDS as ARCHIVE_WORDS
from pbem.pages.desk import ATTACHMENT, desk_page
from pbem.pages.desk.data import Desk, LetterTarget, desk_data
from pbem.pages.desk.words import WORDS as DESK_WORDS
from pbem.pages.wording import in_language, translate_words

if TYPE_CHECKING:
    from pbem.engine.data.chronicle import Chronicle
    from pbem.runtime.page_makers import DeskRequest

PAGE = "desk.html"
"""The name of the attached page."""


class DeskPageMaker:
    """A maker of desks, one after another, in the calling thread."""

    def lay(self, place: DeskRequest) -> Sequence[tuple[str, str]]:
        """Return the page with the data in it, and the data by itself."""
        data = desk_json(place)
        return (PAGE, desk_page(page_words(), data)), (ATTACHMENT, json.dumps(data, indent=0) + "\n")


def desk_json(place: DeskRequest) -> Json:
    """Return the data of a desk."""
    rules = game_by_name(place.rules)
    if rules.pictured is None:
        raise LookupError(f"{place.rules} has no map that can be drawn")
    return desk_data(
        Desk(
            rules,
            place.view,
            place.seat,
            place.language,
            LetterTarget(place.address, place.subject, place.turn, place.code),
            rules.pictured.picture(place.view, place.seat, ()),
            rules.aids.offers(place.view, place.seat, place.terms),
            place.terms.begun,
        ),
        partial(say_in_language, place.rules),
    )


def say_in_language(game: str, language: str, sentence: Msg) -> str:
    """Return a sentence of the server or of a game, in a language."""
    return load_catalogue(available_language(language), game).say(sentence)


@cache
def page_words() -> dict[str, list[str]]:
    """Return all words of the page, in all languages."""
    return translate_words(partial(say_in_language, ""), DESK_WORDS)


on_language_change(page_words.cache_clear)


def archive_page_of(chronicle: Chronicle, language: str, rulebook: Sequence[str] = ()) -> str:
    """Return the page of a game, a language first.

    `rulebook` names the pages with its rules in the same folder, one for each language. Raise ValueError if the
    game has no map, or the language is unknown.
    """
    rules = game_by_name(chronicle.rules)
    data = archive_data(chronicle, rules, partial(say_clean, chronicle.rules), language, rulebook)
    title = f"{in_language(list_entry(chronicle).title, language)}: {chronicle.game}"
    return archive_page(_archive_words(), data, PageHead(title, language, secret=bool(chronicle.seat)))


class ArchivePageMaker:
    """A maker of archive pages, one after another, in the calling thread."""

    def bind(self, chronicle: Chronicle, language: str) -> tuple[str, str]:
        """Return the page as a file of the game's name."""
        return f"{chronicle.game}.html", archive_page_of(chronicle, language)


def list_entry(chronicle: Chronicle) -> IndexEntry:
    """Return a game's entry in the list of games."""
    rules = game_by_name(chronicle.rules)
    heading = rules.telling.report(chronicle.start, chronicle.seat, ()).title
    title = tuple(say_clean(chronicle.rules, language, heading) for language in supported_languages())
    last = chronicle.chapters[-1].turn if chronicle.chapters else 0
    return IndexEntry(chronicle.game, title, last, chronicle.over)


def say_clean(game: str, language: str, sentence: Msg) -> str:
    """Return a sentence without invisible or direction-changing characters.

    It may hold words of players.
    """
    return strip_controls(say_in_language(game, language, sentence))


@cache
def _archive_words() -> dict[str, list[str]]:
    return translate_words(partial(say_in_language, ""), ARCHIVE_WORDS)


on_language_change(_archive_words.cache_clear)


def replace_page_file(path: Path, text: str, mode: int = 0o644) -> None:
    """Replace a file in one step; by default everybody may read it.

    A reader gets either the whole old file or the whole new one. Raise OSError if it cannot be written.
    """
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, "utf-8")
    new.chmod(mode)
    os.replace(new, path)
