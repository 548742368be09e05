"""List all commands by role, a player's in the order of HELP, and answer HELP.

A new command or ruling is a record in the file of its functions; only a new file of commands needs a line
here or in the list of its role.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pbem.engine.data.messages import msg
from pbem.engine.orders.speech import Speaks, echo_lines
from pbem.letters.codes import Asker, CommandReply
from pbem.letters.commands import CommandForm, CommandForms, CommandLine
from pbem.letters.content import Mistake
from pbem.letters.role_commands import RoleCommand
from pbem.letters.ruling_records import Ruling
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
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


def answer_help(answer: SeatAnswer, command: CommandLine) -> None:
    """Answer with the list of commands, or more about a topic."""
    help.show_help(answer, COMMANDS, command.rest)


def answer_anonymous_help(tx: Transaction, asker: Asker, command: CommandLine) -> CommandReply:
    """Answer with the commands that need no seat, or more about a topic."""
    commands = [command for command in COMMANDS if command_records.is_offered(tx, command)]
    if block := help.help_topic(commands, command.rest):
        return CommandReply("help", (), (block,))
    introduction, block = help.help_summary(commands, None, asker.language)
    unknown = (help.unknown_topic_text(command.rest),) if command.rest else ()
    return CommandReply("help", (*unknown, introduction), (block, *play.battle_blocks(tx)))


HELP_COMMAND = LetterCommand(
    # More than three words behind it are a sentence and no topic.
    CommandForm("help", ("HELP", "AYUDA"), re.compile(r"(?:\S+ ?){0,3}"), "HELP orders", "AYUDA ordenes"),
    answer_help,
    visit=answer_anonymous_help,
    help=(msg("HELP and a topic: more about it."),),
    often=RateLimit(letter=5),
)

COMMANDS: tuple[LetterCommand, ...] = (
    *status.COMMANDS,
    HELP_COMMAND,
    *cancel.COMMANDS,
    *later.COMMANDS,
    *standing.COMMANDS,
    *respond.COMMANDS,
    *prose.COMMANDS,
    *views.COMMANDS,
    *anonymous_questions.RULE_COMMANDS,
    *views.CHART_COMMANDS,
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

COMMAND_FORMS = CommandForms(command.form for command in COMMANDS)
"""The forms of all commands, as `command_lines` reads them."""

COMMANDS_BY_ROLE: Mapping[str, Sequence[LetterCommand | RoleCommand[Any] | Ruling[Any]]] = {
    "seat": COMMANDS,
    "entrant": entrant_letter.COMMANDS,
    "moderator": (*ruling_lines.RULINGS, *moderator_letter.QUESTIONS),
    "director": (*tournament_rulings.RULINGS, *director_letter.QUESTIONS),
}
"""The commands of each role. Anybody may use those commands of a seat that have a `visit`."""

COMMANDS_BY_NAME = {command.form.name: command for command in COMMANDS}

_ASKING = (
    *status.COMMANDS,
    HELP_COMMAND,
    *views.COMMANDS,
    *anonymous_questions.RULE_COMMANDS,
    *views.CHART_COMMANDS,
    *odds.COMMANDS,
    *order_help.COMMANDS,
    *why.COMMANDS,
    *lesson.COMMANDS,
)

QUESTION_COMMANDS = frozenset(command.form.name for command in _ASKING)
"""The commands that only ask: they change nothing, however often they are sent."""

_ASKED = frozenset(phrase for command in _ASKING for phrase in (command.form.example, command.form.spanish))


def is_misspelt_question(wrong: Mistake) -> bool:
    """Return whether a wrong line was meant as a question, by its suggestions."""
    suggestions = wrong.rejected.suggestions
    return bool(suggestions) and _ASKED.issuperset(suggestions)


ANSWER_COMMANDS = frozenset(command.form.name for command in respond.COMMANDS if command.do is respond.store_answers)
"""The commands that answer a seat's questions."""

CLOSING_COMMANDS = frozenset({"wait", "no-wait", "go"})
"""The commands about closing the open phase, which are meaningless in another phase."""

_EXAMPLES = {
    phrase: command.form
    for command in COMMANDS
    for phrase in (command.form.spanish, command.form.example)
    if command.form.example and phrase
}
_BEGUN = {phrase: command.form for command in COMMANDS if command.form.example for phrase in command.form.phrases}


def translate_suggestions(language: str, speak: Speaks, wrong: Mistake) -> Mistake:
    """Return a mistake with its suggested commands, orders and names in a language."""
    translated = dict.fromkeys(_translate(line, language, speak) for line in wrong.rejected.suggestions)
    return wrong._replace(rejected=wrong.rejected._replace(suggestions=tuple(translated)))


def _translate(line: str, language: str, speak: Speaks) -> str:
    if line in _EXAMPLES:
        return _EXAMPLES[line].example_in(language)
    # A word that begins both commands and orders is suggested as an order.
    matching = (phrase for phrase in _BEGUN if f"{line} ".startswith(f"{phrase} "))
    phrases = [phrase for phrase in matching if speak(phrase, "es") == phrase]
    if not phrases:
        return "".join(echo_lines([line], speak, language))
    longest = max(phrases, key=len)
    return _BEGUN[longest].phrase(language) + line[len(longest) :]
