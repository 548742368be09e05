"""The page that players check their dice with: the files of `pbem/verifier/page` laid into one, which asks nobody.

    page() -> '<!DOCTYPE html>...'

Its policy lets no request out and no script run but the one inside, whose hash it names.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pbem
from pbem.verifier.labels import LABELS
from pbem.verifier.verdict import WHAT
from pbem.verifier.words import SPANISH

__all__ = ["EXPORT", "FOLDER", "LIBRARIES", "SCRIPTS", "page"]

FOLDER = Path(pbem.__file__).parent / "verifier" / "page"

SCRIPTS = (
    "hashes", "fields", "curve", "beacon", "tree", "notes", "mime", "mailbox", "bundle", "record", "log", "phases",
    "orders", "rolls", "timing", "recovery", "judge", "words", "verdict", "page",
)  # fmt: skip
"""The page's own scripts in the order in which they need each other; all share one scope."""

LIBRARIES = {"noble": "noble-ed25519", "nobleBls": "noble-bls12-381"}
"""What is not our own, by the names under which the scripts have it."""

EXPORT = re.compile(r"^export (?:(?=(?:const|function|class) (\w+))|\{([^}]*)\};?)", re.MULTILINE)


def page() -> str:
    """The whole page as HTML: the same bytes each time."""
    script = "\n".join(
        ['"use strict";', *map(_library, LIBRARIES), _tables(), *(_read(f"{name}.js") for name in SCRIPTS)]
    )
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


def _library(name: str) -> str:
    """A module of others as a value that a classic script can have: what it exports is returned."""
    text = _read(f"{LIBRARIES[name]}.js")
    names = [one for found in EXPORT.finditer(text) for one in (found[1] or found[2]).replace(",", " ").split()]
    if not names or re.search(r"^import\b[^\n]*;$", re.sub(r"(?s)/\*.*?\*/", "", text), re.MULTILINE):
        raise ValueError(f"the library {LIBRARIES[name]} exports nothing, or needs another")
    licence = "".join(f"// {line}".rstrip() + "\n" for line in _read(f"{LIBRARIES[name]}.LICENSE").splitlines())
    body = EXPORT.sub("", text)
    return f"{licence}const {name} = (() => {{\n{body}\nreturn {{ {', '.join(names)} }};\n}})();"


def _tables() -> str:
    """The sentences and the grammar of labels of the other verifier, which both must have alike."""
    tables = {"SPANISH": SPANISH, "WHAT": WHAT, "LABELS": LABELS}
    return "\n".join(f"const {name} = {json.dumps(table, ensure_ascii=False)};" for name, table in tables.items())


def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
