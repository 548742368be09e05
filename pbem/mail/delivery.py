"""Letters that came back: what a delivery report (RFC 3464) says, and which letter of ours it is about.

The report's own part is the truth::

    Content-Type: message/delivery-status

    Reporting-MTA: dns; mx.example.org

    Final-Recipient: rfc822; ana@players.example
    Action: failed
    Status: 5.1.1

Servers that write none are read by the first status code in their text, or by words such as "permanent error". Who the
report is about is told by the address that it came to, which was the envelope sender of one letter; failing that, by
the Message-ID of the letter returned.
"""

from __future__ import annotations

import re
from email import policy
from email.message import Message
from email.parser import BytesParser
from typing import Any, NamedTuple

from pbem.mail.mime import clean, header, prescan
from pbem.mail.reading import Poison, TooLong

_STATUS = re.compile(r"\b([245])\.([0-9]{1,3})\.([0-9]{1,3})\b")
_REPLY = re.compile(r"(?:^|[\s#:(\[])([45])[0-9]{2}[ ,:;-]")
_FOR_GOOD = re.compile(
    r"permanent(?:ly)? (?:fatal )?(?:error|failure|rejected|failed|undeliverable)|failed permanently|fallo permanente"
    r"|error permanente|dauerhafter fehler|erreur permanente",
    re.IGNORECASE,
)
_RETURNED = re.compile(rb"(?im)^message-id:\s{0,80}(<[!-;=?-~]{1,250}>)")
_LOOKED_AT = 65_536
_RECIPIENTS = 20
_DEPTH = 10


class Failure(NamedTuple):
    """Why a letter came back: its status (RFC 3463), whether that is for good, and what the server said."""

    status: str
    hard: bool
    text: str


def failure(raw: bytes) -> Failure | None:
    """Read a report of non-delivery; None if it tells of no failure (a delay, a delivery). Never raises."""
    try:
        prescan(raw)
        letter = BytesParser(policy=policy.compat32).parsebytes(raw)
        blocks = _blocks(letter)
        return _told(blocks) if blocks is not None else _in_text(raw)
    except (Poison, TooLong):
        return _in_text(raw)
    except Exception:  # the standard parser fails in ways of its own on what it does not expect
        return _in_text(raw)


def returned(raw: bytes) -> tuple[str, ...]:
    """The Message-IDs in a report but its own: among them is that of the letter which came back."""
    return tuple(found.decode("ascii") for found in _RETURNED.findall(raw[: 4 * _LOOKED_AT])[1:6])


def _blocks(letter: Message) -> list[Any] | None:
    """The groups of fields of the delivery-status part; None if there is no such part."""
    waiting: list[tuple[Any, int]] = [(letter, 0)]
    while waiting:
        part, depth = waiting.pop(0)
        if part.get_content_type() == "message/delivery-status" and isinstance(part.get_payload(), list):
            return list(part.get_payload())[: _RECIPIENTS + 1]
        if part.get_content_maintype() == "multipart" and part.is_multipart() and depth < _DEPTH:
            waiting += [(child, depth + 1) for child in part.get_payload()]
    return None


def _told(blocks: list[Any]) -> Failure | None:
    for block in blocks:
        if clean(str(block.get("Action", ""))).strip().lower()[:20] != "failed":
            continue
        found = _STATUS.search(str(block.get("Status", ""))[:200])
        status = found[0] if found else "5.0.0"
        said = " ".join(clean(str(block.get("Diagnostic-Code", ""))[:500]).split())
        return Failure(status, status.startswith("5"), said)
    return None


def _in_text(raw: bytes) -> Failure:
    """The failure by the first code that the text holds, or by its words; without either it counts as passing."""
    text = clean(_written(raw).decode("ascii", "replace"))
    found = _STATUS.search(text)
    if found and found[1] in "45":
        return Failure(found[0], found[1] == "5", "")
    if reply := _REPLY.search(text):
        return Failure(f"{reply[1]}.0.0", reply[1] == "5", "")
    return Failure("5.0.0", True, "") if _FOR_GOOD.search(" ".join(text.split())) else Failure("4.0.0", False, "")


def _written(raw: bytes) -> bytes:
    """The text of a letter, its transfer encoding undone; as it came if it cannot be parsed."""
    try:
        prescan(raw)
        letter = BytesParser(policy=policy.compat32).parsebytes(raw)
        parts = [part for part in letter.walk() if part.get_content_maintype() == "text"]
        decoded = [data for part in parts[:_RECIPIENTS] if isinstance(data := part.get_payload(decode=True), bytes)]
    except Exception:  # Poison, TooLong; and the standard parser fails in ways of its own on what it does not expect
        decoded = []
    return (b"\n".join(decoded) or raw[len(header(raw)) :])[:_LOOKED_AT]
