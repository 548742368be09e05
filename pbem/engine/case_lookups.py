"""Rule cases: what is written alike in every game: dates of errata, what is looked up in charts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pbem.engine.shelf import Shelf

KEYS_OF_BATTLES = frozenset(
    ("units", "options", "map", "turn", "turns", "victory", "reinforcements", "lost", "silent", "errata")
) | {"deployment", "commands"}
"""What may stand in a case of any battle, beside what all cases have."""
_LOOKUP = re.compile(r"(?P<chart>\S+) (?:die|row) (?P<row>.+?) column (?P<column>\S+) = (?P<cell>\S+)")


def dated(table: Mapping[str, Any], latest: str) -> str:
    """Return the date of the errata that a case is played by, ``""`` for none, all unless told.

    ValueError for what is no such date, or is later than `latest`.
    """
    errata = table.get("errata", latest)
    if not isinstance(errata, str) or not re.fullmatch(r"(\d{4}-\d\d-\d\d)?", errata):
        raise ValueError(f'errata is a date such as "{latest}" or "", got {errata!r}')
    if errata > latest:
        raise ValueError(f"there are no errata of {errata}; the latest are of {latest}")
    return errata


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
