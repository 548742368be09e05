"""Charts: text files drawn like the printed card, read and checked, mailed to players as they stand.

::

    C6  Fire action                            (coins thrown against one target)
        column: heads

      heads  |  0     1    2    3    4    5+
      -------+--------------------------------
      effect |  none  M    1    1M   2    2M

      none  no effect
      M     morale check
      ...

      C6.1  -1  target in a town
      C6.2  -1  target on heights

The first line gives the rule and the name; a grid, its legend and modifiers follow, each part only where the card has
it. The grid has no gaps, every code has its line of legend, every line of legend is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from pbem.core.sources import SourceError

__all__ = ["Applied", "Chart", "Modifier", "Modifiers", "read_chart"]

T = TypeVar("T")

_HEAD = re.compile(r"(?P<rule>[A-Z]\d+(?:\.\d+)*)  +(?P<name>\S.*?)(?:  +\((?P<note>.*)\))?\s*")
_MODIFIER = re.compile(r"\s+(?P<rule>[A-Z]\d+(?:\.\d+)+)\s+(?P<value>[+-]\d+|0)\s+(?P<words>\S.*?)\s*")
_LEGEND = re.compile(r"\s+(?P<code>\S+)\s{2,}(?P<words>\S.*?)\s*")
_DOUBT = re.compile(r"\s*\[Q[^\]]*\]")
_RANGE = re.compile(r"(?:<=)?(?P<low>-?\d+)(?P<open>[+-])?")


class Modifier(NamedTuple):
    """A line of a chart that changes a roll: its number, its value, its words, and the file's line."""

    rule: str
    value: int
    words: str
    line: int


class Applied(NamedTuple):
    """A modifier that holds: its number, what it adds, its words."""

    rule: str
    value: int
    words: str


class Chart(NamedTuple):
    """A chart as read. `cells` maps (row, column) to a code, both as printed; `text` is the file."""

    rule: str
    name: str
    text: str
    file: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], str]
    legend: Mapping[str, str]
    modifiers: tuple[Modifier, ...]

    def column(self, value: int | str) -> str:
        """Return the printed column that `value` falls in; KeyError if there is none."""
        return _find(self.columns, value)

    def row(self, value: int | str) -> str:
        """Return the printed row that `value` falls in; KeyError if there is none."""
        return _find(self.rows, value)

    def cell(self, row: int | str, column: int | str) -> str:
        """Return the code at the row and column that the values fall in."""
        return self.cells[self.row(row), self.column(column)]

    def modifier(self, rule: str) -> Modifier:
        """Return the modifier of that number; KeyError if the chart has none."""
        for item in self.modifiers:
            if item.rule == rule:
                return item
        raise KeyError(rule)


class Modifiers(Generic[T]):
    """A chart's modifiers bound to their predicates.

    The chart holds numbers and words, the code says when they hold; each wants the other, or the chart is refused.
    """

    def __init__(self, chart: Chart, predicates: Mapping[str, Callable[[T], bool]]) -> None:
        """Bind; SourceError if a modifier has no predicate or a predicate no modifier."""
        for item in chart.modifiers:
            if item.rule not in predicates:
                raise SourceError(chart.file, item.line, f"modifier {item.rule} is unknown to the rules")
        known = {item.rule for item in chart.modifiers}
        for rule in predicates:
            if rule not in known:
                raise SourceError(chart.file, 0, f"modifier {rule} of the rules is missing")
        self._bound = tuple(
            (Applied(item.rule, item.value, item.words), predicates[item.rule]) for item in chart.modifiers
        )

    def of(self, moment: T) -> tuple[Applied, ...]:
        """Return the modifiers that hold, in the order of the card; those of value 0 are kept."""
        return tuple(applied for applied, holds in self._bound if holds(moment))


def read_chart(text: str, file: str) -> Chart:
    """Read a chart; SourceError names the file, the line and what is wrong with it."""
    lines = text.split("\n")
    head = _HEAD.fullmatch(lines[0])
    if head is None:
        raise SourceError(file, 1, "the first line reads RULE, two blanks, the name of the chart")
    grid_at = next((n for n, line in enumerate(lines) if "|" in line), None)
    rows, columns, cells, after = _read_grid(lines, grid_at, file) if grid_at is not None else ((), (), {}, 1)
    legend: dict[str, str] = {}
    modifiers: list[Modifier] = []
    for number, line in enumerate(lines[after:], start=after + 1):
        _read_line(line, number, file, legend, modifiers)
    _check_legend(cells, legend, file)
    return Chart(head["rule"], head["name"], text, file, rows, columns, cells, legend, tuple(modifiers))


def _read_grid(
    lines: Sequence[str], at: int, file: str
) -> tuple[tuple[str, ...], tuple[str, ...], dict[tuple[str, str], str], int]:
    """Read the grid that begins at line index `at`; return rows, columns, cells and the index after it."""
    columns = tuple(_words(lines[at].split("|", 1)[1]))
    if at + 1 >= len(lines) or set(lines[at + 1].strip()) - set("-+"):
        raise SourceError(file, at + 2, "under the heads of the columns stands a line of dashes")
    if len(set(columns)) < len(columns):
        raise SourceError(file, at + 1, "a column stands twice")
    rows: list[str] = []
    cells: dict[tuple[str, str], str] = {}
    index = at + 2
    while index < len(lines) and "|" in lines[index]:
        left, right = lines[index].split("|", 1)
        row, codes = " ".join(_words(left)), _words(right)
        if row in rows:
            raise SourceError(file, index + 1, f"row {row} stands twice")
        if len(codes) != len(columns):
            raise SourceError(file, index + 1, f"row {row} has {len(codes)} cells, there are {len(columns)} columns")
        rows.append(row)
        cells.update(((row, column), code) for column, code in zip(columns, codes, strict=True))
        index += 1
    if not rows:
        raise SourceError(file, index + 1, "the grid has no rows")
    _check_gaps(rows, file, at + 3)
    _check_gaps(columns, file, at + 1)
    return tuple(rows), columns, cells, index


def _read_line(line: str, number: int, file: str, legend: dict[str, str], modifiers: list[Modifier]) -> None:
    if not line.strip() or "column:" in line or "row:" in line:
        return
    found = _MODIFIER.fullmatch(line)
    if found is not None:
        if any(item.rule == found["rule"] for item in modifiers):
            raise SourceError(file, number, f"modifier {found['rule']} stands twice")
        modifiers.append(Modifier(found["rule"], int(found["value"]), found["words"], number))
        return
    found = _LEGEND.fullmatch(line)
    if found is None:
        raise SourceError(file, number, "neither a modifier (RULE, signed number, words) nor a legend (CODE, words)")
    if found["code"] in legend:
        raise SourceError(file, number, f"legend {found['code']} stands twice")
    legend[found["code"]] = found["words"]


def _check_legend(cells: Mapping[tuple[str, str], str], legend: Mapping[str, str], file: str) -> None:
    codes = set(cells.values())
    for code in sorted(codes - set(legend)):
        raise SourceError(file, 0, f"code {code} has no line of legend")
    for code in sorted(set(legend) - codes):
        raise SourceError(file, 0, f"legend {code} is used by no cell")


def _check_gaps(keys: Sequence[str], file: str, line: int) -> None:
    """Numbered rows and columns follow one another without a hole."""
    numbers = [int(found["low"]) for found in map(_RANGE.fullmatch, keys) if found is not None]
    if len(numbers) == len(keys):
        for low, high in pairwise(numbers):
            if abs(high - low) != 1:
                raise SourceError(file, line, f"between {low} and {high} there is a gap")


def _words(text: str) -> list[str]:
    return _DOUBT.sub("", text).split()


def _find(keys: Sequence[str], value: int | str) -> str:
    text = str(value)
    if text in keys:
        return text
    if isinstance(value, int):
        for key in keys:
            found = _RANGE.fullmatch(key)
            if found is None:
                continue
            low = int(found["low"])
            below = key.startswith("<=") or found["open"] == "-"
            if (below and value <= low) or (found["open"] == "+" and value >= low):
                return key
    raise KeyError(value)
