"""Convert HTML to text, with the quotes that clients set marked as quoted.

Quotes are found by the elements that clients put around them, and become ``> `` lines; if a client only marks the
beginning of a quote, the sentinel line is inserted there. All other rules work on lines, as for plain text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import NamedTuple

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
"""Levels of nested elements that are read; the parser itself stops at 256."""
_PREFORMATTED = frozenset({"listing", "plaintext", "pre", "xmp"})
_SPACED = frozenset({"figure", "h1", "h2", "h3", "h4", "h5", "h6"})
"""Blocks with an empty line before and after them."""
_BLOCKS = (
    _PREFORMATTED | _SPACED | {"address", "article", "aside", "blockquote", "div", "figcaption", "footer", "header"}
)
_BLOCKS |= {"hgroup", "layer", "li", "main", "nav", "ol", "p", "ul"}
_AROUND = {"q": '"', "span": " "}
"""What stands before and after each text of an element: a cell of a table is a span."""
_BULLETS = ("* ", "+ ", "o ", "- ")
"""Bullets of lists, by their depth."""
_LENGTH = re.compile(r"(-?[0-9.]+)(\w+)")
_NUMBER = re.compile(r"[0-9]{1,9}")
_MARGINS = {"margin-top": 0, "margin-before": 0, "margin-bottom": 1, "margin-after": 1}
_MARGIN = 2
"""Empty lines that an inline style may set between paragraphs: more carry no meaning, and could fill the text."""


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


class _Layout(NamedTuple):
    """How an element is laid out; `margins` are empty lines before and after it."""

    block: bool
    hidden: bool
    preformatted: bool
    margins: tuple[int, int]


def _layout(element: etree._Element) -> _Layout:
    """Return the layout of an element by its name and its inline style."""
    tag = str(element.tag)
    block, hidden, preformatted = tag in _BLOCKS, False, tag in _PREFORMATTED
    margins = [int(tag in _SPACED)] * 2
    for declaration in (element.get("style") or "").lower().split(";"):
        key, colon, value = (part.strip() for part in declaration.partition(":"))
        key = key.replace("-webkit-", "")
        if key == "display" and colon:
            hidden = hidden or value == "none"
            block = value == "block"
        elif key == "white-space" and value in ("normal", "nowrap", "pre", "pre-line", "pre-wrap"):
            preformatted = value.startswith("pre")
        elif key in _MARGINS and (length := _LENGTH.search(value)):
            with suppress(ValueError):
                lines = float(length[1]) / (1 if length[2] in ("em", "qem", "rem") else 8)
                margins[_MARGINS[key]] = round(max(0, min(lines, _MARGIN)))
    return _Layout(block, hidden, preformatted, (margins[0], margins[1]))


class _Lines:
    """The lines of a text as it is written.

    `margin` counts the empty lines since the last text, as asked for by blocks; `bullets` has one an open block, empty
    if it has none or it is written.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.margin = _MARGIN
        self.bullets: list[str] = []
        self._start_line()

    def _start_line(self) -> None:
        self._line: list[str] = []
        self._after_blank, self._has_bullet = True, False

    def _bullet(self) -> str:
        """Take the innermost unwritten bullet; empty if none, or this line has one."""
        waiting = [] if self._has_bullet else [place for place, bullet in enumerate(self.bullets) if bullet]
        if not waiting:
            return ""
        bullet, self.bullets[waiting[-1]] = self.bullets[waiting[-1]], ""
        return bullet

    def write(self, text: str, preformatted: bool) -> None:
        """Write on the current line; runs of blanks become one unless `preformatted`."""
        if not preformatted:
            before = " " if text[0].isspace() and not self._after_blank else ""
            words = text.split()
            after = " " if words and text[-1].isspace() else ""
            text = f"{before}{' '.join(words)}{after}"
        if text:
            self._line += [self._bullet(), text] if not self._line or preformatted else [text]
            self._has_bullet = True
            self._after_blank = not preformatted and text[-1] == " "

    def end_line(self) -> bool:
        """End the current line; return whether anything was on it."""
        if not self._line:
            return False
        self._end_line("".join(self._line))
        return True

    def _end_line(self, line: str) -> None:
        self.lines.append(line)
        self.margin = 0
        self._start_line()

    def end_block(self, margin: int, is_item: bool) -> None:
        """End the line before or after a block, which wants so many empty lines there."""
        if not self.end_line() and is_item and (bullet := self._bullet()):
            self._end_line(bullet)
        if margin > self.margin:
            self.lines += [""] * (margin - self.margin)
            self.margin = margin

    def break_line(self) -> None:
        """End the current line, or leave an empty one."""
        if not self.end_line():
            self.lines.append("")
            self._start_line()


class _Renderer:
    """Writes the text of elements into lines."""

    def __init__(self) -> None:
        self.lines = _Lines()
        self._items: list[int | str] = []
        """The next number of each open list, or its bullet."""

    def write(self, element: etree._Element, above: _Layout) -> None:
        """Write an element; `above` is the layout of the one around it."""
        layout = _layout(element)
        if layout.hidden:
            return
        bullet = self._next_bullet(element) if element.tag == "li" else ""
        around = "" if above.preformatted and element.tag == "span" else _AROUND.get(str(element.tag), "")
        if element.tag in ("ol", "ul"):
            self._items.append(1 if element.tag == "ol" else _BULLETS[len(self._items) % len(_BULLETS)])
        elif element.tag == "br":
            self.lines.break_line()
        if layout.block:
            self.lines.end_block(max(layout.margins[0], above.margins[1] * above.block), bool(bullet))
            self.lines.bullets.append(bullet)
        for text, child in ((element.text, None), *((child.tail, child) for child in element)):
            if child is not None:
                self.write(child, layout)
            if text:
                self.lines.write(f"{around}{text}{around}", layout.preformatted)
        if element.tag in ("ol", "ul"):
            self._items.pop()
        if layout.block:
            self.lines.end_block(layout.margins[1], bool(bullet))
            self.lines.bullets.pop()

    def _next_bullet(self, item: etree._Element) -> str:
        if not self._items or isinstance(self._items[-1], str):
            return str(self._items[-1]) if self._items else _BULLETS[0]
        value = item.get("value") or ""
        number = int(value) if _NUMBER.fullmatch(value) else self._items[-1]
        self._items[-1] = number + 1
        return f"{number}. "


def _render(element: etree._Element) -> str:
    """Return the text of an element, lines trimmed; its tail is not in it."""
    renderer = _Renderer()
    renderer.write(element, _Layout(block=False, hidden=False, preformatted=False, margins=(0, 0)))
    renderer.lines.end_line()
    lines = "\n".join(renderer.lines.lines).split("\n")
    return "\n".join(line.strip() for line in lines).strip("\n")


def _style(element: etree._Element) -> str:
    return (element.get("style") or "").replace(" ", "").lower()
