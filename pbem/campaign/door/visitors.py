"""Letters of those who write to the server itself, without a seat: what anybody may ask."""

from __future__ import annotations

from pbem.campaign.base import letters
from pbem.campaign.base.codes import Asker
from pbem.campaign.base.command_lines import Understood
from pbem.campaign.base.letters import Head
from pbem.campaign.base.server import Work
from pbem.campaign.commands.catalogue import BY_NAME
from pbem.core.data.canon import Json

__all__ = ["Asker", "answer", "may_ask"]

_RANK = ("joined", "confirm", "answer", "help")


def may_ask(said: Understood) -> bool:
    """True if a letter holds nothing but what anybody may ask."""
    alone = said.block is None and not said.wrong and said.excess is None
    return alone and bool(said.commands) and all(BY_NAME[command.name].visit for command in said.commands)


def answer(work: Work, asker: Asker, said: Understood) -> Json:
    """The letter that answers all requests of one letter, in their order."""
    asked = ((BY_NAME[command.name].visit, command) for command in said.commands)
    parts = [visit(work, asker, command) for visit, command in asked if visit is not None]
    return letters.Letter(
        min((part.kind for part in parts), key=_RANK.index),
        Head(address=work.server.address),
        opening=[sentence for part in parts for sentence in part.sentences],
        blocks=[block for part in parts for block in part.blocks],
    ).to_json()
