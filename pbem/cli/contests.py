"""Who makes the pages of tournaments: the campaign tells how one went, the catalogue how it is said."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbem.cli.archives import put, say_clean
from pbem.engine.data.canon import digest
from pbem.engine.data.languages import known, language_of
from pbem.pages.contest import Way, contest_page

if TYPE_CHECKING:
    from pbem.engine.data.event_sheet import EventSheet
    from pbem.runtime.transaction import Server


class EventFiles(NamedTuple):
    """What was written of a tournament: its title, how it stands in each language, and what it was made from."""

    title: str
    over: bool
    stands: dict[str, str]
    mark: str


def file_of(name: str, language: str, first: str) -> str:
    """Return the file of a tournament's page in a language; the one that is met `first` has the plain name."""
    return f"{name}.html" if language == first else f"{name}.{language}.html"


def write_event(
    server: Server, name: str, out: Path, place: tuple[str, Collection[str], str], held: str = ""
) -> EventFiles | None:
    """Write the page of a tournament in each language, and return what was written; None if `held` is its mark.

    `place` are the language that is met first, the games that have a page beside it, and the file of the list or
    nothing. OSError if it cannot be written.
    """
    first, games, index = place
    there = sorted(one for one in games if one.startswith(f"{name}-"))
    mark = digest([_mark(server, name), there, first])
    if mark == held:
        return None
    told = _sheets(server, name)
    stands = {}
    for language, sheet in told.items():
        say = partial(say_clean, "", language)
        links = [(file_of(name, one, first), one, language_of(one).name) for one in known() if one != language]
        links += [(index, language, server.domain)] if index else []
        page = contest_page(sheet, say, language, Way(there, links))
        put(out / file_of(name, language, first), page)
        stands[language] = say(sheet.stands)
    one = told[first]
    return EventFiles(one.title, one.over, stands, mark)


def _mark(server: Server, name: str) -> str:
    from pbem.tournaments.page import event_mark

    with server.reading() as work:
        return event_mark(work, name)


def _sheets(server: Server, name: str) -> dict[str, EventSheet]:
    """Read a tournament, so that the database is free again while its pages are made."""
    from pbem.tournaments.page import event_sheet

    with server.reading() as work:
        return {language: event_sheet(work, name, language) for language in known()}
