"""Charts as letters show them: every line a sentence in the reader's language.

The text of an edition stays as it is; marks of doubt are for the file and its errata, and are not shown.
Codes of cells stay, except those that are words.
"""

from __future__ import annotations

import re

from pbem.engine.data.messages import Arg, Msg, msg

# The parts of a chart's text that are translated or left out when it is printed.
_DOUBT = re.compile(r" ?\[Q[^\]]*\]")
_HEAD = re.compile(r"(?P<rule>[A-Z]\d+(?:\.\d+)*)  +(?P<name>\S.*?)(?:  +\((?P<note>.*)\))?")
_AXES = re.compile(r"(?P<axis>row|column): (?P<what>.*?)(?=$| {2,}column:)")
_LISTED = re.compile(r"(?P<before>\s+(?:[A-Z]\d+(?:\.\d+)+\s+\[?[+-]?\d+\]?\s+|(?P<code>\S+)\s{2,}))(?P<words>\S.*)")
# Two small letters make a word, which is translated; codes have capitals and numbers.
_WORD = re.compile(r"[a-z]{2,}")
_ROOM = 8
"""Blanks after a column of words, so that longer translations fit in."""


def strip_doubt(words: str) -> str:
    """Return words of a chart without the marks of doubt."""
    return _DOUBT.sub("", words)


def title_of(text: str) -> Msg:
    """Return the name of a chart."""
    head = _HEAD.fullmatch(text.split("\n")[0])
    return _sentence(head["name"] if head else text.split("\n")[0])


def lines_of(text: str) -> list[Msg]:
    """Return a chart, perhaps with cells marked, as a list of sentences."""
    lines = _in_columns(text.rstrip("\n").split("\n"))
    rows = [line.split("|", 1)[0].strip() for line in lines if "|" in line]
    room = _ROOM if any(_WORD.search(row) for row in rows[1:]) else 1
    return [_line(line, number, room) for number, line in enumerate(lines)]


def result_lines(text: str) -> list[int]:
    """Return the lines of a chart with a marked result, and the heads of columns."""
    lines = text.rstrip("\n").split("\n")
    results = [number for number, line in enumerate(lines) if _RESULT.search(strip_doubt(line))]
    heads = [number for number, line in enumerate(lines) if "|" in line][:1]
    return sorted({*heads, *results}) if results else []


# A marked result stands in square brackets.
_RESULT = re.compile(r"\[[^\]]+\]")


def _in_columns(lines: list[str]) -> list[str]:
    """Return a chart's lines, with cells again below their heads.

    A mark of doubt may have pushed the cells behind it into the next column.
    """
    heads = next((line for line in lines if "|" in line), "").partition("|")[2]
    starts = [head.start() for head in re.finditer(r"\S+", _blank(heads))]

    def in_columns(line: str) -> str:
        left, bar, right = line.partition("|")
        cells = _blank(right).split()
        if not (bar and _DOUBT.search(right)) or len(cells) != len(starts):
            return line
        row = ""
        for start, cell in zip(starts, cells, strict=True):
            row = f"{row:<{start - cell.startswith('[')}}{cell}"
        return f"{left}|{row}"

    return [line if line.endswith(f"|{heads}") else in_columns(line) for line in lines]


def _blank(cells: str) -> str:
    """Return cells with blanks for their marks of doubt."""
    return _DOUBT.sub(lambda mark: " " * len(mark[0]), cells)


def _line(line: str, number: int, room: int) -> Msg:
    if number == 0 and (head := _HEAD.fullmatch(line)):
        title_line = msg("{rule}  {name}", rule=head["rule"], name=_sentence(head["name"]))
        return msg("{head}  ({note})", head=title_line, note=_note(head["note"])) if head["note"] else title_line
    if "|" in line:
        return _grid(line, room)
    if line.strip() and set(line.strip()) <= set("-+"):
        return msg("{line}", line=line.replace("+", "-" * room + "+", 1))
    if axes := list(_AXES.finditer(line)):
        return _axes(line, axes)
    if match := _LISTED.fullmatch(line):
        return msg("{before}{words}", before=_before_words(match), words=_sentence(match["words"]))
    bare = strip_doubt(line)
    indent = bare[: len(bare) - len(bare.lstrip())]
    return (
        msg("{indent}{words}", indent=indent, words=_sentence(bare.strip())) if bare.strip() else msg("{line}", line="")
    )


def _sentence(words: str) -> Msg:
    """Return words of a chart as a sentence; an overlay's braces are kept."""
    bare = strip_doubt(words)
    return msg("{words}", words=bare) if set(bare) & set("{}") else Msg(bare)


def _note(note: str) -> Arg:
    """Return the note of a head, without remarks on marks of doubt."""
    return _sentence(re.sub(r"; \[Q\].*", "", note))


def _axes(line: str, axes: list[re.Match[str]]) -> Msg:
    parts = tuple(
        msg("row: {what}", what=_sentence(axis["what"].strip()))
        if axis["axis"] == "row"
        else msg("column: {what}", what=_sentence(axis["what"].strip()))
        for axis in axes
    )
    indent = line[: len(line) - len(line.lstrip())]
    if len(parts) == 1:
        return msg("{indent}{one}", indent=indent, one=parts[0])
    return msg("{indent}{one}     {other}", indent=indent, one=parts[0], other=parts[1])


def _before_words(match: re.Match[str]) -> Arg:
    """Return the start of a line: number and value, or a code, which may be a word."""
    before, code = match["before"], match["code"]
    if not code or not _WORD.search(code):
        return before
    indent = before[: before.index(code)]
    return msg(f"{{indent}}{{code:<{len(before) - len(indent)}}}", indent=indent, code=code)


def _grid(line: str, room: int) -> Msg:
    """Return a row of the grid; words are translated in columns at least as wide."""
    left, _, right = line.partition("|")
    gaps: dict[str, Arg] = {"left": _sentence(left.strip()) if _WORD.search(left) else left.strip()}
    indent = left[: len(left) - len(left.lstrip())]
    text = f"{indent}{{left:<{len(left) - len(indent) + room}}}|"
    right, position = _blank(right), 0
    for match in re.finditer(r"(\[?)([^\s\[\]]+)(\]?)", right):
        text += _plain(right[position : match.start()]) + match[1]
        position = match.end()
        if _WORD.search(match[2]):
            gap = f"c{len(gaps)}"
            gaps[gap] = match[2]
            following = len(right[position:]) - len(right[position:].lstrip())
            # A longer translation may take the blanks behind the word but one, which parts it from the next; a bracket
            # behind it would be moved.
            spare = max(following - 1, 0) if not match[3] else 0
            text += f"{{{gap}:<{len(match[2]) + spare}}}" + match[3]
            position += spare
        else:
            text += _plain(match[2]) + match[3]
    return msg(text + _plain(right[position:].rstrip()), **gaps)


def _plain(text: str) -> str:
    """Escape braces, so that the text has no gaps to fill."""
    return text.replace("{", "{{").replace("}", "}}")
