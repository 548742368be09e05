"""The list of the games whose pages lie in a folder: `index.html`, which keeps in itself what it lists."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.pages.binder import COMMON, Page, bind, read, worded_in
from pbem.pages.wording import in_language

INDEX = "index.html"
FOLDER = Path(__file__).parent
_HELD = re.compile(r'<script type="application/json" id="games">(.*?)</script>', re.DOTALL)
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,19}")


class Listed(NamedTuple):
    """A game in the list: its name, its title in each language, the last turn that is told, whether it is over."""

    game: str
    title: tuple[str, ...]
    turn: int
    over: bool


def listed_in(text: str) -> tuple[Listed, ...]:
    """Return the games that a list holds; none if it is not one of ours."""
    held = _HELD.search(text)
    try:
        rows = json.loads(held[1]) if held else []
        return tuple(_read(row) for row in rows)
    except (ValueError, TypeError, KeyError):
        return ()


def _read(row: dict[str, object]) -> Listed:
    title = tuple(map(str, row["title"]))  # type: ignore[call-overload]
    name = str(row["game"])
    if not (title and _NAME.fullmatch(name)):
        raise ValueError(f"{name!r} is the name of no game")
    return Listed(name, title, int(str(row["turn"])), row["over"] is True)


def index_page(games: Iterable[Listed], say: Callable[[Msg], str], language: str) -> str:
    """Return the list as a page, in the order of the games' names."""
    found = sorted({one.game: one for one in games}.values())
    lines = (
        f'<li><a href="{worded_in(one.game)}.html">{worded_in(in_language(one.title, language))}</a>'
        f'<br><span class="soft">{worded_in(say(_told(one)))}</span></li>'
        for one in found
    )
    drawn = {"language": worded_in(language), "title": worded_in(say(msg("Games"))), "games": "\n".join(lines)}
    css = read(COMMON, ["base.css"]) + read(FOLDER, ["index.css"])
    return bind(Page(read(FOLDER, ["index.html"]), css, "", {"games": [one._asdict() for one in found]}, drawn))


def _told(one: Listed) -> Msg:
    if one.over:
        return msg("{game}, over after turn {turn}", game=one.game, turn=one.turn)
    return msg("{game}, as far as turn {turn}", game=one.game, turn=one.turn)
