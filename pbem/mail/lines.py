"""The lines of a letter's text: how deep each is quoted, and what stands between PRESS and ENDPRESS.

``> `` is a mark wherever it stands. A bar (``| MOVE``), a colon (``: MOVE``), somebody's initials (``P> MOVE``) or his
name set in from the edge (``    Bruno> MOVE``) are marks where two lines in a row have the same; a line that ends in a
bar as well is the row of a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.orders import block
from pbem.engine.orders import block as bounds
from pbem.mail.marks import sentinel

_PREFIX = re.compile(r"[ \xa0]{0,3}(?:>[ \t\xa0]?)+")
_WHOSE = r"(?:[^\W\d_]{1,3}|(?<=[ \xa0]{2})[^\W\d_]{4,15})>{1,4}"
_OTHER_MARK = re.compile(rf"[ \xa0]{{0,8}}(?:(\|)[ \t]?(?!.{{0,400}}\|\s{{0,9}}$)|({_WHOSE}|:)(?:[ \t]|$))")
_SENTENCE_ENDS = (".", "!", "?", ":")
_FULL = 55
"""Characters that a line has at least if a client that breaks lines broke it."""
_WIDTH = 66
"""No client breaks lines before this column."""
_LINK_ENDS = re.compile(r"[^\s()]{1,300}\)\S{0,3}")
_LIST_MARK = re.compile(r"[ \t\xa0]{0,8}(?:[-*+•·‣▪◦–—]|[0-9]{1,3}[.)]|[a-z][.)])[ \t\xa0]{1,8}(?=[^\W\d_]{2})")
_CONDITION = re.compile(r"(?:when|cuando)\b", re.IGNORECASE)
_SHOUTED = re.compile(r"[^\W\d_]{3,}")


class Line(NamedTuple):
    """A line without its quote marks, and how many there were; `barred` if its mark was a bar."""

    depth: int
    text: str
    barred: bool = False


def split_prefix(line: str) -> Line:
    """Take the quote marks off a line: ``> > MOVE`` is ``MOVE`` at depth 2."""
    found = _PREFIX.match(line)
    return Line(found[0].count(">"), line[found.end() :]) if found else Line(0, line)


def without_list_mark(line: str, *, any_word: bool) -> str:
    """Return a line without its bullet or number; one before a word in small letters stays unless `any_word`."""
    found = _LIST_MARK.match(line)
    # Lines of standing orders have numbers of their own: "1. WHEN ASSAULTED ...".
    if found is None or _CONDITION.match(line, found.end()):
        return line
    rest = line[found.end() :]
    shouted = _SHOUTED.match(rest)
    return rest if any_word or (shouted is not None and shouted[0].isupper()) else line


def marked(text: str) -> list[Line]:
    """The lines of a text, each with its marks taken off."""
    lines = [split_prefix(line) for line in text.split("\n")]
    last, seen = -1, ""
    for at, line in enumerate(lines):
        if not line.text.strip():
            continue
        found = _OTHER_MARK.match(line.text) if line.depth == 0 else None
        mark = found[1] or found[2] if found else ""
        if found and mark == seen:
            lines[last], lines[at] = _without_mark(lines[last]), _without_mark(line)
        last, seen = at, mark
    return lines


def _without_mark(line: Line) -> Line:
    found = _OTHER_MARK.match(line.text) if line.depth == 0 else None
    return Line(1, line.text[found.end() :], found[1] == "|") if found else line


def to_others(text: str) -> frozenset[int]:
    """The lines of what is said to others, from PRESS to ENDPRESS; none of one that has no end.

    A letter of ours that begins in between, or another PRESS, shows that the end belongs to something older.
    """
    found: set[int] = set()
    start = -1
    for at, line in enumerate(text.split("\n")):
        bare = bounds.bare(line)
        if block.PRESS_HEAD.fullmatch(bare):
            start = at
        elif sentinel(line):
            start = -1
        elif start >= 0 and block.PRESS_END.fullmatch(bare):
            found.update(range(start, at + 1))
            start = -1
    return frozenset(found)


def broken_off(lines: Sequence[Line], at: int) -> bool:
    """Whether an unquoted line is the end of the quoted one above it, which a client broke without marking it again.

    It stands between quoted lines, the one above is as long as lines become, and no sentence ends there; or it is the
    rest of a link. A line that begins with a word in capitals is an order or a command.
    """
    if not 0 < at < len(lines) - 1 or lines[at].depth or not lines[at - 1].depth or not lines[at + 1].depth:
        return False
    above, here = lines[at - 1].text.rstrip(), lines[at].text.strip()
    if here.startswith(("(http", "<http")) or (above.count("(") > above.count(")") and _LINK_ENDS.fullmatch(here)):
        return True
    long = len(above) + 2 * lines[at - 1].depth
    if not here or long < _FULL or len(here) > long or above.endswith(_SENTENCE_ENDS):
        return False
    first = here.split(maxsplit=1)[0]
    shouted = _SHOUTED.match(first)
    return long + 1 + len(first) > _WIDTH and not (shouted is not None and shouted[0].isupper())
