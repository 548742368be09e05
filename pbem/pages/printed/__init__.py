"""Documents for paper: what they say as plain data, how they look in `document.typ`, PDF by typst."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbem.engine.data.canon import Json
from pbem.maps.png import faces
from pbem.pages.binder import bare

if TYPE_CHECKING:
    import typst

# A document for paper as plain data: a title, then parts one below the other, in the reader's words already.


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


def _seen(value: object) -> Json:
    """A value with all text in it made of what can be seen."""
    if isinstance(value, str):
        return bare(value)
    if isinstance(value, dict):
        return {key: _seen(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_seen(one) for one in value]
    return value


# Documents to PDF by typst, which not everybody has: `Unavailable` says how to get it.


FOLDER = Path(__file__).parent


class Unavailable(RuntimeError):
    """The library that makes PDF is not installed."""


def missing() -> bool:
    """Return whether PDF cannot be made."""
    try:
        import_module("typst")
    except ImportError:
        return True
    return False


def to_pdf(document: Document) -> bytes:
    """Return a document as PDF: the same bytes for the same document. Unavailable where nothing can make one."""
    made = compiler(document).compile(format="pdf", timestamp=0)
    if not isinstance(made, bytes):
        raise TypeError("a PDF is one file")
    return made


def to_pngs(document: Document, ppi: float = 100) -> list[bytes]:
    """Return the pages of a document as pictures, to be looked at. Unavailable where nothing can make them."""
    made = compiler(document).compile(format="png", ppi=ppi)
    return [made] if isinstance(made, bytes) else list(made or ())


def compiler(document: Document) -> typst.Compiler:
    """What lays a document out. It reads no file but ours, and no fonts but ours and its own."""
    if missing():
        raise Unavailable("PDF needs the extra: pip install 'pbem[pdf]'")
    # An extra, which may not be installed.
    import typst

    folders = sorted({str(Path(face).parent) for face in faces()})
    return typst.Compiler(
        input=str(FOLDER / "document.typ"),
        root=str(FOLDER),
        font_paths=folders,
        ignore_system_fonts=True,
        sys_inputs={"told": json.dumps(document.to_json())},
    )
