"""All that can be written, by role, a player's commands in the order in which HELP lists them; and their HELP.

A new command or ruling is a record in the file of its functions; only a new file of commands is a line more, here or
in the list of its role.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pbem.engine.data.messages import msg
from pbem.engine.orders.speech import Speaks, echoed
from pbem.letters.codes import Asker, Said
from pbem.letters.commands import Form, Forms, Line
from pbem.letters.content import Mistake
from pbem.letters.role_commands import RoleCommand
from pbem.letters.rulings import Ruling
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, RateLimit
from pbem.play.commands.orders import cancel, later, prose, respond, standing
from pbem.play.commands.questions import help, lesson, odds, order_help, review, status, views, why
from pbem.play.commands.seats import address, digest, play, seek, settings, takeover, witness
from pbem.play.commands.table import appeals, ending, press, resend, time
from pbem.play.rulings import moderator_letter, ruling_lines
from pbem.runtime.transaction import Transaction
from pbem.server import join, observe
from pbem.tournaments import director_letter
from pbem.tournaments import rulings as tournament_rulings
from pbem.tournaments.commands import anonymous_questions, entrant_letter


def help_(answer: SeatAnswer, command: Line) -> None:
    """What can be written, or more of a topic."""
    help.show_help(answer, COMMANDS, command.rest)


def help_visitor(tx: Transaction, asker: Asker, command: Line) -> Said:
    """What can be written without a seat, or more of a topic."""
    commands = [command for command in COMMANDS if command_records.is_offered(tx, command)]
    if block := help.topic(commands, command.rest):
        return Said("help", (), (block,))
    lead, block = help.summary(commands, None, asker.language)
    unknown = (help.no_topic(command.rest),) if command.rest else ()
    return Said("help", (*unknown, lead), (block, *play.battle_blocks(tx)))


HELP = Command(
    Form("help", ("HELP", "AYUDA"), re.compile(r"(?:\S+ ?){0,3}"), "HELP orders", "AYUDA ordenes"),
    help_,
    visit=help_visitor,
    help=(msg("HELP and a topic: more about it."),),
    often=RateLimit(letter=5),
)

COMMANDS: tuple[Command, ...] = (
    *status.COMMANDS,
    HELP,
    *cancel.COMMANDS,
    *later.COMMANDS,
    *standing.COMMANDS,
    *respond.COMMANDS,
    *prose.COMMANDS,
    *views.COMMANDS,
    *odds.COMMANDS,
    *order_help.COMMANDS,
    *why.COMMANDS,
    *review.COMMANDS,
    *lesson.COMMANDS,
    *time.COMMANDS,
    *settings.COMMANDS,
    *digest.COMMANDS,
    *witness.COMMANDS,
    *address.COMMANDS,
    *resend.COMMANDS,
    *join.COMMANDS,
    *play.COMMANDS,
    *seek.COMMANDS,
    *observe.COMMANDS,
    *anonymous_questions.COMMANDS,
    *takeover.COMMANDS,
    *press.COMMANDS,
    *appeals.COMMANDS,
    *ending.COMMANDS,
)

FORMS = Forms(command.form for command in COMMANDS)
"""How they are written, as `command_lines` reads them."""

BY_ROLE: Mapping[str, Sequence[Command | RoleCommand[Any] | Ruling[Any]]] = {
    "seat": COMMANDS,
    "entrant": entrant_letter.COMMANDS,
    "moderator": (*ruling_lines.RULINGS, *moderator_letter.QUESTIONS),
    "director": (*tournament_rulings.RULINGS, *director_letter.QUESTIONS),
}
"""What each role may write. Of a seat's commands strangers have those with a `visit`."""

BY_NAME = {command.form.name: command for command in COMMANDS}

_ASKING = (
    *status.COMMANDS,
    HELP,
    *views.COMMANDS,
    *odds.COMMANDS,
    *order_help.COMMANDS,
    *why.COMMANDS,
    *lesson.COMMANDS,
)

QUESTIONS = frozenset(command.form.name for command in _ASKING)
"""The commands that only ask: however often they are carried out, nothing is done by them."""

_ASKED = frozenset(said for command in _ASKING for said in (command.form.example, command.form.spanish))


def is_question(wrong: Mistake) -> bool:
    """Return whether a line that is no command can only have been meant as a question, by what is offered for it."""
    offered = wrong.rejected.suggestions
    return bool(offered) and _ASKED.issuperset(offered)


ANSWERS = frozenset(command.form.name for command in respond.COMMANDS if command.do is respond.store_answers)
"""The commands that answer what a seat is asked."""

OF_A_PHASE = frozenset({"wait", "no-wait", "go"})
"""The commands that say when the open phase is to close: of another one they say nothing."""

_EXAMPLES = {
    said: command.form
    for command in COMMANDS
    for said in (command.form.spanish, command.form.example)
    if command.form.example and said
}
_BEGUN = {phrase: command.form for command in COMMANDS if command.form.example for phrase in command.form.phrases}


def offered_in(language: str, speak: Speaks, wrong: Mistake) -> Mistake:
    """A mistake with the commands, orders and names that it offers in the words of a language."""
    offered = dict.fromkeys(_offered(one, language, speak) for one in wrong.rejected.suggestions)
    return wrong._replace(rejected=wrong.rejected._replace(suggestions=tuple(offered)))


def _offered(line: str, language: str, speak: Speaks) -> str:
    if line in _EXAMPLES:
        return _EXAMPLES[line].example_in(language)
    # A word that begins commands as well as orders is offered for an order.
    begins = (phrase for phrase in _BEGUN if f"{line} ".startswith(f"{phrase} "))
    phrases = [phrase for phrase in begins if speak(phrase, "es") == phrase]
    if not phrases:
        return "".join(echoed([line], speak, language))
    begun = max(phrases, key=len)
    return _BEGUN[begun].phrase(language) + line[len(begun) :]
