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

from pbem.engine.orders import block as bounds
from pbem.mail.boundaries import Read, read_lines
from pbem.mail.lines import broken_off, split_prefix, without_list_mark
from pbem.mail.marks import footer, sentinel

_COMMENT = re.compile(r"(?:^| )(?:#|//)")
_TELLING = 20
"""Characters from which on a line that equals one of ours is taken for ours, and no accident."""
_SHINGLE = 5
"""Words in a row that, if equal, are taken for ours; compared instead of lines, which clients break anew."""
_NEAR = 8
"""Lines between two sentences of one letter at most; the block that somebody copied out of it has none of them."""
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′´`"), "'") | dict.fromkeys(map(ord, "“”„‟″«»"), '"')
_SIGNATURES = frozenset({"--", "—"})
"""The line that a signature begins with, without the blank behind it."""
_TYPOGRAPHY = _DASHES | _QUOTES


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
    """The lines of a letter of ours, and five words in a row of them, by which its text is known again unmarked.

    `text` is that letter without its blocks: what can be an order must not be among them. Lines of a few words say
    too little.
    """
    folded = [_folded(line) for line in text.split("\n") if not sentinel(line)]
    words = " ".join(folded).split()
    return frozenset([*(line for line in folded if len(line) >= _TELLING), *_shingles(words)])


def _shingles(words: Sequence[str]) -> list[str]:
    """Each five words in a row that are long enough to tell."""
    rows = (" ".join(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1))
    return [row for row in rows if len(row) >= _TELLING]


def cut(text: str, templates: Mapping[str, str], ours: Set[str] = frozenset()) -> Cut:
    """Return what the author wrote in `text` (LF lines, flowed ones joined).

    `templates` maps the nonce of each template that the author may have got to its `fingerprint`. A block with one of
    these nonces whose orders are the same as then never counts. Of the others the unquoted count and silence the
    quoted; else a single quoted one that was edited is appended to the text, its marks taken off, unless they are
    bars: behind those stands what players write to each other. `ours` are the `sentences` of the letters that he may
    be answering: two of them close together begin a quote. From PRESS to ENDPRESS all is left as it is.
    """
    read = read_lines(text)
    unmarked = read.boundary == len(read.lines) and not any(line.depth for line in read.lines)
    if ours and unmarked:
        read = _without(read, ours)
    lines = read.lines
    blocks = _blocks(read)
    written = [block for block in blocks if not _is_untouched(block, templates)]
    untouched = len(written) < len(blocks)
    own = [block for block in written if block.own]
    left = [block for block in written if not block.own]
    mine = [block for block in left if block.header.nonce in templates and block.now]
    edited = {_identity(block): block for block in mine if not lines[block.start].barred}
    # A quoted block that was edited may hold unquoted lines: they are its lines, not loose ones.
    dropped = {block.start for block in blocks if block.own or block.header.nonce in templates} - {b.start for b in own}
    kept = _kept(read, blocks, dropped)
    said = [line for at, line in kept if at not in read.others]
    if any(block.now for block in own) or _unfinished(said):
        differ = len(own) > 1 and len({_identity(block) for block in own if block.header.word in bounds.ORDERS}) > 1
        return Cut(_joined(kept, read), ambiguous=differ, untouched=untouched, unmarked=unmarked)
    if len(edited) == 1:
        block = next(iter(edited.values()))
        more = [(-1, line) for line in ("", *block.text.split("\n"))]
        return Cut(_joined([*kept, *more], read), quoted_block=True, untouched=untouched)
    told = frozenset(_digest(said) for block in left if (said := _orders_in(block.text)))
    return Cut(
        _joined(kept, read),
        ambiguous=len(edited) > 1,
        orders_only_quoted=bool(told) and not edited,
        untouched=untouched,
        unmarked=unmarked,
        left=told,
    )


def _without(read: Read, ours: Set[str]) -> Read:
    """Find in a text without quote marks where a letter of ours begins, and single lines of one above that."""
    lines = read.lines
    known = [at for at, line in enumerate(lines) if at not in read.others and _is_ours(line.text, ours)]
    near = next((one for one, other in itertools.pairwise(known) if other - one <= _NEAR), len(lines))
    return read._replace(boundary=near, skipped=frozenset(at for at in known if at < near))


def _is_ours(text: str, ours: Set[str]) -> bool:
    """Whether a line is one of ours, or a part of some that a client broke otherwise."""
    folded = _folded(text)
    if folded in ours:
        return True
    words = folded.split()
    rows = _shingles(words)
    return len(rows) > 0 and len(rows) == len(words) - _SHINGLE + 1 and all(row in ours for row in rows)


def _blocks(read: Read) -> list[_Block]:
    """Find the blocks of orders, each ending before the next begins; own ones hold what stands unquoted in them."""
    lines, boundary = read.lines, read.boundary
    found = []
    start, header = -1, None
    for at, line in enumerate(lines):
        if at in read.others:
            continue
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


def _kept(read: Read, blocks: Sequence[_Block], dropped: set[int]) -> list[tuple[int, str]]:
    """The unquoted lines, own blocks whole, without blocks that start at a dropped line, signatures and footers."""
    of_interest = [block for block in blocks if block.own or block.start in dropped]
    block_of = {at: block for block in of_interest for at in range(block.start, block.end + 1)}
    footers = _footers(read)
    kept: list[tuple[int, str]] = []
    signature = False
    for at, (depth, text, _) in enumerate(read.lines[: read.boundary]):
        block = block_of.get(at)
        if depth or block or at in read.others:
            signature = False
        if at in read.others:
            kept.append((at, text))
            continue
        if block and not depth and block.start not in dropped:
            kept.append((at, text.rstrip()))
        if depth or block:
            continue
        if at in read.skipped:
            kept += [(at, read.instead[at])] if at in read.instead else []
            continue
        signature = signature or text.rstrip() in _SIGNATURES
        if not signature and not broken_off(read.lines, at) and at not in footers:
            kept.append((at, text.rstrip()))
    return kept


def _footers(read: Read) -> set[int]:
    """The lines that a telephone adds, below which nothing of the author's follows before the next quote."""
    found: set[int] = set()
    last = True
    for at in range(read.boundary - 1, -1, -1):
        line = read.lines[at]
        if line.depth or at in read.skipped or line.text.rstrip() in _SIGNATURES:
            last = True
        elif last and footer(line.text) and at not in read.others:
            found.add(at)
        elif line.text.strip():
            last = False
    return found


def _orders_in(block: str) -> list[str]:
    """The lines of a block that say something, folded: no header, comments, blank lines or END."""
    lines = [split_prefix(line).text for line in block.split("\n")]
    lines = [_folded(line) for line in lines if not (bounds.header(bare := bounds.bare(line)) or bounds.ends(bare))]
    return [said for line in lines if (said := _COMMENT.split(line, maxsplit=1)[0])]


def _unfinished(kept: Sequence[str]) -> bool:
    """Whether the unquoted text begins a block and goes on, if only without END."""
    heads = [at for at, line in enumerate(kept) if (head := bounds.header(bounds.bare(line))) and not head.later]
    return bool(heads) and any(line.strip() for line in kept[heads[0] + 1 :])


def _joined(kept: Sequence[tuple[int, str]], read: Read) -> str:
    """The lines as one text, with one empty line where more of them stood, but for what is said to others.

    Of a list's lines the marks are taken off: in a block of orders of any, above and below it of words in capitals.
    """
    out: list[str] = []
    inside = False
    for at, line in kept:
        if at not in read.others:
            line = without_list_mark(line, any_word=inside)
            bare = bounds.bare(line)
            inside = bool(bounds.header(bare)) or (inside and not bounds.ends(bare))
        if line.strip() or at in read.others or (out and out[-1].strip()) or len(out) < 1:
            out.append(line)
    return "\n".join(out).strip("\n")


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
