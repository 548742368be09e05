"""Cut a letter to its author's own text and the orders that count.

Carrying out an old order again is the worst possible error here, so that all quotes are cut: ``> `` lines;
everything below the sentinel, below a mail header in the text, or below "On ... wrote:"; and unmarked sentences of
our own letters with all below them. A block of orders, from a line ``ORDERS T3 #k7q2`` to ``END`` (``ORDENES ...
FIN``), is kept whole if it was not quoted; so is a block for a later turn, from ``LATER T5``. Our letters end in a
block to fill in; its nonce shows whether a returned block was edited, and an edited block counts even if it was
quoted.

The lines are walked once; no line is inspected more than a fixed number of times.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import unicodedata
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from pbem.engine.orders import block as bounds
from pbem.mail.boundaries import ScannedText, scan_text
from pbem.mail.lines import is_broken_off, split_quote_marks, without_list_mark
from pbem.mail.marks import is_footer, is_sentinel

# Behind a blank only: a # or // within a word, as in a code or a link, begins no comment.
_COMMENT = re.compile(r"(?:^| )(?:#|//)")
_TELLING = 20
"""The least length of a line that counts as ours if equal: shorter orders are often equal by coincidence."""
_SHINGLE = 5
"""Words in a row that count as ours if equal; they are used in addition to lines, which clients break differently. A
choice: fewer are often equal by coincidence."""
_NEAR = 8
"""Most lines between two sentences of one letter. A block copied from it has no such neighbours, since it stands
apart."""
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′´`"), "'") | dict.fromkeys(map(ord, "“”„‟″«»"), '"')
_SIGNATURES = frozenset({"--", "—"})
"""The line with which a signature begins, without the blank at its end."""
_TYPOGRAPHY = _DASHES | _QUOTES


class OwnText(NamedTuple):
    """The author's text of a letter.

    `quoted_block`: the orders in `text` were edited inside a quote. `ambiguous`: there are two blocks of orders
    that differ; quoted ones are then left out of `text`. `orders_only_quoted`: `text` has no block, but the cut
    part has; `left` are the digests of those orders (see `block_fingerprint`). `untouched`: a template came back
    unchanged. `unmarked`: nothing was visibly quoted.
    """

    text: str
    quoted_block: bool = False
    ambiguous: bool = False
    orders_only_quoted: bool = False
    untouched: bool = False
    unmarked: bool = False
    left: frozenset[str] = frozenset()


class _Block(NamedTuple):
    """A block with its first and last line, its parsed header and its text."""

    start: int
    end: int
    header: bounds.Header
    own: bool
    text: str

    @property
    def now(self) -> bool:
        """Return whether it is for the present turn."""
        return not self.header.later


def block_fingerprint(block: str) -> str:
    """Return two digests of a block, of all of it and of its orders.

    The digests are joined by a dot. Blanks, case, accents, typographic dashes and quotes, and quote marks are
    ignored, so that a block keeps its fingerprint when clients wrap it again.
    """
    lines = [_fold_text(split_quote_marks(line).text) for line in block.split("\n")]
    return f"{_digest(lines)}.{orders_digest(block)}"


def orders_digest(block: str) -> str:
    """Return the second digest of a block's `block_fingerprint`: of its orders only."""
    return _digest(_orders_in(block))


def phrases_of(text: str) -> frozenset[str]:
    """Return the lines and five-word sequences of one of our letters.

    They find a quote of it without marks. `text` is that letter without its blocks: possible orders must not be
    among the phrases. Short lines are left out.
    """
    folded = [_fold_text(line) for line in text.split("\n") if not is_sentinel(line)]
    words = " ".join(folded).split()
    return frozenset([*(line for line in folded if len(line) >= _TELLING), *_shingles(words)])


def _shingles(words: Sequence[str]) -> list[str]:
    """Return all long enough sequences of five words."""
    rows = (" ".join(words[start : start + _SHINGLE]) for start in range(len(words) - _SHINGLE + 1))
    return [row for row in rows if len(row) >= _TELLING]


def cut_quotes(text: str, templates: Mapping[str, str], ours: Set[str] = frozenset()) -> OwnText:
    """Return the author's own text of `text` (LF lines, flowed ones joined).

    `templates` maps the nonce of each template that the author may have got to its `block_fingerprint`. `ours` are the
    `phrases_of` of the letters that he may be answering: two of them close together begin a quote. Lines from
    PRESS to ENDPRESS are left as they are. Blocks of orders count so:

    1. A block with the nonce of a template and unchanged orders never counts.
    2. Other unquoted blocks count; quoted ones do not then.
    3. Without an unquoted block, a single quoted and edited one is appended to the text without its quote marks, unless
       these are bars (`|`): players quote each other's blocks with those.
    """
    scanned = scan_text(text)
    unmarked = scanned.boundary == len(scanned.lines) and not any(line.depth for line in scanned.lines)
    if ours and unmarked:
        scanned = _cut_own_words(scanned, ours)
    lines = scanned.lines
    blocks = _find_blocks(scanned)
    edited_blocks = [block for block in blocks if not _is_untouched(block, templates)]
    untouched = len(edited_blocks) < len(blocks)
    own = [block for block in edited_blocks if block.own]
    quoted_blocks = [block for block in edited_blocks if not block.own]
    template_blocks = [block for block in quoted_blocks if block.header.nonce in templates and block.now]
    edited = {_identity(block): block for block in template_blocks if not lines[block.start].barred}
    # An edited quoted block may hold unquoted lines: they belong to it.
    dropped = {block.start for block in blocks if block.own or block.header.nonce in templates} - {
        own_block.start for own_block in own
    }
    kept = _kept_lines(scanned, blocks, dropped)
    unquoted = [line for number, line in kept if number not in scanned.others]
    if any(block.now for block in own) or _is_unfinished(unquoted):
        is_ambiguous = (
            len(own) > 1 and len({_identity(block) for block in own if block.header.word in bounds.ORDERS}) > 1
        )
        return OwnText(_join_lines(kept, scanned), ambiguous=is_ambiguous, untouched=untouched, unmarked=unmarked)
    if len(edited) == 1:
        block = next(iter(edited.values()))
        appended = [(-1, line) for line in ("", *block.text.split("\n"))]
        return OwnText(_join_lines([*kept, *appended], scanned), quoted_block=True, untouched=untouched)
    digests = frozenset(_digest(block_orders) for block in quoted_blocks if (block_orders := _orders_in(block.text)))
    return OwnText(
        _join_lines(kept, scanned),
        ambiguous=len(edited) > 1,
        orders_only_quoted=bool(digests) and not edited,
        untouched=untouched,
        unmarked=unmarked,
        left=digests,
    )


def _cut_own_words(scanned: ScannedText, ours: Set[str]) -> ScannedText:
    """Find where a letter of ours begins in unmarked text, and its single lines."""
    lines = scanned.lines
    own_numbers = [
        number for number, line in enumerate(lines) if number not in scanned.others and _is_own_line(line.text, ours)
    ]
    quote_start = next(
        (first for first, other in itertools.pairwise(own_numbers) if other - first <= _NEAR), len(lines)
    )
    return scanned._replace(
        boundary=quote_start, skipped=frozenset(number for number in own_numbers if number < quote_start)
    )


def _is_own_line(text: str, ours: Set[str]) -> bool:
    """Return whether a line is one of ours, even if a client rewrapped it."""
    folded = _fold_text(text)
    if folded in ours:
        return True
    words = folded.split()
    rows = _shingles(words)
    return len(rows) > 0 and len(rows) == len(words) - _SHINGLE + 1 and all(row in ours for row in rows)


def _find_blocks(scanned: ScannedText) -> list[_Block]:
    """Find the blocks in order; the author's own contain only unquoted lines."""
    lines, boundary = scanned.lines, scanned.boundary
    blocks = []
    start, header = -1, None
    for number, line in enumerate(lines):
        if number in scanned.others:
            continue
        bare = bounds.bare(line.text)
        new_header = bounds.header(bare)
        if new_header:
            start, header = number, new_header
        elif header and bounds.ends(bare):
            first = lines[start]
            if first.depth == 0 and (line.depth or start < boundary <= number):
                continue
            own = first.depth == 0 and number < boundary
            texts = [other.text.rstrip() for other in lines[start : number + 1] if not (own and other.depth)]
            blocks.append(_Block(start, number, header, own, "\n".join(texts)))
            header = None
    return blocks


def _kept_lines(scanned: ScannedText, blocks: Sequence[_Block], dropped: set[int]) -> list[tuple[int, str]]:
    """Return the unquoted lines and own blocks.

    Dropped blocks, signatures and footers are left out. `dropped` are the first lines of blocks.
    """
    relevant = [block for block in blocks if block.own or block.start in dropped]
    block_of = {number: block for block in relevant for number in range(block.start, block.end + 1)}
    footers = _footers(scanned)
    kept: list[tuple[int, str]] = []
    in_signature = False
    for number, (depth, text, _) in enumerate(scanned.lines[: scanned.boundary]):
        block = block_of.get(number)
        if depth or block or number in scanned.others:
            in_signature = False
        if number in scanned.others:
            kept.append((number, text))
            continue
        if block and not depth and block.start not in dropped:
            kept.append((number, text.rstrip()))
        if depth or block:
            continue
        if number in scanned.skipped:
            kept += [(number, scanned.instead[number])] if number in scanned.instead else []
            continue
        in_signature = in_signature or text.rstrip() in _SIGNATURES
        if not in_signature and not is_broken_off(scanned.lines, number) and number not in footers:
            kept.append((number, text.rstrip()))
    return kept


def _footers(scanned: ScannedText) -> set[int]:
    """Return the telephones' footer lines that end the author's text."""
    numbers: set[int] = set()
    is_last = True
    for number in range(scanned.boundary - 1, -1, -1):
        line = scanned.lines[number]
        if line.depth or number in scanned.skipped or line.text.rstrip() in _SIGNATURES:
            is_last = True
        elif is_last and is_footer(line.text) and number not in scanned.others:
            numbers.add(number)
        elif line.text.strip():
            is_last = False
    return numbers


def _orders_in(block: str) -> list[str]:
    """Return a block's folded order lines: no header, comments, blank lines or END."""
    lines = [split_quote_marks(line).text for line in block.split("\n")]
    lines = [_fold_text(line) for line in lines if not (bounds.header(bare := bounds.bare(line)) or bounds.ends(bare))]
    return [order for line in lines if (order := _COMMENT.split(line, maxsplit=1)[0])]


def _is_unfinished(kept: Sequence[str]) -> bool:
    """Return whether the unquoted text has a block with lines but without END."""
    header_numbers = [
        number for number, line in enumerate(kept) if (header := bounds.header(bounds.bare(line))) and not header.later
    ]
    return bool(header_numbers) and any(line.strip() for line in kept[header_numbers[0] + 1 :])


def _join_lines(kept: Sequence[tuple[int, str]], scanned: ScannedText) -> str:
    """Join the lines to one text, with single empty lines, except in text for others.

    Marks of lists are removed: all in a block of orders, elsewhere only before words in capitals.
    """
    out: list[str] = []
    in_block = False
    for number, line in kept:
        if number not in scanned.others:
            line = without_list_mark(line, any_word=in_block)
            bare = bounds.bare(line)
            in_block = bool(bounds.header(bare)) or (in_block and not bounds.ends(bare))
        if line.strip() or number in scanned.others or (out and out[-1].strip()) or len(out) < 1:
            out.append(line)
    return "\n".join(out).strip("\n")


def _is_untouched(block: _Block, templates: Mapping[str, str]) -> bool:
    if block.header.nonce not in templates or not block.now:
        return False
    sent, received = templates[block.header.nonce].split("."), block_fingerprint(block.text).split(".")
    return any(old == new for old, new in zip(sent, received, strict=False))


def _identity(block: _Block) -> str:
    """Return the part that identifies a block: header and orders, without comments."""
    word, turn, nonce = block.header
    return f"{word} {turn} {nonce} {orders_digest(block.text)}"


def _fold_text(text: str) -> str:
    """Return text in lower case, without accents, with plain typography and blanks."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text.translate(_TYPOGRAPHY))
        text = "".join(character for character in decomposed if not unicodedata.combining(character))
    return " ".join(text.lower().split())


def _digest(lines: Sequence[str]) -> str:
    # 128 bits tell apart what anybody writes: a digest is compared with those of our own templates only.
    return hashlib.sha256("".join(lines).replace(" ", "").encode("utf-8", "replace")).hexdigest()[:32]
