"""Reports as data, before language and layout.

A renderer turns them to text or HTML in the reader's language; the data are stored, so that a letter can be
made again byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Arg, Msg, arg_from_json, arg_to_json

# Below 0, the depth of a line that is not indented.
DRAWING_DEPTH = -1
"""The depth of a line that is part of a drawing: it is shown as it is, neither indented nor wrapped."""


class Entry(NamedTuple):
    """A numbered event of a report: its rule, the sentence, the lines below it.

    The lines below are arithmetic and dice, except those numbered in `kept`, from 0: they are results, such as
    losses. With `outcome` the sentence itself is a result. However short a letter has to be, results stay in it.
    Lines numbered in `joined` belong to the line before them, as modifiers to a sum: both are shown, or neither.
    What the blocks tell `elsewhere`, as where a march ended, a letter leaves out.
    """

    rule: str
    text: Msg
    details: tuple[Msg, ...] = ()
    kept: tuple[int, ...] = ()
    outcome: bool = False
    joined: tuple[int, ...] = ()
    elsewhere: bool = False

    @property
    def outcomes(self) -> tuple[Msg, ...]:
        """Return the results, line by line."""
        return (*((self.text,) if self.outcome else ()), *(self.details[index] for index in self.kept))

    def told_here(self) -> Entry:
        """Return the entry for a letter without the blocks that would tell it."""
        return self._replace(elsewhere=False, outcome=self.outcome or self.elsewhere)

    def to_json(self) -> Json:
        """Return a JSON value that `from_json` reads back."""
        data = {"rule": self.rule, "text": self.text.to_json(), "details": [line.to_json() for line in self.details]}
        joined = {"joined": list(self.joined)} if self.joined else {}
        elsewhere = {"elsewhere": True} if self.elsewhere else {}
        return {**data, "kept": list(self.kept), "outcome": self.outcome, **joined, **elsewhere}

    @classmethod
    def from_json(cls, value: Json) -> Entry:
        """Read the output of `to_json`."""
        read_msg = Msg.from_json
        details = tuple(map(read_msg, value["details"]))
        kept, joined = tuple(value["kept"]), tuple(value.get("joined", ()))
        elsewhere = value.get("elsewhere", False)
        return cls(value["rule"], read_msg(value["text"]), details, kept, value["outcome"], joined, elsewhere)


Line = tuple[int, Msg]
"""A sentence and its depth of indentation, 0 or more, or `DRAWING_DEPTH`."""


class Table(NamedTuple):
    """The lines of a block in columns: headings, and rows in titled groups.

    A row begins with a name and ends with its state, which has no column: it is shown with the name.
    """

    heads: tuple[Msg, ...]
    groups: tuple[tuple[Msg, tuple[tuple[Arg, ...], ...]], ...]

    def to_json(self) -> Json:
        """Return a JSON value that `from_json` reads back."""
        groups = [
            [title.to_json(), [[arg_to_json(cell) for cell in row] for row in rows]] for title, rows in self.groups
        ]
        return {"heads": [head.to_json() for head in self.heads], "groups": groups}

    @classmethod
    def from_json(cls, value: Json) -> Table:
        """Read the output of `to_json`."""
        groups = tuple(
            (Msg.from_json(title), tuple(tuple(map(arg_from_json, row)) for row in rows))
            for title, rows in value["groups"]
        )
        return cls(tuple(map(Msg.from_json, value["heads"])), groups)


class Block(NamedTuple):
    """A titled list of lines.

    A `whole` block is never cut, however short a letter has to be. A page shows its `table` instead of its lines.
    """

    title: Msg
    lines: tuple[Line, ...] = ()
    whole: bool = False
    table: Table | None = None

    def to_json(self) -> Json:
        """Return a JSON value that `from_json` reads back."""
        data = {"title": self.title.to_json(), "lines": [[depth, line.to_json()] for depth, line in self.lines]}
        table = {} if self.table is None else {"table": self.table.to_json()}
        return {**data, **({"whole": True} if self.whole else {}), **table}

    @classmethod
    def from_json(cls, value: Json) -> Block:
        """Read the output of `to_json`."""
        read_msg = Msg.from_json
        lines = tuple((depth, read_msg(line)) for depth, line in value["lines"])
        table = Table.from_json(value["table"]) if "table" in value else None
        return cls(read_msg(value["title"]), lines, value.get("whole", False), table)


class Report(NamedTuple):
    """A report of one seat: title, head, summary, entries, titled blocks.

    `head` is the situation; blocks are forces and warnings. `first` is the number of its first entry: earlier
    entries are not repeated.
    """

    title: Msg
    summary: tuple[Msg, ...] = ()
    entries: tuple[Entry, ...] = ()
    blocks: tuple[Block, ...] = ()
    head: tuple[Block, ...] = ()
    first: int = 1

    def to_json(self) -> Json:
        """Return a JSON value that `from_json` reads back."""
        return {
            "title": self.title.to_json(),
            "summary": [item.to_json() for item in self.summary],
            "entries": [entry.to_json() for entry in self.entries],
            "blocks": [block.to_json() for block in self.blocks],
            "head": [block.to_json() for block in self.head],
            **({"first": self.first} if self.first != 1 else {}),
        }

    @classmethod
    def from_json(cls, value: Json) -> Report:
        """Read the output of `to_json`."""
        read_msg = Msg.from_json
        return cls(
            read_msg(value["title"]),
            tuple(read_msg(item) for item in value["summary"]),
            tuple(map(Entry.from_json, value["entries"])),
            tuple(map(Block.from_json, value["blocks"])),
            tuple(map(Block.from_json, value.get("head", ()))),
            value.get("first", 1),
        )


def number_ranges(numbers: Sequence[int]) -> str:
    """Return numbers of events, with consecutive ones as ranges: ``#3, #6-#8``."""
    parts: list[str] = []
    for _, group in groupby(enumerate(numbers), key=lambda item: item[1] - item[0]):
        run = [number for _, number in group]
        parts += [f"#{run[0]}-#{run[-1]}"] if len(run) > 2 else [f"#{number}" for number in run]
    return ", ".join(parts)
