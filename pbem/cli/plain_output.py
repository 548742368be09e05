"""Print for people: tables in columns, moments, and letters as one reads them."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Sequence
from datetime import datetime

from pbem.cli.terminal import harmless, on_one_line
from pbem.lazy import lazily

with lazily():
    from pbem.letters import layout
    from pbem.mail import mime


def moment(at: datetime | None) -> str:
    """A moment in a table."""
    return "-" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows in columns as wide as they must be.

    Names and addresses are other people's words: what could move a terminal's cursor is left out.
    """
    rows = [tuple(layout.clean(cell.replace("\n", " ")) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def readable(raw: bytes) -> str:
    """A letter as one reads it: who to, what about, the text."""
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    body = letter.get_body(("plain",))
    text = "" if body is None else str(body.get_content()).replace("\r\n", "\n")
    fields = mime.read_fields(raw)
    to, subject = (mime.decode_words(fields.first(name)) for name in ("to", "subject"))
    return as_read(to, subject, text)


def as_read(to: str, subject: str, text: str) -> str:
    """Return who a letter is to, what it is about and its text, with nothing in it that a terminal obeys."""
    return harmless(f"To: {on_one_line(to)}\nSubject: {on_one_line(subject)}\n\n{text}")
