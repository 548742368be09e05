"""Make the order desk, a page to choose and write orders.

desk_page(words, data)    the desk of one seat and phase
desk_page(words)          the page without data, which takes a letter
desk_page(words, data, "/write")   the same inside a mail client, which has a form for letters at that address
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pbem.engine.data.canon import Json
from pbem.pages.binder import CHECKS, COMMON, Page, bind, constants, read_files
from pbem.pages.theme import style_sheet
from pbem.pages.wording import buttons, language_names

FOLDER = Path(__file__).parent
ATTACHMENT = "pbemdesk.txt"
"""The file name of the data in a letter."""
FORMAT = "pbemdesk/1"
SCRIPTS = (
    *("map.js", "lines.js", "acts.js", "panel.js", "how.js", "orders.js"),
    *("standing.js", "letter.js", "open.js", "desk.js"),
)
"""The scripts of the page in the order in which they are read; `desk.js` comes last and begins."""


_IN_A_MAIL_CLIENT = """
/** A link to the form of the mail client around this page: there is room for any text. */
function mailLink(text) {
  const fields = new URLSearchParams({ to: desk.address, subject: desk.subject, body: text });
  return { href: `${MAIL_FORM}?${fields}`, whole: true };
}
for (const id of ["mail", "verify"]) $(id).target = "_top";
"""


def desk_page(words: Mapping[str, Sequence[str]], data: Json | None = None, form: str = "") -> str:
    """Return the page: its words in all languages, and the data of a desk, if any.

    If `form` is given letters are written at that address, in a mail client that shows the page in a frame, not
    by a mail program.
    """
    script = "\n".join(
        (
            '"use strict";',
            constants({"WORDS": dict(words), "TONGUES": language_names()}),
            read_files(CHECKS, ["bytes.js", "mime.js"]),
            read_files(COMMON, ["base.js", "drawn.js", "zoom.js"]),
            read_files(FOLDER, SCRIPTS),
            *((constants({"MAIL_FORM": form}), _IN_A_MAIL_CLIENT) if form else ()),
        )
    )
    css = style_sheet() + read_files(COMMON, ["base.css", "board.css"]) + read_files(FOLDER, ["desk.css"])
    page_data = {} if data is None else {"desk": data}
    return bind(
        Page(
            read_files(FOLDER, ["desk.html"]),
            css,
            script,
            page_data,
            {"languages": buttons(), "zoom": read_files(COMMON, ["zoom.html"])},
        )
    )
