"""From bytes to text: MIME (RFC 2045-2049) read with suspicion.

The standard parser takes any bytes, but some shapes cost it minutes or its stack; `prescan` keeps those away from it.
Headers are read apart from the body, so that even a letter whose body is refused has a sender and a date.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from email import policy
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from functools import lru_cache
from typing import Any, NamedTuple

from pbem.mail.alternatives import same_words
from pbem.mail.flowed import unflow
from pbem.mail.html import html_to_text

HEADER_OCTETS = 65_536
FIELD_OCTETS = 4_096
BOUNDARY_LINES = 500
MULTIPARTS = 20
MESSAGES = 5
DEPTH = 10
RAW_LINES = 50_000
TEXT_OCTETS = 262_144
HTML_OCTETS = 1_048_576
HTML_TAGS = 30_000
"""Tags of all pages of a letter: what they cost to read grows with them. An answer with a whole thread below it has a
third of these."""
TEXT_LINES = 4_000

_HEADER_END = re.compile(rb"\r\n\r\n|\n\r?\n|\r\r")
_CONTENT_FIELD = re.compile(rb"content-[a-z-]{1,30}:", re.IGNORECASE)
# Not for text, or with escapes or a cost of their own; nobody writes letters in them.
_NO_CHARSETS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7", "mbcs"})
_WIDE = re.compile(r"utf-?(?:16|32)|ucs-?[24]")
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_MAY_COMBINE = re.compile("[\u0300-\U0010ffff]")
"""No character before these is a combining mark; the letters of Western Europe stand there."""
_MARKS = 30
"""Combining marks in a row; Unicode's stream-safe format (UAX 15, section 13) has the same bound."""


class Poison(Exception):
    """A shape that the parser must not meet; the text says which."""


class TooLong(Exception):
    """More text than is read; the text names the limit."""


def prescan(raw: bytes) -> None:
    """Raise Poison or TooLong if `raw` is beyond a limit above; linear in its length, whatever it holds."""
    end = _HEADER_END.search(raw, 0, HEADER_OCTETS + 4)
    if end is None and len(raw) > HEADER_OCTETS:
        raise Poison(f"the header is longer than {HEADER_OCTETS} octets")
    folded = raw.lower()
    _bounded(folded.count(b"multipart/"), MULTIPARTS, "multiparts")
    _bounded(folded.count(b"message/rfc822"), MESSAGES, "letters inside the letter")
    # The parser descends into every kind of message/, whoever reads it.
    _bounded(folded.count(b"message/"), MULTIPARTS, "messages inside the letter")
    lines = raw.splitlines()
    if len(lines) > RAW_LINES:
        raise TooLong(f"the letter has more than {RAW_LINES} lines")
    if b"multipart/" in folded:
        boundaries = sum(line.startswith(b"--") and line.rstrip() != b"--" for line in lines)
        _bounded(boundaries, BOUNDARY_LINES, "boundary lines")
    _bounded(_longest_content_field(lines), FIELD_OCTETS, "octets in a Content field")


class Fields:
    """The header of a letter: names in lower case, values decoded, unfolded and cut at 8,192 characters."""

    def __init__(self, items: list[tuple[str, str]]) -> None:
        self._items = items

    def all(self, name: str) -> list[str]:
        """Every value under a name (in lower case), in the order of the header."""
        return [value for key, value in self._items if key == name]

    def first(self, name: str) -> str:
        """The first value under a name, or the empty string."""
        return next(iter(self.all(name)), "")

    def names(self) -> frozenset[str]:
        """All names there are."""
        return frozenset(key for key, _ in self._items)


def header(raw: bytes) -> bytes:
    """The header of a letter as it stands, with the blank line behind it; at most 64 KB."""
    end = _HEADER_END.search(raw, 0, HEADER_OCTETS + 4)
    return raw[: end.end() if end else HEADER_OCTETS]


def read_fields(raw: bytes) -> Fields:
    """Read the header alone, at most 64 KB of it."""
    head = BytesHeaderParser(policy=policy.compat32).parsebytes(header(raw))
    items = []
    for name, value in head.raw_items():
        octets = str(value)[:8192].encode("ascii", "surrogateescape")
        text = re.sub(r"\s+", " ", clean(decode(octets, "utf-8"))).strip()
        items.append((name.strip().lower(), text))
    return Fields(items)


def decode_words(value: str, limit: int = 1000) -> str:
    """Decode the encoded-words (RFC 2047) of a header's value and return it on one line; what fails stays as it is."""
    try:
        parts = decode_header(value[:limit])
        text = "".join(part if isinstance(part, str) else decode(part, charset) for part, charset in parts)
    except Exception:  # the decoder raises binascii.Error, ValueError, LookupError ... for broken words
        text = value[:limit]
    return re.sub(r"\s+", " ", clean(text)).strip()


def body_text(raw: bytes) -> str:
    """Return the text that the letter's author sees: text parts first, HTML turned to text where there is no other.

    Where the HTML part has the same words, its lines are taken: the text part's may be broken to fit a screen.
    LF lines, NFC, no control characters, flowed paragraphs joined (RFC 3676), quoted lines marked by ``> ``. Attached
    files and letters inside the letter are no text. `prescan` must have let `raw` pass. Raises Poison for a nesting
    deeper than 10, TooLong for more than 256 KB or 4,000 lines.
    """
    return _body_text(raw)


@lru_cache(maxsize=1)
def _body_text(raw: bytes) -> str:
    """The text of the letter at hand: whoever takes it in asks for it more than once, and a page is dear to read."""
    message = BytesParser(policy=policy.compat32).parsebytes(raw)
    text = "\n".join(leaf.text.rstrip("\n") for leaf in _leaves(message, 0, _Tags()))
    if len(text.encode("utf-8")) > TEXT_OCTETS:
        raise TooLong(f"the text is longer than {TEXT_OCTETS // 1024} KB")
    if text.count("\n") >= TEXT_LINES:
        raise TooLong(f"the text has more than {TEXT_LINES} lines")
    return text


class _Leaf(NamedTuple):
    plain: bool
    text: str


class _Tags:
    """The tags of all pages of a letter that were met."""

    def __init__(self) -> None:
        self._met = 0

    def meet(self, page: str) -> None:
        """Count those of one page more; TooLong if a letter may not have so many."""
        self._met += page.count("<")
        if self._met > HTML_TAGS:
            raise TooLong(f"the pages of the letter have more than {HTML_TAGS} tags")


def _leaves(part: Message, depth: int, tags: _Tags) -> list[_Leaf]:
    """The text parts below `part` that are to be read, in order."""
    if depth > DEPTH:
        raise Poison(f"parts are nested deeper than {DEPTH}")
    kind = part.get_content_type()
    if kind.startswith("multipart/"):
        payload: Any = part.get_payload()
        # A multipart without its boundary is a string: where its parts begin is anybody's guess, so it has none.
        children = [_leaves(child, depth + 1, tags) for child in payload] if isinstance(payload, list) else []
        if kind == "multipart/alternative":
            return _alternative(children)
        if kind == "multipart/related":
            return children[0] if children else []
        return [leaf for child in children for leaf in child]
    if kind not in ("text/plain", "text/markdown", "text/html") or _attached(part):
        return []
    return [_leaf(part, kind, tags)]


def _alternative(children: list[list[_Leaf]]) -> list[_Leaf]:
    """The text part, with the lines of the HTML part if it says the same; the HTML part where there is no other."""
    filled = [child for child in children if any(leaf.text.strip() for leaf in child)]
    plain = [child for child in filled if all(leaf.plain for leaf in child)]
    pages = [child for child in filled if not any(leaf.plain for leaf in child)]
    chosen = next(iter(plain or filled), [])
    if plain and len(chosen) == 1 and len(pages) == 1 and len(pages[0]) == 1:
        return pages[0] if same_words(chosen[0].text, pages[0][0].text) else chosen
    return chosen


def _leaf(part: Message, kind: str, tags: _Tags) -> _Leaf:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return _Leaf(True, "")
    limit = HTML_OCTETS if kind == "text/html" else TEXT_OCTETS
    if len(data) > limit:
        raise TooLong(f"a part of the letter is longer than {limit // 1024} KB")
    text = clean(decode(data, _parameter(part, "charset")))
    if kind == "text/html":
        tags.meet(text)
        return _Leaf(False, clean(html_to_text(text)))
    if _parameter(part, "format").lower() == "flowed":
        text = unflow(text, delsp=_parameter(part, "delsp").lower() == "yes")
    return _Leaf(True, text)


def _attached(part: Message) -> bool:
    return (
        part.get_content_disposition() == "attachment"
        or part.get_param("filename", None, "content-disposition") is not None
    )


def _parameter(part: Message, name: str) -> str:
    """A parameter of Content-Type; RFC 2231's triples are read as their text."""
    value: Any = part.get_param(name, "")
    return str(value[2] if isinstance(value, tuple) else value).strip()


def decode(data: bytes, charset: str | None) -> str:
    """Decode text whose declared charset may be missing, unknown or wrong; never fails.

    A byte order mark wins; then text that is UTF-8 and could not be so by accident; then the declared charset, UTF-8,
    Windows-1252 (also for ISO-8859-1, as every client reads it) and ISO-8859-1.
    """
    for mark, name in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(mark):
            return data.decode(name, "replace")
    declared = re.sub(r"[^a-z0-9-]+", "-", (charset or "").lower()).strip("-")
    if declared in ("iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii", "windows-1252"):
        declared = "cp1252"
    if declared in _NO_CHARSETS or len(declared) > 40 or (_WIDE.match(declared) and b"\0" not in data):
        declared = ""
    # Letters of most scripts are ASCII or broken UTF-8 in a one-byte charset; the seven-bit ones use ESC instead.
    choices = ["utf-8", declared] if not data.isascii() else [declared, "utf-8"]
    if _WIDE.match(declared) or declared.startswith(("iso-2022", "hz")):
        choices = [declared, "utf-8"]
    for name in (*choices, "cp1252"):
        try:
            return data.decode(name) if name else data.decode("utf-8")
        except (LookupError, ValueError):
            continue
    return data.decode("latin-1")


def clean(text: str) -> str:
    """Return the text with LF lines, composed (NFC), without control, invisible and direction-turning characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return _CONTROL.sub("", text)
    text = re.sub("[\x85\u2028\u2029]", "\n", text)
    return unicodedata.normalize("NFC", _few_marks(_CONTROL.sub("", text)))


def _few_marks(text: str) -> str:
    """Drop combining marks after the thirtieth in a row: ordering them takes quadratic time."""
    if not _MAY_COMBINE.search(text):
        return text
    kept = []
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= _MARKS:
            kept.append(character)
    return "".join(kept)


def _longest_content_field(lines: list[bytes]) -> int:
    """Octets of the longest Content field of any part, folded lines included."""
    longest = current = 0
    for line in lines:
        if current and line[:1] in (b" ", b"\t"):
            current += len(line)
        else:
            current = len(line) if _CONTENT_FIELD.match(line) else 0
        longest = max(longest, current)
    return longest


def _bounded(count: int, limit: int, what: str) -> None:
    if count > limit:
        raise Poison(f"more than {limit} {what}")
