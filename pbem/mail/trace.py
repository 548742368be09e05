"""Remove the traces of delivery from a letter, for a constant digest.

Every server that a letter passes adds fields above it (RFC 5321, 4.4)::

    Return-Path: <ana@players.example>
    Delivered-To: pbem+ceuta-1-spain-ru6zpjztbbttz73y@example.org
    Received: from mx.example.org by mail.example.org with LMTP id 7Qx; Mon, 23 Nov 2026 10:00:07 +0000

A letter that a server delivers twice differs in these fields only. A server that hands a letter over by LMTP says
the envelope beside it, and `with_envelope` writes it down.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pbem.mail.address import ENVELOPE_FIELDS, author_address, find_addresses
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
_ENVELOPE = frozenset({b"return-path", *(name.encode("ascii") for name in ENVELOPE_FIELDS)})


def without_traces(raw: bytes) -> bytes:
    """Return a letter without the fields that servers add on its way."""
    header_bytes = raw_header(raw)
    return b"".join(_kept_fields(header_bytes, _is_trace)) + raw[len(header_bytes) :]


def with_envelope(raw: bytes, sender: str | None, recipient: str) -> bytes:
    """Return a letter with its envelope in its header, and with no other envelope.

    `sender` and `recipient` are addresses, the first one empty for the null path and None if it is not known. Such
    fields that were in the letter are removed, as anybody may have written them.
    """
    path = "" if sender is None else f"Return-Path: <{sender}>\r\n"
    envelope = f"{path}Delivered-To: {recipient}\r\n".encode()
    # A letter that begins with a blank would continue our field.
    raw = raw.lstrip(b" \t")
    header_bytes = raw_header(raw)
    return envelope + b"".join(_kept_fields(header_bytes, _ENVELOPE.__contains__)) + raw[len(header_bytes) :]


def with_topmost_envelope(raw: bytes) -> bytes:
    """Return a letter with the envelope that its topmost fields show, and no other.

    A mail server writes them above all others before it hands a letter to a pipe. A letter without any is unchanged.
    """
    fields = read_fields(raw)
    recipient, path = next(iter(find_addresses(fields.topmost(ENVELOPE_FIELDS))), ""), fields.first("return-path")
    if not recipient:
        return raw
    return with_envelope(raw, "" if path.replace(" ", "") == "<>" else author_address(path) or None, recipient)


def received_at(raw: bytes) -> datetime | None:
    """Return when the last server received a letter, by its topmost Received field."""
    try:
        moment = parsedate_to_datetime(read_fields(raw).first("received").rpartition(";")[2][:100])
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except Exception:  # ValueError, TypeError, OverflowError, IndexError: whatever the text was, it was no date
        return None


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


def _is_trace(name: bytes) -> bool:
    return name in _TRACES or name.startswith(_KINDS)


def _kept_fields(header_bytes: bytes, is_left_out: Callable[[bytes], bool]) -> Iterator[bytes]:
    is_kept = True
    for line in header_bytes.splitlines(keepends=True):
        if line[:1] not in (b" ", b"\t"):
            is_kept = not is_left_out(line.partition(b":")[0].strip().lower())
        if is_kept:
            yield line
