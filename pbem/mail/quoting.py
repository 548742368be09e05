"""What the author of a letter wrote himself, and which block of orders counts.

An old order carried out again is the worst that can happen here, so whatever was quoted is cut: ``> `` lines, all
below the sentinel, below a mail header set into the text, below "On ... wrote:", below sentences of a letter of ours
that came back without any mark. A block of orders, from a line ``ORDERS T3 #k7q2`` to ``END`` (``ORDENES ... FIN``),
is kept whole when it was not quoted; so is one for a turn to come, from ``LATER T5``. Our letters end in a block to be
filled in; its nonce tells whether one that comes back was edited, and an edited one counts even where it was quoted.

All of it is one walk over the lines; nothing is looked at more than a fixed number of times.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import unicodedata
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from pbem.core.orders import block as bounds
from pbem.mail.marks import attribution_above, attribution_begins, footer, reply_header_begins, sentinel, separator

__all__ = ["Cut", "Line", "cut", "fingerprint", "sentences", "split_prefix"]

_PREFIX = re.compile(r" {0,3}(?:>[ \t]?)+")
_COMMENT = re.compile(r"(?:^| )(?:#|//)")
_TELLING = 20
"""Characters of a line that nobody writes by chance just as we do."""
_NEAR = 8
"""Lines between two sentences of one letter at most; the block that somebody copied out of it has none of them."""
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′´`"), "'") | dict.fromkeys(map(ord, "“”„‟″«»"), '"')
_TYPOGRAPHY = _DASHES | _QUOTES


class Line(NamedTuple):
    """A line without its quote marks, and how many there were."""

    depth: int
    text: str


class Cut(NamedTuple):
    """What is left of a letter's text.

    `quoted_block`: the orders in `text` were edited inside a quote. `ambiguous`: there are two blocks of orders that
    differ; quoted ones are then left out of `text`. `orders_only_quoted`: `text` holds no block, what was cut does;
    `left` are the digests of those orders (see `fingerprint`). `untouched`: a template came back as it was sent.
    `unmarked`: nothing was quoted in any way that shows.
    """

    text: str
    quoted_block: bool = False
    ambiguous: bool = False
    orders_only_quoted: bool = False
    untouched: bool = False
    unmarked: bool = False
    left: frozenset[str] = frozenset()


class _Block(NamedTuple):
    """A block from its first line to its last, and what its header says."""

    start: int
    end: int
    header: bounds.Header
    own: bool
    text: str

    @property
    def now(self) -> bool:
        """True unless it is for a turn to come."""
        return not self.header.later


def split_prefix(line: str) -> Line:
    """Take the quote marks off a line: ``> > MOVE`` is ``MOVE`` at depth 2."""
    found = _PREFIX.match(line)
    return Line(found[0].count(">"), line[found.end() :]) if found else Line(0, line)


def fingerprint(block: str) -> str:
    """Return two digests of a block of orders, of all of it and of its orders alone, joined by a dot.

    Blanks, case, accents, typographic dashes and quotes and the marks of quoting do not count, so that a block which
    clients wrapped and re-wrapped keeps its fingerprint.
    """
    lines = [_folded(split_prefix(line).text) for line in block.split("\n")]
    return f"{_digest(lines)}.{orders_of(block)}"


def orders_of(block: str) -> str:
    """The second digest of the `fingerprint` of a block: of its orders alone."""
    return _digest(_orders_in(block))


def sentences(text: str) -> frozenset[str]:
    """The lines of a letter of ours by which its text is known again where nothing marks it as quoted.

    `text` is that letter without its blocks: what can be an order must not be among them. Lines of a few words say
    too little.
    """
    folded = (_folded(line) for line in text.split("\n"))
    return frozenset(line for line in folded if len(line) >= _TELLING and not sentinel(line))


def cut(text: str, templates: Mapping[str, str], ours: Set[str] = frozenset()) -> Cut:
    """Return what the author wrote in `text` (LF lines, flowed ones joined).

    `templates` maps the nonce of each template that the author may have got to its `fingerprint`. A block with one of
    these nonces whose orders are the same as then never counts. Of the others the unquoted count and silence the
    quoted; else a single quoted one that was edited is appended to the text, its marks taken off. `ours` are the
    `sentences` of the letters that he may be answering: two of them close together begin a quote.
    """
    lines = [split_prefix(line) for line in text.split("\n")]
    boundary, skipped = _boundary(lines)
    unmarked = boundary == len(lines) and not any(line.depth for line in lines)
    if ours and unmarked:
        boundary, skipped = _without(lines, ours)
    blocks = _blocks(lines, boundary)
    written = [block for block in blocks if not _is_untouched(block, templates)]
    untouched = len(written) < len(blocks)
    own = [block for block in written if block.own]
    left = [block for block in written if not block.own]
    edited = {_identity(block): block for block in left if block.header.nonce in templates and block.now}
    # A quoted block that was edited may hold unquoted lines: they are its lines, not loose ones.
    dropped = {block.start for block in blocks if block.own or block.header.nonce in templates} - {b.start for b in own}
    kept = _kept(lines[:boundary], skipped, blocks, dropped)
    if any(block.now for block in own) or _unfinished(kept):
        differ = len(own) > 1 and len({_identity(block) for block in own if block.header.word in bounds.ORDERS}) > 1
        return Cut(_joined(kept), ambiguous=differ, untouched=untouched, unmarked=unmarked)
    if len(edited) == 1:
        block = next(iter(edited.values()))
        return Cut(_joined([*kept, "", *block.text.split("\n")]), quoted_block=True, untouched=untouched)
    told = frozenset(_digest(said) for block in left if (said := _orders_in(block.text)))
    return Cut(
        _joined(kept),
        ambiguous=len(edited) > 1,
        orders_only_quoted=bool(told) and not edited,
        untouched=untouched,
        unmarked=unmarked,
        left=told,
    )


def _boundary(lines: Sequence[Line]) -> tuple[int, set[int]]:
    """Return the index below which everything was quoted, and the lines above it that only introduce a quote."""
    skipped: set[int] = set()
    for at, line in enumerate(lines):
        if line.depth:
            continue
        if sentinel(line.text) or separator(line.text):
            return at, skipped
        if reply_header_begins([other.text for other in _own_run(lines, at, 6)]):
            return _introduced(lines, at), skipped
        above = [other.text for other in lines[max(0, at - 3) : at + 1] if not other.depth]
        following = next((other for other in lines[at + 1 : at + 4] if other.text.strip()), None)
        quoted_next = following is not None and following.depth > 0
        height = attribution_above(above, quoted_next)
        if height and quoted_next:
            skipped.update(range(at - height + 1, at + 1))
        elif height:
            return at - height + 1, skipped
        elif attribution_begins(line.text):
            return at, skipped
    return len(lines), skipped


def _without(lines: Sequence[Line], ours: Set[str]) -> tuple[int, set[int]]:
    """The same for a text without marks: where a letter of ours begins in it, and single lines of one above that."""
    known = [at for at, line in enumerate(lines) if line.text and _folded(line.text) in ours]
    near = next((one for one, other in itertools.pairwise(known) if other - one <= _NEAR), len(lines))
    return near, {at for at in known if at < near}


def _own_run(lines: Sequence[Line], at: int, most: int) -> list[Line]:
    """The unquoted lines from `at` on, up to the first quoted one."""
    run = []
    for line in lines[at : at + most]:
        if line.depth:
            break
        run.append(line)
    return run


def _introduced(lines: Sequence[Line], at: int) -> int:
    """Step from a mail header up over the line that announces it: a rule, or words that end in a colon."""
    for above in range(at - 1, max(-1, at - 4), -1):
        text = lines[above].text.strip()
        if text:
            return above if text[-1] in ":：" or not text.strip("_-—*") else at
    return at


def _blocks(lines: Sequence[Line], boundary: int) -> list[_Block]:
    """Find the blocks of orders, each ending before the next begins; own ones hold what stands unquoted in them."""
    found = []
    start, header = -1, None
    for at, line in enumerate(lines):
        bare = bounds.bare(line.text)
        head = bounds.header(bare)
        if head:
            start, header = at, head
        elif header and bounds.ends(bare):
            first = lines[start]
            if first.depth == 0 and (line.depth or start < boundary <= at):
                continue
            own = first.depth == 0 and at < boundary
            held = [other.text.rstrip() for other in lines[start : at + 1] if not (own and other.depth)]
            found.append(_Block(start, at, header, own, "\n".join(held)))
            header = None
    return found


def _kept(lines: Sequence[Line], skipped: set[int], blocks: Sequence[_Block], dropped: set[int]) -> list[str]:
    """The unquoted lines, own blocks whole, without blocks that start at a dropped line, signatures and footers."""
    of_interest = [block for block in blocks if block.own or block.start in dropped]
    block_of = {at: block for block in of_interest for at in range(block.start, block.end + 1)}
    kept = []
    signature = False
    for at, (depth, text) in enumerate(lines):
        block = block_of.get(at)
        if depth or block:
            signature = False
        if block and not depth and block.start not in dropped:
            kept.append(text.rstrip())
        if depth or block or at in skipped:
            continue
        signature = signature or text.rstrip() in ("--", "—")
        if not signature and not footer(text):
            kept.append(text.rstrip())
    return kept


def _orders_in(block: str) -> list[str]:
    """The lines of a block that say something, folded: no header, comments, blank lines or END."""
    lines = [split_prefix(line).text for line in block.split("\n")]
    lines = [_folded(line) for line in lines if not (bounds.header(bare := bounds.bare(line)) or bounds.ends(bare))]
    return [said for line in lines if (said := _COMMENT.split(line, maxsplit=1)[0])]


def _unfinished(kept: Sequence[str]) -> bool:
    """Whether the unquoted text begins a block and goes on, if only without END."""
    heads = [at for at, line in enumerate(kept) if (head := bounds.header(bounds.bare(line))) and not head.later]
    return bool(heads) and any(line.strip() for line in kept[heads[0] + 1 :])


def _joined(lines: Sequence[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines).strip("\n"))


def _is_untouched(block: _Block, templates: Mapping[str, str]) -> bool:
    if block.header.nonce not in templates or not block.now:
        return False
    then, now = templates[block.header.nonce].split("."), fingerprint(block.text).split(".")
    return any(old == new for old, new in zip(then, now, strict=False))


def _identity(block: _Block) -> str:
    """What makes two blocks the same: header and orders, not comments."""
    word, turn, nonce = block.header
    return f"{word} {turn} {nonce} {orders_of(block.text)}"


def _folded(text: str) -> str:
    """Lower case without accents, typography as on a keyboard, blanks as single spaces."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text.translate(_TYPOGRAPHY))
        text = "".join(character for character in apart if not unicodedata.combining(character))
    return " ".join(text.lower().split())


def _digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("".join(lines).replace(" ", "").encode("utf-8", "replace")).hexdigest()[:32]
