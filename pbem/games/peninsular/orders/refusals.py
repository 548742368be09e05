"""Why an order is not carried out; only the camp that gave it is told."""

from __future__ import annotations

from pbem.core.data.events import Event
from pbem.games.peninsular.orders.actions import Action
from pbem.games.peninsular.orders.grammar import line_of
from pbem.games.peninsular.state import State
from pbem.kit.orders import refusals
from pbem.kit.orders.refusals import Giver, Refusal

__all__ = ["Refusal", "not_carried_out"]


def not_carried_out(state: State, action: Action, found: Refusal) -> Event:
    """Return the event that an order was not carried out."""
    giver = Giver(state.phase, state.edition.seats_of(state.phase))
    return refusals.not_carried_out(action.line, line_of(action), found, giver)
