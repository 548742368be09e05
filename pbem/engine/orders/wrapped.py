"""Join lines that a mail program broke, and keep lines of order forms short.

A line of a block continues in the next one if that begins with no order word, and only both together can be
read. A comment continues in the same way, if it was as long as lines become. So does an order of a form in the
comments below it, for whoever takes away the first # alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.orders import block as bounds
from pbem.engine.orders.lex import Vocabulary, tokens

FORM_WIDTH = 68
"""Most characters of a line of an order form: no mail program breaks so short a line, even with quote marks before it.
"""
_FULL, _WIDTH = 60, 72
"""Characters of a comment, alone and with the first word of the next line, from which a mail program may have broken
it."""
_MOST_REFUSED = 200
"""Refused lines up to which broken lines are searched: each is read again, joined with others. A letter with more is
no block of broken lines."""
_MOST_LINES = 8
"""Lines that one line may have been broken into: eight lines of 60 characters hold a long order."""
_COMMENT = ("#", "//")
_FORM_REST = re.compile(r"^\s*#(?!#)(\s*)(?=\S)|^(\s+)(?=[^\s#])")
"""The mark, or without it the indent, of a line that may continue an order of a form."""
_INDENT = 5
"""Spaces behind the mark with which a form continues an order: nobody indents a note of his own so far."""
REST_INDENT = _INDENT - 1
"""Spaces in front of that once its mark is deleted, with the blank behind it."""
_STANDING = frozenset({"STANDING", "ENDSTANDING", "WHEN", "END"})


class BlockReader(NamedTuple):
    """How a game reads a block.

    `begins` returns whether a line begins with an order word, in standing orders or outside of them; `refused`
    reads lines and returns the refused ones, counted from 1, and whether it has suggestions for each.
    """

    begins: Callable[[str, bool], bool]
    refused: Callable[[Sequence[str]], Mapping[int, bool]]


def begins(line: str, standing: bool, verbs: Collection[str], vocabulary: Vocabulary) -> bool:
    """Return whether a line begins with an order word.

    In `standing` orders these are the words of standing orders.
    """
    words = tokens(line)
    if standing and words and words[0].key.rstrip(".)").isdigit():
        return True
    keywords = vocabulary.lengths(words, 0)
    return not _STANDING.isdisjoint(keywords) or (not standing and any(verb in keywords for verb in verbs))


def whole(lines: Sequence[str], reader: BlockReader) -> Sequence[str]:
    """Return the lines with broken ones joined.

    Each joined line stands where it began, and empty lines stand for its continuations.
    """
    groups = [group for group in _groups(lines, reader) if len(group) > 1]
    if not groups:
        return lines
    refused = reader.refused(lines)
    if len(refused) > _MOST_REFUSED:
        return lines
    wanted = [group for group in groups if _may_be_one(lines, group, refused)]
    if not wanted:
        return lines
    still_refused = reader.refused(_join_groups(lines, wanted))
    return _join_groups(
        lines,
        [
            group
            for group in wanted
            # Of a form's order that cannot be read either way, all is shown with its fault.
            if group.start + 1 not in still_refused or (group.start + 1 in refused and _is_order_of_form(lines, group))
        ],
    )


def _groups(lines: Sequence[str], reader: BlockReader) -> Iterator[range]:
    """Yield runs of lines that may be one line.

    Only the first of each has an order word or is a comment.
    """
    start, standing = -1, False
    for index, line in enumerate(lines):
        text = line.strip()
        folded = bounds.bare(line)
        standing = (standing or bounds.after_standing(folded) is not None) and not bounds.ends_standing(folded)
        is_order = start >= 0 and not lines[start].strip().startswith(_COMMENT)
        rest = _FORM_REST.sub("", text) if is_order else text
        continues = start >= 0 and bool(text) and not rest.startswith(_COMMENT) and not reader.begins(rest, standing)
        if not continues:
            if start >= 0:
                yield range(start, index)
            start = index if text else -1
    if start >= 0:
        yield range(start, len(lines))


def _may_be_one(lines: Sequence[str], group: range, refused: Mapping[int, bool]) -> bool:
    """Return whether lines may be a broken one: refused or of a form, long enough."""
    if len(group) > _MOST_LINES:
        return False
    if not any(index + 1 in refused for index in group):
        return _is_order_of_form(lines, group)
    first = lines[group.start].strip()
    if not first.startswith(_COMMENT):
        return True
    if _is_order_of_form(lines, group):
        # Only the second # was deleted: whether the order is wanted is not known, and the line is refused.
        return False
    # A refused line that could be an order does not continue a comment.
    full = len(first) >= _FULL and len(first) + 1 + len(lines[group.start + 1].split(maxsplit=1)[0]) > _WIDTH
    return full and not any(refused.get(index + 1, False) for index in group)


def _is_order_of_form(lines: Sequence[str], group: range) -> bool:
    """Return whether an order goes on in a line marked or indented as in the form."""
    marks = (_FORM_REST.match(lines[index].rstrip()) for index in group[1:])
    return any(mark and (len(mark[1] or "") >= _INDENT or len(mark[2] or "") >= REST_INDENT) for mark in marks)


def _join_groups(lines: Sequence[str], groups: Sequence[range]) -> list[str]:
    result = list(lines)
    for group in groups:
        others = (_FORM_REST.sub("", lines[index].strip()) for index in group[1:])
        result[group.start] = " ".join([lines[group.start].rstrip(), *others])
        result[group.start + 1 : group.stop] = [""] * (len(group) - 1)
    return result


def fold_form(lines: Sequence[str]) -> list[str]:
    """Return an order form whose comments are no longer than `FORM_WIDTH`.

    They continue as comments. Explanations continue after ``##``, so that they stay comments without the first
    mark.
    """
    return [part for line in lines for part in (_fold_line(line) if line.startswith("#") else [line])]


def _fold_line(line: str) -> Iterator[str]:
    order, explained = _split_comment(line)
    while len(order) > FORM_WIDTH and (cut := order.rfind(" ", 8, FORM_WIDTH + 1)) >= 0:
        yield order[:cut].rstrip()
        order = f"#     {order[cut:].strip()}"
    if explained and len(order) + len(explained) + 4 <= FORM_WIDTH:
        yield f"{order}  # {explained}" if order else f"## {explained}"
        return
    if order:
        yield order
    begin = "##    " if order else "## "
    while len(begin) + len(explained) > FORM_WIDTH and (cut := explained.rfind(" ", 8, FORM_WIDTH - len(begin))) >= 0:
        yield begin + explained[:cut].rstrip()
        explained, begin = explained[cut:].strip(), "##    "
    if explained:
        yield begin + explained


def _split_comment(line: str) -> tuple[str, str]:
    """Return an order in its comment mark, and its explanation; one may be empty."""
    if line.startswith("##"):
        return "", line.lstrip("#").strip()
    order, _, explained = line.partition("  # ")
    return order.rstrip(), explained.strip()
