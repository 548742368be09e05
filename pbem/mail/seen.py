"""Which state of the log a player was shown last: a comment in his order template, which he sends back with his orders.

Example::

    ORDERS T3 #k7q2
    # SEEN 4711 sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

A server that showed two players two logs would have to take what each sends back for its own. The line is looked for in
the whole letter, before anything quoted is cut.
"""

from __future__ import annotations

import base64
import re
from typing import NamedTuple

from pbem.mail.mime import Poison, TooLong, body_text, prescan

__all__ = ["Seen", "read", "with_line"]

_LINE = re.compile(r"# SEEN ([1-9][0-9]{0,17}) ([A-Za-z0-9+/]{43}=)(?=\s|$)")


class Seen(NamedTuple):
    """A signed tree of the log: how many leaves it has, and its root, 32 bytes."""

    size: int
    root: bytes


def with_line(template: list[str], seen: Seen) -> list[str]:
    """An order template with the line below its header."""
    line = f"# SEEN {seen.size} {base64.b64encode(seen.root).decode('ascii')}"
    return [*template[:1], line, *template[1:]]


def read(raw: bytes) -> Seen | None:
    """The newest state of the log that a letter says its writer was shown; None if it says none or cannot be read."""
    try:
        prescan(raw)
        text = body_text(raw)
    except (Poison, TooLong):
        return None
    found = [Seen(int(size), base64.b64decode(root)) for size, root in _LINE.findall(text)]
    return max(found, default=None)
