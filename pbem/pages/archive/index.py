"""Make `index.html`, the list of a folder's game pages, with its data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.pages.binder import COMMON, Page, bind, escape_text, read_files
from pbem.pages.wording import in_language

INDEX = "index.html"
FOLDER = Path(__file__).parent
# The element of a list page that has its games as JSON, and the name of a game: anything else is refused.
_HELD = re.compile(r'<script type="application/json" id="games">(.*?)</script>', re.DOTALL)
# The name of a game, as the server allows it.
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,19}")


class IndexEntry(NamedTuple):
    """A game in the list: name, title by language, last turn, whether over."""

    game: str
    title: tuple[str, ...]
    turn: int
    over: bool


def read_entries(text: str) -> tuple[IndexEntry, ...]:
    """Return the games in a list page; none if it is not one of ours."""
    match = _HELD.search(text)
    try:
        rows = json.loads(match[1]) if match else []
        return tuple(_read_entry(row) for row in rows)
    except (ValueError, TypeError, KeyError):
        return ()


def _read_entry(row: dict[str, object]) -> IndexEntry:
    title = tuple(map(str, row["title"]))  # type: ignore[call-overload]
    name = str(row["game"])
    if not (title and _NAME.fullmatch(name)):
        raise ValueError(f"{name!r} is the name of no game")
    return IndexEntry(name, title, int(str(row["turn"])), row["over"] is True)


def index_page(games: Iterable[IndexEntry], say: Callable[[Msg], str], language: str) -> str:
    """Return the list as a page, in the order of the games' names."""
    entries = sorted({entry.game: entry for entry in games}.values())
    lines = (
        f'<li><a href="{escape_text(entry.game)}.html">{escape_text(in_language(entry.title, language))}</a>'
        f'<br><span class="soft">{escape_text(say(_entry_text(entry)))}</span></li>'
        for entry in entries
    )
    markup = {"language": escape_text(language), "title": escape_text(say(msg("Games"))), "games": "\n".join(lines)}
    css = read_files(COMMON, ["base.css"]) + read_files(FOLDER, ["index.css"])
    return bind(
        Page(read_files(FOLDER, ["index.html"]), css, "", {"games": [entry._asdict() for entry in entries]}, markup)
    )


def _entry_text(entry: IndexEntry) -> Msg:
    if entry.over:
        return msg("{game}, over after turn {turn}", game=entry.game, turn=entry.turn)
    return msg("{game}, as far as turn {turn}", game=entry.game, turn=entry.turn)
