"""Parts of a page laid into one file, which asks nobody.

    bind(Page(html, css, script)) -> '<!DOCTYPE html>...'

Its policy lets no request out, no form go anywhere and no script run but the one inside, whose hash it names. The
template has a place `{head}`, a place `{script}`, and others for the data and for what is drawn.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pbem
from pbem.engine.data.canon import Json

COMMON = Path(pbem.__file__).parent / "pages" / "common"
"""What every page of ours may be made with."""
CHECKS = Path(pbem.__file__).parent / "verifier" / "page"
"""Where the scripts are that check dice; two of them, `bytes` and `mime`, read any letter."""

EXPORT = re.compile(r"^export (?:(?=(?:const|function|class) (\w+))|\{([^}]*)\};?)", re.MULTILINE)
_PLACE = re.compile(r"\{([a-z]+)\}")
_HEAD = """<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-%s'; \
style-src 'sha256-%s'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<style>%s</style>"""


class Page(NamedTuple):
    """What a page is made of.

    `data` are values for the script, each in an element of its name; `drawn` is markup of our own making by the name
    of its place, such as a map: everything in it was escaped where it was drawn.
    """

    html: str
    css: str
    script: str
    data: Mapping[str, Json] = {}
    drawn: Mapping[str, str] = {}


def bind(page: Page) -> str:
    """Return the page as one file; ValueError if a part of it would end it, or has no place in it."""
    if "</" + "script" in page.script or "</" + "style" in page.css:
        raise ValueError("a script of the page would end it")
    values = {
        "head": _HEAD % (_digest(page.script), _digest(page.css), page.css),
        "data": "".join(_island(name, value) for name, value in page.data.items()),
        "script": f"<script>{page.script}</script>",
        **page.drawn,
    }
    if missing := {name for name, value in values.items() if value} - {*_PLACE.findall(page.html)}:
        raise ValueError(f"the page has no place for its {', '.join(sorted(missing))}")
    # In one pass: what is laid in is not looked through for places.
    return _PLACE.sub(lambda found: values.get(found[1], found[0]), page.html)


def read(folder: Path, names: Iterable[str]) -> str:
    """Return files of a folder, one after another."""
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def bare(text: str) -> str:
    """Return a text without what is not seen in it, or turns the writing round; lines end where they ended."""
    return "".join(c if c.isprintable() or c == "\n" else " " if c.isspace() else "" for c in text)


def worded_in(text: str) -> str:
    """Return a text for a place in the markup: escaped, on one line, without what is not seen in it."""
    return html.escape(bare(text).replace("\n", " "))


def library(folder: Path, file: str, name: str) -> str:
    """Return a module of others as a value `name` that a classic script can have: what it exports, with its licence."""
    text = (folder / f"{file}.js").read_text("utf-8")
    names = [one for found in EXPORT.finditer(text) for one in (found[1] or found[2]).replace(",", " ").split()]
    if not names or re.search(r"^import\b[^\n]*;$", re.sub(r"(?s)/\*.*?\*/", "", text), re.MULTILINE):
        raise ValueError(f"the library {file} exports nothing, or needs another")
    licence = (folder / f"{file}.LICENSE").read_text("utf-8").splitlines()
    told = "".join(f"// {line}".rstrip() + "\n" for line in licence)
    return f"{told}const {name} = (() => {{\n{EXPORT.sub('', text)}\nreturn {{ {', '.join(names)} }};\n}})();"


def constants(values: Mapping[str, Json]) -> str:
    """Return lines of a script that hold values by their names."""
    return "\n".join(
        f"const {name} = {_bare(json.dumps(value, ensure_ascii=False))};" for name, value in values.items()
    )


def _island(name: str, value: Json) -> str:
    """Data in ASCII: whatever somebody called himself, it ends no element, and turns no line of the page's source."""
    held = json.dumps(value, separators=(",", ":")).replace("\x7f", "\\u007f")
    return f'<script type="application/json" id="{name}">{_bare(held)}</script>'


def _bare(said: str) -> str:
    """JSON without the signs around elements."""
    return said.replace("<", "\\u003c").replace(">", "\\u003e")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
