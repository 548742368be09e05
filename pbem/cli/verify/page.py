"""The page that players check their dice with: the files of `pbem/verifier/page` laid into one, which asks nobody.

    page() -> '<!DOCTYPE html>...'

Its policy lets no request out and no script run but the one inside, whose hash it names.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pbem

__all__ = ["FOLDER", "SCRIPTS", "page"]

FOLDER = Path(pbem.__file__).parent / "verifier" / "page"

SCRIPTS = (
    "bytes", "curve", "tree", "blocks", "bundle", "mailbox", "judge", "recovery", "phases", "rolls", "claims",
    "reasons", "words", "page",
)  # fmt: skip
"""The page's own scripts in the order in which they need each other; all share one scope."""

_EXPORT = "export { "


def page() -> str:
    """The whole page as HTML: the same bytes each time."""
    script = "\n".join(['"use strict";', _library(), *(_read(f"{name}.js") for name in SCRIPTS)])
    style = _read("page.css")
    if "</" + "script" in script or "</" + "style" in style:
        raise ValueError("a script of the page would end it")
    text = _read("page.html")
    for name, value in (("script", _digest(script)), ("style", _digest(style)), ("css", style), ("js", script)):
        before, mark, after = text.partition("{" + name + "}")
        if not mark:
            raise ValueError(f"the page has no place for its {name}")
        text = before + value + after
    return text


def _library() -> str:
    """The module of @noble/ed25519 as a value that a classic script can have: what it exports is returned."""
    text = _read("noble-ed25519.js")
    body, mark, names = text.rpartition(_EXPORT)
    if not mark or "}" not in names:
        raise ValueError("the library exports nothing at its end")
    licence = "".join(f"// {line}\n" for line in _read("noble-ed25519.LICENSE").splitlines())
    return f"{licence}const noble = (() => {{\n{body}return {{ {names.partition('}')[0]}}};\n}})();"


def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
