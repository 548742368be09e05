"""STANDING CAUTIOUS, BALANCED, AGGRESSIVE: standing orders that the game has ready-made."""

from __future__ import annotations

import re

from pbem.engine.data.messages import msg
from pbem.letters.command_words import PRESETS, Form, from_table
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command
from pbem.play.commands.orders import order_block, standing

_PRESET = re.compile("|".join(word.lower() for words in PRESETS.values() for word in words))


def preset(answer: Answer, command: Line) -> None:
    """Replace the standing orders for all by a ready-made set of the game's."""
    if not order_block.in_time(answer, standing_alone=True) or answer.here is None:
        return
    here, seat = answer.here, answer.seat.name
    text = here.rules.rulebook.preset(from_table(PRESETS, command.rest))
    if text is None:
        raise LookupError(f"{here.rules.name} has no standing orders {command.rest}")
    read = here.rules.parse(text, here.rules.view(here.state, seat), seat)
    in_force = standing.keep(answer, here, read.orders.standing)
    answer.say("receipt", msg("Your standing orders are now the ready-made ones: {name}.", name=command.said.upper()))
    if not answer.has_block:
        answer.warnings += standing.second_thoughts(here, seat, (), in_force)
    if not answer.has_block or answer.in_force is not None:
        standing.echo(answer, in_force)


def preset_wrong(answer: Answer, command: Line) -> Mistake | None:
    """A game that has no such ready-made orders, or whose ready-made orders do not fit the position."""
    if answer.here is None:
        return None
    rules, seat = answer.here.rules, answer.seat.name
    text = rules.rulebook.preset(from_table(PRESETS, command.rest))
    if text is not None and not rules.parse(text, rules.view(answer.here.state, seat), seat).rejected:
        return None
    why = msg("This game has no ready-made standing orders of that name.")
    return command.wrong(why, word=command.said)


COMMANDS = (
    Command(
        Form("preset", ("STANDING", "DOCTRINA"), _PRESET, "STANDING CAUTIOUS", "DOCTRINA PRUDENTE"),
        preset,
        check=preset_wrong,
        help=(msg("STANDING CAUTIOUS, BALANCED or AGGRESSIVE: ready-made ones."),),
    ),
)
