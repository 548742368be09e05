"""The link of a page that opens a letter of the reader's: to whom, about what, and with the form in it.

What stands in it is written as RFC 6068 has it, and nothing else can: every character but letters and digits is
escaped, line ends are CRLF.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

LONGEST = 1_900
"""Characters of a link at most: mail programs and systems cut or refuse longer ones."""


class Link(NamedTuple):
    """Where a button leads, and whether the letter that it opens has the form in it."""

    to: str
    filled: bool


def link(address: str, subject: str, form: str) -> Link:
    """Return the link to an answer; where the form makes it too long, to an empty letter."""
    empty = f"mailto:{_escaped(address)}?subject={_escaped(f'Re: {subject}')}"
    whole = f"{empty}&body={_escaped(form)}%0D%0A" if form else empty
    fits = len(whole) <= LONGEST
    return Link(whole if fits else empty, bool(form) and fits)


def _escaped(text: str) -> str:
    """The text in a link. The sign of an address stays: some programs take no other for it."""
    return quote(text.replace("\n", "\r\n"), safe="@")
