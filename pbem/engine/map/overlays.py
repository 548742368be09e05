"""Checks of a chart laid over a shipped one, so that no game stops half-way at a cell that its rules cannot read.

An overlay may change every number and every word of a chart. It keeps the chart's rule, has a modifier for each that
the rules know and no other, says only what the rules can read, and answers every value that can come up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pbem.engine.data.sources import SourceError
from pbem.engine.map.charts import Chart


class Codes(NamedTuple):
    """What may stand in a cell: a pattern, and how a person is told of it."""

    pattern: str
    said: str


class Wanted(NamedTuple):
    """What is looked up in a chart: rows and columns (words, or the values that can come up), the codes allowed.

    `but` holds other codes for a column, or for a single cell as (row, column). Without `columns` any will do: odds.
    """

    rows: tuple[str | int, ...]
    columns: tuple[str | int, ...]
    codes: Codes
    but: Mapping[str | tuple[str, str], Codes] = {}


def check_overlay(name: str, chart: Chart, shipped: Chart, wanted: Wanted | None) -> None:
    """Hold a chart against the shipped one of that name; SourceError says in which line what is wrong.

    A chart without `wanted` has no grid.
    """
    if chart.rule != shipped.rule:
        raise SourceError(chart.file, 1, f"this is chart {chart.rule}, and {name} is {shipped.rule}")
    known, there = {item.rule for item in shipped.modifiers}, {item.rule for item in chart.modifiers}
    for item in chart.modifiers:
        if item.rule not in known:
            raise SourceError(chart.file, item.line, f"modifier {item.rule} is unknown to the rules")
    for item in shipped.modifiers:
        if item.rule not in there:
            raise SourceError(chart.file, 0, f"modifier {item.rule} ({item.words}) is missing; give it 0 to do without")
    if wanted is not None:
        _check_cells(chart, wanted)
    elif chart.cells:
        raise SourceError(chart.file, 0, f"{name} has modifiers and no grid")


def _check_cells(chart: Chart, wanted: Wanted) -> None:
    _check_heads(chart, "row", wanted.rows, chart.rows)
    if wanted.columns:
        _check_heads(chart, "column", wanted.columns, chart.columns)
    for (row, column), code in chart.cells.items():
        pattern, said = wanted.but.get((row, column)) or wanted.but.get(column) or wanted.codes
        if not re.fullmatch(pattern, code):
            why = f"row {row}, column {column}: {code} cannot be read; it is {said}"
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
