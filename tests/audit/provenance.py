"""The table of provenance, and the page docs/dice-log-sources.md that is made from it.

``python -m tests.audit.provenance`` writes the chapter.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pbem.audit.leaves import LEAF_FORMS
from pbem.verifier.record import CHECKS

ROOT = Path(__file__).parents[2]
TABLE, DOCUMENT = ROOT / "pbem/audit/provenance.toml", ROOT / "docs/dice-log-sources.md"
BEGIN, END = "<!-- provenance -->", "<!-- end of provenance -->"
CHECKED = re.compile(rf"(?:FALSE|NOT CHECKED) (?:{'|'.join((*CHECKS, 'rules'))})|NOT CHECKED (?:believed|unasked)")
FROM = re.compile(r"(?:letter|rules|beacon|server|leaf ([a-z-]+)(?:\.([a-zD]+))?)(?:: .+)?")
TITLES = {
    "slate": "The closed list",
    "board": "Boards",
    "draw": "Lists of draws",
    "manifest": "Lists of what was rolled",
    "label": "Labels of lots",
    "edition": "Editions",
    "camp": "Editions of camps, below `scenario`",
    "battle": "Editions of later battles, below `scenario.war`",
}
"""What is no leaf; the other sections are called by the kind of theirs."""


class Row(NamedTuple):
    """Where a field comes from, what it is compared with, and what each mode says of another value."""

    origin: str
    compared: str
    plain: str
    full: str


@cache
def read_rows() -> dict[str, Row]:
    """All rows, by the block and the field: ``slate.seat.rev``."""
    read = tomllib.loads(TABLE.read_text("utf-8"))
    return {
        f"{kind}.{field}": Row(row["from"], row["with"], row["plain"], row.get("full", row["plain"]))
        for kind, fields in read.items()
        for field, row in fields.items()
    }


def find_faults() -> list[str]:
    """What is wrong with the table as it is written."""
    wrong = []
    for field, row in read_rows().items():
        match = FROM.fullmatch(row.origin)
        if match is None:
            wrong.append(f"{field} comes from nothing that there is: {row.origin}")
        elif match[1] and (match[1] not in LEAF_FORMS or match[2] not in (None, *dict(LEAF_FORMS[match[1]]))):
            wrong.append(f"{field} comes from no leaf that there is: {row.origin}")
        wrong += [
            f"{field}: no verifier says {status}" for status in (row.plain, row.full) if not CHECKED.fullmatch(status)
        ]
    return wrong


def make_chapter() -> str:
    """Return the chapter: a table for each block, and one for all leaves."""
    out, last = [BEGIN], ""
    for field, row in read_rows().items():
        kind, _, name = field.partition(".")
        title = TITLES.get(kind, "Leaves")
        if title != last:
            out += ["", f"## {title}", "", "| field | from | compared with | another value | with `--full` |"]
            out, last = [*out, "|---|---|---|---|---|"], title
        full = f" {row.full} |" if row.full != row.plain else " |"
        named = name if kind in TITLES else field
        out.append(f"| `{named}` | {row.origin} | {row.compared} | {row.plain} |{full}")
    return "\n".join([*out, "", END])


def make_document() -> str:
    """Return the document with the chapter as it is to be."""
    text = DOCUMENT.read_text("utf-8")
    before, marker, rest = text.partition(BEGIN)
    if not marker or END not in rest:
        raise LookupError(f"{DOCUMENT.name} has no lines {BEGIN} and {END}")
    return before + make_chapter() + rest.partition(END)[2]


if __name__ == "__main__":
    DOCUMENT.write_text(make_document(), "utf-8")
