"""A document for paper as plain data: a title, then parts one below the other, in the reader's words already."""

from __future__ import annotations

from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.pages.binder import bare

MOST = 160
"""Signs that a title and a foot have at most: they stand on one line."""
PAPERS = {"a4": "a4", "letter": "us-letter"}
"""Sizes of paper as players and as typst call them."""


class Heading(NamedTuple):
    """A heading of level 1 to 3; a `fresh` one begins a page."""

    text: str
    level: int = 1
    fresh: bool = False


class Lines(NamedTuple):
    """Sentences with their depth."""

    lines: tuple[tuple[int, str], ...]


class Plain(NamedTuple):
    """Text that stands as it is, such as orders."""

    text: str


class Picture(NamedTuple):
    """A drawing of ours as SVG, the words for who does not see it, and how high it may be on paper, in mm."""

    svg: str
    alt: str
    high: int = 215


class Grid(NamedTuple):
    """A table: heads, rows in groups that have titles or none, and how wide the columns are by each other."""

    heads: tuple[str, ...]
    groups: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
    wide: tuple[int, ...]


class Happenings(NamedTuple):
    """What happened: number, sentence, rule; below it lines, and whether each tells what came of it."""

    entries: tuple[tuple[int, str, str, tuple[tuple[bool, str], ...]], ...]


class Counters(NamedTuple):
    """Counters side by side: each its drawing, its name, what is said of it."""

    counters: tuple[tuple[str, str, str], ...]
    across: int = 3


Part = Heading | Lines | Plain | Picture | Grid | Happenings | Counters


class Document(NamedTuple):
    """All of it. `under` stands below the title, `foot` at the foot of each page; `contents` heads a list of the
    headings to that `depth`, which is left out where it is empty."""

    title: str
    language: str
    foot: str
    parts: tuple[Part, ...]
    under: tuple[str, ...] = ()
    contents: str = ""
    depth: int = 1
    paper: str = "a4"

    def to_json(self) -> Json:
        """Return it as JSON, without characters that cannot be seen; ValueError for paper that nobody sells."""
        if self.paper not in PAPERS:
            raise ValueError(f"paper is {' or '.join(PAPERS)}, not {self.paper!r}")
        told = {**self._asdict(), "paper": PAPERS[self.paper], "title": self.title[:MOST], "foot": self.foot[:MOST]}
        told["parts"] = [{"kind": type(part).__name__.lower(), **part._asdict()} for part in self.parts]
        return _seen(told)


def _seen(value: Any) -> Json:
    """A value with all text in it made of what can be seen."""
    if isinstance(value, str):
        return bare(value)
    if isinstance(value, dict):
        return {key: _seen(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_seen(one) for one in value]
    return value
