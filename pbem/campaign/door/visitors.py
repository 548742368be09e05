"""Letters of those who write to the server itself, without a seat: what anybody may ask."""

from __future__ import annotations

from pbem.campaign.base import letters
from pbem.campaign.base.codes import Asker
from pbem.campaign.base.command_lines import Understood
from pbem.campaign.base.letters import Head
from pbem.campaign.base.server import Work
from pbem.campaign.commands.catalogue import BY_NAME, FORMS
from pbem.core.data.canon import Json
from pbem.core.data.messages import msg
from pbem.core.orders.lex import fold

_RANK = ("joined", "confirm", "answer", "help")


def may_ask(said: Understood) -> bool:
    """True if a letter holds nothing but what anybody may ask."""
    alone = said.block is None and not said.wrong and said.excess is None
    return alone and bool(said.commands) and all(BY_NAME[command.name].visit for command in said.commands)


def nearly(said: Understood) -> str | None:
    """Whether a letter with wrong lines begins with a word that anybody may write, its language; else None."""
    if said.block is not None or said.later or not said.wrong or said.excess is not None:
        return None
    first = fold(said.wrong[0].text).split()
    phrases = FORMS.beginning(first[0]) if first else ()
    return next((phrase.language for phrase in phrases if BY_NAME[phrase.form.name].visit), None)


def refused(work: Work, said: Understood) -> Json:
    """The letter that says which lines of one are wrong."""
    return letters.Letter(
        "refusal",
        Head(address=work.server.address),
        opening=[msg("Nothing in your letter was carried out: {count} of its lines cannot be.", count=len(said.wrong))],
        errors=said.wrong,
        what=letters.NOT_DONE,
    ).to_json()


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
