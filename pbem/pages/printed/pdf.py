"""Documents to PDF by typst, which not everybody has: `Unavailable` says how to get it."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.maps.png import faces
from pbem.pages.printed.document import Document

if TYPE_CHECKING:
    import typst

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
    import typst

    folders = sorted({str(Path(face).parent) for face in faces()})
    return typst.Compiler(
        input=str(FOLDER / "document.typ"),
        root=str(FOLDER),
        font_paths=folders,
        ignore_system_fonts=True,
        sys_inputs={"told": json.dumps(document.to_json())},
    )
