"""Of two parts that say the same the one with the author's own lines (RFC 2046, 5.1.4).

Clients break the lines of the text part to fit a screen, and some break orders with them. Where the HTML part holds the
same words it is read instead; what is quoted must be marked no less in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.orders import block as bounds
from pbem.mail.lines import split_prefix
from pbem.mail.marks import sentinel

_STUB = 400
"""Characters of a text part that only names the HTML part at most."""
_FULL = 50
"""Characters that a line of the text part has at least, with the word that follows, if it was broken to fit."""


def same_words(text: str, page: str) -> bool:
    """Whether the lines of `page`, the HTML part as text, may stand for those of the text part.

    Unquoted words are the same but for blanks, both parts have quoted ones or neither, and `page` leaves out no break
    that the author made: a line of the text part that it joins to the next was full.
    """
    plain, wide = _own(text), _own(page)
    if "".join(plain).replace(" ", "") != "".join(wide).replace(" ", "") or _quotes(text) != _quotes(page):
        return False
    ends = set(_places(wide))
    words = [line.split() for line in plain]
    for at, place in enumerate(_places(plain)[:-1]):
        if place not in ends and len(plain[at]) + 1 + len(words[at + 1][0]) < _FULL:
            return False
    return True


def is_stub(text: str, page: str) -> bool:
    """Tell whether the text part only says that there is an HTML part: short, no line in common, and no order block."""
    own = set(_own(text))
    if len(text) > _STUB or own & set(_own(page)):
        return False
    return "html" in text.lower() or (_has_block(page) and not _has_block(text))


def _has_block(text: str) -> bool:
    return any(bounds.header(bounds.bare(line)) for line in text.split("\n"))


def _own(text: str) -> list[str]:
    """The unquoted lines that hold anything, blanks made single; the line that begins our letters is none."""
    lines = (split_prefix(line) for line in text.split("\n"))
    own = (" ".join(line.text.split()) for line in lines if not line.depth and not sentinel(line.text))
    return [line for line in own if line]


def _quotes(text: str) -> bool:
    return any(split_prefix(line).depth for line in text.split("\n"))


def _places(lines: Sequence[str]) -> list[int]:
    """How many characters but blanks stand above the end of each line."""
    found, sum_ = [], 0
    for line in lines:
        sum_ += len(line.replace(" ", ""))
        found.append(sum_)
    return found
