"""Documents as one page of HTML: headings with anchors, and every number of a rule that has one leads there."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pbem.pages.binder import COMMON, Page, bind, read, worded_in
from pbem.pages.printed import Document, Grid, Heading, Lines, Part, Plain

FOLDER = Path(__file__).parent
_RULE = re.compile(r"\b[A-Z]\d+(?:\.\d+)*[a-z]?\b")
Link = tuple[str, str, str]
"""A file, its language, and the words that lead there."""


def to_html(document: Document, links: Sequence[Link] = ()) -> str:
    """Return a document as a page; ValueError for a part that is for paper alone."""
    ids = _ids(document)
    anchors = frozenset(ids.values())
    parts = "".join(_shown(part, ids.get(place, ""), anchors) for place, part in enumerate(document.parts))
    drawn = {
        "language": worded_in(document.language),
        "title": worded_in(document.title),
        "feed": "",
        "lead": " ".join(worded_in(line) for line in document.under),
        "parts": _contents(document, ids) + parts,
        "links": "".join(
            f'<a href="{worded_in(file)}" hreflang="{worded_in(language)}">{worded_in(words)}</a> '
            for file, language, words in links
        ),
    }
    css = read(COMMON, ["base.css"]) + read(FOLDER, ["web.css"])
    return bind(Page(read(COMMON, ["list.html"]), css, "", {}, drawn))


def _ids(document: Document) -> dict[int, str]:
    """The anchors of headings by their place: the number that one begins with, if it is the first, else its place."""
    found: dict[int, str] = {}
    for place, part in enumerate(document.parts):
        if isinstance(part, Heading):
            number = _RULE.match(part.text)
            found[place] = number[0] if number and number[0] not in found.values() else f"part{place}"
    return found


def _contents(document: Document, ids: Mapping[int, str]) -> str:
    """The headings to the depth that the document lists, each leading to its place."""
    found = [
        f'<li class="depth{part.level}"><a href="#{ids[place]}">{worded_in(part.text)}</a></li>'
        for place, part in enumerate(document.parts)
        if isinstance(part, Heading) and part.level <= document.depth
    ]
    title = worded_in(document.contents)
    return f'<details class="card"><summary>{title}</summary><ul>{"".join(found)}</ul></details>' if title else ""


def _linked(text: str, anchors: Collection[str]) -> str:
    def link(found: re.Match[str]) -> str:
        return f'<a href="#{found[0]}">{found[0]}</a>' if found[0] in anchors else found[0]

    return _RULE.sub(link, worded_in(text))


def _shown(part: Part, own: str, anchors: Collection[str]) -> str:
    if isinstance(part, Heading):
        level = min(part.level + 1, 4)
        return f'<h{level} id="{own}">{worded_in(part.text)}</h{level}>'
    if isinstance(part, Lines):
        return "".join(f'<p class="depth{depth}">{_linked(line, anchors)}</p>' for depth, line in part.lines)
    if isinstance(part, Plain):
        return "<pre>" + "\n".join(worded_in(line) for line in part.text.split("\n")) + "</pre>"
    if isinstance(part, Grid):
        heads = "".join(f"<th>{worded_in(head)}</th>" for head in part.heads)
        rows = "".join(_row(row, anchors) for _, group in part.groups for row in group)
        return f"<table><tr>{heads}</tr>{rows}</table>"
    raise ValueError(f"a {type(part).__name__} is for paper alone")


def _row(row: Sequence[str], anchors: Collection[str]) -> str:
    return "<tr>" + "".join(f"<td>{_linked(cell, anchors)}</td>" for cell in row) + "</tr>"
