"""From letters as they lie in a mailbox to what is checked: the attachment, and when the letter was received."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from datetime import UTC
from email.message import Message
from email.policy import compat32
from email.utils import parsedate_to_datetime

from pbem.audit.bundle import FILE
from pbem.audit.verifier.record import Item

__all__ = ["items", "split_mbox"]

_HEAD = b"pbemdice/v1/bundle\n"
_FROM = re.compile(rb"^From [^\n]*\n", re.MULTILINE)
_MOST = {b"multipart/": 20, b"message/": 20, b"\n--": 2_000, b"\n": 100_000}
"""How often a letter with an attachment of ours may hold these; anybody may write to a player, and more of them take
the parser minutes, or its stack."""
_FIELD = re.compile(rb"(?im)^content-[a-z-]{1,30}:(?:[^\n]{4096}|(?:[^\n]*\n[ \t]){50})")
"""A field about content that is longer than any of ours."""


def items(where: str, data: bytes) -> Iterator[Item]:
    """What is to be checked in a file: a letter, an mbox of letters, or an attachment that was saved."""
    plain = data.replace(b"\r\n", b"\n")
    if plain.startswith(_HEAD):
        yield Item(where, None, plain)
        return
    letters = split_mbox(data) if _FROM.match(data) else [data]
    for number, raw in enumerate(letters, 1):
        name = where if len(letters) == 1 else f"{where}#{number}"
        if not _may_be_ours(raw):
            continue
        letter = email.message_from_bytes(raw, policy=compat32)
        for part in letter.walk():
            if not part.is_multipart() and part.get_filename() == FILE:
                body = part.get_payload(decode=True)
                text = body if isinstance(body, bytes) else b""
                # Mail turns line ends into CRLF, and some programs add or drop empty lines at the end.
                yield Item(name, _received(letter), text.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n")


def split_mbox(data: bytes) -> list[bytes]:
    """The letters of an mbox. No line of a bundle begins with From, so nothing in it is ever quoted."""
    starts = [at for at in _FROM.finditer(data) if at.start() == 0 or data[at.start() - 2 : at.start()] == b"\n\n"]
    ends = [found.start() for found in starts[1:]] + [len(data)]
    return [data[found.end() : end] for found, end in zip(starts, ends, strict=True)]


def _may_be_ours(raw: bytes) -> bool:
    """Whether a letter names our attachment, and is none that only harms who reads it."""
    folded = raw.lower()
    few = all(folded.count(word) <= most for word, most in _MOST.items())
    return FILE.encode() in folded and few and _FIELD.search(raw) is None


def _received(letter: Message) -> int | None:
    """When the reader's own mail server took the letter: the topmost of the headers that servers put on top."""
    stamps = letter.get_all("Received") or []
    try:
        moment = parsedate_to_datetime(str(stamps[0]).rpartition(";")[2].strip()[:100])
    except (IndexError, ValueError, TypeError):
        return None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
