"""Convert HTML to text, with the quotes that clients set marked as quoted.

Quotes are found by the elements that clients put around them, and become ``> `` lines; if a client only marks the
beginning of a quote, the sentinel line is inserted there. All other rules work on lines, as for plain text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from inscriptis import Inscriptis
from inscriptis.model.config import ParserConfig
from inscriptis.model.css import CssParse
from inscriptis.model.html_element import HtmlElement
from lxml import etree

from pbem.mail.reading import TooLong

SENTINEL = "##- please write above this line -##"
"""The first line of every letter of this server. Text below it in an answer is a quote."""

# Yahoo adds a prefix to the name, and Outlook "x_" to those of the letters that it quotes. The prefix is bounded, since
# anybody can write names.
_QUOTES = re.compile(
    r"(?:x_)*(?:gmail_quote(?:_container)?|gmail_attr|(?:ydp[0-9a-z]{1,16})?yahoo_quoted|protonmail_quote|tutanota_quote|zmail_extra)"
)
_QUOTE_IDS = frozenset({"mail-editor-reference-message-container", "OLK_SRC_BODY_SECTION"})
_QUOTE_NAMES = frozenset({"quote", "messageReplySection"})
"""Names that GMX and Spark give to the box around a quote."""
_BEGIN_CLASSES = frozenset({"OutlookMessageHeader", "ms-outlook-mobile-reference-message"})
_BEGIN_IDS = frozenset({"divRplyFwdMsg", "appendonsend", "stopSpelling", "zwchr", "reply-intro"})
# Outlook's own quote has no name: a box with a rule above it, around "From: ... Sent: ...".
_BEGIN_STYLE = re.compile(r"border:\s*none;\s*border-top:\s*solid #(?:E1E1E1|B5C4DF)", re.IGNORECASE)
_FLAT = {"p": "div", "table": "div", "tbody": "div", "thead": "div", "tr": "div", "td": "span", "th": "span"}
_UNSEEN = frozenset({"script", "style", "head", "title", "template", "noscript"})
_STRUCK = frozenset({"s", "strike", "del"})
# A selector is cut where CSS cuts it: at blanks and combinators into steps, and a step into tag, classes and id.
_SELECTOR_STEPS = re.compile(r"[\s>+~]+")
_SELECTOR_PARTS = re.compile(r"[.#]?[a-z0-9_-]+")
_STRIKES = 50
"""Selectors of style sheets that cross text out; a letter with more is not read, because each is compared with every
element."""
# A tag goes up to ">", which may also stand in the quotes of a value; no repetition gives back what it took, so that
# the cost grows with the length only.
_TAG = re.compile(r"""<[a-zA-Z](?:=\s*+"[^"]*+"|=\s*+'[^']*+'|[^>])*+""")
_VALUE = re.compile(r"""=\s*+(?:"[^"]*+"|'[^']*+')""")
_ATTRIBUTES = 2_000
"""Attributes of a tag: the parser compares each with all others, so that the cost grows with the square."""
_DEPTH = 200
"""Levels of nested elements: inscriptis returns nothing beyond 256."""


def _apply_style(style: str, element: HtmlElement) -> None:
    """Apply an inline style without its distances.

    inscriptis would write distances as up to 100,000 blanks or empty lines.
    """
    CssParse.attr_style(style, element)
    element.padding_inline = 0
    element.margin_before = min(element.margin_before, _MARGIN)
    element.margin_after = min(element.margin_after, _MARGIN)


_MARGIN = 2
"""Empty lines that an inline style may set between paragraphs: more carry no meaning, and could fill the text."""
_CONFIG = ParserConfig(display_links=False, display_images=False)
_CONFIG.attribute_handler.attribute_mapping = {**_CONFIG.attribute_handler.attribute_mapping, "style": _apply_style}


class HtmlText(NamedTuple):
    """The text of an HTML letter, and its author's crossed-out texts, one an element."""

    text: str
    struck: tuple[str, ...] = ()


def html_to_text(html: str) -> HtmlText:
    """Return the text of an HTML letter, lines trimmed; may be empty.

    Raise TooLong if a tag has more than 2,000 attributes, or style sheets cross out by more than 50 selectors.
    `html` must have no control characters. Tables count as layout, each row a line; there are no empty lines
    between paragraphs. Crossed-out text is left out, except in quotes.
    """
    _check_attributes(html)
    parser = etree.HTMLParser(encoding="utf-8", recover=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(html.encode("utf-8"), parser) if html.strip() else None
    if root is None:
        return HtmlText("")
    strikes = _strikes_of_sheets(root)
    _flatten(root)
    for element in list(_outermost_quotes(root)):
        _mark_quote(element)
    struck = tuple(_take_out_struck(root, strikes))
    return HtmlText(_render(root), struck)


def _check_attributes(html: str) -> None:
    for tag in _TAG.finditer(html):
        if tag.end() - tag.start() > 2 * _ATTRIBUTES:
            words = _VALUE.sub("= ", tag[0])
            if len(words.split()) + words.count("=") + words.count("/") > 2 * _ATTRIBUTES:
                raise TooLong("attributes of a tag", _ATTRIBUTES)


def _strikes_of_sheets(root: etree._Element) -> Collection[frozenset[str]]:
    """Return the conditions of struck elements in style sheets.

    A condition has tag, ``.class`` and ``#id``. Only the last step of a selector is used: it may strike out too
    much, but a missing order is noticed, and an extra one is not.
    """
    strikes = set[frozenset[str]]()
    for sheet in root.iter("style"):
        for rule in (sheet.text or "").lower().split("}"):
            selectors, _, declarations = rule.rpartition("{")
            if "line-through" not in declarations:
                continue
            for selector in selectors.rpartition("{")[2].split(","):
                step = _SELECTOR_STEPS.split(selector.strip())[-1].partition(":")[0]
                if conditions := frozenset(_FLAT.get(part, part) for part in _SELECTOR_PARTS.findall(step)):
                    strikes.add(conditions)
                if len(strikes) > _STRIKES:
                    raise TooLong("crossing selectors", _STRIKES)
    return strikes


def _take_out_struck(root: etree._Element, strikes: Collection[frozenset[str]]) -> Iterator[str]:
    """Empty crossed-out elements before the quote, and yield their texts."""
    struck = list[etree._Element]()
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag == "pre" and element.text == SENTINEL:
            break
        if _is_struck(element, strikes):
            struck.append(element)
        else:
            waiting.extend(reversed(element))
    for element in struck:
        tail, element.tail = element.tail, None
        yield from _render(element).split("\n")
        # Emptied, not removed: moving the text behind it would copy that text each time.
        element.clear()
        element.tag, element.tail = "span", tail


def _is_struck(element: etree._Element, strikes: Collection[frozenset[str]]) -> bool:
    if element.tag in _STRUCK or "line-through" in _style(element):
        return True
    if not strikes:
        return False
    classes = {f".{name}" for name in (element.get("class") or "").lower().split()}
    properties = {str(element.tag), f"#{(element.get('id') or '').lower()}", *classes}
    return any(conditions <= properties for conditions in strikes)


def _flatten(root: etree._Element) -> None:
    """Remove hidden elements, unfold tables, and cut off elements nested too deep."""
    waiting = [(root, 0)]
    while waiting:
        element, depth = waiting.pop()
        for child in list(element):
            hidden = not isinstance(child.tag, str) or child.tag in _UNSEEN or "display:none" in _style(child)
            if hidden or depth > _DEPTH:
                # Emptied, not removed: moving the text behind it would copy that text each time.
                child.clear(keep_tail=True)
                child.tag = "span"
            else:
                waiting.append((child, depth + 1))
        flat = _FLAT.get(element.tag)
        if flat == "span":
            element.tail = " " + (element.tail or "")
        element.tag = flat or element.tag


def _outermost_quotes(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements that are or begin a quote, none inside another."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if _is_quote(element) or _begins_quote(element):
            yield element
        else:
            waiting.extend(reversed(element))


def _mark_quote(element: etree._Element) -> None:
    """Turn a quote into a block of ``> `` lines.

    Before an element that only begins a quote, insert the sentinel.
    """
    block = etree.Element("pre")
    if _is_quote(element):
        tail, element.tail = element.tail, None
        block.text = "".join(f"> {line}\n" for line in _render(element).split("\n"))
        block.tail = tail
        element.getparent().replace(element, block)
    else:
        block.text = SENTINEL
        element.addprevious(block)


def _is_quote(element: etree._Element) -> bool:
    if element.getparent() is None:
        return False
    if _is_answered_within(element):
        return False
    classes = (element.get("class") or "").split()
    has_quote_name = element.get("id") in _QUOTE_IDS or element.get("name") in _QUOTE_NAMES
    return element.tag == "blockquote" or any(map(_QUOTES.fullmatch, classes)) or has_quote_name


def _is_answered_within(element: etree._Element) -> bool:
    """Return whether a box holds attribution and quote as elements of their own.

    Text between them is by the author of the answer.
    """
    inside = [(child.tag, child.get("class") or "") for child in element if isinstance(child.tag, str)]
    return (
        element.tag == "div"
        and any("gmail_attr" in name for _, name in inside)
        and any(tag == "blockquote" for tag, _ in inside)
    )


def _begins_quote(element: etree._Element) -> bool:
    if element.getparent() is None:
        return False
    classes = set((element.get("class") or "").split())
    return (
        bool(classes & _BEGIN_CLASSES)
        or (element.get("id") or "").removeprefix("x_") in _BEGIN_IDS
        or _BEGIN_STYLE.search(element.get("style") or "") is not None
    )


def _render(element: etree._Element) -> str:
    text: str = Inscriptis(element, _CONFIG).get_text()
    return "\n".join(line.strip() for line in text.strip("\n").split("\n"))


def _style(element: etree._Element) -> str:
    return (element.get("style") or "").replace(" ", "").lower()
