"""HELP: what can be written, and more of a topic."""

from __future__ import annotations

from pbem.campaign.base import letters
from pbem.campaign.base.command_lines import Command
from pbem.campaign.base.command_words import COMMANDS, TOPICS, from_table
from pbem.campaign.commands.answer import Answer
from pbem.campaign.commands.orders import order_block, quotes
from pbem.campaign.commands.questions import topics
from pbem.core.data.canon import Json
from pbem.core.data.messages import Msg, msg
from pbem.core.game import Game
from pbem.core.orders.block import LATER, ORDERS, VERIFY

__all__ = ["help_", "nothing", "summary", "topic"]


def help_(answer: Answer, command: Command | None) -> None:
    """The list of commands with the order template, or a topic if one is named."""
    told = topic(command.rest, answer.server.rules_of(answer.game)) if command else None
    if told:
        answer.say("help")
        answer.blocks.append(told)
        return
    turn = answer.phase.turn if answer.phase else 1
    lead, block = summary(turn, answer.seat.language)
    answer.say("help", lead)
    topics_ = letters.block(msg("HELP tells more of"), letters.beside(TOPICS.values(), answer.seat.language))
    answer.blocks += [block, topics_]
    if answer.phase is not None and answer.seat.template:
        answer.closing.append(msg("The template of your orders, to be edited and sent back:"))
        answer.template = True


def nothing(answer: Answer) -> None:
    """A letter in which there was nothing to do: say why that may be, and help."""
    answer.say("help", msg("I found nothing to do in your letter, and nothing was changed."))
    if answer.letter.untouched:
        answer.opening.append(msg("The block of orders in it was the one I sent you, without a change."))
    quotes.say_what_was_left(answer)
    order_block.say_what_is_held(answer)
    help_(answer, None)


def topic(word: str, rules: Game | None = None) -> Json | None:
    """What there is to tell of a topic by its folded name, with what the game adds; None if it is none."""
    name = from_table(TOPICS, word)
    if not name:
        return None
    return letters.told(topics.TITLES[name], [*topics.LINES[name], *(rules.rulebook.help(name) if rules else ())])


def summary(turn: int | None, language: str) -> tuple[Msg, Json]:
    """All that can be written, in both languages; without a turn what can be written without a seat."""
    pairs = [] if turn is None else [(f"{w} T{turn + n} ... END", f"{o} T{turn + n} ... FIN") for w, o, n in _BLOCKS]
    pairs += [(form.example, form.spanish) for form in COMMANDS if form.example and (form.anyone or turn is not None)]
    pairs += _PRESS if turn is not None else ()
    lead = msg("One command a line; case and accents do not matter.")
    if turn is not None:
        lead = msg("One command a line; case and accents do not matter. Orders stand in a block of their own.")
    return lead, letters.block(msg("What you can write"), letters.beside(pairs, language))


_PRESS = (("PRESS TO side ... ENDPRESS", "PRENSA A bando ... FINPRENSA"),)
_BLOCKS = ((*ORDERS, 0), (*VERIFY, 0), (*LATER[:2], 1))
"""The words of blocks in both languages, and how many turns ahead the example is."""
