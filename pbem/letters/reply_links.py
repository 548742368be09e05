"""The links of a page that open letters of the reader's: to whom, about what, and with their whole text in them.

What stands in it is written as RFC 6068 has it, and nothing else can: every character but letters and digits is
escaped, line ends are CRLF.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

LONGEST = 1_900
"""Characters of a link at most: mail programs and systems cut or refuse longer ones."""


class Link(NamedTuple):
    """Where a button leads: a letter that has all of its text in it."""

    to: str
    filled: bool = True


def link(address: str, subject: str, body: str) -> Link | None:
    """Return the link to a letter with this text; None where there is none, or where it makes the link too long."""
    whole = f"mailto:{_escaped(address)}?subject={_escaped(f'Re: {subject}')}&body={_escaped(body)}%0D%0A"
    return Link(whole) if body and len(whole) <= LONGEST else None


def _escaped(text: str) -> str:
    """The text in a link. The sign of an address stays: some programs take no other for it."""
    return quote(text.replace("\n", "\r\n"), safe="@")
