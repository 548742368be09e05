"""Make the page of a game: its events, dice, charts, rules and orders.

archive_page(words, data, shown)    the page of one game
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.pages.archive.looks import WHOLE
from pbem.pages.binder import CHECKS, COMMON, Page, bind, constants, escape_text, read_files
from pbem.pages.theme import style_sheet
from pbem.pages.wording import buttons, language_names

FOLDER = Path(__file__).parent
SCRIPTS = ("board.js", "happening.js", "check.js", "curves.js", "gif.js", "share.js", "journal.js", "archive.js")
"""The scripts of the page in the order in which they are read; `archive.js` comes last and begins."""


class PageHead(NamedTuple):
    """The page before any script runs: title, language, and whether it is secret."""

    title: str
    language: str = "en"
    secret: bool = False


def archive_page(words: Mapping[str, Sequence[str]], data: Json, shown: PageHead) -> str:
    """Return the page of a game as one file: words in all languages, and data."""
    script = "\n".join(
        (
            '"use strict";',
            constants({"WORDS": dict(words), "TONGUES": language_names(), "WHOLE": WHOLE}),
            read_files(CHECKS, ["bytes.js", "hashes.js", "throws.js"]),
            read_files(COMMON, ["base.js", "drawn.js", "zoom.js"]),
            read_files(FOLDER, SCRIPTS),
        )
    )
    css = style_sheet() + read_files(COMMON, ["base.css", "board.css"]) + read_files(FOLDER, ["archive.css"])
    markup = {
        "title": escape_text(shown.title),
        "language": escape_text(shown.language),
        "languages": buttons(),
        "zoom": read_files(COMMON, ["zoom.html"]),
        "robots": '<meta name="robots" content="noindex">' if shown.secret else "",
    }
    return bind(Page(read_files(FOLDER, ["archive.html"]), css, script, {"archive": data}, markup))
