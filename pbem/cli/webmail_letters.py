"""Make the page of a letter harmless: what is not known to be looked at alone is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape

import lxml.etree
import lxml.html

ELEMENTS = frozenset(
    (
        *("html", "head", "body", "style", "meta", "a", "area", "map", "img", "p", "div", "span", "br", "hr", "pre"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "center", "font"),
        *("table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "td", "th"),
        *("b", "i", "u", "s", "em", "strong", "small", "big", "sub", "sup", "code", "tt", "kbd", "samp", "q", "abbr"),
    )
)
"""Elements that are kept; of others their text is."""
LEFT_OUT = frozenset(
    (
        *("script", "noscript", "template", "title", "iframe", "frameset", "object", "embed", "applet", "audio"),
        *("video", "svg", "math", "select", "textarea", "form", "input", "button", "base", "link"),
    )
)
"""Elements that are left out with all that is in them."""
ATTRIBUTES = frozenset(
    (
        *("align", "alt", "bgcolor", "border", "cellpadding", "cellspacing", "class", "color", "colspan", "coords"),
        *("dir", "face", "height", "id", "lang", "role", "rowspan", "scope", "shape", "size", "start"),
        *("style", "title", "usemap", "valign", "width"),
    )
)
_EMPTY = frozenset({"area", "br", "col", "hr", "img", "meta"})
_SAID = frozenset({"viewport", "color-scheme", "supported-color-schemes"})
"""What a `meta` element may say."""


def harmless(page: str, pictures: Mapping[str, str], link: Callable[[str], str]) -> str:
    """Return a letter's page with its own pictures in it, and its links changed.

    `pictures` are addresses by Content-ID. `link` returns where a link leads instead: to a place in the page, or to a
    page of ours, which takes the whole window. All is written anew from known elements and attributes, so that a
    browser reads no other page than we did.
    """
    source = page.replace("\x00", "").encode("utf-8", "replace")
    try:
        tree = lxml.html.document_fromstring(source, parser=lxml.html.HTMLParser(encoding="utf-8"))
    except lxml.etree.ParserError:
        return "<!DOCTYPE html>"
    return "<!DOCTYPE html>" + "".join(_Writer(pictures, link).element(tree))


class _Writer:
    """Writes a tree down, without what is not known to be harmless."""

    def __init__(self, pictures: Mapping[str, str], link: Callable[[str], str]) -> None:
        self._pictures = pictures
        self._link = link

    def element(self, node: lxml.html.HtmlElement) -> Iterator[str]:
        """Yield an element, or what is kept of it."""
        tag = node.tag
        if tag == "style":
            # What ends the element for some browser is no style.
            yield f"<style>{(node.text or '').replace('<', '')}</style>"
        elif isinstance(tag, str) and tag not in LEFT_OUT:
            kept = tag in ELEMENTS and (tag != "meta" or node.get("name") in _SAID)
            if kept:
                yield f"<{tag}{''.join(self._attributes(node))}>"
            yield escape(node.text or "")
            for child in node:
                yield from self.element(child)
                yield escape(child.tail or "")
            if kept and tag not in _EMPTY:
                yield f"</{tag}>"

    def _attributes(self, node: lxml.html.HtmlElement) -> Iterator[str]:
        for name, value in node.items():
            if name == "href" and node.tag in ("a", "area"):
                leads = self._link(value)
                yield f' href="{escape(leads)}" target="{"_self" if leads.startswith("#") else "_top"}"'
            elif name == "src" and node.tag == "img" and value.startswith("cid:"):
                yield f' src="{escape(self._pictures.get(value[4:], ""))}"'
            elif name in ATTRIBUTES or (node.tag == "meta" and name in ("name", "content")):
                yield f' {name}="{escape(value)}"'
