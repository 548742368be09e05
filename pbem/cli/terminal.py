"""What may be printed: other people's words without what moves a cursor, turns the writing round or cannot be seen."""

from __future__ import annotations


def harmless(text: str) -> str:
    """The text with every character that does not print written as its number; lines end where they ended."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def on_one_line(text: str) -> str:
    """The same, and no line of its own begins in it."""
    return harmless(text).replace("\n", "\\n")
