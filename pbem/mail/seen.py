"""Read and write the line in an order template that shows the log's state.

It has the state last shown to the player, who sends it back with his orders::

    ORDERS T3 #k7q2
    # SEEN 4711 sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08= mK2v0Q1x

The last word is a mark by which the server recognises its own line. A server that showed two logs to two players
would have to accept the states that both send back as its own. The line is searched in the whole letter, before
quotes are cut.
"""

from __future__ import annotations

import base64
import re
from typing import NamedTuple

from pbem.mail.mime import body_text, check_limits
from pbem.mail.reading import TooLong, UnsafeLetter

# The number as in `audit.blocks.COUNT_PATTERN`.
_LINE = re.compile(r"(?:# )?\bSEEN ([1-9][0-9]{0,17}) ([A-Za-z0-9+/]{43}=)(?: ([A-Za-z0-9_-]{8}))?(?=\s|$)")


class ShownTree(NamedTuple):
    """A signed tree of the log: size, root (32 bytes), and our mark if any."""

    size: int
    root: bytes
    mark: str = ""


def add_seen_line(template: list[str], seen: ShownTree) -> list[str]:
    """Return an order template with the line below its header."""
    root = base64.b64encode(seen.root).decode("ascii")
    line = " ".join(part for part in ("# SEEN", str(seen.size), root, seen.mark) if part)
    return [*template[:1], line, *template[1:]]


def is_seen_line(line: str) -> bool:
    """Return whether a line of a letter is that line, with its # or without."""
    return _LINE.fullmatch(line.strip()) is not None


def newest_shown_tree(raw: bytes) -> ShownTree | None:
    """Return the newest shown state in a letter; None without one or if unreadable."""
    return max(all_shown_trees(raw), default=None)


def all_shown_trees(raw: bytes) -> tuple[ShownTree, ...]:
    """Return all shown states in a letter; none if it cannot be read."""
    try:
        check_limits(raw)
        text = body_text(raw)
    except (UnsafeLetter, TooLong):
        return ()
    return tuple(ShownTree(int(size), base64.b64decode(root), mark) for size, root, mark in _LINE.findall(text))
