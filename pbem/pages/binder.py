"""Bind the parts of a page into one file without requests.

    bind(Page(html, css, script)) -> '<!DOCTYPE html>...'

Its policy allows no request, no form and no script but the one inside, whose hash it names. The template has
a place `{head}`, a place `{script}`, and others for the data and for markup.
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
"""The common files of every page."""
CHECKS = Path(pbem.__file__).parent / "verifier" / "page"
"""The folder of the scripts that check dice; two of them, `bytes` and `mime`, read any letter."""

# The exports of a library's module: before a declaration only the word is matched, and so cut; a list of names is
# matched whole. Then the places of the template.
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
    """The parts of a page.

    `data` are values for the script, each in an element of its name; `drawn` is markup of our own by the name
    of its place, such as a map: everything in it was escaped when it was made.
    """

    html: str
    css: str
    script: str
    data: Mapping[str, Json] = {}
    drawn: Mapping[str, str] = {}


def bind(page: Page) -> str:
    """Return the page as one file.

    Raise ValueError if a script or style sheet contains its own end tag, or if a part has no place in the template.
    """
    if "</" + "script" in page.script or "</" + "style" in page.css:
        raise ValueError("a script of the page would end it")
    values = {
        "head": _HEAD % (_digest(page.script), _digest(page.css), page.css),
        "data": "".join(_data_element(name, value) for name, value in page.data.items()),
        "script": f"<script>{page.script}</script>",
        **page.drawn,
    }
    if missing := {name for name, value in values.items() if value} - {*_PLACE.findall(page.html)}:
        raise ValueError(f"the page has no place for its {', '.join(sorted(missing))}")
    # In one pass: inserted values are not searched for places.
    return _PLACE.sub(lambda match: values.get(match[1], match[0]), page.html)


def read_files(folder: Path, names: Iterable[str]) -> str:
    """Return files of a folder, one after another."""
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def printable(text: str) -> str:
    """Return a text without invisible characters; keep its lines."""
    return "".join(
        character if character.isprintable() or character == "\n" else " " if character.isspace() else ""
        for character in text
    )


def escape_text(text: str) -> str:
    """Return a text for the markup: escaped, on one line, only visible characters."""
    return html.escape(printable(text).replace("\n", " "))


def library(folder: Path, file: str, name: str) -> str:
    """Return a library as a script that defines it as `name`, with its licence."""
    text = (folder / f"{file}.js").read_text("utf-8")
    names = [export for match in EXPORT.finditer(text) for export in (match[1] or match[2]).replace(",", " ").split()]
    if not names or re.search(r"^import\b[^\n]*;$", re.sub(r"(?s)/\*.*?\*/", "", text), re.MULTILINE):
        raise ValueError(f"the library {file} exports nothing, or needs another")
    licence = (folder / f"{file}.LICENSE").read_text("utf-8").splitlines()
    comment = "".join(f"// {line}".rstrip() + "\n" for line in licence)
    return f"{comment}const {name} = (() => {{\n{EXPORT.sub('', text)}\nreturn {{ {', '.join(names)} }};\n}})();"


def constants(values: Mapping[str, Json]) -> str:
    """Return lines of a script that define values by their names."""
    return "\n".join(
        f"const {name} = {_escape_brackets(json.dumps(value, ensure_ascii=False))};" for name, value in values.items()
    )


def _data_element(name: str, value: Json) -> str:
    """Return data in ASCII that cannot end an element, whatever is in it."""
    text = json.dumps(value, separators=(",", ":")).replace("\x7f", "\\u007f")
    return f'<script type="application/json" id="{name}">{_escape_brackets(text)}</script>'


def _escape_brackets(text: str) -> str:
    """Return JSON without angle brackets."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
