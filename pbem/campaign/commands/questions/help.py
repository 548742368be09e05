"""What HELP tells of all commands, which are handed in: what can be written, and more of a topic."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.campaign.base import letters, reading_notes
from pbem.campaign.base.command_words import from_table
from pbem.campaign.commands import fitting
from pbem.campaign.commands.answer import Answer
from pbem.campaign.commands.command import Command
from pbem.campaign.commands.orders import order_block, quotes
from pbem.campaign.commands.questions import topics
from pbem.core.data.canon import Json
from pbem.core.data.messages import Msg, msg
from pbem.core.game import Game
from pbem.core.orders.block import LATER, ORDERS, VERIFY
from pbem.core.orders.lex import fold


def help_(answer: Answer, commands: Sequence[Command], word: str = "") -> None:
    """The list of commands with the order template, or a topic if one is named."""
    commands = [command for command in commands if fitting.is_offered(answer, command)]
    told = topic(commands, word, answer.server.rules_of(answer.game)) if word else None
    if told:
        answer.say("help")
        answer.blocks.append(told)
        return
    turn = answer.phase.turn if answer.phase else 1
    lead, block = summary(commands, turn, answer.seat.language)
    answer.say("help", lead)
    topics_ = letters.block(msg("HELP tells more of"), letters.beside(topics.TOPICS.values(), answer.seat.language))
    answer.blocks += [block, topics_]
    if answer.phase is not None and answer.seat.template:
        answer.closing.append(msg("The template of your orders, to be edited and sent back:"))
        answer.template = True


def nothing(answer: Answer, commands: Sequence[Command]) -> None:
    """A letter in which there was nothing to do: say why that may be, and help."""
    answer.unread = True
    answer.say("help", msg("I found nothing to do in your letter, and nothing was changed."))
    answer.opening += reading_notes.of_letter(answer.letter, nothing=True)
    if answer.letter.untouched:
        answer.opening.append(msg("The block of orders in it was the one I sent you, without a change."))
    if command := _hinted(answer, commands):
        answer.opening.append(msg("If you mean the command {command}, send it on a line of its own.", command=command))
    quotes.say_what_was_left(answer)
    order_block.say_what_is_queued(answer)
    help_(answer, commands)


def _hinted(answer: Answer, commands: Sequence[Command]) -> str:
    """Return the one command that the words of a letter hint at, as its reader writes it; empty if none or several."""
    words = re.findall(r"[a-z]+", fold(answer.letter.text))[:_MOST_WORDS]
    names = {_HINTS[word] for word in words if word in _HINTS}
    forms = [one.form for one in commands if one.form.name in names]
    return forms[0].phrase(answer.seat.language) if len(forms) == 1 else ""


_MOST_WORDS = 100
_HINTS = {
    **dict.fromkeys(("draw", "tie", "tablas", "empate"), "draw"),
    **dict.fromkeys(("surrender", "concede", "rindo", "rendicion", "rendirme"), "concede"),
    **dict.fromkeys(("resign", "quit", "abandono", "abandonar"), "resign"),
    **dict.fromkeys(("undo", "cancel", "cancelar", "deshacer", "anular"), "cancel"),
    **dict.fromkeys(("status", "estado"), "status"),
    **dict.fromkeys(("map", "mapa"), "map"),
    **dict.fromkeys(("hint", "pista", "advice", "consejo"), "hint"),
    **dict.fromkeys(("moves", "movimientos"), "moves"),
    **dict.fromkeys(("extension", "prorroga", "postpone"), "extend"),
}
"""Words of letters, folded, that hint at a command by its name."""


def topic(commands: Sequence[Command], word: str, rules: Game | None = None) -> Json | None:
    """What there is to tell of a topic by its folded name, with what the game adds; None if it is none."""
    name = from_table(topics.TOPICS, word)
    if not name:
        return None
    own = [(0, line) for command in commands for line in command.help] if name == topics.COMMANDS else []
    added = rules.rulebook.help(name) if rules else ()
    return letters.sentences(topics.TITLES[name], [*topics.LINES[name], *own, *added])


def summary(commands: Sequence[Command], turn: int | None, language: str) -> tuple[Msg, Json]:
    """All that can be written, in both languages; without a turn what can be written without a seat."""
    pairs = [] if turn is None else [(f"{w} T{turn + n} ... END", f"{o} T{turn + n} ... FIN") for w, o, n in _BLOCKS]
    forms = [one.form for one in commands if one.form.example and (one.visit is not None or turn is not None)]
    pairs += [(form.example, form.spanish) for form in forms]
    lead = msg("One command a line; case and accents do not matter.")
    if turn is not None:
        lead = msg("One command a line; case and accents do not matter. Orders stand in a block of their own.")
    return lead, letters.block(msg("What you can write"), letters.beside(pairs, language))


_BLOCKS = ((*ORDERS, 0), (*VERIFY, 0), (*LATER[:2], 1))
"""The words of blocks in both languages, and how many turns ahead the example is."""
