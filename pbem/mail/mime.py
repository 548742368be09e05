"""Convert MIME bytes to text (RFC 2045-2049), trusting nothing in them.

The standard parser takes any bytes, but some shapes cost it minutes or its stack; `check_limits` keeps those away from
it. Headers are read apart from the body, so that even a letter whose body is refused has a sender and a date.
"""

from __future__ import annotations

import binascii
import codecs
import re
import unicodedata
from collections.abc import Collection, Sequence
from email import policy
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from functools import lru_cache
from typing import Any, NamedTuple

from pbem.engine.orders import block as bounds
from pbem.mail import TEXT_LINES, TEXT_OCTETS
from pbem.mail.address import strike_tokens
from pbem.mail.html import html_to_text
from pbem.mail.lines import split_quote_marks
from pbem.mail.marks import is_sentinel
from pbem.mail.reading import (
    MOST_PARTS,
    LimitName,
    Part,
    ReadingRecord,
    TooLong,
    Unread,
    UnsafeLetter,
    has_encrypted_text,
    remove_armour,
    remove_struck_text,
    shorten_pieces,
)

# Paragraphs that a client broke to fit a screen, joined again (RFC 3676, format=flowed).


def join_flowed(text: str, *, delsp: bool = False) -> str:
    """Join flowed lines; keep fixed lines.

    Quoted lines get ``> `` for each level. A line that ends in a space continues in the next one of the same depth,
    except the signature's ``-- ``; a stuffed leading space is removed. With `delsp` the space at the break is
    removed too.
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


# Of two equal parts choose the one with the author's own lines (RFC 2046, 5.1.4).
#
# Clients break the lines of the text part to fit a screen, and some break orders with them. Where the HTML part holds
# the same words it is read instead; its quotes must be marked as well.


_STUB = 400
"""The greatest length of a text part that only refers to the HTML part. A choice: one or two sentences with an
address."""
_FULL = 50
"""The least length of a line of the text part, with the next word, that counts as broken to fit. A choice: the author
may have ended shorter lines."""


def has_same_words(text: str, page: str) -> bool:
    """Return whether the HTML part's lines may replace those of the text part.

    `page` is the HTML part as text. Its unquoted words must be the same except for blanks, both parts or neither
    must have quotes, and `page` must keep each line end of the author: it may join only full lines of the text part
    to the next.
    """
    plain, page_lines = _own_lines(text), _own_lines(page)
    if "".join(plain).replace(" ", "") != "".join(page_lines).replace(" ", "") or _has_quotes(text) != _has_quotes(
        page
    ):
        return False
    ends = set(_end_positions(page_lines))
    words = [line.split() for line in plain]
    for index, position in enumerate(_end_positions(plain)[:-1]):
        if position not in ends and len(plain[index]) + 1 + len(words[index + 1][0]) < _FULL:
            return False
    return True


def refers_to_page(text: str, page: str) -> bool:
    """Return whether a short text part only refers to the HTML part, without orders."""
    own = set(_own_lines(text))
    if len(text) > _STUB or own & set(_own_lines(page)):
        return False
    return "html" in text.lower() or (_has_block(page) and not _has_block(text))


def _has_block(text: str) -> bool:
    return any(bounds.header(bounds.bare(line)) for line in text.split("\n"))


def _own_lines(text: str) -> list[str]:
    """Return the unquoted lines with text, blanks made single, without our sentinel."""
    lines = (split_quote_marks(line) for line in text.split("\n"))
    own_texts = (" ".join(line.text.split()) for line in lines if not line.depth and not is_sentinel(line.text))
    return [line for line in own_texts if line]


def _has_quotes(text: str) -> bool:
    return any(split_quote_marks(line).depth for line in text.split("\n"))


def _end_positions(lines: Sequence[str]) -> list[int]:
    """Return the number of characters but blanks up to the end of each line."""
    positions, total = [], 0
    for line in lines:
        total += len(line.replace(" ", ""))
        positions.append(total)
    return positions


MOST_HEADER_OCTETS = 65_536
"""Octets of a header, which is searched several times. A choice well above the size of signatures and of the fields
that servers add."""
LONGEST_FIELD = 4_096
"""Octets of a Content field. A choice well above any file name: the standard parser reads its parameters again for
each question."""
MOST_FIELD_OCTETS = 262_144
"""Octets of all Content fields together: many of the longest would cost too much."""
MOST_BOUNDARY_LINES = 500
"""Lines that may be boundaries: the standard parser makes a part at each."""
MOST_MULTIPARTS = 20
"""Parts that contain parts: the standard parser compares each line with the boundaries of all parts around it."""
MOST_NESTED_LETTERS = 5
"""Letters inside the letter: a thread forwarded as attachments has some, and each is parsed like a whole letter."""
DEEPEST_PART = 10
"""Levels of parts: programs make four or five, and reading is recursive."""
MOST_RAW_LINES = 50_000
"""Lines as sent: ten times the text that is read (`TEXT_LINES`), for quotes and attachments."""
MOST_HTML_OCTETS = 1_048_576
"""Octets of an HTML part: four times a text's, because of the markup. The cost of reading grows with its tags
(`MOST_HTML_TAGS`)."""
MOST_HTML_TAGS = 30_000
"""Tags of all HTML parts of a letter: the cost of reading grows with them. An answer with a whole thread below it has
a third as many."""

_SIGNATURES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
_NO_LETTER = frozenset({"text/calendar", "text/csv", "text/rtf", "text/vcard", "text/x-vcard", "text/css", "text/xml"})
"""Kinds of text in which nobody writes letters; all others are read."""
_CALENDAR_ANSWERS = frozenset({"reply", "counter", "declinecounter", "refresh"})
# Bounded, as anybody can write a type: the longest in use, of office programs, have some seventy characters.
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+_-]{0,60}/[a-z0-9][a-z0-9.+_-]{0,80}")
# Repetitions here and in links are bounded: a letter may be one long line of blanks, or have a tag without end.
_PAGE = re.compile(r"\s{0,200}<(?:!doctype html|html|body|div|meta|head)\b[^<]{0,500}>", re.IGNORECASE)
"""The beginning of a page that was sent as plain text."""
_LINK_BEHIND_WORD = re.compile(r"(?<=[\w*_.])<(?:https?://|mailto:|tel:)[^<>\s]{1,2000}>", re.IGNORECASE)
"""Link targets that programs put after a word when they make text from HTML."""
# What is not of the alphabet is passed over (RFC 2045, 6.8).
_NO_BASE64 = re.compile(r"[^A-Za-z0-9+/]+")
# The blank line with any line ends: of mail, of files, and of old programs that have only CR.
_HEADER_END = re.compile(rb"\r\n\r\n|\n\r?\n|\r\r")
# The longest known name, Content-Transfer-Encoding, has 17 characters behind the first hyphen.
_CONTENT_FIELD = re.compile(rb"content-[a-z-]{1,30}:", re.IGNORECASE)
# Not for text, or with escapes or a cost of their own; nobody writes letters in them.
_NO_CHARSETS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7", "mbcs"})
# Charsets with two or four octets for a character; text without a zero octet is in none of them (`decode_text`).
_WIDE = re.compile(r"utf-?(?:16|32)|ucs-?[24]")
# Characters that nobody sees: control characters but tab and line feed, soft hyphens, zero widths, changes of
# direction, fillers of Hangul, tags, and halves of pairs. A word with one inside would look right and not be found.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_MAY_COMBINE = re.compile("[\u0300-\U0010ffff]")
"""A character from which on there may be combining marks; all letters of Western Europe come before."""
_MARKS = 30
"""Combining marks in a row; Unicode's stream-safe format (UAX 15, section 13) has the same limit."""


def check_limits(raw: bytes) -> None:
    """Raise Poison or TooLong if `raw` is beyond a limit above; in linear time."""
    end = _HEADER_END.search(raw, 0, MOST_HEADER_OCTETS + 4)
    if end is None and len(raw) > MOST_HEADER_OCTETS:
        raise UnsafeLetter("KB of header", MOST_HEADER_OCTETS // 1024)
    folded = raw.lower()
    _check_limit(folded.count(b"multipart/"), MOST_MULTIPARTS, "multiparts")
    _check_limit(folded.count(b"message/rfc822"), MOST_NESTED_LETTERS, "letters inside the letter")
    # The parser descends into every kind of message/.
    _check_limit(folded.count(b"message/"), MOST_MULTIPARTS, "messages inside the letter")
    lines = raw.splitlines()
    if len(lines) > MOST_RAW_LINES:
        raise TooLong("lines as sent", MOST_RAW_LINES)
    if b"multipart/" in folded:
        boundaries = sum(line.startswith(b"--") and line.rstrip() != b"--" for line in lines)
        _check_limit(boundaries, MOST_BOUNDARY_LINES, "boundary lines")
    longest, total = _content_fields(lines)
    _check_limit(longest, LONGEST_FIELD, "octets in a Content field")
    _check_limit(total, MOST_FIELD_OCTETS, "octets in all Content fields")


class HeaderFields:
    """A header's fields: lower-case names, decoded values of up to 8,192 characters."""

    def __init__(self, items: list[tuple[str, str]]) -> None:
        self._items = items

    def all(self, name: str) -> list[str]:
        """Return every value under a lower-case name, in the order of the header."""
        return [value for key, value in self._items if key == name]

    def first(self, name: str) -> str:
        """Return the first value under a name, or the empty string."""
        return next(iter(self.all(name)), "")

    def topmost(self, names: Collection[str]) -> str:
        """Return the first value under any of some names, or the empty string."""
        return next((value for key, value in self._items if key in names), "")

    def names(self) -> frozenset[str]:
        """Return all names."""
        return frozenset(key for key, _ in self._items)


def raw_header(raw: bytes) -> bytes:
    """Return a letter's raw header with the blank line behind it, at most 64 KB."""
    end = _HEADER_END.search(raw, 0, MOST_HEADER_OCTETS + 4)
    return raw[: end.end() if end else MOST_HEADER_OCTETS]


def read_fields(raw: bytes) -> HeaderFields:
    """Read the header only, at most 64 KB of it."""
    message = BytesHeaderParser(policy=policy.compat32).parsebytes(raw_header(raw))
    items = []
    for name, value in message.raw_items():
        # A choice: no address or subject comes near it, and cleaning and patterns run over all that is kept.
        octets = str(value)[:8192].encode("ascii", "surrogateescape")
        text = re.sub(r"\s+", " ", clean_text(decode_text(octets, "utf-8"))).strip()
        items.append((name.strip().lower(), text))
    return HeaderFields(items)


def decode_words(value: str, limit: int = 1000) -> str:
    """Decode a header value's encoded-words (RFC 2047) to one line.

    What cannot be decoded stays as it is.
    """
    try:
        parts = decode_header(value[:limit])
        text = "".join(part if isinstance(part, str) else decode_text(part, charset) for part, charset in parts)
    except Exception:  # the decoder raises binascii.Error, ValueError, LookupError ... for broken words
        text = value[:limit]
    return re.sub(r"\s+", " ", clean_text(text)).strip()


class LetterText(NamedTuple):
    """The text of a letter as its author sees it, and the record of reading it."""

    text: str
    reading: ReadingRecord


def body_text(raw: bytes) -> str:
    """Return only the text of `read_text`; raise the same errors."""
    return read_text(raw).text


@lru_cache(maxsize=1)
def read_text(raw: bytes) -> LetterText:
    """Return a letter's text as its author sees it.

    Text parts are preferred, HTML is used if there is no other. If the HTML part has the same words, its lines are
    used, since the lines of the text part may be broken to fit a screen; it is also used if it crosses something
    out, or if the text part only refers to it. The result has LF line ends, is composed (NFC), without control
    characters, with flowed paragraphs joined (RFC 3676) and quoted lines marked by ``> ``. Attached files and
    letters inside the letter are no text, unless the letter has no other part. `check_limits` must have accepted `raw`.

    The text of the last letter is cached: it is used more than once, and a page is costly to read.

    Raises:
        Poison: parts are nested deeper than 10.
        TooLong: there are more than 256 KB or 4,000 lines.
    """
    reader = _Reader(BytesParser(policy=policy.compat32).parsebytes(raw))
    leaves = reader.leaves()
    text = "\n".join(leaf.text.rstrip("\n") for leaf in leaves)
    encrypted = has_encrypted_text(text) or any(part.unread == "encrypted" for part in reader.parts)
    text, armour = remove_armour(text)
    if len(text.encode("utf-8")) > TEXT_OCTETS:
        raise TooLong("KB of text", TEXT_OCTETS // 1024)
    if text.count("\n") >= TEXT_LINES:
        raise TooLong("lines", TEXT_LINES)
    struck = shorten_pieces(piece for leaf in leaves for piece in leaf.struck)
    return LetterText(text, ReadingRecord(tuple(reader.parts[:MOST_PARTS]), struck, armour=armour, encrypted=encrypted))


class _Leaf(NamedTuple):
    """A text part that was read; `part` is its index in the list of parts."""

    part: int
    plain: bool
    text: str
    struck: tuple[str, ...] = ()


class _Reader:
    """A reader of one letter's parts, which lists them in order."""

    def __init__(self, message: Message) -> None:
        self.parts = list[Part]()
        self._message = message
        self._tags = 0

    def leaves(self) -> list[_Leaf]:
        """Return the text parts to read, in order.

        A letter whose only part is a text is read whatever its disposition: some programs send all text as a
        file.
        """
        leaves = self._below(self._message, 0)
        texts = [index for index, part in enumerate(self.parts) if part.kind.startswith("text/")]
        if not leaves and len(texts) == 1 and self.parts[texts[0]].unread == "attached":
            only_text = next(part for part in self._message.walk() if _kind(part).startswith("text/"))
            self.parts[texts[0]] = self.parts[texts[0]]._replace(unread=None)
            leaves = [self._leaf(only_text, texts[0])]
        return leaves

    def _below(self, part: Message, depth: int) -> list[_Leaf]:
        if depth > DEEPEST_PART:
            raise UnsafeLetter("levels of parts", DEEPEST_PART)
        kind = _kind(part)
        if not kind.startswith("multipart/"):
            reason = _unread_reason(part, kind, top=depth == 0)
            self.parts.append(Part(kind, _file_name(part), len(_encoded_text(part)), _disposition(part), reason))
            return [self._leaf(part, len(self.parts) - 1)] if reason is None else []
        payload: Any = part.get_payload()
        if kind == "multipart/encrypted":
            self.parts.append(Part(kind, octets=len(_encoded_text(part)), unread="encrypted"))
            return []
        if not isinstance(payload, list):
            # Without its boundary the parts of a multipart cannot be found, so it has none.
            self.parts.append(Part(kind, octets=len(str(payload)), unread="broken"))
            return []
        children = [self._below(child, depth + 1) for child in payload]
        if kind == "multipart/alternative":
            return self._alternative(children)
        if kind == "multipart/related":
            return children[0] if children else []
        return [leaf for child in children for leaf in child]

    def _alternative(self, children: list[list[_Leaf]]) -> list[_Leaf]:
        """Choose the text part, or the HTML part if that shows more."""
        filled = [child for child in children if any(leaf.text.strip() or leaf.struck for leaf in child)]
        plain = [child for child in filled if all(leaf.plain for leaf in child)]
        pages = [child for child in filled if not any(leaf.plain for leaf in child)]
        chosen = next(iter(plain or filled), [])
        if plain and len(pages) == 1 and len(chosen) == 1 and len(pages[0]) == 1:
            text, page = chosen[0], pages[0][0]
            if page.struck or has_same_words(text.text, page.text) or refers_to_page(text.text, page.text):
                chosen = pages[0]
        for leaf in (leaf for child in children for leaf in child if leaf not in chosen):
            self.parts[leaf.part] = self.parts[leaf.part]._replace(unread="other form")
        return chosen

    def _leaf(self, part: Message, index: int) -> _Leaf:
        data = _payload(part)
        page = _kind(part) == "text/html"
        limit = MOST_HTML_OCTETS if page else TEXT_OCTETS
        if len(data) > limit:
            raise TooLong("KB of a page" if page else "KB of text", limit // 1024)
        text, struck = remove_struck_text(clean_text(decode_text(data, _parameter(part, "charset"))))
        if page or _PAGE.match(text):
            self._tags += text.count("<")
            if self._tags > MOST_HTML_TAGS:
                raise TooLong("tags", MOST_HTML_TAGS)
            page_text = html_to_text(text)
            return _Leaf(index, False, clean_text(page_text.text), (*struck, *page_text.struck))
        text = _LINK_BEHIND_WORD.sub("", text)
        if _parameter(part, "format").lower() == "flowed":
            text = join_flowed(text, delsp=_parameter(part, "delsp").lower() == "yes")
        return _Leaf(index, True, text, tuple(struck))


def _kind(part: Message) -> str:
    """Return the media type of a part; without a semicolon, up to the first blank."""
    # The type is the first word, and `_MEDIA_TYPE` needs no more; the author may write anything here.
    declared = str(part.get("content-type", ""))[:200].strip().lower()
    match = _MEDIA_TYPE.match(declared)
    # A part of multipart/digest without a type is a letter.
    return match[0] if match and not declared[match.end() :].startswith("/") else part.get_content_type()


def _unread_reason(part: Message, kind: str, *, top: bool) -> Unread | None:
    """Return why a part without parts is not read; `top` is the whole letter."""
    if kind.startswith("message/"):
        return "letter"
    if kind in ("application/pkcs7-mime", "application/x-pkcs7-mime"):
        return "sealed" if "signed" in _parameter(part, "smime-type").lower() else "encrypted"
    if kind in _SIGNATURES:
        return "signature"
    if kind == "text/calendar":
        return "calendar answer" if _parameter(part, "method").lower() in _CALENDAR_ANSWERS else "calendar"
    if kind.startswith("text/") and kind not in _NO_LETTER:
        return None if top or not _is_attached(part) else "attached"
    return "not text" if not kind.startswith("text/") else "attached"


def _payload(part: Message) -> bytes:
    """Return a part's octets.

    A blank, comment or semicolon may follow the encoding's name. In base64 padding may be missing or doubled,
    and pieces with padding of their own may follow each other.
    """
    # The first word alone counts; the author may write anything here.
    declared = str(part.get("content-transfer-encoding", ""))[:200].lower()
    encoding = re.split(r"[\s;(]", declared.strip(), maxsplit=1)[0].strip('"')
    if encoding == "base64" and (sent := _encoded_text(part)):
        pieces = (_NO_BASE64.sub("", piece) for piece in sent.split("="))
        return b"".join(binascii.a2b_base64(_pad(piece)) for piece in pieces if piece)
    if encoding != declared:
        del part["content-transfer-encoding"]
        part["content-transfer-encoding"] = encoding
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _pad(piece: str) -> str:
    """Complete the padding of base64, and drop a single character at its end."""
    piece = piece[: len(piece) - (len(piece) % 4 == 1)]
    return piece + "=" * (-len(piece) % 4)


def _encoded_text(part: Message) -> str:
    """Return a part as sent; empty if it has parts or an unusable charset."""
    try:
        payload: Any = part.get_payload()
    except (ValueError, LookupError):
        return ""
    return payload if isinstance(payload, str) else ""


def _file_name(part: Message) -> str:
    """Return the file name of a part on one line, without tokens; may be empty."""
    # An answer names the file in one line of a letter: 80 characters are a choice.
    return strike_tokens(decode_words(str(part.get_filename("") or ""), 300))[:80]


def _disposition(part: Message) -> str:
    # The author may write anything here; "attachment" and "inline" have ten at most, and the log needs no more.
    return str(part.get_content_disposition() or "")[:20]


def _is_attached(part: Message) -> bool:
    """Return whether a part is a file beside the text.

    An inline text with a name is not.
    """
    if part.get_content_disposition() == "inline":
        return False
    return (
        part.get_content_disposition() == "attachment"
        or part.get_param("filename", None, "content-disposition") is not None
    )


def _parameter(part: Message, name: str) -> str:
    """Return a parameter of Content-Type, even if the semicolon before it is missing.

    RFC 2231's triples are returned as text.
    """
    value: Any = part.get_param(name, None)
    if value is None:
        # Charsets and formats have short names: one of more than 40 is not used (`decode_text`).
        match = re.search(
            rf"[\s;]{name}\s?=\s?\"?([\w.:+-]{{1,60}})", str(part.get("content-type", ""))[:1000], re.IGNORECASE
        )
        value = match[1] if match else ""
    return str(value[2] if isinstance(value, tuple) else value).strip()


def decode_text(data: bytes, charset: str | None) -> str:
    """Decode text whose charset may be missing, unknown or wrong; never fail.

    A byte order mark decides first; then text that is UTF-8 and could not be so by accident; then the declared
    charset, UTF-8, Windows-1252 (also in place of ISO-8859-1, as all clients do) and ISO-8859-1.
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
        # The character set is unknown, or was declared wrongly.
        except (LookupError, ValueError):
            continue
    return data.decode("latin-1")


def clean_text(text: str) -> str:
    """Return the text with LF lines, composed (NFC), without invisible characters.

    Invisible are control characters and the like. Characters that change the direction of writing are removed too.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return _INVISIBLE.sub("", text)
    text = re.sub("[\x85\u2028\u2029]", "\n", text)
    return unicodedata.normalize("NFC", _limit_marks(_INVISIBLE.sub("", text)))


def _limit_marks(text: str) -> str:
    """Drop combining marks after 30 in a row: ordering them takes quadratic time."""
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
    """Return the octets of the longest Content field, folded lines too, and of all."""
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


def _check_limit(count: int, limit: int, name: LimitName) -> None:
    if count > limit:
        raise UnsafeLetter(name, limit)
