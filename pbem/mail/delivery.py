"""Read delivery reports (RFC 3464): the failure, and the letter that came back.

The part for programs is decisive::

    Content-Type: message/delivery-status

    Reporting-MTA: dns; mx.example.org

    Final-Recipient: rfc822; ana@players.example
    Action: failed
    Status: 5.1.1

Reports without it are read by the first status code in their text, or by words such as "permanent error". The
address to which a report came identifies the returned letter, since it was the envelope sender of that letter only;
else the Message-ID in the report does.
"""

from __future__ import annotations

import re
from email import policy
from email.message import Message
from email.parser import BytesParser
from typing import Any, NamedTuple

from pbem.mail.mime import check_limits, clean_text, raw_header
from pbem.mail.reading import TooLong, UnsafeLetter

# A status code of RFC 3463.
_STATUS = re.compile(r"\b([245])\.([0-9]{1,3})\.([0-9]{1,3})\b")
# A reply code begins a line or follows a blank, "#", ":" or a bracket, and what follows it separates it from words:
# other numbers of three digits, as in an address or a date, are none.
_REPLY = re.compile(r"(?:^|[\s#:(\[])([45])[0-9]{2}[ ,:;-]")
"""A status code of a mail server in prose: it is not a part of a longer number, a time or a version."""
# Words of servers that give no code; without them a failure counts as temporary.
_FOR_GOOD = re.compile(
    r"permanent(?:ly)? (?:fatal )?(?:error|failure|rejected|failed|undeliverable)|failed permanently|fallo permanente"
    r"|error permanente|dauerhafter fehler|erreur permanente",
    re.IGNORECASE,
)
# As `mail.inbound` reads a Message-ID: at most 250 octets.
_RETURNED = re.compile(rb"(?im)^message-id:\s{0,80}(<[!-;=?-~]{1,250}>)")
_OCTETS_READ = 65_536
"""Octets of a report that are searched. Anybody can send reports; the code stands near the beginning, and the patterns
run over all that is read."""
_RECIPIENTS = 20
"""Recipients in a report that are inspected: our letters have one, and forwarding may add some."""
_DEPTH = 10
"""Parts within parts in which the report is searched: as deep as letters are read (`mime.DEEPEST_PART`)."""


class DeliveryFailure(NamedTuple):
    """A failure: status (RFC 3463), whether it is permanent, the server's words."""

    status: str
    hard: bool
    text: str


def read_failure(raw: bytes) -> DeliveryFailure | None:
    """Read a delivery report; None for a delay or a delivery. Never raise."""
    try:
        check_limits(raw)
        letter = BytesParser(policy=policy.compat32).parsebytes(raw)
        blocks = _status_blocks(letter)
        return _reported_failure(blocks) if blocks is not None else _failure_in_text(raw)
    # What would be costly to parse is only searched as text, of which no more than a part is read.
    except (UnsafeLetter, TooLong):
        return _failure_in_text(raw)
    except Exception:  # the standard parser fails in ways of its own on what it does not expect
        return _failure_in_text(raw)


def returned_message_ids(raw: bytes) -> tuple[str, ...]:
    """Return the other Message-IDs in a report; one of them is the returned letter's."""
    # The first is the report's own. A report that quotes a thread has more; each is looked up, so five must do.
    return tuple(message_id.decode("ascii") for message_id in _RETURNED.findall(raw[: 4 * _OCTETS_READ])[1:6])


def _status_blocks(letter: Message) -> list[Any] | None:
    """Return the field groups of the delivery-status part; None without one."""
    waiting: list[tuple[Any, int]] = [(letter, 0)]
    while waiting:
        part, depth = waiting.pop(0)
        if part.get_content_type() == "message/delivery-status" and isinstance(part.get_payload(), list):
            # The first block is about the letter as a whole, each further one about a recipient (RFC 3464, 2.1).
            return list(part.get_payload())[: _RECIPIENTS + 1]
        if part.get_content_maintype() == "multipart" and part.is_multipart() and depth < _DEPTH:
            waiting += [(child, depth + 1) for child in part.get_payload()]
    return None


def _reported_failure(blocks: list[Any]) -> DeliveryFailure | None:
    # The values are anybody's text, so all are cut before they are searched.
    for block in blocks:
        if clean_text(str(block.get("Action", ""))).strip().lower()[:20] != "failed":
            continue
        match = _STATUS.search(str(block.get("Status", ""))[:200])
        status = match[0] if match else "5.0.0"
        diagnostic = " ".join(clean_text(str(block.get("Diagnostic-Code", ""))[:500]).split())
        return DeliveryFailure(status, status.startswith("5"), diagnostic)
    return None


def _failure_in_text(raw: bytes) -> DeliveryFailure:
    """Return the failure by the first code in the text, or its words; else temporary."""
    text = clean_text(_decoded_text(raw).decode("ascii", "replace"))
    match = _STATUS.search(text)
    if match and match[1] in "45":
        return DeliveryFailure(match[0], match[1] == "5", "")
    if reply := _REPLY.search(text):
        return DeliveryFailure(f"{reply[1]}.0.0", reply[1] == "5", "")
    return (
        DeliveryFailure("5.0.0", True, "")
        if _FOR_GOOD.search(" ".join(text.split()))
        else DeliveryFailure("4.0.0", False, "")
    )


def _decoded_text(raw: bytes) -> bytes:
    """Return a letter's decoded text; the raw text if it cannot be parsed."""
    try:
        check_limits(raw)
        letter = BytesParser(policy=policy.compat32).parsebytes(raw)
        parts = [part for part in letter.walk() if part.get_content_maintype() == "text"]
        decoded = [data for part in parts[:_RECIPIENTS] if isinstance(data := part.get_payload(decode=True), bytes)]
    except Exception:  # Poison, TooLong; and the standard parser fails in ways of its own on what it does not expect
        decoded = []
    return (b"\n".join(decoded) or raw[len(raw_header(raw)) :])[:_OCTETS_READ]
