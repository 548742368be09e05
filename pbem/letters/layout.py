"""Lines of text: seventy-two columns, words kept whole, at most a hundred and fifty lines a letter.

Addresses, order lines and long names are never broken: a line with one of those may be longer.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

WIDTH = 72
"""Columns of a letter; what mail programs quote twice without breaking."""
LINES = 150
"""Lines of a letter at most."""
SPARE = 50
"""Lines more that it may have if it cannot be brought to `LINES` anyway: for forces, outcomes and a long form."""
ONCE = 30
"""Lines that the first and the last letter of a game may have besides."""


def clean(text: str) -> str:
    """Return `text` without control characters; tabs and odd blanks become blanks, line feeds stay."""
    return text if all(map(str.isprintable, text.split("\n"))) else text.translate(_CLEAN)


class _Clean(dict[int, str]):
    """What each character is shown as, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        c = chr(code)
        self[code] = shown = c if c == "\n" or c.isprintable() else " " if c.isspace() else ""
        return shown


_CLEAN = _Clean()


def wrap(text: str, indent: int = 0, hang: int | None = None) -> str:
    """Return `text` as one paragraph, indented by `indent` columns and by `hang` from its second line on."""
    bare = " ".join(text.split())
    if bare and indent + len(bare) <= WIDTH:
        return " " * indent + bare
    return textwrap.fill(
        bare,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent if hang is None else hang),
        break_long_words=False,
        break_on_hyphens=False,
    )


def unbroken(text: str, indent: int = 0, hang: int | None = None) -> str:
    """Return `text` for a screen reader: its own lines, none of them broken or indented."""
    return "\n".join(" ".join(line.split()) for line in text.split("\n"))


def excerpt(line: str, column: int, width: int = WIDTH) -> tuple[str, int]:
    """Return the part of `line` around `column` that fits in `width`, and the column in that part.

    A long line is cut on the sides, with ``...`` for what is missing.
    """
    line = line.replace("\t", " ")
    column = max(0, min(column, len(line)))
    if len(line) <= width:
        return line, column
    start = max(0, min(column - width // 2, len(line) - width + 3))
    head = "..." if start else ""
    room = width - len(head)
    rest = line[start:]
    shown = rest if len(rest) <= room else rest[: room - 3] + "..."
    return head + shown, column - start + len(head)


def tidy(lines: Iterable[str]) -> list[str]:
    """Return the lines without trailing blanks, never two empty ones in a row, none at the ends."""
    out: list[str] = []
    for line in lines:
        bare = line.rstrip()
        if bare or (out and out[-1]):
            out.append(bare)
    while out and not out[-1]:
        out.pop()
    return out
