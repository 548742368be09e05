"""Lines that a mail program broke to fit a screen, joined again; and order forms with lines too short to be broken.

A line of a block goes on in the next one if that begins with no order word, and only what the two say together can be
read. A comment goes on so too, if it was as long as lines become.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.orders import block as bounds
from pbem.engine.orders.lex import Vocabulary, tokens

FORM_WIDTH = 68
"""Characters that a line of an order form has at most: no client breaks so short a line, even with marks before it."""
_FULL, _WIDTH = 60, 72
"""Characters of a comment, alone and with the word that follows, that a client may have broken."""
_MOST_REFUSED = 200
_MOST_LINES = 8
"""Lines that one line may have been broken into."""
_COMMENT = ("#", "//")
_STANDING = frozenset({"STANDING", "ENDSTANDING", "WHEN", "END"})


class BlockReader(NamedTuple):
    """How a game reads a block.

    `begins` tells whether a line begins with an order word, in standing orders or outside of them; `refused` reads
    lines and says which of them, counted from 1, it refuses, and whether it knows what may have been meant.
    """

    begins: Callable[[str, bool], bool]
    refused: Callable[[Sequence[str]], Mapping[int, bool]]


def begins(line: str, standing: bool, verbs: Collection[str], vocabulary: Vocabulary) -> bool:
    """Whether a line begins with one of the order words `verbs`, or within a block of `standing` orders as those do."""
    words = tokens(line)
    if standing and words and words[0].key.rstrip(".)").isdigit():
        return True
    said = vocabulary.lengths(words, 0)
    return not _STANDING.isdisjoint(said) or (not standing and any(verb in said for verb in verbs))


def whole(lines: Sequence[str], reader: BlockReader) -> Sequence[str]:
    """The lines with those joined that belong together; each stands where it began, and what it goes on in is empty."""
    groups = [group for group in _groups(lines, reader) if len(group) > 1]
    if not groups:
        return lines
    refused = reader.refused(lines)
    if len(refused) > _MOST_REFUSED:
        return lines
    wanted = [group for group in groups if _may_be_one(lines, group, refused)]
    if not wanted:
        return lines
    still = reader.refused(_joined(lines, wanted))
    return _joined(lines, [group for group in wanted if group.start + 1 not in still])


def _groups(lines: Sequence[str], reader: BlockReader) -> Iterator[range]:
    """Runs of lines of which only the first begins with an order word or is a comment."""
    start, standing = -1, False
    for at, line in enumerate(lines):
        text = line.strip()
        bare = bounds.bare(line)
        standing = (standing or bounds.standing(bare) is not None) and not bounds.ends_standing(bare)
        goes_on = start >= 0 and bool(text) and not text.startswith(_COMMENT) and not reader.begins(text, standing)
        if not goes_on:
            if start >= 0:
                yield range(start, at)
            start = at if text else -1
    if start >= 0:
        yield range(start, len(lines))


def _may_be_one(lines: Sequence[str], group: range, refused: Mapping[int, bool]) -> bool:
    """Whether it is worth reading these lines as one: some are refused, and a client may have broken them."""
    if len(group) > _MOST_LINES or not any(at + 1 in refused for at in group):
        return False
    first = lines[group.start].strip()
    if not first.startswith(_COMMENT):
        return True
    # What is no order and could be meant as one was not written to go on with a comment.
    full = len(first) >= _FULL and len(first) + 1 + len(lines[group.start + 1].split(maxsplit=1)[0]) > _WIDTH
    return full and not any(refused.get(at + 1, False) for at in group)


def _joined(lines: Sequence[str], groups: Sequence[range]) -> list[str]:
    out = list(lines)
    for group in groups:
        out[group.start] = " ".join([lines[group.start].rstrip(), *(lines[at].strip() for at in group[1:])])
        out[group.start + 1 : group.stop] = [""] * (len(group) - 1)
    return out


def fold_form(lines: Sequence[str]) -> list[str]:
    """Lines of an order form, the comments among them none longer than `FORM_WIDTH`; they go on as comments.

    What only explains goes on behind ``##``, so that it stays a comment where the first mark is taken away.
    """
    return [part for line in lines for part in (_folded(line) if line.startswith("#") else [line])]


def _folded(line: str) -> Iterator[str]:
    order, explained = _parted(line)
    while len(order) > FORM_WIDTH and (at := order.rfind(" ", 8, FORM_WIDTH + 1)) >= 0:
        yield order[:at].rstrip()
        order = f"#     {order[at:].strip()}"
    if explained and len(order) + len(explained) + 4 <= FORM_WIDTH:
        yield f"{order}  # {explained}" if order else f"## {explained}"
        return
    if order:
        yield order
    begin = "##    " if order else "## "
    while len(begin) + len(explained) > FORM_WIDTH and (at := explained.rfind(" ", 8, FORM_WIDTH - len(begin))) >= 0:
        yield begin + explained[:at].rstrip()
        explained, begin = explained[at:].strip(), "##    "
    if explained:
        yield begin + explained


def _parted(line: str) -> tuple[str, str]:
    """An order in its comment mark, and what explains it; one of them may be empty."""
    if line.startswith("##"):
        return "", line.lstrip("#").strip()
    order, _, explained = line.partition("  # ")
    return order.rstrip(), explained.strip()
