"""Where in a letter's lines what was quoted begins: at a mark of a client's, or below words that introduce a quote.

Lines with quote marks need none of that; this is for what clients set above them, and for quotes without any mark. The
lines are walked once, and at each a fixed number of those around it is looked at.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.engine.orders import block as bounds
from pbem.mail.introductions import (
    TALLEST,
    Attribution,
    attribution,
    column_begins,
    dated,
    field,
    flat_header_begins,
    header_begins,
)
from pbem.mail.lines import Line, marked, to_others
from pbem.mail.marks import announces, heading, rule, sentinel, separator, weak_separator


class Read(NamedTuple):
    """A text as it is cut: its lines, those that are said to others, and where what was quoted without marks begins.

    `skipped` are lines above that which only introduce a quote; `instead` is what the author wrote on such a line.
    """

    lines: list[Line]
    others: frozenset[int]
    boundary: int
    skipped: frozenset[int]
    instead: Mapping[int, str]


def read_lines(text: str) -> Read:
    """Find where what was quoted without marks begins, and the lines above it that only introduce a quote."""
    lines, others = marked(text), to_others(text)
    for at, raw in enumerate(text.split("\n")):
        lines[at] = Line(0, raw) if at in others else lines[at]
    within = _own_blocks(lines)
    skipped: set[int] = set()
    instead: dict[int, str] = {}
    boundary = len(lines)
    for at, line in enumerate(lines):
        if at in others or not line.text.strip():
            continue
        if line.depth:
            if _between_marks(lines, at):
                boundary = at
                break
            continue
        if sentinel(line.text) or separator(line.text) or _headed(lines, at):
            boundary = _introduced(lines, at)
            break
        if _header_at(lines, at):
            boundary = _introduced(lines, at)
            break
        found, quoted_next = _attribution_at(lines, at)
        if found is None and at not in within:
            found = Attribution(1) if rule(line.text) and _quoted_next(lines, at) else _dashed(lines, at)
        if found is None:
            if weak_separator(line.text) and at not in within:
                boundary = at
                break
            continue
        first = at - found.height + 1
        skipped.update(range(first, at + 1))
        if found.before:
            instead[first] = found.before
        if not quoted_next:
            boundary = first + 1 if found.before else _introduced(lines, first)
            break
    return Read(lines, others, boundary, frozenset(skipped), instead)


def _own_blocks(lines: Sequence[Line]) -> set[int]:
    """The lines of blocks that nothing quoted begins or ends: what looks like a rule in them is their author's."""
    found: set[int] = set()
    start = -1
    for at, line in enumerate(lines):
        bare = bounds.bare(line.text) if not line.depth else ""
        if sentinel(line.text):
            start = -1
        elif bounds.header(bare):
            start = at
        elif start >= 0 and bounds.ends(bare):
            found.update(range(start, at))
            start = -1
    return found


def _header_at(lines: Sequence[Line], at: int) -> bool:
    """Whether a mail header was set into the text here."""
    run = [line.text for line in _own_run(lines, at, 16)]
    return header_begins(_closed_up(run)[:6]) or flat_header_begins(run[:3]) or column_begins(run[:10])


def _closed_up(run: Sequence[str]) -> Sequence[str]:
    """The lines of a text as far as the same number of empty ones, two at most, stands below each of them."""
    gap = next((at for at, text in enumerate(run[1:4]) if text.strip()), 0)
    if not gap:
        return run
    rows = [run[at : at + gap + 1] for at in range(0, len(run), gap + 1)]
    told = list(itertools.takewhile(lambda row: row[0].strip() and not any(map(str.strip, row[1:])), rows))
    return [row[0] for row in rows[: len(told) + 1] if row[0].strip()]


def _headed(lines: Sequence[Line], at: int) -> bool:
    """Whether a line is words between dashes, and the next one a field of a mail header."""
    if not heading(lines[at].text):
        return False
    following = next((other for other in lines[at + 1 : at + 4] if other.text.strip()), None)
    return following is not None and not following.depth and field(following.text)


def _dashed(lines: Sequence[Line], at: int) -> Attribution | None:
    """The attribution between two runs of dashes that ends at a line, over as many lines as a client broke it into."""
    if not lines[at].text.rstrip().endswith("----"):
        return None
    for height in range(1, TALLEST + 1):
        some = [line.text for line in lines[max(0, at - height + 1) : at + 1] if not line.depth]
        if len(some) < height or not some[0].strip():
            return None
        if some[0].lstrip().startswith("----"):
            return Attribution(height) if weak_separator(" ".join(some)) else None
    return None


def _between_marks(lines: Sequence[Line], at: int) -> bool:
    """Whether a line is ``>>> Ana <ana@example.org> 21/11/2026 10:00 >>>``, below which nothing has a mark."""
    line = lines[at]
    return line.depth > 2 and line.text.rstrip().endswith(">>>") and dated(line.text) and not _quoted_next(lines, at)


def _quoted_next(lines: Sequence[Line], at: int) -> bool:
    """Whether the next line that holds anything is quoted; a few are looked at."""
    following = next((other for other in lines[at + 1 : at + 8] if other.text.strip()), None)
    return following is not None and following.depth > 0


def _attribution_at(lines: Sequence[Line], at: int) -> tuple[Attribution | None, bool]:
    """The attribution that ends at a line, if one does, and whether a quoted line is next."""
    above: list[str] = []
    for other in reversed(lines[max(0, at - TALLEST + 1) : at + 1]):
        if other.depth:
            break
        above.insert(0, other.text)
    quoted_next = _quoted_next(lines, at)
    return attribution(above, quoted_next), quoted_next


def _own_run(lines: Sequence[Line], at: int, most: int) -> list[Line]:
    """The unquoted lines from `at` on, up to the first quoted one."""
    return list(itertools.takewhile(lambda line: not line.depth, lines[at : at + most]))


def _introduced(lines: Sequence[Line], at: int) -> int:
    """Step from a mail header up over the line that announces it: a rule, or "Begin forwarded message:"."""
    for above in range(at - 1, max(-1, at - 6), -1):
        text = lines[above].text.strip()
        if text:
            return above if announces(text) or heading(text) or not text.strip("_-—*=") else at
    return at
