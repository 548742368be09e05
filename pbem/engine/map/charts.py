"""Charts: text files drawn like the printed card.

They are read, checked and mailed unchanged.

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

The first line has the rule and the name; a grid, its legend and modifiers follow, each part only where the
card has it. The grid has no gaps, every code has its line of legend, every line of legend is used.

Rows and columns are words, numbers (``3``, ``6-8``; open ends ``<=1`` or ``1-``, and ``8+``), or odds
(``1:4``, ``6:1-10:1``, ``>10:1``). A mark of doubt, ``[Q]`` or ``[Q: or 3]``, may follow any cell or head:
the text keeps it, the parsed value does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from weakref import WeakKeyDictionary, ref

from pbem.engine.data.sources import SourceError

T = TypeVar("T")

# The lines of a file of charts: head, modifier, legend, a doubt about the source, a range of die rolls.
# Two blanks or more end a column, since words have single ones between them.
_HEAD = re.compile(r"(?P<rule>[A-Z]\d+(?:\.\d+)*)  +(?P<name>\S.*?)(?:  +\((?P<note>.*)\))?\s*")
_MODIFIER = re.compile(r"\s+(?P<rule>[A-Z]\d+(?:\.\d+)+)\s+(?P<value>[+-]\d+|0)\s+(?P<words>\S.*?)\s*")
_LEGEND = re.compile(r"\s+(?P<code>\S+)\s{2,}(?P<words>\S.*?)\s*")
_DOUBT = re.compile(r"\s*\[Q[^\]]*\]")
_RANGE = re.compile(r"(?P<most><=)?(?P<low>-?\d+)(?:(?P<open>[+-])|-(?P<high>\d+))?")
_MOMENTS = 4096
"""Moments whose modifiers are kept: the same few come again and again when odds are computed. A choice; dropped ones
are only computed again."""
# Larger than any roll or value, for the last range of a chart.
_OPEN_END = 10**9
"""The bound that stands for an open end of a head, such as ``8+``: beyond any number that comes up."""
# A column of odds such as ``3:2``, and the number of a rule.
_ODDS = re.compile(r"(?P<above>>)?(?P<a>\d+):(?P<b>\d+)(?:-\d+:\d+)?")
_RULE = re.compile(r"[A-Z]\d+(?:\.\d+)+")


class Modifier(NamedTuple):
    """A chart's modifier of a roll: number, value, words, and line in the file."""

    rule: str
    value: int
    words: str
    line: int


class AppliedModifier(NamedTuple):
    """A modifier that applies: its number, its value, its words."""

    rule: str
    value: int
    words: str


class Chart(NamedTuple):
    """A chart as read from its file.

    `cells` maps (row, column) to a code, both as printed; `text` is the file.
    """

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
        """Return the printed column of `value`; raise KeyError if there is none."""
        return _find(self.columns, value)

    def row(self, value: int | str) -> str:
        """Return the printed row of `value`; raise KeyError if there is none."""
        return _find(self.rows, value)

    def cell(self, row: int | str, column: int | str) -> str:
        """Return the code in the row and column of the values."""
        code = self.cells.get((str(row), str(column)))
        return self.cells[self.row(row), self.column(column)] if code is None else code

    def odds(self, attack: int | Fraction, defence: int | Fraction) -> str:
        """Return the printed column of these odds, rounded down in the defender's favour.

        Raise KeyError below the first column.
        """
        # Cross-multiplied, so that whole numbers are compared: fractions would be made anew for every column.
        ours, theirs = attack.numerator * defence.denominator, defence.numerator * attack.denominator
        best = ""
        for column, a, b, above in _odds_of(self.columns):
            if ours * b > theirs * a or (ours * b == theirs * a and not above):
                best = column
        if not best:
            raise KeyError(f"{attack}:{defence}")
        return best

    def modifier(self, rule: str) -> Modifier:
        """Return the modifier with that number; raise KeyError if the chart has none."""
        for item in self.modifiers:
            if item.rule == rule:
                return item
        raise KeyError(rule)


def last_number(chart: Chart) -> int:
    """Return the highest number of a chart's columns.

    An open end, such as 12+, counts as a number larger than all others.
    """
    span = _span(chart.columns[-1])
    assert span is not None  # noqa: S101 - `check_cells` took no other
    return span[1]


def order_by_place(chart: Chart) -> tuple[str, ...]:
    """Return the rows of a one-column chart, sorted by the numbers in their cells.

    Rows with 0 are left out.
    """
    places = {row: int(code) for (row, _), code in chart.cells.items()}
    return tuple(sorted((row for row in chart.rows if places[row]), key=places.__getitem__))


@lru_cache(maxsize=64)
def _odds_of(columns: tuple[str, ...]) -> tuple[tuple[str, int, int, bool], ...]:
    """Return the columns that are odds: as printed, both numbers, open above or not."""
    matches = [(column, _ODDS.fullmatch(column)) for column in columns]
    return tuple((column, int(part["a"]), int(part["b"]), bool(part["above"])) for column, part in matches if part)


Facts = Mapping[str, Callable[[Any], bool]]
"""The facts on which an added modifier may depend, such as ``attacker is french``, each with its test at a moment."""
_IF, _AND, _IS, _IS_NOT = " if ", " and ", " is ", " is not "


def added_predicate(chart: Chart, item: Modifier, facts: Facts) -> Callable[[Any], bool]:
    """Return the predicate of a modifier that an overlay adds.

    The line reads ``WORDS if attacker is french and ...``.

    Raise SourceError if its number is not below the chart's, or if it names facts that the rules do not know.
    """
    _, condition, clauses = item.words.rpartition(_IF)
    if not facts or not condition:
        reason = " and has no condition (WORDS if ... is ...)" if facts else ""
        raise SourceError(chart.file, item.line, f"modifier {item.rule} is unknown to the rules{reason}")
    if not item.rule.startswith(f"{chart.rule}."):
        raise SourceError(chart.file, item.line, f"modifier {item.rule} does not begin with {chart.rule}.")
    wanted = [(clause.replace(_IS_NOT, _IS), _IS_NOT not in clause) for clause in clauses.split(_AND)]
    for fact, _ in wanted:
        if fact not in facts:
            raise SourceError(chart.file, item.line, f"{fact!r} is no fact here; there are {', '.join(facts)}")
    return lambda moment: all(bool(facts[fact](moment)) is holds for fact, holds in wanted)


class Modifiers(Generic[T]):
    """A chart's modifiers bound to their predicates.

    The chart holds numbers and words, the code the conditions; a chart with a modifier without a condition, or the
    reverse, is refused. A modifier that an overlay adds has its condition in its words, made of `facts`.
    """

    def __init__(
        self,
        chart: Chart,
        predicates: Mapping[str, Callable[[T], int]],
        later: Collection[str] = (),
        facts: Facts | None = None,
    ) -> None:
        """Bind modifiers; raise SourceError for one without predicate, or the reverse.

        Those in `later` may be missing: older charts do not have them. A predicate returns whether its modifier
        applies or, where the card counts something, how many times.
        """
        added = [item for item in chart.modifiers if item.rule not in predicates]
        predicates = {**predicates, **{item.rule: added_predicate(chart, item, facts or {}) for item in added}}
        numbers = {item.rule for item in chart.modifiers}
        for rule in predicates:
            if rule not in numbers and rule not in later:
                raise SourceError(chart.file, 0, f"modifier {rule} of the rules is missing")
        self._bound = tuple(
            (AppliedModifier(item.rule, item.value, item.words), predicates[item.rule]) for item in chart.modifiers
        )
        self._known: dict[T, tuple[AppliedModifier, ...]] = {}

    def of(self, moment: T) -> tuple[AppliedModifier, ...]:
        """Return the modifiers that apply, in the order of the card.

        Those of value 0 are included. Moments are hashable; results are cached.
        """
        applied = self._known.get(moment)
        if applied is None:
            applied = self.holding(moment)
            if len(self._known) < _MOMENTS:
                self._known[moment] = applied
        return applied

    def holding(self, moment: T) -> tuple[AppliedModifier, ...]:
        """Return the modifiers as `of` does, uncached, for a moment that cannot be a key."""
        result: list[AppliedModifier] = []
        for applied, holds in self._bound:
            times = holds(moment)
            if times:
                result.append(applied if times == 1 else applied._replace(value=applied.value * times))
        return tuple(result)


class ChartSource(Protocol):
    """An object with charts: an edition."""

    def chart(self, name: str, /) -> Chart:
        """Return the chart of that name."""
        ...


class EditionModifiers(Generic[T]):
    """The modifiers of a chart, bound once for each edition.

    ::

        _modifiers = EditionModifiers("fire", FIRE_MODIFIERS)
        _modifiers(state.edition).of(aim)
    """

    def __init__(
        self,
        chart: str,
        predicates: Mapping[str, Callable[[T], int]],
        later: Collection[str] = (),
        facts: Facts | None = None,
    ) -> None:
        self._chart, self._later, self._facts = chart, later, facts
        self._predicates = predicates
        self._found: WeakKeyDictionary[Any, Modifiers[T]] = WeakKeyDictionary()
        # The same edition is asked for many times in a row, and a weak dictionary is slow.
        self._latest: tuple[Callable[[], object], Modifiers[T] | None] = (lambda: None, None)

    def __call__(self, edition: ChartSource) -> Modifiers[T]:
        """Return an edition's modifiers; raise SourceError if the predicates do not fit."""
        latest_edition, modifiers = self._latest
        if modifiers is None or latest_edition() is not edition:
            modifiers = self._found.get(edition)
            if modifiers is None:
                chart = edition.chart(self._chart)
                modifiers = self._found[edition] = Modifiers(chart, self._predicates, self._later, self._facts)
            self._latest = ref(edition), modifiers
        return modifiers


@lru_cache(maxsize=128)
def read_chart(text: str, file: str) -> Chart:
    """Read a chart; raise SourceError with file, line and reason.

    Charts are cached: every edition has the same few, and nobody changes one.
    """
    lines = text.split("\n")
    head = _HEAD.fullmatch(lines[0])
    if head is None:
        raise SourceError(file, 1, "the first line reads RULE, two blanks, the name of the chart")
    grid_at = next((n for n, line in enumerate(lines) if "|" in line), None)
    rows, columns, cells, after = _read_grid(lines, grid_at, file) if grid_at is not None else ((), (), {}, 1)
    legend: dict[str, tuple[str, int]] = {}
    modifiers: list[Modifier] = []
    for number, line in enumerate(lines[after:], start=after + 1):
        _read_line(line, number, file, legend, modifiers)
    first = 1 if grid_at is None else grid_at + 3
    _check_legend(cells, rows, first, legend, file)
    words = {code: words for code, (words, _) in legend.items()}
    return Chart(head["rule"], head["name"], text, file, rows, columns, cells, words, tuple(modifiers))


def mark_cells(
    chart: Chart, cells: Collection[tuple[str, str]], modifiers: Collection[str] | Mapping[str, int] = ()
) -> str:
    """Return the chart's text with its cells and modifiers read in brackets.

    Cells are (row, column) as printed; raises KeyError if the chart has no such cell or modifier. A mapping of
    modifiers has the applied values, which replace the printed ones.
    """
    values = modifiers if isinstance(modifiers, Mapping) else {}
    for cell in cells:
        chart.cells[cell]
    for rule in modifiers:
        chart.modifier(rule)
    lines = chart.text.split("\n")
    for number, line in enumerate(lines):
        match = _MODIFIER.fullmatch(line)
        if match is not None and match["rule"] in modifiers:
            start, end = match.span("value")
            value = values.get(match["rule"], 0)
            printed = f"{value:+d}" if value else line[start:end]
            lines[number] = _put_in_brackets(line[:start] + printed + line[end:], (start, start + len(printed)))
        left, bar, right = line.partition("|")
        row = " ".join(_words(left))
        if not bar or row not in chart.rows:
            continue
        spans = [part.span() for part in re.finditer(r"\S+", _DOUBT.sub(lambda mark: " " * len(mark[0]), right))]
        for column, (start, end) in reversed([*zip(chart.columns, spans, strict=True)]):
            if (row, column) in cells:
                right = _put_in_brackets(right, (start, end))
        lines[number] = f"{left}|{right}"
    return "\n".join(lines)


def _put_in_brackets(line: str, span: tuple[int, int]) -> str:
    """Put brackets around a part of a line.

    The brackets replace blanks beside the part, if there are two or more.
    """
    start, end = span
    before, after = line[:start], line[end:]
    if before.endswith("  "):
        before = before[:-1]
    if after.startswith("  "):
        after = after[1:]
    return f"{before}[{line[start:end]}]{after}"


def _read_grid(
    lines: Sequence[str], first: int, file: str
) -> tuple[tuple[str, ...], tuple[str, ...], dict[tuple[str, str], str], int]:
    """Read the grid that begins at line index `first`.

    Returns rows, columns, cells and the index after it.
    """
    columns = tuple(_words(lines[first].split("|", 1)[1]))
    if first + 1 >= len(lines) or set(lines[first + 1].strip()) - set("-+"):
        raise SourceError(file, first + 2, "under the heads of the columns stands a line of dashes")
    if len(set(columns)) < len(columns):
        raise SourceError(file, first + 1, "a column stands twice")
    rows: list[str] = []
    cells: dict[tuple[str, str], str] = {}
    index = first + 2
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
    _check_heads(rows, file, range(first + 3, index + 1))
    _check_heads(columns, file, [first + 1] * len(columns))
    return tuple(rows), columns, cells, index


def _read_line(
    line: str, number: int, file: str, legend: dict[str, tuple[str, int]], modifiers: list[Modifier]
) -> None:
    if not line.strip() or "column:" in line or "row:" in line:
        return
    match = _MODIFIER.fullmatch(line)
    if match is not None:
        if any(item.rule == match["rule"] for item in modifiers):
            raise SourceError(file, number, f"modifier {match['rule']} stands twice")
        modifiers.append(Modifier(match["rule"], int(match["value"]), match["words"], number))
        return
    match = _LEGEND.fullmatch(line)
    if match is None or _RULE.fullmatch(match["code"]):
        raise SourceError(file, number, "neither a modifier (RULE, signed number, words) nor a legend (CODE, words)")
    if match["code"] in legend:
        raise SourceError(file, number, f"legend {match['code']} stands twice")
    legend[match["code"]] = match["words"], number


def _check_legend(
    cells: Mapping[tuple[str, str], str],
    rows: Sequence[str],
    first: int,
    legend: Mapping[str, tuple[str, int]],
    file: str,
) -> None:
    """Check that every code has a line of legend, and every line of legend is used.

    `first` is the line of the first row.
    """
    for (row, _), code in cells.items():
        if code not in legend:
            raise SourceError(file, first + rows.index(row), f"code {code} has no line of legend")
    used = set(cells.values())
    for code, (_, line) in legend.items():
        if code not in used:
            raise SourceError(file, line, f"legend {code} is used by no cell")


def _check_heads(heads: Sequence[str], file: str, lines: Sequence[int]) -> None:
    """Check that numbered rows and columns have no gap, and that odds rise.

    Numbers, odds and words are not mixed.
    """
    spans, odds = [_span(head) for head in heads], [_ODDS.fullmatch(head) for head in heads]
    falls = len(heads) > 1 and spans[0] is not None and spans[1] is not None and spans[1] < spans[0]
    for index in range(1, len(heads)):
        before, head, line = heads[index - 1], heads[index], lines[index]
        previous, current = spans[index - 1], spans[index]
        if (previous is None) is not (current is None) or (odds[index - 1] is None) is not (odds[index] is None):
            raise SourceError(file, line, f"{before} and {head} are not of one kind")
        if (
            previous is not None
            and current is not None
            and (current[1] + 1 != previous[0] if falls else previous[1] + 1 != current[0])
        ):
            raise SourceError(file, line, f"between {before} and {head} there is a gap, or they overlap")
        if not _rises(odds[index - 1], odds[index]):
            raise SourceError(file, line, f"the odds do not rise from {before} to {head}")


def _rises(lower: re.Match[str] | None, upper: re.Match[str] | None) -> bool:
    if lower is None or upper is None:
        return True
    left, right = int(lower["a"]) * int(upper["b"]), int(upper["a"]) * int(lower["b"])
    return left < right or (left == right and bool(upper["above"]) and not lower["above"])


def _span(head: str) -> tuple[int, int] | None:
    """Return the lowest and highest number of a head; None if it is no number."""
    match = _RANGE.fullmatch(head)
    if match is None:
        return None
    low = int(match["low"])
    if match["most"] or match["open"] == "-":
        return -_OPEN_END, low
    return low, _OPEN_END if match["open"] else int(match["high"] or low)


def _words(text: str) -> list[str]:
    return _DOUBT.sub("", text).split()


@lru_cache(maxsize=4096)
def _find(keys: tuple[str, ...], value: int | str) -> str:
    text = str(value)
    if text in keys:
        return text
    if isinstance(value, int):
        for key in keys:
            span = _span(key)
            if span is not None and span[0] <= value <= span[1]:
                return key
    raise KeyError(value)


# Checks of an overlay chart, so that no game stops at a cell that its rules cannot read.
#
# An overlay may change every number and every word of a chart. It keeps the chart's rule, has a modifier for each that
# the rules know, says only what the rules can read, and answers every value that can come up. Modifiers that it adds
# say on what they depend.


class Codes(NamedTuple):
    """Codes allowed in a cell: a pattern, and its description for people."""

    pattern: str
    said: str


class ChartNeeds(NamedTuple):
    """The lookups in a chart: rows, columns and codes allowed.

    Rows and columns are words, or possible values. `but` holds other codes for a column, or for a single cell as
    (row, column). Without `columns` any columns are allowed, such as odds, or points as far as the chart goes; if
    `first` is given, the first of them must be that number.
    """

    rows: tuple[str | int, ...]
    columns: tuple[str | int, ...]
    codes: Codes
    but: Mapping[str | tuple[str, str], Codes] = {}
    instead: ChartNeeds | None = None
    """Another form that a chart of an overlay may have: it has that form if it lacks the first row."""
    first: int | None = None

    def form_of(self, chart: Chart) -> ChartNeeds:
        """Return these needs, or `instead`, whichever fits the form of a chart."""
        return self.instead if self.instead is not None and str(self.rows[0]) not in chart.rows else self


def check_overlay(
    name: str, chart: Chart, shipped: Chart, wanted: ChartNeeds | None, facts: Facts | None = None
) -> None:
    """Check a chart of an overlay against the shipped chart of that name.

    Raise SourceError with the line. Without `wanted` the chart has no grid; only with `facts` may it add modifiers.
    """
    if chart.rule != shipped.rule:
        raise SourceError(chart.file, 1, f"this is chart {chart.rule}, and {name} is {shipped.rule}")
    shipped_rules, chart_rules = {item.rule for item in shipped.modifiers}, {item.rule for item in chart.modifiers}
    for item in chart.modifiers:
        if item.rule not in shipped_rules:
            added_predicate(chart, item, facts or {})
    for item in shipped.modifiers:
        if item.rule not in chart_rules:
            raise SourceError(chart.file, 0, f"modifier {item.rule} ({item.words}) is missing; give it 0 to do without")
    if wanted is not None:
        check_cells(chart, wanted.form_of(chart))
    elif chart.cells:
        raise SourceError(chart.file, 0, f"{name} has modifiers and no grid")


def check_cells(chart: Chart, wanted: ChartNeeds) -> None:
    """Check that a chart answers every lookup of the rules.

    Raise SourceError with the line.
    """
    _check_wanted(chart, "row", wanted.rows, chart.rows)
    if wanted.columns:
        _check_wanted(chart, "column", wanted.columns, chart.columns)
    if wanted.first is not None and (span := _span(chart.columns[0])) != (wanted.first, span and span[1]):
        raise SourceError(chart.file, 0, f"the first column is {chart.columns[0]}; it begins with {wanted.first}")
    for (row, column), code in chart.cells.items():
        pattern, description = wanted.but.get((row, column)) or wanted.but.get(column) or wanted.codes
        if not re.fullmatch(pattern, code):
            why = f"row {row}, column {column}: {code} cannot be read; it is {description}"
            raise SourceError(chart.file, _line(chart, row), why)


def _check_wanted(chart: Chart, kind: str, wanted: Iterable[str | int], heads: Iterable[str]) -> None:
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
    """Return the line of a row, from 1; 0 if it is not found as written."""
    starts = (number for number, line in enumerate(chart.text.split("\n"), 1) if line.split("|")[0].strip() == row)
    return next(starts, 0)
