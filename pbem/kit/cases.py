"""Rule cases: what is looked up in charts, told alike in every game."""

from __future__ import annotations

import re

from pbem.kit.shelf import Shelf

_LOOKUP = re.compile(r"(?P<chart>\S+) (?:die|row) (?P<row>.+?) column (?P<column>\S+) = (?P<cell>\S+)")


def looked_up(shelf: Shelf, phrase: str) -> bool:
    """Return whether ``CHART die ROW column COLUMN = CELL`` is true of the shipped chart of that rule.

    A row or column may be a number, a word, or odds such as ``5:2`` for the column that they come under. ValueError for
    a phrase that says nothing of the kind, or of no chart.
    """
    found = _LOOKUP.fullmatch(phrase)
    if found is None:
        raise ValueError(f"a look-up reads CHART die ROW column COLUMN = CELL, got {phrase!r}")
    chart = next((c for c in shelf.charts({}).values() if c.rule == found["chart"]), None)
    if chart is None:
        raise ValueError(f"there is no chart {found['chart']}")
    row, column = (int(head) if head.lstrip("-").isdigit() else head for head in found.group("row", "column"))
    if isinstance(column, str) and re.fullmatch(r"\d+:\d+", column) and column not in chart.columns:
        column = chart.odds(*map(int, column.split(":")))
    return chart.cell(row, column) == found["cell"]
