"""What a letter is without the traces of its way: the same however often, and by whichever way, it was delivered.

Every server that a letter passes writes above it what it did (RFC 5321, 4.4)::

    Return-Path: <ana@players.example>
    Delivered-To: pbem+ceuta-1-spain-ru6zpjztbbttz73y@example.org
    Received: from mx.example.org by mail.example.org with LMTP id 7Qx; Mon, 23 Nov 2026 10:00:07 +0000

A letter that a server hands on twice differs in these fields alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from pbem.mail.mime import header, read_fields

_HANDED = re.compile(r"from (?P<by>[a-z0-9.-]{1,253})\b.{0,600}? by (?P<to>[a-z0-9.-]{1,253})\b", re.IGNORECASE)

_TRACES = frozenset(
    {
        b"authentication-results",
        b"delivered-to",
        b"delivery-date",
        b"envelope-to",
        b"received",
        b"received-spf",
        b"return-path",
    }
)
_KINDS = (b"x-", b"arc-")
"""Fields that servers put in as they like: what filters found, what one vouches for to the next (RFC 8617)."""


def untraced(raw: bytes) -> bytes:
    """A letter without the fields that are written on its way; the rest as it stands."""
    head = header(raw)
    return b"".join(_kept(head)) + raw[len(head) :]


def digest(raw: bytes, besides: str = "") -> str:
    """SHA-256 of a letter without the traces of its way, as hexadecimal digits, and of what else tells it apart.

    Of a letter that bears no trace it is that of its bytes.
    """
    told = f"{besides}\r\n".encode() if besides else b""
    return hashlib.sha256(told + untraced(raw)).hexdigest()


def handed_in_by(raw: bytes) -> str:
    """The domain of the host that a letter was handed in by, as the house that took it wrote; empty if it did not say.

    From the top down that is the first ``Received`` in which one house hands on to another: those below it may have
    been written by anybody.
    """
    for value in read_fields(raw).all("received"):
        found = _HANDED.match(value)
        if found is None:
            return ""
        by, to = (_domain(found[key]) for key in ("by", "to"))
        if by and by != to and "." in by:
            return by
    return ""


def _domain(host: str) -> str:
    """The domain of a host: ``mx3.players.example`` is of ``players.example``; an address in digits is itself."""
    parts = host.lower().strip(".").split(".")
    return ".".join(parts[1:] if len(parts) > 2 and not parts[-1].isdigit() else parts)


def _kept(head: bytes) -> Iterator[bytes]:
    kept = True
    for line in head.splitlines(keepends=True):
        if line[:1] not in (b" ", b"\t"):
            name = line.partition(b":")[0].strip().lower()
            kept = not (name in _TRACES or name.startswith(_KINDS))
        if kept:
            yield line
