"""Compose a letter as bytes (RFC 5322), always the same bytes.

It is text/plain in UTF-8. Date and Message-ID come from the caller, so that a letter sent again is the same
letter.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Literal, NamedTuple

from pbem.mail.address import check_address

AutoSubmitted = Literal["no", "auto-generated", "auto-replied"]
"""RFC 3834: reports are ``auto-generated``, answers to a letter ``auto-replied``."""

_LINE = 998
"""Octets a line may have, without its CRLF (RFC 5322, 2.1.1)."""
_FOLD = 76
"""Columns at which a header is folded: no line with encoded-words has more (RFC 2047, 2)."""
_WORD_OCTETS = 39
"""Octets of text in one encoded-word: 52 characters of base64 and 12 around them, well within the 75 of RFC 2047."""

# As `mail.inbound` reads it; at most 250 octets, so that a folded line never reaches `_LINE`.
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}>")
# What may be in the two halves of a Message-ID of ours: no sign of them needs quoting.
# A choice of length: four of them with a domain stay well within `_LINE`.
_ID_PART = re.compile(r"[A-Za-z0-9~_.-]{1,64}")
# A label of a domain has at most 63 characters (RFC 1035, 2.3.4).
_DOT_NAME = re.compile(r"[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*")
# Unicode's two line separators are among them: Python's `splitlines` and some mail programs begin a new line there, and
# with it a field.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Control characters, and Unicode's line and paragraph separators, at which some programs break lines."""
# All control characters but tab and line feed, and the halves of pairs, which UTF-8 cannot encode.
_BODY_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


# A picture's SHA-256 between two zero octets, which no text of a letter has (`_BODY_CONTROL`).
_MARK = re.compile(rb"\x00([0-9a-f]{64})\x00")
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
"""The first bytes of a PNG. Stored letters name pictures, which are inserted when the letter is sent, since many
letters may show the same one."""
MISSING_PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNgYAAAAAMAASsJTYQAAAAASUVORK5CYII="
)
"""A single invisible pixel in place of a picture that is no longer stored."""


class InlinePicture(NamedTuple):
    """A PNG of a page: its Content-ID without brackets (RFC 2392), its digest."""

    cid: str
    digest: str


@dataclass(frozen=True, kw_only=True)
class OutgoingLetter:
    """A letter to one recipient.

    Addresses have no names and no brackets, `date` has a time zone, `references` are Message-IDs from the oldest
    on. `list_unsubscribe` is the address that ends the letters. `envelope_sender` is not part of the bytes: SMTP
    gets it separately. Empty strings leave a header out. `html` is the letter as a page, for programs that show it
    instead of the text, and `pictures` are its pictures. `attachments` are files by name, each a text, sent
    unencoded if it is ASCII in lines of at most 998 octets; the ending of the name gives its type.
    """

    message_id: str
    sender: str
    recipient: str
    subject: str
    text: str
    date: datetime
    reply_to: str = ""
    sender_name: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    auto_submitted: AutoSubmitted = "auto-generated"
    loop: str = ""
    list_id: str = ""
    list_unsubscribe: str = ""
    envelope_sender: str = ""
    html: str = ""
    pictures: tuple[InlinePicture, ...] = ()
    attachments: tuple[tuple[str, str], ...] = ()


def compose(letter: OutgoingLetter) -> bytes:
    """Return the letter as SMTP needs it: CRLF, ASCII, at most 998 octets a line.

    The pictures are inserted later (`insert_pictures`). A text in plain ASCII goes as 7bit, any other as
    quoted-printable, which no relay has to convert. Control characters of the text become U+FFFD; in a header's
    value or an address they raise ValueError, as does a date without zone or a malformed Message-ID.
    """
    part = _part('text/plain; charset="utf-8"', letter.text)
    if letter.html:
        # The plainest comes first (RFC 2046, 5.1.4).
        part = _multipart("alternative", letter.message_id, part, _page(letter))
    if letter.attachments:
        files = (_file(name, text) for name, text in letter.attachments)
        part = _multipart("mixed", letter.message_id, part, *files)
    headers = [
        ("From", _mailbox(letter.sender_name, letter.sender)),
        ("To", check_address(letter.recipient)),
        ("Reply-To", letter.reply_to and check_address(letter.reply_to)),
        ("Subject", _fold_unstructured(letter.subject)),
        ("Date", _format_date(letter.date)),
        ("Message-ID", _check_id(letter.message_id)),
        ("In-Reply-To", letter.in_reply_to and _check_id(letter.in_reply_to)),
        ("References", _fold_words(_check_id(reference) for reference in letter.references)),
        ("Auto-Submitted", letter.auto_submitted),
        ("X-Loop", letter.loop and check_address(letter.loop)),
        ("List-Id", letter.list_id and f"<{_check_dot_name(letter.list_id)}>"),
        ("List-Unsubscribe", letter.list_unsubscribe and f"<mailto:{check_address(letter.list_unsubscribe)}>"),
        ("MIME-Version", "1.0"),
        *part.headers,
    ]
    header = "".join(f"{name}: {value}\r\n" for name, value in headers if value)
    return header.encode("ascii") + b"\r\n" + part.body


class LetterTopic(NamedTuple):
    """The topic of a letter; parts may be empty.

    Two letters with one topic need two causes.
    """

    game: str
    phase: str
    kind: str
    seat: str
    cause: str


def message_id(key: bytes, matter: LetterTopic, domain: str) -> str:
    """Return ``<game.phase.kind.seat.mac@domain>``, the same for the same arguments.

    `mac` is 8 characters of base32 of an HMAC-SHA-256 under `key` over the other parts, so that ids are
    unpredictable and two causes give two letters. An empty part is written ``-``; raise ValueError for a
    malformed one.
    """
    # All but the cause, which may be any text: only the MAC contains it.
    parts = [part or "-" for part in matter[:4]]
    for part in parts:
        if not _ID_PART.fullmatch(part) or ".." in part or part[0] == "." or part[-1] == ".":
            raise ValueError(f"not a part of a Message-ID: {part!r}")
    fields = [field.encode("utf-8", "surrogatepass") for field in (*parts, matter.cause)]
    # Each field with its length in front: no two lists of fields give the same bytes.
    mac_input = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    mac = base64.b32encode(hmac.digest(key, mac_input, hashlib.sha256)[:5]).decode("ascii").lower()
    return _check_id(f"<{'.'.join(parts)}.{mac}@{_check_dot_name(domain)}>")


def read_message_id(letter_id: str) -> tuple[str, str]:
    """Return the phase and the kind in a Message-ID, such as T3.spain~1 and report.

    Both are "" in an id that `message_id` did not make.
    """
    parts = letter_id.strip("<>").partition("@")[0].split(".")
    return (".".join(parts[1:-3]), parts[-3]) if len(parts) > 4 else ("", "")


def content_id(message_id: str, number: int) -> str:
    """Return the Content-ID of a picture, as unique as the Message-ID (RFC 2045, 7)."""
    local, _, domain = message_id.strip("<>").rpartition("@")
    return f"{local}.map{number}@{domain}"


def picture_mark(digest: str) -> bytes:
    """Return a picture's mark for a stored letter; raise ValueError for a bad digest."""
    mark_bytes = b"\0" + digest.encode("ascii") + b"\0"
    if not _MARK.fullmatch(mark_bytes):
        raise ValueError(f"not a digest: {digest!r}")
    return mark_bytes


def picture_digests(body: bytes) -> Sequence[str]:
    """Return the digests of the pictures whose marks are in a stored letter."""
    return [digest.decode("ascii") for digest in _MARK.findall(body)]


def insert_pictures(body: bytes, picture: Callable[[str], bytes]) -> bytes:
    """Return the letter as sent, each mark replaced by its picture.

    Pictures are base64 of 76 columns (RFC 2045, 6.8).
    """
    return _MARK.sub(lambda match: _base64_lines(picture(match[1].decode("ascii"))), body) if b"\0" in body else body


def _base64_lines(png: bytes) -> bytes:
    return base64.encodebytes(png).replace(b"\n", b"\r\n").removesuffix(b"\r\n")


def png_size(png: bytes) -> tuple[int, int]:
    """Return width and height of a PNG from its header, or raise ValueError."""
    # IHDR is the first chunk of every PNG: behind the signature its length, its name, then width and height.
    if not png.startswith(_SIGNATURE) or png[12:16] != b"IHDR":
        raise ValueError("not a PNG")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def _encode_body(text: str) -> tuple[str, bytes]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = _BODY_CONTROL.sub("\ufffd", lines)
    if not lines.endswith("\n"):
        lines += "\n"
    data = lines.encode("utf-8")
    # "From " at the start of a line is changed by mail stores (RFC 4155); encoded it survives.
    is_plain = data.isascii() and b"\nFrom " not in b"\n" + data and max(map(len, data.split(b"\n"))) <= _LINE
    if is_plain:
        return "7bit", data.replace(b"\n", b"\r\n")
    encoded = binascii.b2a_qp(data, istext=True)
    # The soft break keeps the line within the 76 of RFC 2045.
    encoded = re.sub(rb"(?m)^From ", b"=46rom=\n ", encoded)
    return "quoted-printable", encoded.replace(b"\n", b"\r\n")


class _Part(NamedTuple):
    """A body and the headers that describe it (RFC 2045)."""

    headers: tuple[tuple[str, str], ...]
    body: bytes


def _part(kind: str, text: str) -> _Part:
    encoding, body = _encode_body(text)
    return _Part((("Content-Type", kind), ("Content-Transfer-Encoding", encoding)), body)


def _file(name: str, text: str) -> _Part:
    if name.endswith(".json"):
        part = _part(f'application/json; name="{name}"', text)
    elif name.endswith(".html"):
        part = _part(f'text/html; charset="utf-8"; name="{name}"', text)
    elif name.endswith(".ics"):
        part = _part(f'text/calendar; charset="utf-8"; method=PUBLISH; name="{name}"', text)
    else:
        charset = "us-ascii" if text.isascii() else "utf-8"
        part = _part(f'text/plain; charset="{charset}"; name="{name}"', text)
    return _Part((*part.headers, ("Content-Disposition", f'attachment; filename="{name}"')), part.body)


def _page(letter: OutgoingLetter) -> _Part:
    """Return the page part, with the pictures that it shows (RFC 2387)."""
    page = _part('text/html; charset="utf-8"', letter.html)
    if not letter.pictures:
        return page
    picture_parts = (_picture(picture, number) for number, picture in enumerate(letter.pictures, 1))
    return _multipart("related", letter.message_id, page, *picture_parts)


def _picture(picture: InlinePicture, number: int) -> _Part:
    name = f"map{number}.png"
    headers = (
        ("Content-Type", f'image/png; name="{name}"'),
        ("Content-Transfer-Encoding", "base64"),
        ("Content-ID", _check_id(f"<{picture.cid}>")),
        ("Content-Disposition", f'inline; filename="{name}"'),
    )
    return _Part(headers, picture_mark(picture.digest))


def _multipart(kind: str, name: str, *parts: _Part) -> _Part:
    """Join bodies (RFC 2046, 5.1); the boundary is derived from the letter's name.

    Raise ValueError if the boundary occurs in a part.
    """
    # A boundary has at most 70 characters (RFC 2046, 5.1.1); 128 bits stand in no part by chance.
    boundary = "=_" + hashlib.sha256(("" if kind == "mixed" else kind).encode() + name.encode("utf-8")).hexdigest()[:32]
    if any(boundary.encode("ascii") in part.body for part in parts):
        raise ValueError("the boundary stands in the letter")
    body = b""
    for part in parts:
        header = "".join(f"{field}: {value}\r\n" for field, value in part.headers)
        body += f"--{boundary}\r\n{header}\r\n".encode("ascii") + part.body + b"\r\n"
    parameter = '; type="text/html"' if kind == "related" else ""
    headers = (
        ("Content-Type", f'multipart/{kind}{parameter}; boundary="{boundary}"'),
        ("Content-Transfer-Encoding", "7bit"),
    )
    return _Part(headers, body + f"--{boundary}--\r\n".encode("ascii"))


def _format_date(date: datetime) -> str:
    if date.tzinfo is None:
        raise ValueError("a letter's date needs a zone")
    return format_datetime(date.astimezone(UTC).replace(microsecond=0))


def _check_id(text: str) -> str:
    if not _MESSAGE_ID.fullmatch(text):
        raise ValueError(f"not a Message-ID: {text!r}")
    return text


def _check_dot_name(text: str) -> str:
    if not _DOT_NAME.fullmatch(text):
        raise ValueError(f"not a name of labels and dots: {text!r}")
    return text


def _mailbox(name: str, address: str) -> str:
    check_address(address)
    if not name:
        return address
    display_name = _fold_unstructured(name)
    if display_name == name and not re.fullmatch(r"[A-Za-z0-9 !#$%&'*+/=?^_`{|}~-]+", name):
        display_name = '"' + re.sub(r'([\\"])', r"\\\1", name) + '"'
    return (
        f"{display_name}\r\n <{address}>"
        if len(display_name) + len(address) > _FOLD - 10
        else f"{display_name} <{address}>"
    )


def _fold_unstructured(text: str) -> str:
    """Return a header's value, folded; as encoded-words (RFC 2047) unless ASCII."""
    if _CONTROL.search(text):
        raise ValueError(f"a header's value holds a control character: {text!r}")
    words = text.split(" ")
    if text.isascii() and "=?" not in text and all(0 < len(word) < _FOLD - 16 for word in words):
        return _fold_words(words)
    chunks: list[bytes] = [b""]
    for character in text:
        octets = character.encode("utf-8", "replace")
        if len(chunks[-1]) + len(octets) > _WORD_OCTETS:
            chunks.append(b"")
        chunks[-1] += octets
    return "\r\n ".join(f"=?utf-8?b?{base64.b64encode(chunk).decode('ascii')}?=" for chunk in chunks)


def _fold_words(words: Iterable[str]) -> str:
    """Join words by spaces, and fold between them (RFC 5322, 2.2.3)."""
    lines = [""]
    room = _FOLD - 16
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append(word)
            room = _FOLD
        else:
            lines[-1] = f"{lines[-1]} {word}".lstrip()
    return "\r\n ".join(lines)
