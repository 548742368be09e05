"""A refused letter given back: what could be mended is mended, what cannot is made a comment, the rest as it was."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import msg
from pbem.engine.orders.block import END, bare, without_nonce
from pbem.engine.orders.wrapped import FORM_WIDTH
from pbem.engine.terms import NO_ENDIF
from pbem.letters import content
from pbem.letters.command_lines import Block, read
from pbem.letters.command_words import Forms
from pbem.letters.unparsed_lines import SEMICOLON, Line
from pbem.mail.address import strike
from pbem.play.commands.answer import Answer
from pbem.play.commands.command_order import COMMAND_WITHIN
from pbem.play.commands.orders import order_block
from pbem.runtime import limits

_OPENS = re.compile(r"(?:\W*@)?\s*(?:if|si)\b")
_CLOSES = re.compile(r"(?:\W*@)?\s*(?:endif|finsi)\b")
_VOID = re.compile(r"\s*(?:#|//|$)")
_ENDIF = ("ENDIF", "FINSI")
_END_STANDING = ("ENDSTANDING", "FINDOCTRINA")
_WRITTEN = ("you wrote", "usted escribió")


def refuse(answer: Answer, blocks: Sequence[Block], beside: Sequence[Line]) -> None:
    """Answer a letter with mistakes: which, and the letter with what could be mended, if there is a block in it.

    `beside` are the commands that stand outside of its blocks.
    """
    count, most = len(answer.errors), answer.server.limits.mistakes
    told = content.nothing_done(count)
    if count >= most:
        del answer.errors[most:]
        told = limits.stopped(answer.server.limits)
    answer.say("refusal", told)
    order_block.say_what_is_queued(answer)
    mended = _mended(answer, {(block.line, block.header) for block in blocks})
    above, below = _outside(answer, blocks, beside, mended)
    above += [error.text for error in answer.errors if error.rejected.why.text == COMMAND_WITHIN]
    room = answer.server.limits.answer // 4 - sum(map(len, (*above, *below)))
    given: list[list[str]] = []
    for block in blocks:
        room -= sum(map(len, block.lines))
        if room >= 0 and (block.end or any(line.strip() for line in block.lines)):
            first, last = block is blocks[0], block is blocks[-1]
            given.append([*(above if first else ()), *_block(answer, block, mended), *(below if last else ())])
    title = msg("Your block, corrected as far as I can; mend the rest and send it back")
    if above or below:
        title = msg("Your letter, corrected as far as I can; mend the rest and send it back")
    button = content.EDIT_ORDERS
    if all(mended.values()) and count < most and _is_sound(answer, given):
        title, button = msg("Ready to send back as it stands"), content.SEND_ORDERS
    for lines in ([*map(strike, one)] for one in given):
        answer.blocks.append(content.as_letter(content.block(title, lines), lines, button))
    if room < 0:
        answer.opening.append(msg("Your orders are too long to be shown here once more."))


def _is_sound(answer: Answer, given: Sequence[Sequence[str]]) -> bool:
    """Whether blocks given back would be taken as they stand, as far as the game can tell."""
    here, seat = answer.here, answer.seat.name
    if here is None or len(given) != 1 or answer.phase is None or not answer.active:
        return False
    block = read("\n".join(given[0]), Forms(())).block
    if block is None or block.turn != answer.phase.turn:
        return False
    return order_block.legal_orders(here, seat, here.rules.view(here.state, seat), block.text) is not None


def _mended(answer: Answer, headers: Collection[tuple[int, str]]) -> dict[int, str]:
    """The lines of the letter that are wrong, each mended by its only suggestion, or empty if it cannot be.

    Headers of blocks are mended by themselves; an IF that lacks only its ENDIF is sound.
    """
    mended: dict[int, str] = {}
    for error in answer.errors:
        bad = error.rejected
        if (bad.line, error.text) in headers or bad.why == NO_ENDIF or bad.why.text == COMMAND_WITHIN:
            continue
        start, stop = bad.column, bad.column + len(bad.word)
        fits = len(bad.suggestions) == 1 and error.text[start:stop] == bad.word and bad.line not in mended
        mended[bad.line] = _put_in(error.text, bad.suggestions[0], (start, stop)) if fits else ""
    return mended


def _put_in(line: str, better: str, at: tuple[int, int]) -> str:
    """A line with a suggestion in place of a word; one that begins as the line does stands for all of it."""
    start, stop = at
    if start and better.split()[:1] and line.casefold().split()[0] == better.casefold().split()[0]:
        return better
    if start == stop and better.endswith(";"):
        start = stop = len(line) - len(line.lstrip())
        better = f"{better} "
    return f"{line[:start]}{better}{line[stop:]}"


def _outside(
    answer: Answer, blocks: Sequence[Block], beside: Sequence[Line], mended: Mapping[int, str]
) -> tuple[list[str], list[str]]:
    """The lines of the letter above and below its blocks that hold commands, or are wrong."""
    if not blocks:
        return [], []
    written = answer.letter.text.split("\n")
    starts = [min(block.line, block.first) for block in blocks]
    inside = {n for start, block in zip(starts, blocks, strict=True) for n in range(start, _below(block))}
    wanted = {number: mended.get(number) for number in mended if number not in inside}
    for command in beside:
        # What is said to others comes back whole, or, if its first line is wrong, is a comment as a whole.
        for number in range(command.line, max(command.line, command.last) + 1):
            wanted.setdefault(number, mended.get(command.line))
    given = {
        number: _given(answer, written[number - 1].rstrip(), wanted[number])
        for number in sorted(wanted)
        if 0 < number <= len(written) and number not in inside
    }
    top = min(starts)
    return [line for n, line in given.items() if n < top], [line for n, line in given.items() if n > top]


def _below(block: Block) -> int:
    """The first line of the letter below a block and its end."""
    return block.first + len(block.lines) + (1 if block.end and not block.standing else 0)


def _given(answer: Answer, line: str, mended: str | None) -> str:
    """A line as it comes back: `mended` is None for a good one, empty for one that cannot be mended."""
    if len(line) > answer.server.limits.line:
        return f"# {line[: content.SHOWN]}..."
    if mended is None or line.startswith("# "):
        return line
    return mended or f"# {''.join(answer.reworded([line]))}"


def _block(answer: Answer, block: Block, mended: Mapping[int, str]) -> list[str]:
    """The block in its player's own words.

    It bears no nonce: that would make it count when an answer to this letter merely quotes it. An IF that cannot be
    read is a comment with all that it holds, or that would be done without it; so is what falls with a refused line.
    """
    lines, header = list(block.lines), without_nonce(block.header)
    end = [block.end or chosen(answer.seat.language, *(_END_STANDING if block.standing else END))]
    if block.standing and not block.end:
        lines.append(end[0])
    written = {error.rejected.line: error.rejected.word for error in reversed(answer.errors)}
    moved = {error.rejected.line for error in answer.errors if error.rejected.why.text == COMMAND_WITHIN}
    fallen, marks = list[int](), dict[int, str]()
    unclosed = {error.rejected.line for error in answer.errors if error.rejected.why == NO_ENDIF}
    for error in answer.errors:
        if error.rejected.line == block.line and error.text == block.header and len(error.rejected.suggestions) == 1:
            header = error.rejected.suggestions[0]
    for number in range(block.first, block.first + len(block.lines)):
        at = number - block.first
        lines[at] = _spelt(answer, number, lines[at])
        if number in unclosed:
            end.insert(0, chosen(answer.seat.language, *_ENDIF))
        if number in mended:
            lines[at] = _given(answer, lines[at], mended[number])
            marks[number] = _mark(answer, mended[number], written[number])
            fallen += [] if mended[number] or answer.here is None else answer.here.rules.aids.fallen(block.lines, at)
            if not mended[number] and _OPENS.match(bare(block.lines[at])):
                within = _end_of_branch(block.lines, at)
                lines[at + 1 : within] = [line if _VOID.match(line) else f"# {line}" for line in lines[at + 1 : within]]
    for at in fallen:
        lines[at] = lines[at] if _VOID.match(lines[at]) else _given(answer, lines[at], "")
    lines = [
        marked
        for at, line in enumerate(lines, block.first)
        if line.strip() and at not in moved
        for marked in _marked(line, marks.get(at, ""))
    ]
    return answer.reworded([*lines, *end[:-1]] if block.standing else [header, *lines, *end])


def _mark(answer: Answer, mended: str, word: str) -> str:
    """A comment behind a line that was mended: which word stood there."""
    if not mended or not word:
        return ""
    return f"# {chosen(answer.seat.language, *_WRITTEN)} {word}"


def _marked(line: str, mark: str) -> tuple[str, ...]:
    """A line with its mark behind it, or above it where a mail program would break the line."""
    if not mark:
        return (line,)
    return (f"{line}  {mark}",) if len(line) + len(mark) + 2 <= FORM_WIDTH else (mark, line)


def _spelt(answer: Answer, number: int, line: str) -> str:
    """A line with the names written out that were read for others."""
    for one in answer.respelt:
        found = re.search(rf"(?<![\w/]){re.escape(one.word)}(?![\w/])", line) if one.line == number else None
        if found is not None:
            line = f"{line[: found.start()]}{one.name}{line[found.end() :]}"
    return line


def _end_of_branch(lines: Sequence[str], at: int) -> int:
    """Behind which line the IF in line `at` ends; behind the last if nothing ends it."""
    depth = 0
    for number, line in enumerate(lines[at:], at + 1):
        for part in SEMICOLON.split(bare(line)):
            depth += bool(_OPENS.match(part)) - bool(_CLOSES.match(part))
        if depth <= 0:
            return number
    return len(lines)
