"""From bytes to text: MIME (RFC 2045-2049) read with suspicion.

The standard parser takes any bytes, but some shapes cost it minutes or its stack; `prescan` keeps those away from it.
Headers are read apart from the body, so that even a letter whose body is refused has a sender and a date.
"""

from __future__ import annotations

import binascii
import codecs
import re
import unicodedata
from collections.abc import Sequence
from email import policy
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from functools import lru_cache
from typing import Any, NamedTuple

from pbem.engine.orders import block as bounds
from pbem.mail import TEXT_LINES, TEXT_OCTETS
from pbem.mail.address import strike
from pbem.mail.html import html_to_text
from pbem.mail.lines import split_prefix
from pbem.mail.marks import sentinel
from pbem.mail.reading import (
    PARTS,
    LimitName,
    Part,
    Poison,
    Reading,
    TooLong,
    Unread,
    has_encrypted_text,
    short_pieces,
    take_off_armour,
    take_out_overlays,
)

# Paragraphs that a client broke to fit a screen, joined again (RFC 3676, format=flowed).


def unflow(text: str, *, delsp: bool = False) -> str:
    """Join flowed lines; quoted lines come out as ``> `` for each level, fixed lines as they are.

    A line that ends in a space goes on in the next one of the same depth, but for the signature's ``-- ``; a leading
    space was stuffed in and is taken out. With `delsp` the space at the break is no part of the text.
    """
    out: list[str] = []
    parts: list[str] = []
    depth = 0

    def flush() -> None:
        if parts:
            out.append("> " * depth + "".join(parts))
            parts.clear()

    for line in text.split("\n"):
        content = line.lstrip(">")
        level = len(line) - len(content)
        content = content.removeprefix(" ")
        if level != depth or content == "-- ":
            flush()
        depth = level
        flows = content.endswith(" ") and content != "-- "
        parts.append(content[:-1] if flows and delsp else content)
        if not flows:
            flush()
    flush()
    return "\n".join(out)


# Of two parts that say the same the one with the author's own lines (RFC 2046, 5.1.4).
#
# Clients break the lines of the text part to fit a screen, and some break orders with them. Where the HTML part holds
# the same words it is read instead; what is quoted must be marked no less in it.


_STUB = 400
"""Characters of a text part that only names the HTML part at most."""
_FULL = 50
"""Characters that a line of the text part has at least, with the word that follows, if it was broken to fit."""


def same_words(text: str, page: str) -> bool:
    """Whether the lines of `page`, the HTML part as text, may stand for those of the text part.

    Unquoted words are the same but for blanks, both parts have quoted ones or neither, and `page` leaves out no break
    that the author made: a line of the text part that it joins to the next was full.
    """
    plain, wide = _own(text), _own(page)
    if "".join(plain).replace(" ", "") != "".join(wide).replace(" ", "") or _quotes(text) != _quotes(page):
        return False
    ends = set(_places(wide))
    words = [line.split() for line in plain]
    for at, place in enumerate(_places(plain)[:-1]):
        if place not in ends and len(plain[at]) + 1 + len(words[at + 1][0]) < _FULL:
            return False
    return True


def is_stub(text: str, page: str) -> bool:
    """Tell whether the text part only says that there is an HTML part: short, no line in common, and no order block."""
    own = set(_own(text))
    if len(text) > _STUB or own & set(_own(page)):
        return False
    return "html" in text.lower() or (_has_block(page) and not _has_block(text))


def _has_block(text: str) -> bool:
    return any(bounds.header(bounds.bare(line)) for line in text.split("\n"))


def _own(text: str) -> list[str]:
    """The unquoted lines that hold anything, blanks made single; the line that begins our letters is none."""
    lines = (split_prefix(line) for line in text.split("\n"))
    own = (" ".join(line.text.split()) for line in lines if not line.depth and not sentinel(line.text))
    return [line for line in own if line]


def _quotes(text: str) -> bool:
    return any(split_prefix(line).depth for line in text.split("\n"))


def _places(lines: Sequence[str]) -> list[int]:
    """How many characters but blanks stand above the end of each line."""
    found, sum_ = [], 0
    for line in lines:
        sum_ += len(line.replace(" ", ""))
        found.append(sum_)
    return found


HEADER_OCTETS = 65_536
FIELD_OCTETS = 4_096
FIELDS_OCTETS = 262_144
BOUNDARY_LINES = 500
MULTIPARTS = 20
MESSAGES = 5
DEPTH = 10
RAW_LINES = 50_000
HTML_OCTETS = 1_048_576
HTML_TAGS = 30_000
"""Tags of all pages of a letter: what they cost to read grows with them. An answer with a whole thread below it has a
third of these."""

_SIGNATURES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
_NO_LETTER = frozenset({"text/calendar", "text/csv", "text/rtf", "text/vcard", "text/x-vcard", "text/css", "text/xml"})
"""Kinds of text in which nobody writes letters; all others are read."""
_CALENDAR_ANSWERS = frozenset({"reply", "counter", "declinecounter", "refresh"})
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+_-]{0,60}/[a-z0-9][a-z0-9.+_-]{0,80}")
_PAGE = re.compile(r"\s{0,200}<(?:!doctype html|html|body|div|meta|head)\b[^<]{0,500}>", re.IGNORECASE)
"""How a page begins that was sent as plain text."""
_LINK_BEHIND_WORD = re.compile(r"(?<=[\w*_.])<(?:https?://|mailto:|tel:)[^<>\s]{1,2000}>", re.IGNORECASE)
"""What programs put behind a word of a page, in the text that they make of it, to say where it links to."""
_NO_BASE64 = re.compile(r"[^A-Za-z0-9+/]+")
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


def prescan(raw: bytes) -> None:
    """Raise Poison or TooLong if `raw` is beyond a limit above; linear in its length, whatever it holds."""
    end = _HEADER_END.search(raw, 0, HEADER_OCTETS + 4)
    if end is None and len(raw) > HEADER_OCTETS:
        raise Poison("KB of header", HEADER_OCTETS // 1024)
    folded = raw.lower()
    _bounded(folded.count(b"multipart/"), MULTIPARTS, "multiparts")
    _bounded(folded.count(b"message/rfc822"), MESSAGES, "letters inside the letter")
    # The parser descends into every kind of message/, whoever reads it.
    _bounded(folded.count(b"message/"), MULTIPARTS, "messages inside the letter")
    lines = raw.splitlines()
    if len(lines) > RAW_LINES:
        raise TooLong("lines as sent", RAW_LINES)
    if b"multipart/" in folded:
        boundaries = sum(line.startswith(b"--") and line.rstrip() != b"--" for line in lines)
        _bounded(boundaries, BOUNDARY_LINES, "boundary lines")
    longest, total = _content_fields(lines)
    _bounded(longest, FIELD_OCTETS, "octets in a Content field")
    _bounded(total, FIELDS_OCTETS, "octets in all Content fields")


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


class LetterText(NamedTuple):
    """The text of a letter that its author sees, and what was met while it was read."""

    text: str
    reading: Reading


def body_text(raw: bytes) -> str:
    """Return the text alone of `read_text`, which has the same errors."""
    return read_text(raw).text


@lru_cache(maxsize=1)
def read_text(raw: bytes) -> LetterText:
    """Return the text that the letter's author sees: text parts first, HTML turned to text where there is no other.

    Where the HTML part has the same words, its lines are taken: the text part's may be broken to fit a screen; it is
    read too where it crosses something out, or where the text part only says that there is one. LF lines, NFC, no
    control characters, flowed paragraphs joined (RFC 3676), quoted lines marked by ``> ``. Attached files and letters
    inside the letter are no text, unless the letter has no other part. `prescan` must have let `raw` pass.

    The text of the letter at hand is kept: it is asked for more than once, and a page is dear to read.

    Raises:
        Poison: parts are nested deeper than 10.
        TooLong: there are more than 256 KB or 4,000 lines.
    """
    reader = _Reader(BytesParser(policy=policy.compat32).parsebytes(raw))
    leaves = reader.leaves()
    text = "\n".join(leaf.text.rstrip("\n") for leaf in leaves)
    encrypted = has_encrypted_text(text) or any(part.unread == "encrypted" for part in reader.parts)
    text, armour = take_off_armour(text)
    if len(text.encode("utf-8")) > TEXT_OCTETS:
        raise TooLong("KB of text", TEXT_OCTETS // 1024)
    if text.count("\n") >= TEXT_LINES:
        raise TooLong("lines", TEXT_LINES)
    struck = short_pieces(piece for leaf in leaves for piece in leaf.struck)
    return LetterText(text, Reading(tuple(reader.parts[:PARTS]), struck, armour=armour, encrypted=encrypted))


class _Leaf(NamedTuple):
    """A text part that was read; `part` is its place in the reader's list."""

    part: int
    plain: bool
    text: str
    struck: tuple[str, ...] = ()


class _Reader:
    """Reads the parts of one letter and lists them in their order."""

    def __init__(self, message: Message) -> None:
        self.parts = list[Part]()
        self._message = message
        self._tags = 0

    def leaves(self) -> list[_Leaf]:
        """Return the text parts that are to be read, in order.

        A letter whose only part is a text is read whatever that says of itself: some programs send all they write as
        a file.
        """
        found = self._below(self._message, 0)
        texts = [at for at, part in enumerate(self.parts) if part.kind.startswith("text/")]
        if not found and len(texts) == 1 and self.parts[texts[0]].unread == "attached":
            alone = next(part for part in self._message.walk() if _kind(part).startswith("text/"))
            self.parts[texts[0]] = self.parts[texts[0]]._replace(unread=None)
            found = [self._leaf(alone, texts[0])]
        return found

    def _below(self, part: Message, depth: int) -> list[_Leaf]:
        if depth > DEPTH:
            raise Poison("levels of parts", DEPTH)
        kind = _kind(part)
        if not kind.startswith("multipart/"):
            why = _why_unread(part, kind, top=depth == 0)
            self.parts.append(Part(kind, _file_name(part), len(_encoded(part)), _disposition(part), why))
            return [self._leaf(part, len(self.parts) - 1)] if why is None else []
        payload: Any = part.get_payload()
        if kind == "multipart/encrypted":
            self.parts.append(Part(kind, octets=len(_encoded(part)), unread="encrypted"))
            return []
        if not isinstance(payload, list):
            # Where the parts of a multipart without its boundary begin is anybody's guess, so it has none.
            self.parts.append(Part(kind, octets=len(str(payload)), unread="broken"))
            return []
        children = [self._below(child, depth + 1) for child in payload]
        if kind == "multipart/alternative":
            return self._alternative(children)
        if kind == "multipart/related":
            return children[0] if children else []
        return [leaf for child in children for leaf in child]

    def _alternative(self, children: list[list[_Leaf]]) -> list[_Leaf]:
        """Choose the text part, or the HTML part where that tells more of what its author sees."""
        filled = [child for child in children if any(leaf.text.strip() or leaf.struck for leaf in child)]
        plain = [child for child in filled if all(leaf.plain for leaf in child)]
        pages = [child for child in filled if not any(leaf.plain for leaf in child)]
        chosen = next(iter(plain or filled), [])
        if plain and len(pages) == 1 and len(chosen) == 1 and len(pages[0]) == 1:
            text, page = chosen[0], pages[0][0]
            if page.struck or same_words(text.text, page.text) or is_stub(text.text, page.text):
                chosen = pages[0]
        for leaf in (leaf for child in children for leaf in child if leaf not in chosen):
            self.parts[leaf.part] = self.parts[leaf.part]._replace(unread="other form")
        return chosen

    def _leaf(self, part: Message, at: int) -> _Leaf:
        data = _payload(part)
        page = _kind(part) == "text/html"
        limit = HTML_OCTETS if page else TEXT_OCTETS
        if len(data) > limit:
            raise TooLong("KB of a page" if page else "KB of text", limit // 1024)
        text, overlaid = take_out_overlays(clean(decode(data, _parameter(part, "charset"))))
        if page or _PAGE.match(text):
            self._tags += text.count("<")
            if self._tags > HTML_TAGS:
                raise TooLong("tags", HTML_TAGS)
            read = html_to_text(text)
            return _Leaf(at, False, clean(read.text), (*overlaid, *read.struck))
        text = _LINK_BEHIND_WORD.sub("", text)
        if _parameter(part, "format").lower() == "flowed":
            text = unflow(text, delsp=_parameter(part, "delsp").lower() == "yes")
        return _Leaf(at, True, text, tuple(overlaid))


def _kind(part: Message) -> str:
    """Return the media type of a part; one that no semicolon ends is read up to the first blank."""
    said = str(part.get("content-type", ""))[:200].strip().lower()
    found = _MEDIA_TYPE.match(said)
    # A part of multipart/digest is a letter if it says nothing.
    return found[0] if found and not said[found.end() :].startswith("/") else part.get_content_type()


def _why_unread(part: Message, kind: str, *, top: bool) -> Unread | None:
    """Tell why a part that has no parts is not read; `top` is the whole letter."""
    if kind.startswith("message/"):
        return "letter"
    if kind in ("application/pkcs7-mime", "application/x-pkcs7-mime"):
        return "sealed" if "signed" in _parameter(part, "smime-type").lower() else "encrypted"
    if kind in _SIGNATURES:
        return "signature"
    if kind == "text/calendar":
        return "calendar answer" if _parameter(part, "method").lower() in _CALENDAR_ANSWERS else "calendar"
    if kind.startswith("text/") and kind not in _NO_LETTER:
        return None if top or not _attached(part) else "attached"
    return "not text" if not kind.startswith("text/") else "attached"


def _payload(part: Message) -> bytes:
    """Return the octets of a part; its transfer encoding may have a blank, comment or semicolon behind its name.

    In base64 padding may be missing or stand twice, and pieces that were padded by themselves may follow each other.
    """
    said = str(part.get("content-transfer-encoding", ""))[:200].lower()
    encoding = re.split(r"[\s;(]", said.strip(), maxsplit=1)[0].strip('"')
    if encoding == "base64" and (sent := _encoded(part)):
        pieces = (_NO_BASE64.sub("", piece) for piece in sent.split("="))
        return b"".join(binascii.a2b_base64(_padded(piece)) for piece in pieces if piece)
    if encoding != said:
        del part["content-transfer-encoding"]
        part["content-transfer-encoding"] = encoding
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _padded(piece: str) -> str:
    """Return base64 characters with their padding; one alone at the end says nothing and is dropped."""
    piece = piece[: len(piece) - (len(piece) % 4 == 1)]
    return piece + "=" * (-len(piece) % 4)


def _encoded(part: Message) -> str:
    """Return a part as it was sent; empty if it consists of parts, or says a charset that the parser cannot use."""
    try:
        payload: Any = part.get_payload()
    except (ValueError, LookupError):
        return ""
    return payload if isinstance(payload, str) else ""


def _file_name(part: Message) -> str:
    """Return the file name of a part on one line, without tokens; empty if it has none."""
    return strike(decode_words(str(part.get_filename("") or ""), 300))[:80]


def _disposition(part: Message) -> str:
    return str(part.get_content_disposition() or "")[:20]


def _attached(part: Message) -> bool:
    """Tell whether a part is a file beside the letter's text; a text that is shown inline with a name is none."""
    if part.get_content_disposition() == "inline":
        return False
    return (
        part.get_content_disposition() == "attachment"
        or part.get_param("filename", None, "content-disposition") is not None
    )


def _parameter(part: Message, name: str) -> str:
    """Return a parameter of Content-Type, also where the semicolon before it is missing; RFC 2231's triples as text."""
    value: Any = part.get_param(name, None)
    if value is None:
        found = re.search(
            rf"[\s;]{name}\s?=\s?\"?([\w.:+-]{{1,60}})", str(part.get("content-type", ""))[:1000], re.IGNORECASE
        )
        value = found[1] if found else ""
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


def _content_fields(lines: list[bytes]) -> tuple[int, int]:
    """Return the octets of the longest Content field of any part, folded lines included, and of all."""
    longest = current = total = 0
    for line in lines:
        if current and line[:1] in (b" ", b"\t"):
            current += len(line)
            total += len(line)
        else:
            current = len(line) if _CONTENT_FIELD.match(line) else 0
            total += current
        longest = max(longest, current)
    return longest, total


def _bounded(count: int, limit: int, what: LimitName) -> None:
    if count > limit:
        raise Poison(what, limit)
