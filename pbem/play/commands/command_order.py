"""What stands beside a block of orders, above its first line or below its END: done, refused, or told of as left.

Whoever writes below END means it as much as what is above. Commands there are carried out after the orders; an order
that stands outside of its block, and a CANCEL below new orders, are asked about, and nothing of the letter is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.lex import tokens
from pbem.letters.command_lines import Block, Understood
from pbem.letters.command_words import Forms
from pbem.letters.content import Mistake, mistake
from pbem.letters.unparsed_lines import Left, Line, Surroundings, outside
from pbem.play.commands.answer import Answer

_TAKE_BACK = ("cancel", "cancel-later", "cancel-standing")


def above(said: Understood) -> tuple[Line, ...]:
    """The commands that are carried out before the block."""
    return tuple(command for command in said.commands if not _is_below(said, command.line))


def below(said: Understood) -> tuple[Line, ...]:
    """The commands that are carried out when the block is queued."""
    return tuple(command for command in said.commands if _is_below(said, command.line))


def mistakes(answer: Answer, said: Understood) -> list[Mistake]:
    """Lines beside a block that contradict it, or that belong into it."""
    blocks = _blocks(said)
    if not blocks:
        return []
    taking = msg(
        "Below orders of the same letter this could mean those or older ones. Above them it takes back what you sent "
        "before; without them it takes back all."
    )
    wrong = [command.wrong(taking) for command in below(said) if command.name in _TAKE_BACK]
    belongs = msg("This is an order, and stands outside of the block: put it between ORDERS and END.")
    return wrong + [mistake(one.line, one.text, one.text.strip(), belongs) for one in said.left if _orders(answer, one)]


def place_commands(answer: Answer, blocks: Sequence[Block], forms: Forms) -> None:
    """Say of refused lines within blocks that are commands where commands stand; none of them is made an order."""
    inside = {number: line for block in blocks for number, line in enumerate(block.lines, block.first)}
    placed: dict[int, Mistake] = {}
    for error in answer.errors:
        line = inside.get(error.rejected.line, "").strip()
        first = next(iter(tokens(line)), None)
        bare = bounds.bare(line)
        if first is None or error.rejected.line in placed or bounds.done(bare) or bounds.standing(bare) is not None:
            continue
        found = outside([(1, line)], forms, answer.server.limits, Surroundings()).said
        why: Msg | None = None
        if found:
            phrase = " ".join(line.split()[: len(found[0].phrase.split())])
            why = _command_within(phrase.upper())
        elif first.text == error.rejected.word and forms.begin(bare):
            why = msg(
                "{command} is a command, but what follows it is not understood; it stands above ORDERS or below END",
                command=first.text.upper(),
            )
        if why is not None:
            placed[error.rejected.line] = mistake(error.rejected.line, line, line, why)
    errors = [one for one in answer.errors if one.rejected.line not in placed]
    answer.errors = [*errors, *placed.values()]


def _command_within(command: str) -> Msg:
    return msg("{command} is a command: put it above ORDERS or below END", command=command)


COMMAND_WITHIN = _command_within("").text
"""What is said of a whole command within a block: the letter given back has it above."""


def left(lines: Iterable[Left]) -> list[Msg]:
    """A sentence for each line that looks like a command and was not carried out."""
    return [
        msg(
            "Line {line} was not carried out: {text}. If it is meant as a command, send it by itself.",
            line=one.line,
            text=one.text.strip()[:_SHOWN].rstrip(" .!"),
        )
        for one in lines
        if one.meant
    ]


_SHOWN = 60


def _blocks(said: Understood) -> list[int]:
    return [block.line for block in (said.block, *said.later) if block is not None]


def _is_below(said: Understood, line: int) -> bool:
    return any(line > at for at in _blocks(said))


def _orders(answer: Answer, one: Left) -> bool:
    """Whether a line begins with the word of an order, in capitals as orders are shown."""
    words = one.text.split()
    here = answer.here
    return (
        here is not None
        and not one.meant
        and len(words) > 1
        and words[0].isupper()
        and here.rules.aids.begins(one.text.strip(), False)
    )
