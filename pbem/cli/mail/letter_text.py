"""A letter as one reads it."""

from __future__ import annotations

import email
import email.policy

from pbem.cli.terminal import harmless, on_one_line
from pbem.mail.mime import decode_words, read_fields


def readable(raw: bytes) -> str:
    """A letter as one reads it: who to, what about, the text."""
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    body = letter.get_body(("plain",))
    text = "" if body is None else str(body.get_content()).replace("\r\n", "\n")
    fields = read_fields(raw)
    to, subject = (decode_words(fields.first(name)) for name in ("to", "subject"))
    return as_read(to, subject, text)


def as_read(to: str, subject: str, text: str) -> str:
    """Return who a letter is to, what it is about and its text, with nothing in it that a terminal obeys."""
    return harmless(f"To: {on_one_line(to)}\nSubject: {on_one_line(subject)}\n\n{text}")
