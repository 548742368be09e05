"""Split a letter's text into lines with quote depth; find text for others.

Text for others is between PRESS and ENDPRESS. ``> `` is always a quote mark. A bar (``| MOVE``), a colon (``:
MOVE``), initials (``P> MOVE``) or an indented name (`` Bruno> MOVE``) are quote marks if two lines in a row have
the same; a line that also ends in a bar is a row of a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.orders import block
from pbem.engine.orders import block as bounds
from pbem.mail.marks import is_sentinel

# Clients set a few blanks before a mark. A choice: with more than three ">" counts as the author's own.
_PREFIX = re.compile(r"[ \xa0]{0,3}(?:>[ \t\xa0]?)+")
# Other marks: a bar, unless one ends the line as well, as in a table; initials with ">", or a name if blanks set it in;
# a colon. A mark counts only if two lines in a row have it. All is bounded, since it is tried on every line.
_WHOSE = r"(?:[^\W\d_]{1,3}|(?<=[ \xa0]{2})[^\W\d_]{4,15})>{1,4}"
_OTHER_MARK = re.compile(rf"[ \xa0]{{0,8}}(?:(\|)[ \t]?(?!.{{0,400}}\|\s{{0,9}}$)|({_WHOSE}|:)(?:[ \t]|$))")
_SENTENCE_ENDS = (".", "!", "?", ":")
_FULL = 55
"""The least length of a line that a client broke to fit: a word of up to eleven letters did not fit any more before
`_WIDTH`."""
_WIDTH = 66
"""The least column at which clients break lines."""
_LINK_ENDS = re.compile(r"[^\s()]{1,300}\)\S{0,3}")
"""The rest of a link in brackets, and at most three marks of punctuation behind it. A choice: few links are longer than
300 characters."""
# A bullet, a number of up to three figures or a letter, and behind it a word: "1." alone or "a) 5" is no item.
_LIST_MARK = re.compile(r"[ \t\xa0]{0,8}(?:[-*+•·‣▪◦–—]|[0-9]{1,3}[.)]|[a-z][.)])[ \t\xa0]{1,8}(?=[^\W\d_]{2})")
_CONDITION = re.compile(r"(?:when|cuando)\b", re.IGNORECASE)
# Shorter words in capitals, such as I, A or OK, are in prose as well.
_SHOUTED = re.compile(r"[^\W\d_]{3,}")


class UnquotedLine(NamedTuple):
    """A line without its quote marks, and their number; `barred` if one is a bar."""

    depth: int
    text: str
    barred: bool = False


def split_quote_marks(line: str) -> UnquotedLine:
    """Split the quote marks off a line: ``> > MOVE`` is ``MOVE`` at depth 2."""
    match = _PREFIX.match(line)
    return UnquotedLine(match[0].count(">"), line[match.end() :]) if match else UnquotedLine(0, line)


def without_list_mark(line: str, *, any_word: bool) -> str:
    """Return a line without its bullet or number.

    A mark before a word in small letters stays unless `any_word`.
    """
    match = _LIST_MARK.match(line)
    # Lines of standing orders have numbers of their own: "1. WHEN ASSAULTED ...".
    if match is None or _CONDITION.match(line, match.end()):
        return line
    rest = line[match.end() :]
    capitals = _SHOUTED.match(rest)
    return rest if any_word or (capitals is not None and capitals[0].isupper()) else line


def split_quoted_lines(text: str) -> list[UnquotedLine]:
    """Return the lines of a text, each split from its marks."""
    lines = [split_quote_marks(line) for line in text.split("\n")]
    previous, previous_mark = -1, ""
    for index, line in enumerate(lines):
        if not line.text.strip():
            continue
        match = _OTHER_MARK.match(line.text) if line.depth == 0 else None
        mark = match[1] or match[2] if match else ""
        if match and mark == previous_mark:
            lines[previous], lines[index] = _without_mark(lines[previous]), _without_mark(line)
        previous, previous_mark = index, mark
    return lines


def _without_mark(line: UnquotedLine) -> UnquotedLine:
    match = _OTHER_MARK.match(line.text) if line.depth == 0 else None
    return UnquotedLine(1, line.text[match.end() :], match[1] == "|") if match else line


def lines_to_others(text: str) -> frozenset[int]:
    """Return the numbers of the lines from PRESS to ENDPRESS.

    There are none without ENDPRESS. If a letter of this server, or another PRESS, begins in between, the ENDPRESS
    belongs to something older.
    """
    numbers: set[int] = set()
    start = -1
    for index, line in enumerate(text.split("\n")):
        bare = bounds.bare(line)
        if block.PRESS_HEAD.fullmatch(bare):
            start = index
        elif is_sentinel(line):
            start = -1
        elif start >= 0 and block.PRESS_END.fullmatch(bare):
            numbers.update(range(start, index + 1))
            start = -1
    return frozenset(numbers)


def is_broken_off(lines: Sequence[UnquotedLine], index: int) -> bool:
    """Return whether an unquoted line belongs to the quoted one above.

    A client broke the quoted line without repeating its mark. The rest is between quoted lines, the line above has
    full length, and no sentence ends there; or it is the rest of a link. A line that begins with a word in capitals
    is an order or a command.
    """
    if not 0 < index < len(lines) - 1 or lines[index].depth or not lines[index - 1].depth or not lines[index + 1].depth:
        return False
    above, text = lines[index - 1].text.rstrip(), lines[index].text.strip()
    if text.startswith(("(http", "<http")) or (above.count("(") > above.count(")") and _LINK_ENDS.fullmatch(text)):
        return True
    width = len(above) + 2 * lines[index - 1].depth
    if not text or width < _FULL or len(text) > width or above.endswith(_SENTENCE_ENDS):
        return False
    first = text.split(maxsplit=1)[0]
    capitals = _SHOUTED.match(first)
    return width + 1 + len(first) > _WIDTH and not (capitals is not None and capitals[0].isupper())
