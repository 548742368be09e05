"""A game in one page: replayed happening by happening, with its dice, charts, rules and orders.

archive_page(words, data, shown)    the page of one game
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.pages.archive.looks import WHOLE
from pbem.pages.binder import CHECKS, COMMON, Page, bind, constants, read, worded_in
from pbem.pages.theme import style_sheet
from pbem.pages.wording import buttons, tongues

FOLDER = Path(__file__).parent
SCRIPTS = ("board.js", "happening.js", "check.js", "graphs.js", "journal.js", "archive.js")
"""In the order in which they are read; `archive.js` begins."""


class Shown(NamedTuple):
    """What stands in the page before any script runs: its title, its language, and whether it is to be found."""

    title: str
    language: str = "en"
    secret: bool = False


def archive_page(words: Mapping[str, Sequence[str]], data: Json, shown: Shown) -> str:
    """Return the page of a game as one file: its words in all languages, and its data."""
    script = "\n".join(
        (
            '"use strict";',
            constants({"WORDS": dict(words), "TONGUES": tongues(), "WHOLE": WHOLE}),
            read(CHECKS, ["bytes.js", "hashes.js", "throws.js"]),
            read(COMMON, ["base.js", "drawn.js"]),
            read(FOLDER, SCRIPTS),
        )
    )
    css = style_sheet() + read(COMMON, ["base.css"]) + read(FOLDER, ["archive.css"])
    drawn = {
        "title": worded_in(shown.title),
        "language": worded_in(shown.language),
        "languages": buttons(),
        "robots": '<meta name="robots" content="noindex">' if shown.secret else "",
    }
    return bind(Page(read(FOLDER, ["archive.html"]), css, script, {"archive": data}, drawn))
