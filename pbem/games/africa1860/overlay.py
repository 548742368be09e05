"""C0 What a chart laid over a shipped one must be, so that no game stops half-way for a number nobody can read.

An overlay may change every number and every word of a chart. It keeps the chart's rule, has a modifier for each that
the rules know and no other, says only what the rules can read, and answers every value that can come up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pbem.core.charts import Chart
from pbem.core.sources import SourceError

__all__ = ["check_overlay"]

MOST_HEADS = 32
"""More coins than any group of guns can throw; past it an open end is wanted."""
WIDEST = 20
"""More than two totals of a charge can differ by."""


class Wanted(NamedTuple):
    """What is looked up in a chart: rows and columns (words, or the values that can come up), the codes allowed.

    `codes` is a pattern, `said` how a person is told of it.
    """

    rows: tuple[str | int, ...]
    columns: tuple[str | int, ...]
    codes: str
    said: str


_DIE = tuple(range(1, 7))
_TYPES = ("IR", "NZ", "IL", "CAB", "ART", "CNV", "OF")
_WANTED: Mapping[str, Wanted] = {
    "moves": Wanted(_TYPES, ("spaces",), "[012]", "0, 1 or 2"),
    "edges": Wanted(("open", "road", "path", "ford", "bridge", "slope"), _TYPES, "yes|no", "yes or no"),
    "stacking": Wanted(("limit",), ("combat", "ART"), r"\d{1,2}", "a number"),
    "morale": Wanted(_DIE, ("check",), "pass|test|fail", "pass, test or fail"),
    "recovery": Wanted(_DIE, ("try",), "test|fail", "test or fail"),
    "leader": Wanted(_DIE, ("fate",), "safe|lost", "safe or lost"),
    "charge": Wanted(tuple(range(WIDEST + 1)), ("loser", "winner"), r"\d{1,2}", "a number"),
    "fire": Wanted(("effect",), tuple(range(MOST_HEADS + 1)), r"none|M|\dM?", "none, M, or steps with or without M"),
}


def check_overlay(name: str, chart: Chart, shipped: Chart) -> None:
    """Hold a chart against the shipped one of that name; SourceError says in which line what is wrong."""
    if chart.rule != shipped.rule:
        raise SourceError(chart.file, 1, f"this is chart {chart.rule}, and {name} is {shipped.rule}")
    known, there = {item.rule for item in shipped.modifiers}, {item.rule for item in chart.modifiers}
    for item in chart.modifiers:
        if item.rule not in known:
            raise SourceError(chart.file, item.line, f"modifier {item.rule} is unknown to the rules")
    for item in shipped.modifiers:
        if item.rule not in there:
            raise SourceError(chart.file, 0, f"modifier {item.rule} ({item.words}) is missing; give it 0 to do without")
    if name not in _WANTED:
        if chart.cells:
            raise SourceError(chart.file, 0, f"{name} has modifiers and no grid")
        return
    _check_cells(chart, _WANTED[name])


def _check_cells(chart: Chart, wanted: Wanted) -> None:
    _check_heads(chart, "row", wanted.rows, chart.rows)
    _check_heads(chart, "column", wanted.columns, chart.columns)
    for (row, column), code in chart.cells.items():
        if not re.fullmatch(wanted.codes, code):
            why = f"row {row}, column {column}: {code} cannot be read; it is {wanted.said}"
            raise SourceError(chart.file, _line(chart, row), why)


def _check_heads(chart: Chart, kind: str, wanted: Iterable[str | int], heads: Iterable[str]) -> None:
    find = chart.row if kind == "row" else chart.column
    unused = set(heads)
    for value in wanted:
        try:
            unused.discard(find(value))
        except KeyError:
            raise SourceError(chart.file, 0, f"there is no {kind} for {value}") from None
    if unused:
        raise SourceError(chart.file, 0, f"{kind} {min(unused)} means nothing here")


def _line(chart: Chart, row: str) -> int:
    """The line of a row, from 1; 0 if it is not found as written."""
    starts = (number for number, line in enumerate(chart.text.split("\n"), 1) if line.split("|")[0].strip() == row)
    return next(starts, 0)
