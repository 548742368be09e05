"""Make documents as one HTML page: headings with anchors, rule numbers as links."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pbem.pages.binder import COMMON, Page, bind, escape_text, read_files
from pbem.pages.printed import Document, Grid, Heading, Lines, Part, Plain

FOLDER = Path(__file__).parent
# The number of a rule in a sentence, which becomes a link.
_RULE = re.compile(r"\b[A-Z]\d+(?:\.\d+)*[a-z]?\b")
Link = tuple[str, str, str]
"""A link to another file: its path, its language, and the words of the link."""


def to_html(document: Document, links: Sequence[Link] = ()) -> str:
    """Return a document as a page; raise ValueError for a part only for paper."""
    ids = _anchors_of(document)
    anchors = frozenset(ids.values())
    parts = "".join(_part_html(part, ids.get(index, ""), anchors) for index, part in enumerate(document.parts))
    markup = {
        "language": escape_text(document.language),
        "title": escape_text(document.title),
        "feed": "",
        "lead": " ".join(escape_text(line) for line in document.under),
        "parts": _contents(document, ids) + parts,
        "links": "".join(
            f'<a href="{escape_text(file)}" hreflang="{escape_text(language)}">{escape_text(words)}</a> '
            for file, language, words in links
        ),
    }
    css = read_files(COMMON, ["base.css"]) + read_files(FOLDER, ["web.css"])
    return bind(Page(read_files(COMMON, ["list.html"]), css, "", {}, markup))


def _anchors_of(document: Document) -> dict[int, str]:
    """Return headings' anchors by index: first number if unique, else index."""
    anchors: dict[int, str] = {}
    for index, part in enumerate(document.parts):
        if isinstance(part, Heading):
            number = _RULE.match(part.text)
            anchors[index] = number[0] if number and number[0] not in anchors.values() else f"part{index}"
    return anchors


def _contents(document: Document, ids: Mapping[int, str]) -> str:
    """Return the list of headings to the document's depth, each with its link."""
    entries = [
        f'<li class="depth{part.level}"><a href="#{ids[index]}">{escape_text(part.text)}</a></li>'
        for index, part in enumerate(document.parts)
        if isinstance(part, Heading) and part.level <= document.depth
    ]
    title = escape_text(document.contents)
    return f'<details class="card"><summary>{title}</summary><ul>{"".join(entries)}</ul></details>' if title else ""


def _link_rules(text: str, anchors: Collection[str]) -> str:
    def link(match: re.Match[str]) -> str:
        return f'<a href="#{match[0]}">{match[0]}</a>' if match[0] in anchors else match[0]

    return _RULE.sub(link, escape_text(text))


def _part_html(part: Part, anchor: str, anchors: Collection[str]) -> str:
    if isinstance(part, Heading):
        # h1 is the title of the page, and the style sheet goes down to h4.
        level = min(part.level + 1, 4)
        return f'<h{level} id="{anchor}">{escape_text(part.text)}</h{level}>'
    if isinstance(part, Lines):
        return "".join(f'<p class="depth{depth}">{_link_rules(line, anchors)}</p>' for depth, line in part.lines)
    if isinstance(part, Plain):
        return "<pre>" + "\n".join(escape_text(line) for line in part.text.split("\n")) + "</pre>"
    if isinstance(part, Grid):
        heads = "".join(f"<th>{escape_text(head)}</th>" for head in part.heads)
        rows = "".join(_row(row, anchors) for _, group in part.groups for row in group)
        return f"<table><tr>{heads}</tr>{rows}</table>"
    raise ValueError(f"a {type(part).__name__} is for paper alone")


def _row(row: Sequence[str], anchors: Collection[str]) -> str:
    return "<tr>" + "".join(f"<td>{_link_rules(cell, anchors)}</td>" for cell in row) + "</tr>"
