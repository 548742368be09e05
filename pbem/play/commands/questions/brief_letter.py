"""BRIEF: what the first letter told, as things are now: the battle, what counts, how one wins, what is agreed."""

from __future__ import annotations

from pbem.engine.data.messages import msg
from pbem.letters import content
from pbem.letters.command_words import NOTHING, Form
from pbem.letters.unparsed_lines import Line
from pbem.play import brief
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command
from pbem.play.positions import before


def brief_again(answer: Answer, command: Line) -> None:
    """The matter of the first letter."""
    if answer.game.state == "forming":
        answer.say("answer", msg("The game has not begun."))
        return
    answer.say("answer")
    here = answer.here or before(answer, answer.game)
    answer.blocks += [content.sentences(block.title, block.lines) for block in brief.blocks(here, answer.seat)]


COMMANDS = (
    Command(
        Form("brief", ("BRIEF", "SITUACION"), NOTHING, "BRIEF", "SITUACION"),
        brief_again,
        help=(msg("BRIEF: the battle, what counts, how one wins, what is agreed, the abbreviations, as at first."),),
    ),
)
