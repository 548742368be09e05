"""HERE: a word from a seat that was asked whether anybody is there."""

from __future__ import annotations

import re

from pbem.engine.data.messages import msg
from pbem.letters.command_words import Form
from pbem.letters.unparsed_lines import Line
from pbem.play.commands import fitting
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command, Often


def here(answer: Answer, command: Line) -> None:
    """Say that the seat is kept; that it wrote at all has kept it already."""
    answer.say("settings", msg("You are there, and the seat is yours: nobody else may take it over for now."))


COMMANDS = (
    Command(
        Form("here", ("HERE", "PRESENTE"), re.compile(""), "HERE", "PRESENTE"),
        here,
        often=Often(letter=1),
        fits=lambda answer: fitting.has_opponent(answer) and "standby" in fitting.terms_of(answer).ladder,
    ),
)
