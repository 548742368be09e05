"""Remove the traces of delivery from a letter, for a constant digest.

Every server that a letter passes adds fields above it (RFC 5321, 4.4)::

    Return-Path: <ana@players.example>
    Delivered-To: pbem+ceuta-1-spain-ru6zpjztbbttz73y@example.org
    Received: from mx.example.org by mail.example.org with LMTP id 7Qx; Mon, 23 Nov 2026 10:00:07 +0000

A letter that a server delivers twice differs in these fields only.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from pbem.mail.mime import raw_header, read_fields

# A Received field (RFC 5321, section 4.4): the server that handed the letter over, and the one that took it.
# The longest name of the DNS has 253 characters; between the two stand names and addresses in brackets, of bounded
# length since anybody can write such a field.
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
"""Fields that servers add freely: results of filters, seals for the next server (RFC 8617)."""


def without_traces(raw: bytes) -> bytes:
    """Return a letter without the fields that servers add on its way."""
    header_bytes = raw_header(raw)
    return b"".join(_kept_fields(header_bytes)) + raw[len(header_bytes) :]


def content_digest(raw: bytes, besides: str = "") -> str:
    """Return the SHA-256 in hex of a letter without traces.

    `besides` is hashed too, to tell equal letters apart. For a letter without traces it is the digest of its bytes.
    """
    prefix = f"{besides}\r\n".encode() if besides else b""
    return hashlib.sha256(prefix + without_traces(raw)).hexdigest()


def submitting_domain(raw: bytes) -> str:
    """Return the domain whose host submitted a letter, or empty.

    It is read from the topmost ``Received`` field in which one domain passes the letter to another: the receiving
    server wrote that field, while anybody may have written those below.
    """
    for value in read_fields(raw).all("received"):
        match = _HANDED.match(value)
        if match is None:
            return ""
        sender_domain, receiver_domain = (_domain(match[key]) for key in ("by", "to"))
        if sender_domain and sender_domain != receiver_domain and "." in sender_domain:
            return sender_domain
    return ""


def _domain(host: str) -> str:
    """Return a host's domain: ``mx3.players.example`` is of ``players.example``."""
    parts = host.lower().strip(".").split(".")
    return ".".join(parts[1:] if len(parts) > 2 and not parts[-1].isdigit() else parts)


def _kept_fields(header_bytes: bytes) -> Iterator[bytes]:
    is_kept = True
    for line in header_bytes.splitlines(keepends=True):
        if line[:1] not in (b" ", b"\t"):
            name = line.partition(b":")[0].strip().lower()
            is_kept = not (name in _TRACES or name.startswith(_KINDS))
        if is_kept:
            yield line
