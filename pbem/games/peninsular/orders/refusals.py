"""Why an order is not carried out; only the camp that gave it is told."""

from __future__ import annotations

from pbem.engine.commanders.holding import seats_told
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import refusals
from pbem.engine.orders.refusals import Giver, Refusal
from pbem.games.peninsular.orders.actions import Action
from pbem.games.peninsular.orders.grammar import line_of
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import State


def nobody(state: State, at: str, side: str = "") -> Msg:
    """Return why nobody can be assaulted or fired at in a hex: no enemy is there, or commanders alone (S13).

    `side` is whose enemies are meant, that which moves if it is empty.
    """
    if any(unit.camp != camp(side or state.phase) for unit in state.at(at)):
        return msg("only a commander stands in {hex}, and nobody fights a commander alone", hex=at)
    return msg("there is no enemy in {hex}", hex=at)


def not_carried_out(state: State, action: Action, found: Refusal) -> Event:
    """Return the event that an order was not carried out."""
    told = seats_told(state, state.edition.seats_of(state.phase), getattr(action, "jointly", ()))
    giver = Giver(state.phase, told)
    return refusals.not_carried_out(action.line, line_of(action), found, giver)
