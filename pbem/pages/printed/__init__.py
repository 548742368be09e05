"""Make documents for paper: data, layout in `document.typ`, PDF by typst."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbem.engine.data.canon import Json
from pbem.maps.png import font_files
from pbem.pages.binder import printable

if TYPE_CHECKING:
    import typst

# A document for paper as plain data: a title, then parts one below the other, in the reader's words already.


LONGEST_TITLE = 160
"""The most characters of a title and of a foot: each is on one line."""
PAPERS = {"a4": "a4", "letter": "us-letter"}
"""Sizes of paper as players and as typst call them."""


class Heading(NamedTuple):
    """A heading of level 1 to 3; it begins a new page if it is `fresh`."""

    text: str
    level: int = 1
    fresh: bool = False


class Lines(NamedTuple):
    """Sentences with their depth."""

    lines: tuple[tuple[int, str], ...]


class Plain(NamedTuple):
    """Verbatim text, such as orders.

    `numbers` stand before its lines. Sentences are no code: they have the type of all others.
    """

    text: str
    numbers: tuple[str, ...] = ()
    is_code: bool = True


class Picture(NamedTuple):
    """A drawing as SVG, its words, and its largest height in mm.

    One that `fills` its sheet is higher, as far as the text leaves room.
    """

    svg: str
    alt: str
    high: int = 215
    fills: bool = False


class Grid(NamedTuple):
    """A table: heads, rows in groups with or without titles, relative column widths."""

    heads: tuple[str, ...]
    groups: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
    wide: tuple[int, ...]


class Happenings(NamedTuple):
    """Events: number, sentence, rule; below lines, and whether each is a result."""

    entries: tuple[tuple[int, str, str, tuple[tuple[bool, str], ...]], ...]


class Counters(NamedTuple):
    """Counters, three side by side: each its drawing, its name, its description."""

    counters: tuple[tuple[str, str, str], ...]


class Spread(NamedTuple):
    """A drawing over two pages that face each other: SVG, words, width to height.

    It has its title and a note above each half, and below it each page has one of `legends`, SVG of those proportions,
    where the drawing leaves the room.
    """

    svg: str
    alt: str
    ratio: float
    title: str
    note: str
    legends: tuple[tuple[str, float], ...] = ()


class Pair(NamedTuple):
    """Parts in two columns of relative widths."""

    left: tuple[Part, ...]
    right: tuple[Part, ...]
    wide: tuple[int, int] = (1, 1)


class Columns(NamedTuple):
    """Sections of parts, read down two columns that are as even as they allow."""

    sections: tuple[tuple[Part, ...], ...]


class Sheet(NamedTuple):
    """Parts that fill one page at most: the type is as small as they need.

    It begins a new page if it is `fresh`.
    """

    parts: tuple[Part, ...]
    fresh: bool = False


Part = Heading | Lines | Plain | Picture | Grid | Happenings | Counters | Spread | Pair | Columns | Sheet


class Document(NamedTuple):
    """A document. `under` is below the title, `foot` at the foot of each page.

    `contents` heads a list of the headings to that `depth`; without it there is no list.
    """

    title: str
    language: str
    foot: str
    parts: tuple[Part, ...]
    under: tuple[str, ...] = ()
    contents: str = ""
    depth: int = 1
    paper: str = "a4"

    def to_json(self) -> Json:
        """Return it as JSON, only visible characters; raise ValueError for unknown paper."""
        if self.paper not in PAPERS:
            raise ValueError(f"paper is {' or '.join(PAPERS)}, not {self.paper!r}")
        title, foot = self.title[:LONGEST_TITLE], self.foot[:LONGEST_TITLE]
        content = {**self._asdict(), "paper": PAPERS[self.paper], "title": title, "foot": foot}
        return _visible(content)


def _visible(value: object) -> Json:
    """Return a value with only visible characters in its texts.

    Parts keep their kind.
    """
    if isinstance(value, Part):
        return {
            "kind": type(value).__name__.lower(),
            **{name: _visible(item) for name, item in value._asdict().items()},
        }
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {key: _visible(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_visible(item) for item in value]
    return value


# Documents to PDF by typst, an extra: `Unavailable` says how to get it.


FOLDER = Path(__file__).parent


class Unavailable(RuntimeError):
    """The library that makes PDF is not installed."""


def is_missing() -> bool:
    """Return whether PDF cannot be made."""
    try:
        import_module("typst")
    except ImportError:
        return True
    return False


def to_pdf(document: Document) -> bytes:
    """Return a document as PDF: the same bytes for the same document.

    Raise Unavailable without the library.
    """
    pdf = make_compiler(document).compile(format="pdf", timestamp=0)
    if not isinstance(pdf, bytes):
        raise TypeError("a PDF is one file")
    return pdf


def to_pngs(document: Document, ppi: float = 100) -> list[bytes]:
    """Return the pages of a document as pictures; raise Unavailable without typst."""
    pages = make_compiler(document).compile(format="png", ppi=ppi)
    return [pages] if isinstance(pages, bytes) else list(pages or ())


def make_compiler(document: Document) -> typst.Compiler:
    """Return the compiler of a document; it reads only our files and known fonts."""
    if is_missing():
        raise Unavailable("PDF needs the extra: pip install 'pbem[pdf]'")
    # An extra, which may not be installed.
    import typst

    folders = sorted({str(Path(face).parent) for face in font_files()})
    return typst.Compiler(
        input=str(FOLDER / "document.typ"),
        root=str(FOLDER),
        font_paths=folders,
        ignore_system_fonts=True,
        sys_inputs={"told": json.dumps(document.to_json())},
    )
