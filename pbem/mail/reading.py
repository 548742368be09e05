"""Record how a letter was read: parts, reasons, omitted lines.

Answers, refusals and log lines are worded from this record, so that every player can see why nothing was done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Literal, NamedTuple

from pbem.mail.address import strike_tokens

Unread = Literal[
    "attached",
    "other form",
    "not text",
    "letter",
    "encrypted",
    "sealed",
    "signature",
    "calendar",
    "calendar answer",
    "broken",
]
"""The reason why a part is not read: a file beside the text; the same words in another form (RFC 2046, 5.1.4); not
text; a letter inside the letter; encrypted; signed in a way that hides its text; a signature; an appointment, or a
program's answer to one (RFC 5546); a multipart without its boundary."""

MOST_PARTS = 40
"""Parts of a letter that are listed, each in a line of the log: people's letters have under ten."""
MOST_STRUCK = 20
"""Crossed-out pieces that are listed, each of at most `LONGEST_STRUCK` characters: an answer names them one by one."""
LONGEST_STRUCK = 200
"""Characters shown of such a piece: enough to find it again; the author has the letter."""

# The combining overlays with which text is crossed out: short and long stroke, short and long slash. The blank between
# two crossed-out words, which has none, goes with them: they are one piece.
_OVERLAY = "\u0335\u0336\u0337\u0338"
_STRUCK_BY_UNICODE = re.compile(f"(?:[^\n{_OVERLAY}][{_OVERLAY}][ \xa0]?)+")
# The frame of a signed or encrypted letter (RFC 9580, section 7), and the dashes that it puts before lines.
_DASHED = re.compile("^- ", re.MULTILINE)
_SIGNED = re.compile(r"^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*$", re.MULTILINE)
_SIGNATURE = re.compile(r"^-----BEGIN PGP SIGNATURE-----[ \t]*$", re.MULTILINE)
_SIGNATURE_END = re.compile(r"^-----END PGP SIGNATURE-----[ \t]*$\n?", re.MULTILINE)
_ENCRYPTED = re.compile(r"^-----BEGIN PGP MESSAGE-----[ \t]*$", re.MULTILINE)


LimitName = Literal[
    "KB",
    "KB of text",
    "KB of a page",
    "lines",
    "lines as sent",
    "tags",
    "attributes of a tag",
    "crossing selectors",
    "KB of header",
    "multiparts",
    "letters inside the letter",
    "messages inside the letter",
    "boundary lines",
    "octets in a Content field",
    "octets in all Content fields",
    "levels of parts",
]
"""The limited quantities of a letter, worded to follow a number."""


class SizeLimit(NamedTuple):
    """A limit that a letter exceeds, and its value."""

    name: LimitName
    most: int


class Unreadable(Exception):
    """Raised if a letter exceeds a limit, so that its text is not read."""

    def __init__(self, name: LimitName, most: int) -> None:
        super().__init__(f"more than {most} {name}")
        self.limit = SizeLimit(name, most)


class UnsafeLetter(Unreadable):
    """Raised for a shape that the standard parser must not get."""


class TooLong(Unreadable):
    """Raised for more text than the limit."""


class Part(NamedTuple):
    """A part of a letter; `octets` are as sent, `unread` says why it is not read."""

    kind: str
    name: str = ""
    octets: int = 0
    disposition: str = ""
    unread: Unread | None = None


class ReadingRecord(NamedTuple):
    """The record of reading a letter.

    `struck` are crossed-out pieces, `limit` is the reason if it was not read. Among the omitted lines `quoted`
    counts those that are quoted, below a signature or added by a program, and `armour` those of PGP.
    """

    parts: tuple[Part, ...] = ()
    struck: tuple[str, ...] = ()
    quoted: int = 0
    armour: int = 0
    encrypted: bool = False
    limit: SizeLimit | None = None

    @property
    def unread(self) -> tuple[Part, ...]:
        """Return unread parts that may hold the author's text.

        Signatures and other forms of the same text are left out.
        """
        return tuple(part for part in self.parts if part.unread not in (None, "other form", "signature"))


NOTHING_READ = ReadingRecord()
"""The record of a letter whose text was not read."""


def shorten_pieces(pieces: Iterable[str]) -> tuple[str, ...]:
    """Return at most `MOST_STRUCK` pieces of text, one line each, cut to a length.

    Blank pieces and tokens are left out.
    """
    lines = (strike_tokens(" ".join(piece[: 4 * LONGEST_STRUCK].split()))[:LONGEST_STRUCK] for piece in pieces)
    return tuple(islice(filter(None, lines), MOST_STRUCK))


def remove_struck_text(text: str) -> tuple[str, list[str]]:
    """Return a text without characters struck out by combining overlays, and those."""
    if not any(mark in text for mark in _OVERLAY):
        return text, []
    struck = [re.sub(f"[{_OVERLAY}]", "", match[0]) for match in _STRUCK_BY_UNICODE.finditer(text)]
    return re.sub(f"[{_OVERLAY}]", "", _STRUCK_BY_UNICODE.sub("", text)), struck


def remove_armour(text: str) -> tuple[str, int]:
    """Return a text without PGP armour (RFC 9580, 7), and the armour's line count.

    The signature is not checked: the text counts as if it were unsigned.
    """
    kept, offset, removed = list[str](), 0, 0
    while begin := _SIGNED.search(text, offset):
        signature = _SIGNATURE.search(text, begin.end())
        if signature is None:
            break
        # Armour headers ("Hash: SHA256") end at the first empty line.
        armour_headers, gap, signed = text[begin.end() + 1 : signature.start()].partition("\n\n")
        if not gap or any(":" not in line for line in armour_headers.split("\n") if line.strip()):
            armour_headers, signed = "", text[begin.end() + 1 : signature.start()]
        end = _SIGNATURE_END.search(text, signature.end())
        after_end = end.end() if end else len(text)
        kept += [text[offset : begin.start()], _DASHED.sub("", signed.lstrip("\n"))]
        removed += 1 + armour_headers.count("\n") + 2 + text.count("\n", signature.start(), after_end)
        offset = after_end
    return "".join([*kept, text[offset:]]), removed


def has_encrypted_text(text: str) -> bool:
    """Return whether a text holds a PGP message that only its recipient can read."""
    return _ENCRYPTED.search(text) is not None
