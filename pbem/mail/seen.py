"""Which state of the log a player was shown last: a comment in his order template, which he sends back with his orders.

Example::

    ORDERS T3 #k7q2
    # SEEN 4711 sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08= mK2v0Q1x

The last word is a mark by which the server knows that it wrote the line itself. A server that showed two players two
logs would have to take what each sends back for its own. The line is looked for in the whole letter, before anything
quoted is cut.
"""

from __future__ import annotations

import base64
import re
from typing import NamedTuple

from pbem.mail.mime import body_text, prescan
from pbem.mail.reading import Poison, TooLong

_LINE = re.compile(r"# SEEN ([1-9][0-9]{0,17}) ([A-Za-z0-9+/]{43}=)(?: ([A-Za-z0-9_-]{8}))?(?=\s|$)")


class Seen(NamedTuple):
    """A signed tree of the log: how many leaves it has, and its root, 32 bytes; the server's mark, if there is one."""

    size: int
    root: bytes
    mark: str = ""


def with_line(template: list[str], seen: Seen) -> list[str]:
    """An order template with the line below its header."""
    root = base64.b64encode(seen.root).decode("ascii")
    line = " ".join(part for part in ("# SEEN", str(seen.size), root, seen.mark) if part)
    return [*template[:1], line, *template[1:]]


def read(raw: bytes) -> Seen | None:
    """The newest state of the log that a letter says its writer was shown; None if it says none or cannot be read."""
    return max(read_all(raw), default=None)


def read_all(raw: bytes) -> tuple[Seen, ...]:
    """All states of the log that a letter says its writer was shown; none if it cannot be read."""
    try:
        prescan(raw)
        text = body_text(raw)
    except (Poison, TooLong):
        return ()
    return tuple(Seen(int(size), base64.b64decode(root), mark) for size, root, mark in _LINE.findall(text))
