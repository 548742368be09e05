"""Why an order is not carried out: the rules that say so, a sentence, and the word at fault."""

from __future__ import annotations

from typing import NamedTuple

from pbem.core.data.events import Event
from pbem.core.data.messages import Msg
from pbem.games.peninsular.orders.actions import Action
from pbem.games.peninsular.orders.grammar import line_of
from pbem.games.peninsular.state import State

__all__ = ["Refusal", "not_carried_out"]


class Refusal(NamedTuple):
    """Rules, foremost first; the sentence; the word at fault."""

    rules: tuple[str, ...]
    why: Msg
    word: str = ""


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
