"""Make the page to check dice with: `pbem/verifier/page` in one file.

page() -> '<!DOCTYPE html>...'
"""

from __future__ import annotations

from pbem.pages.binder import CHECKS, Page, bind, constants, library, read_files
from pbem.verifier.labels import LABELS
from pbem.verifier.verdict import STATEMENTS
from pbem.verifier.words import ONLY_FULL_MODE, SPANISH, UNVERIFIABLE

FOLDER = CHECKS

SCRIPTS = (
    "bytes",
    "hashes",
    "throws",
    "fields",
    "curve",
    "beacon",
    "tree",
    "notes",
    "mime",
    "mailbox",
    "tournament_lists",
    "bundle",
    "record",
    "log",
    "wars",
    "teams",
    "stated",
    "later",
    "brackets",
    "battles",
    "tournaments",
    "boards",
    "phases",
    "orders",
    "rolls",
    "timing",
    "recovery",
    "verification",
    "words",
    "verdict",
)
"""The page's own scripts in the order in which they need each other; all share one scope."""

LIBRARIES = {"noble": "noble-ed25519", "nobleBls": "noble-bls12-381"}
"""Libraries by other authors: the name that our scripts use, and the library's folder."""


def dice_page() -> str:
    """Return the whole page as HTML: the same bytes each time."""
    script = "\n".join(['"use strict";', scripts(), read_files(FOLDER, ["page.js"])])
    return bind(Page(read_files(FOLDER, ["page.html"]), read_files(FOLDER, ["page.css"]), script))


def scripts() -> str:
    """Return all scripts that check letters, without the display.

    The sentences and the grammar of labels are those of the other verifier; both must have the same.
    """
    libraries = (library(FOLDER, file, name) for name, file in LIBRARIES.items())
    tables = constants(
        {"BELIEVED": UNVERIFIABLE, "UNASKED": ONLY_FULL_MODE, "SPANISH": SPANISH, "WHAT": STATEMENTS, "LABELS": LABELS}
    )
    return "\n".join([*libraries, tables, read_files(FOLDER, [f"{name}.js" for name in SCRIPTS])])
