"""What a letter is without the traces of its way: the same however often, and by whichever way, it was delivered.

Every server that a letter passes writes above it what it did (RFC 5321, 4.4)::

    Return-Path: <ana@players.example>
    Delivered-To: pbem+ceuta-1-spain-ru6zpjztbbttz73y@example.org
    Received: from mx.example.org by mail.example.org with LMTP id 7Qx; Mon, 23 Nov 2026 10:00:07 +0000

A letter that a server hands on twice differs in these fields alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from pbem.mail.mime import header

__all__ = ["digest", "untraced"]

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


def _kept(head: bytes) -> Iterator[bytes]:
    kept = True
    for line in head.splitlines(keepends=True):
        if line[:1] not in (b" ", b"\t"):
            name = line.partition(b":")[0].strip().lower()
            kept = not (name in _TRACES or name.startswith(_KINDS))
        if kept:
            yield line
