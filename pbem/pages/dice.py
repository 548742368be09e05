"""The page that players check their dice with: the files of `pbem/verifier/page` laid into one, which asks nobody.

page() -> '<!DOCTYPE html>...'
"""

from __future__ import annotations

from pbem.pages.binder import CHECKS, Page, bind, constants, library, read
from pbem.verifier.labels import LABELS
from pbem.verifier.verdict import WHAT
from pbem.verifier.words import BELIEVED, SPANISH, UNASKED

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
    "contest_lists",
    "bundle",
    "record",
    "log",
    "wars",
    "teams",
    "stated",
    "later",
    "contests",
    "boards",
    "phases",
    "orders",
    "rolls",
    "timing",
    "recovery",
    "judge",
    "words",
    "verdict",
)
"""The page's own scripts in the order in which they need each other; all share one scope."""

LIBRARIES = {"noble": "noble-ed25519", "nobleBls": "noble-bls12-381"}
"""What is not our own, by the names under which the scripts have it."""


def page() -> str:
    """The whole page as HTML: the same bytes each time."""
    script = "\n".join(['"use strict";', scripts(), read(FOLDER, ["page.js"])])
    return bind(Page(read(FOLDER, ["page.html"]), read(FOLDER, ["page.css"]), script))


def scripts() -> str:
    """All that checks letters, without what shows it: for every page that checks dice.

    The sentences and the grammar of labels are those of the other verifier, which both must have alike.
    """
    libraries = (library(FOLDER, file, name) for name, file in LIBRARIES.items())
    tables = constants({"BELIEVED": BELIEVED, "UNASKED": UNASKED, "SPANISH": SPANISH, "WHAT": WHAT, "LABELS": LABELS})
    return "\n".join([*libraries, tables, read(FOLDER, [f"{name}.js" for name in SCRIPTS])])
