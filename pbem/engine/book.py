"""The full text of a game's rules: what each number says, with the numbers of charts and code filled in.

::

    ## C6.1
    Target in a town: {C6.1} coin.

    - A list is written so; a blank line parts paragraphs.
    -- What belongs below an item.

What stands in braces is looked up when the text is read: ``{C6.1}`` the value of a modifier with its sign, ``{size
C6.1}`` without; ``{moves CAB spaces}`` a cell of a chart by the name of its file, row and column; ``{rows leader fate
lost}`` the rows of a column that hold a code, ``{columns edges path no}`` the columns of a row; ``{end_phase.NAME}`` a
constant of a module of the game, ``{engine.couriers.NAME}`` one of the engine, ``{camp.PRICES ROAD}`` an entry of one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from pbem.engine.data.sources import SourceError, line_of
from pbem.engine.map.charts import Chart

_HEAD = re.compile(r"## (?P<number>[A-Z]\d+(?:\.\d+)*[a-z]?)")
_GAP = re.compile(r"\{([^{}]+)\}")
_NUMBER = re.compile(r"[A-Z]\d+(?:\.\d+)*")
_ITEM = re.compile(r"(?P<dashes>--?) (?P<words>.*)")
Charts = Mapping[str, Chart]
Line = tuple[int, str]
"""A paragraph, or an item of a list, which is deeper."""


@lru_cache(maxsize=32)
def read_book(text: str, file: str) -> Mapping[str, tuple[Line, ...]]:
    """Return the paragraphs of each rule, as written; SourceError for a number that comes twice or what has none."""
    found: dict[str, list[Line]] = {}
    own: list[Line] | None = None
    parted = True
    for at, line in enumerate(text.splitlines(), 1):
        if head := _HEAD.fullmatch(line):
            if head["number"] in found:
                raise SourceError(file, at, f"{head['number']} is there twice")
            own, parted = found.setdefault(head["number"], []), True
        elif not line.strip():
            parted = True
        elif own is None:
            raise SourceError(file, at, "a text begins with ## and the number of its rule")
        elif item := _ITEM.fullmatch(line):
            own.append((len(item["dashes"]), item["words"]))
            parted = False
        elif parted:
            own.append((0, line))
            parted = False
        else:
            depth, before = own[-1]
            own[-1] = depth, f"{before} {line.strip()}"
    return {number: tuple(lines) for number, lines in found.items()}


@lru_cache(maxsize=32)
def read_examples(text: str) -> Mapping[str, tuple[Line, ...]]:
    """Return the examples of rules by number: a line of JSON each, ``["C6", [[0, "Case 4 ..."], [1, "..."]]]``."""
    rows = (json.loads(line) for line in text.splitlines())
    return {number: tuple((depth, words) for depth, words in lines) for number, lines in rows}


def gaps_of(text: str) -> tuple[str, ...]:
    """Return what stands in braces in a text, in order."""
    return tuple(_GAP.findall(text))


class Sources(NamedTuple):
    """Where the numbers of a text come from: the charts of an edition, and the package of the game."""

    charts: Charts
    package: str

    def fill(self, text: str, file: str = "book.txt") -> str:
        """Return a text with its numbers; SourceError for one that neither a chart nor the code has."""

        def value(gap: re.Match[str]) -> str:
            try:
                return self._value(gap[1])
            except (KeyError, AttributeError, ImportError, ValueError):
                raise SourceError(file, line_of(text, gap[0]), f"there is nothing called {gap[0]}") from None

        return _GAP.sub(value, text)

    def _value(self, words: str) -> str:
        first, *rest = words.split()
        if first in _WAYS:
            return _WAYS[first](self.charts, *rest)
        if not rest and _NUMBER.fullmatch(first):
            value = _modifier(self.charts, first)
            return f"{value:+d}" if value else "0"
        if first in self.charts:
            row, column = rest
            return self.charts[first].cell(row, column)
        path, _, name = first.rpartition(".")
        module = import_module(f"pbem.{path}" if path.startswith("engine.") else f"{self.package}.{path}")
        found: Any = getattr(module, name)
        for key in rest:
            found = found[int(key)] if isinstance(found, tuple) else found[key]
        return str(found)


def _modifier(charts: Charts, number: str) -> int:
    """Return the value of a modifier; KeyError if no chart has it."""
    return {item.rule: item.value for chart in charts.values() for item in chart.modifiers}[number]


def _size(charts: Charts, number: str) -> str:
    return str(abs(_modifier(charts, number)))


def _rows(charts: Charts, name: str, column: str, code: str) -> str:
    chart = charts[name]
    return ", ".join(row for row in chart.rows if chart.cells[row, column] == code)


def _columns(charts: Charts, name: str, row: str, code: str) -> str:
    chart = charts[name]
    return ", ".join(column for column in chart.columns if chart.cells[row, column] == code)


_WAYS: Mapping[str, Callable[..., str]] = {"size": _size, "rows": _rows, "columns": _columns}
