"""Orders that stand in a letter without ORDERS above or END below them: given back as a block that can be copied."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.languages import chosen
from pbem.engine.orders import block as bounds
from pbem.engine.orders.lex import fold
from pbem.letters.command_lines import Block, Understood, orders_in
from pbem.letters.command_words import Forms
from pbem.letters.unparsed_lines import CLOSING, COMMENT, SIGNATURE, Surroundings, outside
from pbem.play.commands.answer import Answer
from pbem.play.positions import Position
from pbem.runtime.limits import TooMuch

_TRIED = 50
"""Lines of prose that begin as an order does and are read as one; a letter of orders has one among its first."""


def gathered(answer: Answer, said: Understood, forms: Forms) -> Understood:
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
    most = answer.server.limits.line + 1
    body = tuple("" if first + at in taken else line[:most].rstrip() for at, line in enumerate(lines[first - 1 :]))
    header = f"{chosen(answer.seat.language, *bounds.ORDERS)} T{phase.turn}"
    block = Block(first, header, phase.turn, "", first, body, "")
    if orders_in(block) > answer.server.limits.orders:
        raise TooMuch("orders", answer.server.limits.orders)
    # As above any block, what is not in capitals is prose; what is below is read once more.
    wrong = (one for one in said.wrong if one.rejected.line < first)
    return said._replace(
        commands=tuple(one for one in said.commands if one.line < first or one.line in taken),
        block=block,
        wrong=tuple(one for one in wrong if one.text.split()[:1] and one.text.split()[0].isupper()),
        left=(),
    )


def without_farewell(answer: Answer, said: Understood, forms: Forms) -> Understood:
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
    below = outside(rest, forms, answer.server.limits, Surroundings(block=True, below=True))
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


def _first_order(answer: Answer, lines: Sequence[tuple[int, str]]) -> int:
    """Return the number of the first line that is an order or nearly one; 0 if none is.

    Its word is in capitals, or all of it can be read; that is tried with `_TRIED` lines at most.
    """
    here, seat = answer.here, answer.seat.name
    if here is None:
        return 0
    view, tried = here.rules.view(here.state, seat), 0
    for number, whole in lines:
        line = whole[: answer.server.limits.line].strip()
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
