"""Letters of those who write to the server itself, without a seat: what anybody may ask."""

from __future__ import annotations

from pbem.campaign.base import letters
from pbem.campaign.base.codes import Asker, Said
from pbem.campaign.base.command_lines import Command, Understood
from pbem.campaign.base.command_words import COMMANDS
from pbem.campaign.base.letters import Head
from pbem.campaign.base.work import Work
from pbem.campaign.commands.questions import help
from pbem.campaign.commands.seats import join, observe, takeover
from pbem.core.data.canon import Json

__all__ = ["Asker", "answer", "may_ask"]

_ANYBODY = frozenset(form.name for form in COMMANDS if form.anyone)
_RANK = ("joined", "confirm", "answer", "help")


def may_ask(said: Understood) -> bool:
    """True if a letter holds nothing but what anybody may ask."""
    alone = said.block is None and not said.wrong and not said.too_long
    return alone and bool(said.commands) and all(command.name in _ANYBODY for command in said.commands)


def answer(work: Work, asker: Asker, said: Understood) -> Json:
    """The letter that answers all requests of one letter, in their order."""
    parts = [_part(work, asker, command) for command in said.commands]
    return letters.Letter(
        min((part.kind for part in parts), key=_RANK.index),
        Head(address=work.server.address),
        opening=[sentence for part in parts for sentence in part.sentences],
        blocks=[block for part in parts for block in part.blocks],
    ).model()


def _part(work: Work, asker: Asker, command: Command) -> Said:
    if command.name == "list":
        return join.list_(work)
    if command.name == "join":
        return join.join(work, asker, command)
    if command.name == "observe":
        return observe.observe(work, asker, command)
    if command.name == "standby":
        return takeover.stand_by(work, asker, command)
    if command.name == "takeover":
        return takeover.take_over(work, asker, command)
    if block := help.topic(command.rest):
        return Said("help", (), (block,))
    lead, block = help.summary(None, asker.language)
    return Said("help", (lead,), (block,))
