"""Why an order is not carried out: the rules that say so, a sentence, and the word at fault."""

from __future__ import annotations

from typing import NamedTuple

from pbem.core.data.events import Event
from pbem.core.data.messages import Msg, msg
from pbem.games.peninsular.orders.actions import Action
from pbem.games.peninsular.orders.grammar import line_of
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import State

__all__ = ["Refusal", "nobody", "not_carried_out"]


class Refusal(NamedTuple):
    """Rules, foremost first; the sentence; the word at fault."""

    rules: tuple[str, ...]
    why: Msg
    word: str = ""


def nobody(state: State, at: str, side: str = "") -> Msg:
    """Return why nobody can be assaulted or fired at in a hex: no enemy is there, or commanders alone (S13).

    `side` is whose enemies are meant, that which moves if it is empty.
    """
    if any(unit.camp != camp(side or state.phase) for unit in state.at(at)):
        return msg("only a commander stands in {hex}, and nobody fights a commander alone", hex=at)
    return msg("there is no enemy in {hex}", hex=at)


def not_carried_out(state: State, action: Action, found: Refusal) -> Event:
    """Return the event that an order was not carried out; only the camp that gave it sees it."""
    data = {
        "line": action.line,
        "order": line_of(action),
        "rules": list(found.rules),
        "why": found.why.to_json(),
        "word": found.word,
        "side": state.phase,
    }
    return Event("not carried out", found.rules[0], data, state.edition.seats_of(state.phase))
