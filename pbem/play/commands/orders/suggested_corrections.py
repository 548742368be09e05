"""What is mended in orders: broken lines made whole, blocks without a first or last line, refused orders."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.block import END, bare, without_nonce
from pbem.engine.orders.lex import fold
from pbem.engine.orders.wrapped import FORM_WIDTH, BlockReader, whole
from pbem.engine.terms import NO_ENDIF
from pbem.letters import content
from pbem.letters.command_lines import Block, Understood, orders_in, read
from pbem.letters.commands import CLOSING, COMMENT, SEMICOLON, SIGNATURE, Forms, Line, Surroundings, outside
from pbem.mail.address import strike
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import COMMAND_WITHIN
from pbem.play.commands.orders import order_block
from pbem.play.positions import Position
from pbem.runtime import limits
from pbem.runtime.limits import TooMuch

# Blocks whose lines a mail program broke, made whole before anything else is made of them.


def made_whole(answer: SeatAnswer, said: Understood) -> Understood:
    """The letter with the lines of its blocks as they were before they were broken."""
    here = answer.here
    if here is None:
        return said
    block = said.block if said.block is None else _whole(here, answer.seat.name, said.block)
    return said._replace(block=block, later=tuple(_whole(here, answer.seat.name, one) for one in said.later))


def _whole(here: Position, seat: str, block: Block) -> Block:
    def begins(line: str, standing: bool) -> bool:
        return line[:1] in "@\uff20" or here.rules.aids.begins(line, standing)

    def refused(lines: Sequence[str]) -> Mapping[int, bool]:
        text = block._replace(lines=tuple(lines)).text
        found = here.rules.parse(text, here.rules.view(here.state, seat), seat).rejected
        return {bad.line: bool(bad.suggestions) for bad in found}

    bare = block.orders_alone
    lines = whole(bare.lines, BlockReader(begins, refused))
    given = {*block.done, *(number for number, _ in block.luck)}
    return block._replace(lines=tuple(block.lines[at] if at + 1 in given else line for at, line in enumerate(lines)))


# Orders that stand in a letter without ORDERS above or END below them: given back as a block that can be copied.


_TRIED = 50
"""Lines of prose that begin as an order does and are read as one; a letter of orders has one among its first."""


def gathered(answer: SeatAnswer, said: Understood, forms: Forms) -> Understood:
    """Return a letter whose orders have no header with them as a block without an end; others as they are."""
    here, phase = answer.here, answer.phase
    if here is None or phase is None or not answer.active or said.block is not None or said.later:
        return said
    if answer.letter.quoted_block:
        # The block that was quoted is left out on purpose.
        return said
    unclosed = [enclosed.unclosed for _, enclosed in forms.enclosed]
    if any(one.rejected.why in unclosed for one in said.wrong):
        # Nobody knows where what is said to others ends.
        return said
    lines = answer.letter.text.split("\n")
    end = next((at for at, line in enumerate(lines) if at and SIGNATURE.fullmatch(fold(line).strip())), len(lines))
    lines = lines[:end]
    taken = {number for one in said.commands for number in range(one.line, one.last + 1)}
    plain = {one.line for one in said.commands} | taken
    first = _first_order(answer, [(number, line) for number, line in enumerate(lines, 1) if number not in plain])
    if not first:
        return said
    most = answer.server.settings.limits.line + 1
    body = tuple("" if first + at in taken else line[:most].rstrip() for at, line in enumerate(lines[first - 1 :]))
    header = f"{chosen(answer.seat.language, *bounds.ORDERS)} T{phase.turn}"
    block = Block(first, header, phase.turn, "", first, body, "")
    if orders_in(block) > answer.server.settings.limits.orders:
        raise TooMuch("orders", answer.server.settings.limits.orders)
    # As above any block, what is not in capitals is prose; what is below is read once more.
    wrong = (one for one in said.wrong if one.rejected.line < first)
    return said._replace(
        commands=tuple(one for one in said.commands if one.line < first or one.line in taken),
        block=block,
        wrong=tuple(one for one in wrong if one.text.split()[:1] and one.text.split()[0].isupper()),
        left=(),
    )


def without_farewell(answer: SeatAnswer, said: Understood, forms: Forms) -> Understood:
    """Return a letter whose block has no END with only orders in it: what stands below them is read as below an END."""
    here, block = answer.here, said.block
    if here is None or block is None or block.end or block.standing:
        return said
    begun = [at for at, line in enumerate(block.lines, 1) if _begins(here, line)]
    if not begun:
        return said
    last = _last_line(block.lines, begun[-1])
    numbered = enumerate(block.lines[last:], block.first + last)
    rest = [(number, line) for number, line in numbered if not bounds.ends(bounds.bare(line))]
    below = outside(rest, forms, answer.server.settings.limits, Surroundings(block=True, below=True))
    return said._replace(
        commands=(*said.commands, *below.said), block=block._replace(lines=block.lines[:last]), left=below.left
    )


def _begins(here: Position, line: str) -> bool:
    """Whether a line begins an order or a standing order."""
    return (
        bool(line.strip())
        and not bounds.ends(bounds.bare(line))
        and any(here.rules.aids.begins(line.strip(), standing) for standing in (False, True))
    )


def _first_order(answer: SeatAnswer, lines: Sequence[tuple[int, str]]) -> int:
    """Return the number of the first line that is an order or nearly one; 0 if none is.

    Its word is in capitals, or all of it can be read; that is tried with `_TRIED` lines at most.
    """
    here, seat = answer.here, answer.seat.name
    if here is None:
        return 0
    view, tried = here.rules.view(here.state, seat), 0
    for number, text in lines:
        line = text[: answer.server.settings.limits.line].strip()
        if not line or COMMENT.match(line) or bounds.ends(bounds.bare(line)):
            continue
        if not here.rules.aids.begins(line, False):
            continue
        first, *more = line.split(maxsplit=1)
        if first.strip("@*-").isupper() and more:
            return number
        tried += 1
        if tried <= _TRIED:
            reading = here.rules.parse(line, view, seat)
            if reading.orders.actions and not reading.rejected:
                return number
    return 0


def _last_line(lines: Sequence[str], last: int) -> int:
    """Return the line with which the paragraph of the last order ends, both counted from 1."""
    for number, line in enumerate(lines[last:], last + 1):
        bare = fold(line).strip()
        if not bare or SIGNATURE.fullmatch(bare) or CLOSING.fullmatch(bare) or bounds.ends(bounds.bare(line)):
            return number - 1
    return len(lines)


_OPENS = re.compile(r"(?:\W*@)?\s*(?:if|si)\b")
_CLOSES = re.compile(r"(?:\W*@)?\s*(?:endif|finsi)\b")
_VOID = re.compile(r"\s*(?:#|//|$)")
_ENDIF = ("ENDIF", "FINSI")
_END_STANDING = ("ENDSTANDING", "FINDOCTRINA")
_WRITTEN = ("you wrote", "usted escribió")


def refuse(answer: SeatAnswer, blocks: Sequence[Block], beside: Sequence[Line]) -> None:
    """Answer a letter with mistakes: which, and the letter with what could be mended, if there is a block in it.

    `beside` are the commands that stand outside of its blocks.
    """
    count, most = len(answer.errors), answer.server.settings.limits.mistakes
    told = content.nothing_done(count)
    if count >= most:
        del answer.errors[most:]
        told = limits.explain_mistakes(answer.server.settings.limits)
    answer.say("refusal", told)
    order_block.say_what_is_queued(answer)
    mended = _mended(answer, {(block.line, block.header) for block in blocks})
    above, below = _outside(answer, blocks, beside, mended)
    above += [error.text for error in answer.errors if error.rejected.why.text == COMMAND_WITHIN]
    room = answer.server.settings.limits.answer // 4 - sum(map(len, (*above, *below)))
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


def _is_sound(answer: SeatAnswer, given: Sequence[Sequence[str]]) -> bool:
    """Whether blocks given back would be taken as they stand, as far as the game can tell."""
    here, seat = answer.here, answer.seat.name
    if here is None or len(given) != 1 or answer.phase is None or not answer.active:
        return False
    block = read("\n".join(given[0]), Forms(())).block
    if block is None or block.turn != answer.phase.turn:
        return False
    return order_block.legal_orders(here, seat, here.rules.view(here.state, seat), block.text) is not None


def _mended(answer: SeatAnswer, headers: Collection[tuple[int, str]]) -> dict[int, str]:
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
    answer: SeatAnswer, blocks: Sequence[Block], beside: Sequence[Line], mended: Mapping[int, str]
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


def _given(answer: SeatAnswer, line: str, mended: str | None) -> str:
    """A line as it comes back: `mended` is None for a good one, empty for one that cannot be mended."""
    if len(line) > answer.server.settings.limits.line:
        return f"# {line[: content.SHOWN]}..."
    if mended is None or line.startswith("# "):
        return line
    return mended or f"# {''.join(answer.reworded([line]))}"


def _block(answer: SeatAnswer, block: Block, mended: Mapping[int, str]) -> list[str]:
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


def _mark(answer: SeatAnswer, mended: str, word: str) -> str:
    """A comment behind a line that was mended: which word stood there."""
    if not mended or not word:
        return ""
    return f"# {chosen(answer.seat.language, *_WRITTEN)} {word}"


def _marked(line: str, mark: str) -> tuple[str, ...]:
    """A line with its mark behind it, or above it where a mail program would break the line."""
    if not mark:
        return (line,)
    return (f"{line}  {mark}",) if len(line) + len(mark) + 2 <= FORM_WIDTH else (mark, line)


def _spelt(answer: SeatAnswer, number: int, line: str) -> str:
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
