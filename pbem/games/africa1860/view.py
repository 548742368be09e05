"""What a seat may know: the one gate before reports, templates, suggestions and bots.

The printed game hides no counters, so the view is the position itself; what is hidden is the choice behind an act:
whether the enemy followed a standing order, and his orders that came to nothing.
"""

from __future__ import annotations

from pbem.core.events import Event
from pbem.games.africa1860.state import State

__all__ = ["see", "view"]


def view(state: State, seat: str) -> State:
    """Return what `seat` may know of the position; a seat sees how often its own standing orders were used."""
    side = state.edition.seats[seat]
    own = {key: n for key, n in state.uses.items() if key.startswith(f"{side} ")}
    return state if own == state.uses else state.change(uses=own)


def see(happened: Event, seat: str, before: State) -> Event | None:
    """Return what `seat` may know of an event, None if it is not for its eyes."""
    if happened.seen_by is not None and seat not in happened.seen_by:
        return None
    side = before.edition.seats[seat]
    if happened.data.get("by") and happened.data.get("side") != side:
        return happened._replace(data={key: value for key, value in happened.data.items() if key != "by"})
    return happened
