"""Read the full text of a game's rules, and fill in numbers of charts and code.

::

    ## C6.1
    Target in a town: {C6.1} coin.

    - A list is written so; a blank line separates paragraphs.
    -- Text below an item.

Text in braces is looked up when the text is read: ``{C6.1}`` is the value of a modifier with its sign, ``{size
C6.1}`` without; ``{moves CAB spaces}`` a cell of a chart by the name of its file, row and column; ``{rows leader
fate lost}`` the rows whose cell in a column holds a code, ``{columns edges path no}`` the columns whose cell in a
row does; ``{last fire}`` the last column of a chart; ``{end_phase.NAME}`` a constant of a module of the game,
``{engine.couriers.NAME}`` one of the engine, ``{camp.PRICES ROAD}`` an entry of one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from pbem.engine.data.sources import SourceError, line_number_of
from pbem.engine.map.charts import Chart

# The head of a part of a rulebook: the number of its rule, perhaps with a letter behind it.
_HEAD = re.compile(r"## (?P<number>[A-Z]\d+(?:\.\d+)*[a-z]?)")
# What is read in a rulebook's text: gaps for values, numbers of rules, items of lists.
_GAP = re.compile(r"\{([^{}]+)\}")
_NUMBER = re.compile(r"[A-Z]\d+(?:\.\d+)*")
_ITEM = re.compile(r"(?P<dashes>--?) (?P<words>.*)")
Charts = Mapping[str, Chart]
Line = tuple[int, str]
"""A paragraph, or an item of a list, which is deeper."""


@lru_cache(maxsize=32)
def read_book(text: str, file: str) -> Mapping[str, tuple[Line, ...]]:
    """Return the paragraphs of each rule by its number, as written.

    Raise SourceError for a number that occurs twice, and for text before the first number.
    """
    rules: dict[str, list[Line]] = {}
    paragraphs: list[Line] | None = None
    starts_paragraph = True
    for line_number, line in enumerate(text.splitlines(), 1):
        if head := _HEAD.fullmatch(line):
            if head["number"] in rules:
                raise SourceError(file, line_number, f"{head['number']} is there twice")
            paragraphs, starts_paragraph = rules.setdefault(head["number"], []), True
        elif not line.strip():
            starts_paragraph = True
        elif paragraphs is None:
            raise SourceError(file, line_number, "a text begins with ## and the number of its rule")
        elif item := _ITEM.fullmatch(line):
            paragraphs.append((len(item["dashes"]), item["words"]))
            starts_paragraph = False
        elif starts_paragraph:
            paragraphs.append((0, line))
            starts_paragraph = False
        else:
            depth, before = paragraphs[-1]
            paragraphs[-1] = depth, f"{before} {line.strip()}"
    return {number: tuple(lines) for number, lines in rules.items()}


@lru_cache(maxsize=32)
def read_examples(text: str) -> Mapping[str, tuple[Line, ...]]:
    """Return the examples of rules by number.

    Each is a line of JSON: ``["C6", [[0, "C6 three heads are ..."], [1, "..."]]]``.
    """
    rows = (json.loads(line) for line in text.splitlines())
    return {number: tuple((depth, words) for depth, words in lines) for number, lines in rows}


class Erratum(NamedTuple):
    """A dated ruling on a rule; a paragraph between rulings has no date and no rule."""

    text: str
    date: str = ""
    rule: str = ""


@lru_cache(maxsize=32)
def read_errata(text: str) -> tuple[Erratum, ...]:
    """Return the rulings of a file and the paragraphs between them, in order.

    A ruling begins with its date and its rule, ``2026-11-22  T2a  ...``; its other lines are indented.
    """
    parts = [part for paragraph in text.split("\n\n") for part in _RULING.split(paragraph)]
    heads = [(_DATED.match(part), " ".join(part.split())) for part in parts if part.strip()]
    return tuple(
        Erratum(words.split(maxsplit=2)[2], head["date"], head["rule"]) if head else Erratum(words)
        for head, words in heads
    )


# The head of a dated ruling in a book, and the break before each such head.
_DATED = re.compile(r"(?P<date>\d{4}-\d\d-\d\d)  (?P<rule>\S+)  ")
_RULING = re.compile(r"\n(?=\d{4}-\d\d-\d\d  )")


def braced_gaps(text: str) -> tuple[str, ...]:
    """Return the texts in braces, in order."""
    return tuple(_GAP.findall(text))


class NumberSources(NamedTuple):
    """The sources of numbers: an edition's charts, and the game's package."""

    charts: Charts
    package: str

    def fill(self, text: str, file: str = "book.txt") -> str:
        """Fill in the numbers of a text; raise SourceError for one that is unknown."""

        def value(gap: re.Match[str]) -> str:
            try:
                return self._value(gap[1])
            except (LookupError, AttributeError, ImportError, TypeError, ValueError):
                # Words too many or too few, a wrong key or number: whatever an author may write in a gap.
                raise SourceError(file, line_number_of(text, gap[0]), f"there is nothing called {gap[0]}") from None

        return _GAP.sub(value, text)

    def _value(self, words: str) -> str:
        first, *rest = words.split()
        if first in _LOOKUPS:
            return _LOOKUPS[first](self.charts, *rest)
        if not rest and _NUMBER.fullmatch(first):
            value = _modifier(self.charts, first)
            return f"{value:+d}" if value else "0"
        if first in self.charts:
            row, column = rest
            return self.charts[first].cell(row, column)
        path, _, name = first.rpartition(".")
        module = import_module(f"pbem.{path}" if path.startswith("engine.") else f"{self.package}.{path}")
        entry: Any = getattr(module, name)
        for key in rest:
            entry = entry[int(key)] if isinstance(entry, tuple) else entry[key]
        return str(entry)


def _modifier(charts: Charts, number: str) -> int:
    """Return the value of a modifier; raise KeyError if no chart has it."""
    return {item.rule: item.value for chart in charts.values() for item in chart.modifiers}[number]


def _size(charts: Charts, number: str) -> str:
    return str(abs(_modifier(charts, number)))


def _rows(charts: Charts, name: str, column: str, code: str) -> str:
    chart = charts[name]
    return ", ".join(row for row in chart.rows if chart.cells[row, column] == code)


def _columns(charts: Charts, name: str, row: str, code: str) -> str:
    chart = charts[name]
    return ", ".join(column for column in chart.columns if chart.cells[row, column] == code)


def _last(charts: Charts, name: str) -> str:
    return charts[name].columns[-1]


_LOOKUPS: Mapping[str, Callable[..., str]] = {"size": _size, "rows": _rows, "columns": _columns, "last": _last}
