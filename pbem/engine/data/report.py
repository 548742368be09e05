"""The report as data: what a letter says, before any language or layout.

A renderer turns it to text or HTML in the reader's language; what is stored is this, so that a letter can be made
again byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Arg, Msg, arg_from_json, arg_to_json

PLAIN = -1
"""The depth of a line that is part of a drawing: it is shown as it is, neither indented nor wrapped."""


class Entry(NamedTuple):
    """One numbered happening: its rule, the sentence, and the lines below it.

    Those lines are arithmetic and dice, but for those numbered in `kept`, from 0: they tell what came of it, as who
    lost what. With `outcome` the sentence itself does. However short a letter has to be, outcomes stay in it. Those
    numbered in `joined` belong to the line before them, as its modifiers to a sum: both are shown, or neither.
    """

    rule: str
    text: Msg
    details: tuple[Msg, ...] = ()
    kept: tuple[int, ...] = ()
    outcome: bool = False
    joined: tuple[int, ...] = ()

    @property
    def outcomes(self) -> tuple[Msg, ...]:
        """What came of it, line by line."""
        return (*((self.text,) if self.outcome else ()), *(self.details[at] for at in self.kept))

    def shown(self, most: int | None) -> list[int]:
        """The places of the details that stay where of those besides what is kept at most so many may, in order."""
        spare: list[list[int]] = []
        for at in (at for at in range(len(self.details)) if at not in self.kept):
            if at in self.joined and spare and spare[-1][-1] == at - 1:
                spare[-1].append(at)
            else:
                spare.append([at])
        return sorted((*self.kept, *(at for some in spare[:most] for at in some)))

    def to_json(self) -> Json:
        """Return a JSON value that `from_json` reads back."""
        told = {"rule": self.rule, "text": self.text.to_json(), "details": [line.to_json() for line in self.details]}
        joined = {"joined": list(self.joined)} if self.joined else {}
        return {**told, "kept": list(self.kept), "outcome": self.outcome, **joined}

    @classmethod
    def from_json(cls, value: Json) -> Entry:
        """Read what `to_json` wrote."""
        read = Msg.from_json
        details = tuple(map(read, value["details"]))
        kept, joined = tuple(value["kept"]), tuple(value.get("joined", ()))
        return cls(value["rule"], read(value["text"]), details, kept, value["outcome"], joined)


Line = tuple[int, Msg]
"""A sentence and its depth of indentation, 0 or more, or `PLAIN`."""


class Table(NamedTuple):
    """What the lines of a block tell, in columns: their heads, and rows in groups that have titles.

    A row begins with who is meant and ends with the state he is in, which has no column: it stands with the name.
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
        """Read what `to_json` wrote."""
        groups = tuple(
            (Msg.from_json(title), tuple(tuple(map(arg_from_json, row)) for row in rows))
            for title, rows in value["groups"]
        )
        return cls(tuple(map(Msg.from_json, value["heads"])), groups)


class Block(NamedTuple):
    """A titled list of lines; one that is to be `whole` is never cut, however short a letter has to be.

    A page shows its `table` in the place of its lines.
    """

    title: Msg
    lines: tuple[Line, ...] = ()
    whole: bool = False
    table: Table | None = None

    def to_json(self) -> Json:
        """Return a JSON value that `from_json` reads back."""
        told = {"title": self.title.to_json(), "lines": [[depth, line.to_json()] for depth, line in self.lines]}
        table = {} if self.table is None else {"table": self.table.to_json()}
        return {**told, **({"whole": True} if self.whole else {}), **table}

    @classmethod
    def from_json(cls, value: Json) -> Block:
        """Read what `to_json` wrote."""
        read = Msg.from_json
        lines = tuple((depth, read(line)) for depth, line in value["lines"])
        table = Table.from_json(value["table"]) if "table" in value else None
        return cls(read(value["title"]), lines, value.get("whole", False), table)


class Report(NamedTuple):
    """A report of one seat: title, how things stand (`head`), summary, numbered entries, then titled blocks (forces,
    warnings).

    `first` is the number of its first entry: what was told before is not told again.
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
        """Read what `to_json` wrote."""
        read = Msg.from_json
        return cls(
            read(value["title"]),
            tuple(read(item) for item in value["summary"]),
            tuple(map(Entry.from_json, value["entries"])),
            tuple(map(Block.from_json, value["blocks"])),
            tuple(map(Block.from_json, value.get("head", ()))),
            value.get("first", 1),
        )


def runs(numbers: Sequence[int]) -> str:
    """Numbers of happenings, those that follow one another as the first and the last: ``#3, #6-#8``."""
    found: list[str] = []
    for _, group in groupby(enumerate(numbers), key=lambda item: item[1] - item[0]):
        run = [number for _, number in group]
        found += [f"#{run[0]}-#{run[-1]}"] if len(run) > 2 else [f"#{number}" for number in run]
    return ", ".join(found)
