"""What a seat may know: the one gate before reports, templates, suggestions and bots.

Counters lie open. Hidden are the enemy's orders: those of his divisions, the fire he has ordered, his orders that came
to nothing, and whether an act of his followed a standing order.
"""

from __future__ import annotations

from pbem.core.events import Event
from pbem.core.game import ONLOOKER
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.state import State

__all__ = ["see", "view"]


def view(state: State, seat: str) -> State:
    """Return what `seat` may know of the position; to the onlooker both camps are the enemy."""
    ours = "" if seat == ONLOOKER else camp(state.edition.seats[seat])
    own = {key: n for key, n in state.uses.items() if camp(key.partition(" ")[0]) == ours}
    divisions = {
        name: d if camp(d.side) == ours else d._replace(order="", pending="") for name, d in state.divisions.items()
    }
    shots = state.shots if camp(state.phase) == ours else ()
    return state.change(uses=own, divisions=divisions, shots=shots)


def see(happened: Event, seat: str, before: State) -> Event | None:
    """Return what `seat` may know of an event, None if it is not for its eyes."""
    if happened.seen_by is not None and seat not in happened.seen_by:
        return None
    ours = "" if seat == ONLOOKER else camp(before.edition.seats[seat])
    if happened.data.get("by") and camp(happened.data.get("side", "")) != ours:
        return happened._replace(data={key: value for key, value in happened.data.items() if key != "by"})
    return happened
