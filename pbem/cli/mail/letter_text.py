"""A letter as one reads it."""

from __future__ import annotations

import email
import email.policy

__all__ = ["readable"]


def readable(raw: bytes) -> str:
    """A letter as one reads it: who to, what about, the text."""
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    body = letter.get_body(("plain",))
    text = "" if body is None else str(body.get_content()).replace("\r\n", "\n")
    return f"To: {letter['To']}\nSubject: {letter['Subject']}\n\n{text}"
