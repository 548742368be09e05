"""Charts as letters show them: line by line, every word of theirs a sentence that the reader's language has.

The text of an edition stays as it is; marks of doubt are of the file and its errata, and are not printed. Codes of
cells stay, but for those that are words.
"""

from __future__ import annotations

import re

from pbem.engine.data.messages import Arg, Msg, msg

_DOUBT = re.compile(r" ?\[Q[^\]]*\]")
_HEAD = re.compile(r"(?P<rule>[A-Z]\d+(?:\.\d+)*)  +(?P<name>\S.*?)(?:  +\((?P<note>.*)\))?")
_AXES = re.compile(r"(?P<axis>row|column): (?P<what>.*?)(?=$| {2,}column:)")
_LISTED = re.compile(r"(?P<before>\s+(?:[A-Z]\d+(?:\.\d+)+\s+\[?[+-]?\d+\]?\s+|(?P<code>\S+)\s{2,}))(?P<words>\S.*)")
_WORD = re.compile(r"[a-z]{2,}")
_ROOM = 8
"""Blanks that a column of words has for longer ones."""


def undoubted(words: str) -> str:
    """Return words of a chart without the marks of doubt."""
    return _DOUBT.sub("", words)


def title_of(text: str) -> Msg:
    """Return what a chart is called."""
    head = _HEAD.fullmatch(text.split("\n")[0])
    return _said(head["name"] if head else text.split("\n")[0])


def lines_of(text: str) -> list[Msg]:
    """Return a chart, perhaps with cells marked, as lines of sentences."""
    lines = text.rstrip("\n").split("\n")
    rows = [line.split("|", 1)[0].strip() for line in lines if "|" in line]
    room = _ROOM if any(_WORD.search(row) for row in rows[1:]) else 1
    return [_line(line, number, room) for number, line in enumerate(lines)]


def _line(line: str, number: int, room: int) -> Msg:
    if number == 0 and (head := _HEAD.fullmatch(line)):
        named = msg("{rule}  {name}", rule=head["rule"], name=_said(head["name"]))
        return msg("{head}  ({note})", head=named, note=_noted(head["note"])) if head["note"] else named
    if "|" in line:
        return _grid(line, room)
    if line.strip() and set(line.strip()) <= set("-+"):
        return msg("{line}", line=line.replace("+", "-" * room + "+", 1))
    if axes := list(_AXES.finditer(line)):
        return _axes(line, axes)
    if listed := _LISTED.fullmatch(line):
        return msg("{before}{words}", before=_coded(listed), words=_said(listed["words"]))
    bare = undoubted(line)
    indent = bare[: len(bare) - len(bare.lstrip())]
    return msg("{indent}{words}", indent=indent, words=_said(bare.strip())) if bare.strip() else msg("{line}", line="")


def _said(words: str) -> Msg:
    """Words of a chart as a sentence; what an overlay wrote with braces stays as it wrote it."""
    bare = undoubted(words)
    return msg("{words}", words=bare) if set(bare) & set("{}") else Msg(bare)


def _noted(note: str) -> Arg:
    """The note of a head; what it says of marks of doubt is left out with them."""
    return _said(re.sub(r"; \[Q\].*", "", note))


def _axes(line: str, axes: list[re.Match[str]]) -> Msg:
    told = tuple(
        msg("row: {what}", what=_said(one["what"].strip()))
        if one["axis"] == "row"
        else msg("column: {what}", what=_said(one["what"].strip()))
        for one in axes
    )
    indent = line[: len(line) - len(line.lstrip())]
    if len(told) == 1:
        return msg("{indent}{one}", indent=indent, one=told[0])
    return msg("{indent}{one}     {other}", indent=indent, one=told[0], other=told[1])


def _coded(listed: re.Match[str]) -> Arg:
    """What stands before the words of a line: a number and a value, or a code, which may be a word itself."""
    before, code = listed["before"], listed["code"]
    if not code or not _WORD.search(code):
        return before
    indent = before[: before.index(code)]
    return msg(f"{{indent}}{{code:<{len(before) - len(indent)}}}", indent=indent, code=code)


def _grid(line: str, room: int) -> Msg:
    """A row of the grid: its words are translated in their columns, which are as wide as they were or wider."""
    left, _, right = line.partition("|")
    gaps: dict[str, Arg] = {"left": _said(left.strip()) if _WORD.search(left) else left.strip()}
    indent = left[: len(left) - len(left.lstrip())]
    text = f"{indent}{{left:<{len(left) - len(indent) + room}}}|"
    right, at = _DOUBT.sub(lambda mark: " " * len(mark[0]), right), 0
    for found in re.finditer(r"(\[?)([^\s\[\]]+)(\]?)", right):
        text += _plain(right[at : found.start()]) + found[1]
        at = found.end()
        if _WORD.search(found[2]):
            gap = f"c{len(gaps)}"
            gaps[gap] = found[2]
            following = len(right[at:]) - len(right[at:].lstrip())
            spare = max(following - 1, 0) if not found[3] else 0
            text += f"{{{gap}:<{len(found[2]) + spare}}}" + found[3]
            at += spare
        else:
            text += _plain(found[2]) + found[3]
    return msg(text + _plain(right[at:].rstrip()), **gaps)


def _plain(text: str) -> str:
    """Text of a frame in which no brace opens a gap."""
    return text.replace("{", "{{").replace("}", "}}")
