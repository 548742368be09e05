"""What a seat's letter does: its commands, and the orders.

A letter is all or nothing: its effects are made only when no line of it is wrong. Commands write rows and gather
what the answer says; the one answer is made at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.campaign.base import budgets
from pbem.campaign.base.command_lines import Line, Understood
from pbem.campaign.base.letters import Mistake
from pbem.campaign.commands.answer import Answer
from pbem.campaign.commands.catalogue import BY_NAME, COMMANDS
from pbem.campaign.commands.orders import cancel, later, order_block, quotes, verify
from pbem.campaign.commands.questions import help
from pbem.core.data.messages import msg

__all__ = ["MOST_COSTLY", "carry_out"]

MOST_COSTLY = 3
"""Questions of a letter that run the rules: each of them takes as long as a hundred others."""


def carry_out(answer: Answer, said: Understood) -> None:
    """Do what the letter says, or nothing of it, and fill in the answer.

    Commands stand above the block and are carried out first: CANCEL and new orders in one letter leave the new ones.
    """
    if said.excess is not None:
        answer.say("refusal", *budgets.told(said.excess))
        return
    if answer.letter.quoted_block and cancel.takes_back(said.commands):
        # Whoever takes orders back does not mean those that his letter merely quotes.
        said = said._replace(block=None)
    said = later.now_due(answer, said)
    answer.has_block, answer.has_later = said.block is not None, bool(said.later)
    answer.errors += said.wrong
    answer.errors += _too_many(said.commands) or [
        wrong for command in said.commands if (wrong := _objection(answer, command)) is not None
    ]
    answer.look()
    wanted, kept = None, []
    replace = cancel.replaces(said.commands)
    if said.block is not None and not said.wrong:
        wanted = order_block.hold_against_game(answer, said.block, replace=replace)
    if not said.wrong and not answer.kind:
        kept = later.hold(answer, said.later, replace=replace)
    if answer.kind:
        if said.block is not None and said.later:
            answer.opening.append(msg("What you wrote for later was not kept either: send it by itself."))
        return
    if answer.errors:
        answer.errors.sort(key=lambda wrong: wrong.rejected.line)
        order_block.refuse(answer, [*([said.block] if said.block is not None else []), *said.later])
        return
    if said.block is not None and wanted is not None and quotes.sent_before(answer, said.block):
        said, wanted, answer.has_block = said._replace(block=None), None, False
    for command in said.commands:
        answer.look()
        BY_NAME[command.name].do(answer, command)
    if said.block is not None and wanted is not None:
        put = verify.verify if said.block.verify else order_block.queue
        put(answer, said.block, wanted)
    later.keep(answer, kept)
    if said.empty:
        help.nothing(answer, COMMANDS)
    elif said.block is None:
        quotes.say_what_was_left(answer)


def _too_many(said: Sequence[Line]) -> list[Mistake]:
    """Questions past the number that one letter may ask of those that take long to answer."""
    told = msg("A letter may hold {count} of these questions; put the others into another one.", count=MOST_COSTLY)
    costly = [command for command in said if BY_NAME[command.name].costly]
    return [one.wrong(told) for one in costly[MOST_COSTLY:]]


def _objection(answer: Answer, command: Line) -> Mistake | None:
    answer.look()
    check = BY_NAME[command.name].check
    return check(answer, command) if check is not None else None
