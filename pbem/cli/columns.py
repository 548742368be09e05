"""Tables for people: rows in columns, and moments in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pbem.letters.layout import clean


def moment(at: datetime | None) -> str:
    """A moment in a table."""
    return "-" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows in columns as wide as they must be.

    Names and addresses are other people's words: what could move a terminal's cursor is left out.
    """
    rows = [tuple(clean(cell.replace("\n", " ")) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
