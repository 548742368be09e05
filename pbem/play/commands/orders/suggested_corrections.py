"""Correct orders: join broken lines, complete blocks, and return refused orders."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.block import END, bare, without_nonce
from pbem.engine.orders.lex import fold
from pbem.engine.orders.wrapped import FORM_WIDTH, BlockReader, whole
from pbem.engine.terms import NO_ENDIF
from pbem.letters import content
from pbem.letters.command_lines import OrderBlock, ParsedLetter, count_orders, parse_letter
from pbem.letters.commands import (
    COMMENT_MARK,
    FAREWELL,
    SEMICOLON,
    SIGNATURE_LINE,
    CommandForms,
    CommandLine,
    LinePlace,
    read_outside_lines,
)
from pbem.mail.address import strike_tokens
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import COMMAND_WITHIN
from pbem.play.commands.orders import order_block
from pbem.play.positions import Position
from pbem.runtime import limits
from pbem.runtime.limits import LetterLimitExceeded

# Blocks whose lines a mail program broke, made whole before anything else is made of them.


def join_broken_lines(answer: SeatAnswer, parsed: ParsedLetter) -> ParsedLetter:
    """Return a letter with its blocks' lines as before a client broke them."""
    position = answer.here
    if position is None:
        return parsed
    block = parsed.block if parsed.block is None else _joined_block(position, answer.seat.name, parsed.block)
    return parsed._replace(
        block=block, later=tuple(_joined_block(position, answer.seat.name, later_block) for later_block in parsed.later)
    )


def _joined_block(position: Position, seat: str, block: OrderBlock) -> OrderBlock:
    def begins(line: str, standing: bool) -> bool:
        return line[:1] in "@\uff20" or position.rules.aids.begins(line, standing)

    def find_refused(lines: Sequence[str]) -> Mapping[int, bool]:
        text = block._replace(lines=tuple(lines)).text
        rejected_lines = position.rules.parse(text, position.rules.view(position.state, seat), seat).rejected
        return {rejected.line: bool(rejected.suggestions) for rejected in rejected_lines}

    bare = block.orders_alone
    lines = whole(bare.lines, BlockReader(begins, find_refused))
    kept_lines = {*block.done_lines, *(number for number, _ in block.luck)}
    return block._replace(
        lines=tuple(block.lines[index] if index + 1 in kept_lines else line for index, line in enumerate(lines))
    )


# Orders that stand in a letter without ORDERS above or END below them: given back as a block that can be copied.


_TRIED = 50
"""Lines of prose that begin like orders and are parsed as orders; a letter of orders has one among its first."""


def collect_orders(answer: SeatAnswer, parsed: ParsedLetter, forms: CommandForms) -> ParsedLetter:
    """Treat orders without a line ORDERS above them as a block without END.

    Return the letter with that block; one without such orders as it is.
    """
    position, phase = answer.here, answer.phase
    if position is None or phase is None or not answer.active or parsed.block is not None or parsed.later:
        return parsed
    if answer.letter.quoted_block:
        # The quoted block is left out on purpose.
        return parsed
    unclosed = [enclosed.unclosed for _, enclosed in forms.enclosed]
    if any(fault.rejected.why in unclosed for fault in parsed.wrong):
        # The end of the press is unknown.
        return parsed
    lines = answer.letter.text.split("\n")
    end = next(
        (index for index, line in enumerate(lines) if index and SIGNATURE_LINE.fullmatch(fold(line).strip())),
        len(lines),
    )
    lines = lines[:end]
    command_lines = {
        number for enclosed_line in parsed.commands for number in range(enclosed_line.line, enclosed_line.last + 1)
    }
    skipped = {command.line for command in parsed.commands} | command_lines
    first = _first_order(answer, [(number, line) for number, line in enumerate(lines, 1) if number not in skipped])
    if not first:
        return parsed
    max_length = answer.server.settings.limits.line + 1
    body = tuple(
        "" if first + index in command_lines else line[:max_length].rstrip()
        for index, line in enumerate(lines[first - 1 :])
    )
    header = f"{pick_phrase(answer.seat.language, *bounds.ORDERS)} T{phase.turn}"
    block = OrderBlock(first, header, phase.turn, "", first, body, "")
    if count_orders(block) > answer.server.settings.limits.orders:
        raise LetterLimitExceeded("orders", answer.server.settings.limits.orders)
    # As above any block, lower-case lines are prose; lines below are parsed again.
    faults_above = (fault for fault in parsed.wrong if fault.rejected.line < first)
    return parsed._replace(
        commands=tuple(above for above in parsed.commands if above.line < first or above.line in command_lines),
        block=block,
        wrong=tuple(above for above in faults_above if above.text.split()[:1] and above.text.split()[0].isupper()),
        left=(),
    )


def cut_after_orders(answer: SeatAnswer, parsed: ParsedLetter, forms: CommandForms) -> ParsedLetter:
    """Return a letter whose block lacks END, with only its orders in the block.

    The lines below the orders are read as if below an END.
    """
    position, block = answer.here, parsed.block
    if position is None or block is None or block.end or block.standing:
        return parsed
    order_starts = [index for index, line in enumerate(block.lines, 1) if _begins_order(position, line)]
    if not order_starts:
        return parsed
    last = _last_line(block.lines, order_starts[-1])
    numbered = enumerate(block.lines[last:], block.first + last)
    other_lines = [(number, line) for number, line in numbered if not bounds.ends(bounds.bare(line))]
    outside_lines = read_outside_lines(
        other_lines, forms, answer.server.settings.limits, LinePlace(block=True, below=True)
    )
    return parsed._replace(
        commands=(*parsed.commands, *outside_lines.said),
        block=block._replace(lines=block.lines[:last]),
        left=outside_lines.left,
    )


def _begins_order(position: Position, line: str) -> bool:
    """Return whether a line begins an order or a standing order."""
    return (
        bool(line.strip())
        and not bounds.ends(bounds.bare(line))
        and any(position.rules.aids.begins(line.strip(), standing) for standing in (False, True))
    )


def _first_order(answer: SeatAnswer, lines: Sequence[tuple[int, str]]) -> int:
    """Return the number of the first line that is nearly an order; 0 if none is.

    Its first word is in capitals, or the whole line can be parsed; at most `_TRIED` lines are parsed.
    """
    position, seat = answer.here, answer.seat.name
    if position is None:
        return 0
    view, tried = position.rules.view(position.state, seat), 0
    for number, text in lines:
        line = text[: answer.server.settings.limits.line].strip()
        if not line or COMMENT_MARK.match(line) or bounds.ends(bounds.bare(line)):
            continue
        if not position.rules.aids.begins(line, False):
            continue
        first, *more = line.split(maxsplit=1)
        if first.strip("@*-").isupper() and more:
            return number
        tried += 1
        if tried <= _TRIED:
            reading = position.rules.parse(line, view, seat)
            if reading.orders.actions and not reading.rejected:
                return number
    return 0


def _last_line(lines: Sequence[str], last: int) -> int:
    """Return the last line of the last order's paragraph, both counted from 1."""
    for number, line in enumerate(lines[last:], last + 1):
        bare = fold(line).strip()
        if not bare or SIGNATURE_LINE.fullmatch(bare) or FAREWELL.fullmatch(bare) or bounds.ends(bounds.bare(line)):
            return number - 1
    return len(lines)


# The first and the last line of a branch, perhaps with the @ of a repetition, and lines that order nothing.
_OPENS = re.compile(r"(?:\W*@)?\s*(?:if|si)\b")
_CLOSES = re.compile(r"(?:\W*@)?\s*(?:endif|finsi)\b")
_VOID = re.compile(r"\s*(?:#|//|$)")
_ENDIF = ("ENDIF", "FINSI")
_END_STANDING = ("ENDSTANDING", "FINDOCTRINA")
_WRITTEN = ("you wrote", "usted escribió")


def refuse_blocks(answer: SeatAnswer, blocks: Sequence[OrderBlock], beside: Sequence[CommandLine]) -> None:
    """Answer a letter with its mistakes and its corrected block.

    `beside` are the commands outside of its blocks.
    """
    count, max_mistakes = len(answer.errors), answer.server.settings.limits.mistakes
    heading = content.nothing_done_sentence(len({error.rejected.line for error in answer.errors}))
    if count >= max_mistakes:
        del answer.errors[max_mistakes:]
        heading = limits.explain_mistakes(answer.server.settings.limits)
    answer.say("refusal", heading)
    order_block.report_queued(answer)
    corrections = _corrections(answer, {(block.line, block.header) for block in blocks})
    above, below = _lines_outside(answer, blocks, beside, corrections)
    above += [error.text for error in answer.errors if error.rejected.why.text == COMMAND_WITHIN]
    room = answer.server.settings.limits.answer // 4 - sum(map(len, (*above, *below)))
    returned: list[list[str]] = []
    for block in blocks:
        room -= sum(map(len, block.lines))
        if room >= 0 and (block.end or any(line.strip() for line in block.lines)):
            first, last = block is blocks[0], block is blocks[-1]
            returned.append(
                [*(above if first else ()), *_returned_block(answer, block, corrections), *(below if last else ())]
            )
    title = msg("Your orders with what I could fix. Correct the rest and send them again")
    if above or below:
        title = msg("Your letter with what I could fix. Correct the rest and send it again")
    button = content.EDIT_ORDERS
    if all(corrections.values()) and count < max_mistakes and _is_sound(answer, returned):
        title, button = msg("Ready to send as it is"), content.SEND_ORDERS
    for lines in ([*map(strike_tokens, returned_lines)] for returned_lines in returned):
        answer.blocks.append(content.with_letter_button(content.titled_block(title, lines), lines, button))
    if room < 0:
        answer.opening.append(msg("Your orders are too long to be shown here once more."))


def _is_sound(answer: SeatAnswer, returned: Sequence[Sequence[str]]) -> bool:
    """Return whether returned blocks would be accepted unchanged, as far as known."""
    position, seat = answer.here, answer.seat.name
    if position is None or len(returned) != 1 or answer.phase is None:
        return False
    parsed, view = parse_letter("\n".join(returned[0]), CommandForms(())), position.rules.view(position.state, seat)
    if not answer.active and len(parsed.later) == 1:
        # Orders for later are checked against the position when their turn begins.
        (later,), first = parsed.later, answer.phase.turn + order_block.was_asked(answer, position, answer.phase)
        reading = position.rules.parse(later.text, view, seat)
        return (later.turn or 0) >= first and not reading.rejected and not reading.orders.standing
    block = parsed.block
    if block is None or block.turn != answer.phase.turn or block.is_blank or not answer.active:
        return False
    return order_block.legal_orders(position, seat, view, block.text) is not None


def _corrections(answer: SeatAnswer, headers: Collection[tuple[int, str]]) -> dict[int, str]:
    """Return the wrong lines, each corrected by its only suggestion, or else empty.

    Headers of blocks are corrected separately; an IF that lacks only its ENDIF is sound.
    """
    corrected: dict[int, str] = {}
    for error in answer.errors:
        rejected = error.rejected
        if (rejected.line, error.text) in headers or rejected.why == NO_ENDIF or rejected.why.text == COMMAND_WITHIN:
            continue
        start, stop = rejected.column, rejected.column + len(rejected.word)
        is_applicable = (
            len(rejected.suggestions) == 1
            and error.text[start:stop] == rejected.word
            and rejected.line not in corrected
        )
        corrected[rejected.line] = (
            _insert_suggestion(error.text, rejected.suggestions[0], (start, stop)) if is_applicable else ""
        )
    return corrected


def _insert_suggestion(line: str, better: str, span: tuple[int, int]) -> str:
    """Return a line with a suggestion in place of a word.

    A suggestion that begins as the line does replaces all of it.
    """
    start, stop = span
    if start and better.split()[:1] and line.casefold().split()[0] == better.casefold().split()[0]:
        return better
    if start == stop and better.endswith(";"):
        start = stop = len(line) - len(line.lstrip())
        better = f"{better} "
    return f"{line[:start]}{better}{line[stop:]}"


def _lines_outside(
    answer: SeatAnswer, blocks: Sequence[OrderBlock], beside: Sequence[CommandLine], corrections: Mapping[int, str]
) -> tuple[list[str], list[str]]:
    """Return the lines above and below the blocks that are commands or wrong."""
    if not blocks:
        return [], []
    letter_lines = answer.letter.text.split("\n")
    starts = [min(block.line, block.first) for block in blocks]
    inside = {
        line_number
        for start, block in zip(starts, blocks, strict=True)
        for line_number in range(start, _line_below(block))
    }
    needed = {number: corrections.get(number) for number in corrections if number not in inside}
    for command in beside:
        # Press is returned whole, or, if its first line is wrong, as a comment as a whole.
        for number in range(command.line, max(command.line, command.last) + 1):
            needed.setdefault(number, corrections.get(command.line))
    returned = {
        number: _returned_line(answer, letter_lines[number - 1].rstrip(), needed[number])
        for number in sorted(needed)
        if 0 < number <= len(letter_lines) and number not in inside
    }
    first_start = min(starts)
    return [line for line_number, line in returned.items() if line_number < first_start], [
        line for n, line in returned.items() if n > first_start
    ]


def _line_below(block: OrderBlock) -> int:
    """Return the number of the first line below a block and its end."""
    return block.first + len(block.lines) + (1 if block.end and not block.standing else 0)


def _returned_line(answer: SeatAnswer, line: str, corrected: str | None) -> str:
    """Return a line for the answer.

    `corrected` is None for a good line, empty for one that cannot be corrected.
    """
    if len(line) > answer.server.settings.limits.line:
        return f"# {line[: content.LONGEST_SHOWN]}..."
    if corrected is None or line.startswith("# "):
        return line
    return corrected or f"# {''.join(answer.reword_lines([line]))}"


def _returned_block(answer: SeatAnswer, block: OrderBlock, corrections: Mapping[int, str]) -> list[str]:
    """Return a block in its player's own words, with corrections.

    It has no nonce: with one it would count when an answer to this letter merely quotes it. An IF that cannot be
    read becomes a comment, with everything inside it, which would else be done without the condition; so do lines
    that depend on a refused line.
    """
    lines, header = list(block.lines), without_nonce(block.header)
    end = [block.end or pick_phrase(answer.seat.language, *(_END_STANDING if block.standing else END))]
    if block.standing and not block.end:
        # A line END in it was meant to close it.
        lines = [*("" if bounds.ends(bare(line)) else line for line in lines), end[0]]
    if block.is_blank and not block.standing:
        end.insert(0, pick_phrase(answer.seat.language, "# PASS", "# PASAR"))
    read_errors = (error.rejected for error in reversed(answer.errors) if error.rejected.why != NO_ENDIF)
    wrong_words = {rejected.line: rejected.word for rejected in read_errors}
    command_lines = {error.rejected.line for error in answer.errors if error.rejected.why.text == COMMAND_WITHIN}
    dependent, marks = list[int](), dict[int, str]()
    unclosed = {error.rejected.line for error in answer.errors if error.rejected.why == NO_ENDIF}
    for error in answer.errors:
        if error.rejected.line == block.line and error.text == block.header and len(error.rejected.suggestions) == 1:
            header = error.rejected.suggestions[0]
    for number in range(block.first, block.first + len(block.lines)):
        index = number - block.first
        lines[index] = _with_names_written_out(answer, number, lines[index])
        if number in unclosed and corrections.get(number, True):
            end.insert(0, pick_phrase(answer.seat.language, *_ENDIF))
        if number in corrections:
            lines[index] = _returned_line(answer, lines[index], corrections[number])
            marks[number] = _mark(answer, corrections[number], wrong_words[number])
            dependent += (
                [] if corrections[number] or answer.here is None else answer.here.rules.aids.fallen(block.lines, index)
            )
            if not corrections[number] and _OPENS.match(bare(block.lines[index])):
                branch_end = _end_of_branch(block.lines, index)
                lines[index + 1 : branch_end] = [
                    line if _VOID.match(line) else f"# {line}" for line in lines[index + 1 : branch_end]
                ]
    for index in dependent:
        lines[index] = lines[index] if _VOID.match(lines[index]) else _returned_line(answer, lines[index], "")
    lines = [
        marked
        for line_number, line in enumerate(lines, block.first)
        if line.strip() and line_number not in command_lines
        for marked in _with_mark(line, marks.get(line_number, ""))
    ]
    return answer.reword_lines([*lines, *end[:-1]] if block.standing else [header, *lines, *end])


def _mark(answer: SeatAnswer, corrected: str, word: str) -> str:
    """Return a comment for a corrected line with the word written there."""
    if not corrected or not word:
        return ""
    return f"# {pick_phrase(answer.seat.language, *_WRITTEN)} {word}"


def _with_mark(line: str, mark: str) -> tuple[str, ...]:
    """Return a line with its mark behind it, or above it if it would be too long."""
    if not mark:
        return (line,)
    return (f"{line}  {mark}",) if len(line) + len(mark) + 2 <= FORM_WIDTH else (mark, line)


def _with_names_written_out(answer: SeatAnswer, number: int, line: str) -> str:
    """Return a line with misread names written out in full."""
    for respelling in answer.respelt:
        match = (
            re.search(rf"(?<![\w/]){re.escape(respelling.word)}(?![\w/])", line) if respelling.line == number else None
        )
        if match is not None:
            line = f"{line[: match.start()]}{respelling.name}{line[match.end() :]}"
    return line


def _end_of_branch(lines: Sequence[str], start: int) -> int:
    """Return the number of the line that ends the IF at `start`, else of the last."""
    depth = 0
    for number, line in enumerate(lines[start:], start + 1):
        for part in SEMICOLON.split(bare(line)):
            depth += bool(_OPENS.match(part)) - bool(_CLOSES.match(part))
        if depth <= 0:
            return number
    return len(lines)
