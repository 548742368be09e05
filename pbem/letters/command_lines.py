"""From the cleaned text of a letter to commands, with the lines they stand on.

Example::

    Dear server,                 greeting, skipped
    SET LANG es                  a command
    ORDERS T3 #k7q2              a block: header, the game's own lines, END
    MOVE Leon TO C
    END                          further commands may stand below it, or above the header

Words are compared without case, accents or typography, in English and Spanish alike. Nothing is executed here,
and neither games nor commands are known: a block's lines are left to the game, the forms of commands are handed in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pbem.engine.data.messages import msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders import luck
from pbem.engine.orders.lex import column_of, fold
from pbem.engine.terms import Rejected
from pbem.letters.commands import (
    COMMENT,
    PRESETS,
    SEMICOLON,
    WORD,
    Form,
    Forms,
    Left,
    Line,
    Surroundings,
    longer,
    outside,
)
from pbem.letters.content import Mistake, mistake, refused
from pbem.runtime.limits import LIMITS, Excess, Limits


class Block(NamedTuple):
    """A block of orders: the line of its header, what the header says, the lines between header and end.

    `turn` is None if the header names none. `standing` marks a block of standing orders alone, whose lines hold its
    own first and last line. ``lines[0]`` is line `first` of the letter; `end` is empty if the block has none. `word`
    is the header's, in capitals: ORDERS, ORDENES, VERIFY, VERIFICAR, or LATER, DESPUES, MAS TARDE.
    """

    line: int
    header: str
    turn: int | None
    nonce: str
    first: int
    lines: tuple[str, ...]
    end: str
    standing: bool = False
    word: str = "ORDERS"

    @property
    def verify(self) -> bool:
        """True if the block is to be looked at and not to be queued."""
        return self.word in bounds.VERIFY

    @property
    def later(self) -> bool:
        """True if the block is for a turn to come."""
        return self.word in bounds.LATER

    @property
    def text(self) -> str:
        """What the game reads: the lines without the marks of those that are repeated, empty where LUCK is given, and
        where it says that it is the last."""
        return "".join(_REPEATED.sub(_blank, line) + "\n" for line in self.orders_alone.lines)

    @property
    def luck(self) -> tuple[tuple[int, str], ...]:
        """The words for the dice (`orders.luck`), each with its line."""
        return tuple((at, word) for at, line in enumerate(self.lines, 1) if (word := luck.given(line)) is not None)

    @property
    def done(self) -> tuple[int, ...]:
        """The lines that say that no more orders follow (DONE)."""
        return tuple(
            at for at, line in enumerate(self.lines, 1) if not self.standing and bounds.done(bounds.bare(line))
        )

    @property
    def orders_alone(self) -> Block:
        """The block with those lines made empty that give words for the dice, or say that no more orders follow."""
        others = {*self.done, *(at for at, _ in self.luck)}
        return self._replace(lines=tuple("" if at in others else line for at, line in enumerate(self.lines, 1)))

    @property
    def repeated(self) -> str:
        """The block's text with every line emptied that is not to be repeated (@); empty if none is."""
        marked = ((line, _REPEATED.match(line) is not None) for line in self.orders_alone.lines)
        lines = [_REPEATED.sub(_blank, line) if mark else "" for line, mark in marked]
        return "".join(line + "\n" for line in lines) if any(line.strip() for line in lines) else ""

    def mistakes(self, rejected: Iterable[Rejected]) -> list[Mistake]:
        """Refused lines, which a game counts from the block's first, as those of the letter."""
        found = []
        for bad in rejected:
            inside = 1 <= bad.line <= len(self.lines)
            line = bad.line + self.first - 1 if inside else self.line
            text = self.lines[bad.line - 1] if inside else self.header
            column = bad.column if bad.column >= 0 else column_of(text, bad.word[:WORD])
            found.append(refused(bad._replace(line=line, column=column), text))
        return found


class Understood(NamedTuple):
    """What a letter says: its commands, at most one block, those for turns to come, what is wrong with it.

    `left` are the lines beside blocks that say nothing, though some may have been meant to.
    With an `excess` it passes a limit, and nothing else of it is told.
    """

    commands: tuple[Line, ...] = ()
    block: Block | None = None
    wrong: tuple[Mistake, ...] = ()
    excess: Excess | None = None
    later: tuple[Block, ...] = ()
    left: tuple[Left, ...] = ()

    @property
    def empty(self) -> bool:
        """True if there is nothing to do and nothing to complain of."""
        return not (self.commands or self.block or self.later or self.wrong or self.excess)

    @property
    def essence(self) -> tuple[object, ...]:
        """What two letters have in common that want the same done, whatever else is in them; empty if nothing is."""
        blocks = [block for block in (self.block, *self.later) if block is not None]
        commands = ((one.name, one.rest, " ".join(one.said.split())) for one in self.commands)
        return (*commands, *((block.turn, block.later, _squeezed(block)) for block in blocks))


_REPEATED = re.compile(r"^(\s*)[@\uff20]")
# A temper's name after STANDING is a command of one line, no block.
_TEMPER = re.compile(rf"\s+(?:{'|'.join(word.lower() for words in PRESETS.values() for word in words)})\b")


def read(text: str, forms: Forms, limits: Limits = LIMITS) -> Understood:
    """Read what is left of a letter when quotes and signatures are cut, by the forms that commands have.

    What passes one of the `limits` is not read; behind so many mistakes nothing is.

    Of several different blocks none is taken: that is an error; one that stands there twice counts once. Blocks of
    standing orders, one a scope, count together, and with the block of orders that they stand beside.
    """
    lines = text.split("\n")
    if len(lines) > limits.lines:
        return Understood(excess=Excess("lines", limits.lines))
    lines, notes, unclosed = _enclosed(lines, forms)
    found = tuple(_blocks(lines, forms, limits.line))
    if sum(map(orders_in, found)) > limits.orders:
        return Understood(excess=Excess("orders", limits.orders))
    taken = {number for block in found for number in _extent(block)}
    written = {(block.turn, block.verify, block.later, _squeezed(block)): block for block in reversed(found)}
    blocks = [block for block in reversed(written.values()) if not block.later]
    later = sorted((block for block in written.values() if block.later), key=lambda block: (block.turn, block.line))
    if len(blocks) > 1 and all(block.end for block in blocks) and sum(not block.standing for block in blocks) < 2:
        blocks = [_joined(blocks)]
    wrong = [_unclosed(block) for block in (*blocks, *later) if not block.end]
    wrong += [_nearly(block) for block in (*blocks, *later) if not block.standing and not _sound(block)]
    if len(blocks) > 1:
        wrong.append(_two(*blocks[:2]))
    wrong += [_two(one, other) for one, other in pairwise(later) if one.turn == other.turn]
    # END below commands alone ends the letter; above a block it ends nothing, or orders would be lost.
    ends = {number for number, line in enumerate(lines, 1) if number not in taken and bounds.ends(bounds.bare(line))}
    stop = min((block.line for block in found), default=min(ends, default=len(lines) + 1))
    left = ends | taken
    rest = [(number, line) for number, line in enumerate(lines, 1) if number not in left]
    above = outside((one for one in rest if one[0] < stop), forms, limits, Surroundings(bool(found)))
    below = outside((one for one in rest if one[0] > stop), forms, limits, Surroundings(bool(found), below=True))
    last = [(block.first + at - 1, block.lines[at - 1]) for block in found for at in block.done]
    done = outside(last, forms, limits, Surroundings())
    said = tuple(sorted((*above.said, *notes, *below.said, *done.said), key=lambda command: command.line))
    if len(said) > limits.commands:
        return Understood(excess=Excess("commands", limits.commands))
    wrong = [
        *above.wrong,
        *below.wrong,
        *wrong,
        *unclosed,
        *(bad for block in found for bad in _too_long(block, limits.line)),
    ]
    return Understood(
        said,
        blocks[0] if blocks else None,
        tuple(wrong[: limits.mistakes]),
        None,
        tuple(later),
        above.left + below.left,
    )


def orders_in(block: Block) -> int:
    """Count the orders of a block: its lines that say something, each as often as semicolons part it."""
    return sum(1 + len(SEMICOLON.findall(line)) for line in block.lines if line and not COMMENT.match(line))


def _too_long(block: Block, most: int) -> Iterator[Mistake]:
    for number, line in enumerate(block.lines, block.first):
        if len(line) > most:
            yield longer(number, line, most)


def _enclosed(lines: Sequence[str], forms: Forms) -> tuple[list[str], tuple[Line, ...], tuple[Mistake, ...]]:
    """Take the commands of several lines out of a letter, wherever they stand: nothing in them is a command or order.

    What they leave behind is empty lines. What each says is the lines between its first and its last.
    """
    left, notes, wrong, at = list(lines), [], [], 0
    while at < len(lines):
        form, head = _opened(bounds.bare(lines[at]), forms)
        if form is None or head is None or form.enclosed is None:
            at += 1
            continue
        end = at + 1
        while end < len(lines) and not form.enclosed.end.fullmatch(bounds.bare(lines[end])):
            end += 1
        text = "\n".join(lines[at + 1 : end])
        if end == len(lines):
            wrong.append(mistake(at + 1, lines[at], lines[at].strip(), form.enclosed.unclosed))
        else:
            word = head["word"]
            said = form.language(word)
            notes.append(Line(form.name, at + 1, head["to"].strip(), text, lines[at], word.upper(), said, end + 1))
        left[at : end + 1] = [""] * len(left[at : end + 1])
        at = end + 1
    return left, tuple(notes), tuple(wrong)


def _opened(line: str, forms: Forms) -> tuple[Form | None, re.Match[str] | None]:
    """The command of several lines that a line begins, if any."""
    for form, enclosed in forms.enclosed:
        if head := enclosed.head.fullmatch(line):
            return form, head
    return None, None


def _joined(blocks: Sequence[Block]) -> Block:
    """Standing orders of several scopes, each between its own two lines, as one block that keeps their line numbers.

    Beside orders they stand in their block, above or below them; where its header or its end was is an empty line.
    """
    first = min(block.first for block in blocks)
    lines = [""] * (max(block.first + len(block.lines) for block in blocks) - first)
    for block in blocks:
        at = block.first - first
        lines[at : at + len(block.lines)] = block.lines
    main = next((block for block in blocks if not block.standing), blocks[0])
    end = main.end if not main.standing else blocks[-1].end
    return main._replace(first=first, lines=tuple(lines), end=end)


def _squeezed(block: Block) -> str:
    return "\n".join(" ".join(fold(line).split()) for line in block.lines)


def _begins(line: str, forms: Forms) -> bounds.Header | None:
    """What a line says if it begins a block of orders, or comes so near to it that it was meant to."""
    head = bounds.bare(line)
    found = bounds.header(head)
    if found is not None or forms.begin(head):
        return found
    return bounds.header(bounds.bare(bounds.nearly(head)))


def _blocks(lines: Sequence[str], forms: Forms, most: int) -> Iterator[Block]:
    """Yield every block, closed or not; an unclosed one ends before the next header or with the letter.

    Of a line longer than may be so much is kept that this shows: nothing reads it to its end.
    """
    at = 0
    while at < len(lines):
        head = bounds.bare(lines[at])
        orders = _begins(lines[at], forms)
        if orders is None and not _opens_standing(head):
            at += 1
            continue
        ends = bounds.ends if orders else bounds.ends_standing
        end, closed = at + 1, False
        while end < len(lines) and not (closed := ends(bounds.bare(lines[end]))) and not _begins(lines[end], forms):
            end += 1
        header, body = lines[at].strip(), tuple(line[: most + 1].rstrip() for line in lines[at + 1 : end])
        last = lines[end].strip() if closed else ""
        if orders:
            yield Block(at + 1, header, orders.turn, orders.nonce, at + 2, body, last, word=orders.word)
        else:
            yield Block(at + 1, header, None, "", at + 1, (header, *body, last), last, standing=True)
        at = end + 1 if closed else end


def _opens_standing(line: str) -> bool:
    rest = bounds.standing(line)
    return rest is not None and not _TEMPER.match(rest)


def _blank(mark: re.Match[str]) -> str:
    """What stands in the place of a mark, so that every word stays where it is."""
    return f"{mark[1]} "


def _extent(block: Block) -> range:
    """The line numbers that a block takes up."""
    return range(block.line, block.first + len(block.lines) + (1 if block.end and not block.standing else 0))


def _unclosed(block: Block) -> Mistake:
    if block.standing:
        why = msg("ENDSTANDING is missing on a line of its own. Perhaps the letter was cut short.")
    else:
        why = msg("END is missing on a line of its own below the orders. Perhaps the letter was cut short.")
    return mistake(block.line, block.header, block.header, why)


def _sound(block: Block) -> bool:
    return bounds.header(bounds.bare(block.header)) is not None


def _nearly(block: Block) -> Mistake:
    why = msg("A block of orders does not begin like this; none of it was carried out.")
    return mistake(block.line, block.header, block.header, why, (f"{block.word} T{block.turn}",))


def _two(first: Block, second: Block) -> Mistake:
    why = msg(
        "There are two different blocks of orders, in lines {one} and {other}. Send only the one you want.",
        one=first.line,
        other=second.line,
    )
    return mistake(second.line, second.header, second.header, why)
