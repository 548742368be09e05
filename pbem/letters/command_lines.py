"""Parse the cleaned text of a letter into commands with their lines.

Example::

    Dear server,                 greeting, skipped
    SET LANG es                  a command
    ORDERS T3 #k7q2              a block: header, the game's own lines, END
    MOVE Leon TO C
    END                          further commands may be below it, or above the header

Words are compared without case, accents or typography, in English and Spanish alike. Nothing is executed
here, and neither games nor commands are known: a block's lines are left to the game, the forms of commands
are passed in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pbem.engine.data.messages import msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders import luck
from pbem.engine.orders.lex import LONGEST_WORD, before_comment, column_of, fold
from pbem.engine.terms import RejectedLine
from pbem.letters.commands import (
    COMMENT_MARK,
    SEMICOLON,
    STANDING_PRESETS,
    CommandForm,
    CommandForms,
    CommandLine,
    LinePlace,
    UnparsedLine,
    read_outside_lines,
    too_long_mistake,
)
from pbem.letters.content import Mistake, cut_mistake, make_mistake
from pbem.mail import seen
from pbem.runtime.limits import LIMITS, ExceededLimit, Limits


class OrderBlock(NamedTuple):
    """A block of orders: line of its header, parsed header, and lines.

    The lines are those between header and end. `turn` is None if the header names none. `standing` marks a block of
    standing orders alone, whose lines include its own first and last line. ``lines[0]`` is line `first` of the
    letter; `end` is empty if the block has none. `word` is the word of the header, in capitals: ORDERS, ORDENES,
    VERIFY, VERIFICAR, or LATER, DESPUES, MAS TARDE.
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
    def is_check_only(self) -> bool:
        """Return whether the block is to be checked only, and not queued."""
        return self.word in bounds.VERIFY

    @property
    def is_for_later(self) -> bool:
        """Return whether the block is for a later turn."""
        return self.word in bounds.LATER

    @property
    def is_blank(self) -> bool:
        """Return whether every line is empty or a comment."""
        return not any(before_comment(line).strip() for line in self.lines)

    @property
    def text(self) -> str:
        """Return the lines for the game.

        Marks of repeated lines are removed; lines with LUCK or DONE are empty.
        """
        return "".join(_REPEAT_MARK.sub(_blank, line) + "\n" for line in self.orders_alone.lines)

    @property
    def luck(self) -> tuple[tuple[int, str], ...]:
        """Return the words for the dice (`orders.luck`), each with its line."""
        return tuple(
            (number, word) for number, line in enumerate(self.lines, 1) if (word := luck.word_of_line(line)) is not None
        )

    @property
    def done_lines(self) -> tuple[int, ...]:
        """Return the lines that say that no more orders follow (DONE)."""
        return tuple(
            number
            for number, line in enumerate(self.lines, 1)
            if not self.standing and bounds.says_done(bounds.bare(line))
        )

    @property
    def orders_alone(self) -> OrderBlock:
        """Return the block with its LUCK, DONE and SEEN lines emptied."""
        seen_lines = (number for number, line in enumerate(self.lines, 1) if seen.is_seen_line(line))
        others = {*self.done_lines, *(number for number, _ in self.luck), *seen_lines}
        return self._replace(lines=tuple("" if number in others else line for number, line in enumerate(self.lines, 1)))

    @property
    def repeated_text(self) -> str:
        """Return the block's text with all but repeated lines (@) emptied; may be empty."""
        marked = ((line, _REPEAT_MARK.match(line) is not None) for line in self.orders_alone.lines)
        lines = [_REPEAT_MARK.sub(_blank, line) if mark else "" for line, mark in marked]
        return "".join(line + "\n" for line in lines) if any(line.strip() for line in lines) else ""

    def mistakes(self, rejected: Iterable[RejectedLine]) -> list[Mistake]:
        """Return refused lines, counted in the block, as mistakes of the letter."""
        result = []
        for refusal in rejected:
            inside = 1 <= refusal.line <= len(self.lines)
            line = refusal.line + self.first - 1 if inside else self.line
            text = self.lines[refusal.line - 1] if inside else self.header
            column = refusal.column if refusal.column >= 0 else column_of(text, refusal.word[:LONGEST_WORD])
            result.append(cut_mistake(refusal._replace(line=line, column=column), text))
        return result


class ParsedLetter(NamedTuple):
    """A parsed letter: commands, at most one block, blocks for later turns, mistakes.

    `left` are lines that are neither block nor command. If `excess` is set, the letter exceeds a limit and the rest is
    empty.
    """

    commands: tuple[CommandLine, ...] = ()
    block: OrderBlock | None = None
    wrong: tuple[Mistake, ...] = ()
    excess: ExceededLimit | None = None
    later: tuple[OrderBlock, ...] = ()
    left: tuple[UnparsedLine, ...] = ()

    @property
    def empty(self) -> bool:
        """Return whether the letter has nothing to carry out and nothing to refuse."""
        return not (self.commands or self.block or self.later or self.wrong or self.excess)

    @property
    def essence(self) -> tuple[object, ...]:
        """Return the requests of a letter, for comparing it with other letters.

        Letters that ask the same have equal essences; it is empty if nothing is asked.
        """
        blocks = [block for block in (self.block, *self.later) if block is not None]
        commands = ((command.name, command.rest, " ".join(command.said.split())) for command in self.commands)
        return (*commands, *((block.turn, block.is_for_later, _plain_lines(block)) for block in blocks))


# The second sign is the full-width one of East Asian keyboards.
_REPEAT_MARK = re.compile(r"^(\s*)[@\uff20]")
# A temper's name after STANDING is a command of one line, no block.
_TEMPER = re.compile(rf"\s+(?:{'|'.join(word.lower() for words in STANDING_PRESETS.values() for word in words)})\b")


def parse_letter(text: str, forms: CommandForms, limits: Limits = LIMITS) -> ParsedLetter:
    """Parse a letter without quotes and signatures, by the forms of the commands.

    Text beyond the `limits` is not read; nor is anything after the last allowed mistake.

    Several different blocks are a mistake, and none is taken; a block that occurs twice counts once. Blocks of
    standing orders, one a scope, count together, and with the block of orders next to them.
    """
    lines = text.split("\n")
    if len(lines) > limits.lines:
        return ParsedLetter(excess=ExceededLimit("lines", limits.lines))
    lines, notes, unclosed = _take_enclosed(lines, forms)
    all_blocks = tuple(_blocks(lines, forms, limits.line))
    if sum(map(count_orders, all_blocks)) > limits.orders:
        return ParsedLetter(excess=ExceededLimit("orders", limits.orders))
    block_lines = {number for block in all_blocks for number in _extent(block)}
    unique_blocks = {
        (block.turn, block.is_check_only, block.is_for_later, _plain_lines(block)): block
        for block in reversed(all_blocks)
    }
    blocks = [block for block in reversed(unique_blocks.values()) if not block.is_for_later]
    # By turn, so that two blocks for one turn are neighbours, and are found as a mistake.
    later = sorted(
        (block for block in unique_blocks.values() if block.is_for_later), key=lambda block: (block.turn, block.line)
    )
    if len(blocks) > 1 and all(block.end for block in blocks) and sum(not block.standing for block in blocks) < 2:
        blocks = [_join_blocks(blocks)]
    wrong = [_unclosed_mistake(block) for block in (*blocks, *later) if not block.end]
    wrong += [
        _header_mistake(block) for block in (*blocks, *later) if not block.standing and not _has_valid_header(block)
    ]
    if len(blocks) > 1:
        wrong.append(_two_blocks_mistake(*blocks[:2]))
    wrong += [_two_blocks_mistake(first, second) for first, second in pairwise(later) if first.turn == second.turn]
    # END below commands alone ends the letter; above a block it ends nothing, or orders would be lost.
    ends = {
        number for number, line in enumerate(lines, 1) if number not in block_lines and bounds.ends(bounds.bare(line))
    }
    stop = min((block.line for block in all_blocks), default=min(ends, default=len(lines) + 1))
    used_lines = ends | block_lines
    rest = [(number, line) for number, line in enumerate(lines, 1) if number not in used_lines]
    above = read_outside_lines((entry for entry in rest if entry[0] < stop), forms, limits, LinePlace(bool(all_blocks)))
    below = read_outside_lines(
        (entry for entry in rest if entry[0] > stop), forms, limits, LinePlace(bool(all_blocks), below=True)
    )
    done_lines = [
        (block.first + number - 1, block.lines[number - 1]) for block in all_blocks for number in block.done_lines
    ]
    done_commands = read_outside_lines(done_lines, forms, limits, LinePlace())
    # In the order of the letter: commands are carried out one after the other.
    commands = tuple(sorted((*above.said, *notes, *below.said, *done_commands.said), key=lambda command: command.line))
    if len(commands) > limits.commands:
        return ParsedLetter(excess=ExceededLimit("commands", limits.commands))
    wrong = [
        *above.wrong,
        *below.wrong,
        *wrong,
        *unclosed,
        *(error for block in all_blocks for error in _too_long(block, limits.line)),
    ]
    return ParsedLetter(
        commands,
        blocks[0] if blocks else None,
        tuple(wrong[: limits.mistakes]),
        None,
        tuple(later),
        above.left + below.left,
    )


def count_orders(block: OrderBlock) -> int:
    """Count the orders of a block: its lines with words, split at semicolons."""
    return sum(1 + len(SEMICOLON.findall(line)) for line in block.lines if line and not COMMENT_MARK.match(line))


def _too_long(block: OrderBlock, most: int) -> Iterator[Mistake]:
    for number, line in enumerate(block.lines, block.first):
        if len(line) > most:
            yield too_long_mistake(number, line, most)


def _take_enclosed(
    lines: Sequence[str], forms: CommandForms
) -> tuple[list[str], tuple[CommandLine, ...], tuple[Mistake, ...]]:
    """Remove commands of several lines from a letter.

    Their lines hold neither commands nor orders, and are replaced by empty lines. The text of such a command is the
    lines between its first and last line.
    """
    remaining, notes, wrong, index = list(lines), [], [], 0
    while index < len(lines):
        form, head = _enclosed_form(bounds.bare(lines[index]), forms)
        if form is None or head is None or form.enclosed is None:
            index += 1
            continue
        end = index + 1
        while end < len(lines) and not form.enclosed.end.fullmatch(bounds.bare(lines[end])):
            end += 1
        text = "\n".join(lines[index + 1 : end])
        if end == len(lines):
            wrong.append(make_mistake(index + 1, lines[index], lines[index].strip(), form.enclosed.unclosed))
        else:
            word = head["word"]
            language = form.language(word)
            notes.append(
                CommandLine(
                    form.name, index + 1, head["to"].strip(), text, lines[index], word.upper(), language, end + 1
                )
            )
        remaining[index : end + 1] = [""] * len(remaining[index : end + 1])
        index = end + 1
    return remaining, tuple(notes), tuple(wrong)


def _enclosed_form(line: str, forms: CommandForms) -> tuple[CommandForm | None, re.Match[str] | None]:
    """Return the command of several lines that a line begins, if any."""
    for form, enclosed in forms.enclosed:
        if head := enclosed.head.fullmatch(line):
            return form, head
    return None, None


def _join_blocks(blocks: Sequence[OrderBlock]) -> OrderBlock:
    """Return standing orders of several scopes as one block.

    It keeps their line numbers. Standing orders next to orders are in their block, above or below them; their
    header and end are empty lines.
    """
    first = min(block.first for block in blocks)
    lines = [""] * (max(block.first + len(block.lines) for block in blocks) - first)
    for block in blocks:
        offset = block.first - first
        lines[offset : offset + len(block.lines)] = block.lines
    main = next((block for block in blocks if not block.standing), blocks[0])
    end = main.end if not main.standing else blocks[-1].end
    return main._replace(first=first, lines=tuple(lines), end=end)


def _plain_lines(block: OrderBlock) -> str:
    return "\n".join(" ".join(fold(line).split()) for line in block.lines)


def _block_header(line: str, forms: CommandForms) -> bounds.Header | None:
    """Return the header in a line that begins a block of orders, or None.

    Misspelt headers count.
    """
    head = bounds.bare(line)
    parsed = bounds.header(head)
    if parsed is not None or forms.begins_with_command(head):
        return parsed
    return bounds.header(bounds.bare(bounds.near_header(head)))


def _blocks(lines: Sequence[str], forms: CommandForms, most: int) -> Iterator[OrderBlock]:
    """Yield every block, closed or not; an unclosed one ends before the next header.

    Lines that are too long are cut one character above the limit, so that the excess is noticed. VERIFY on a line
    of its own above a block counts as if it stood in place of ORDERS.
    """
    index, above = 0, None
    while index < len(lines):
        head = bounds.bare(lines[index])
        orders = _block_header(lines[index], forms)
        if orders is None and not begins_standing_orders(head):
            index += 1
            continue
        ends = bounds.ends if orders else bounds.ends_standing
        end, closed = index + 1, False
        while (
            end < len(lines) and not (closed := ends(bounds.bare(lines[end]))) and not _block_header(lines[end], forms)
        ):
            end += 1
        header, body = lines[index].strip(), tuple(line[: most + 1].rstrip() for line in lines[index + 1 : end])
        last = lines[end].strip() if closed else ""
        if orders and not closed and end < len(lines) and not any(body) and _is_verify_above(orders, lines[end], forms):
            above, index = (index + 1, orders.word), end
            continue
        if orders:
            line, word = above or (index + 1, orders.word)
            yield OrderBlock(line, header, orders.turn, orders.nonce, index + 2, body, last, word=word)
        else:
            yield OrderBlock(index + 1, header, None, "", index + 1, (header, *body, last), last, standing=True)
        index, above = end + 1 if closed else end, None


def _is_verify_above(header: bounds.Header, line: str, forms: CommandForms) -> bool:
    """Return whether a line is VERIFY alone, above the header of a block."""
    following = _block_header(line, forms)
    is_same = following is not None and not following.later and header.turn in (None, following.turn)
    return header.verify and is_same


def begins_standing_orders(line: str) -> bool:
    """Return whether a line begins standing orders of several lines."""
    rest = bounds.after_standing(line)
    return rest is not None and not _TEMPER.match(rest)


def _blank(mark: re.Match[str]) -> str:
    """Return the blanks that replace a mark, so that columns stay the same."""
    return f"{mark[1]} "


def _extent(block: OrderBlock) -> range:
    """Return the line numbers of a block."""
    return range(block.line, block.first + len(block.lines) + (1 if block.end and not block.standing else 0))


def _unclosed_mistake(block: OrderBlock) -> Mistake:
    if block.standing:
        why = msg("ENDSTANDING is missing on a line of its own. Perhaps the letter was cut short.")
    else:
        why = msg("END is missing on a line of its own below the orders. Perhaps the letter was cut short.")
    return make_mistake(block.line, block.header, block.header, why)


def _has_valid_header(block: OrderBlock) -> bool:
    return bounds.header(bounds.bare(block.header)) is not None


def _header_mistake(block: OrderBlock) -> Mistake:
    why = msg("A block of orders does not begin like this; none of it was carried out.")
    return make_mistake(block.line, block.header, block.header, why, (f"{block.word} T{block.turn}",))


def _two_blocks_mistake(first: OrderBlock, second: OrderBlock) -> Mistake:
    why = msg(
        "There are two different blocks of orders, in lines {one} and {other}. Send only the one you want.",
        one=first.line,
        other=second.line,
    )
    return make_mistake(second.line, second.header, second.header, why)
