"""The fold of events: what every game's way of changing a position has in common.

A game gives a table of handlers by kind of event; an event that changes nothing has no handler. A handler writes into a
draft, a copy of the position that nobody else has yet: it exchanges fields, and never changes what they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from pbem.engine.data.events import Event


class Draft(Protocol):
    """A position that can be copied; `uses` says how often a standing order was used this turn."""

    uses: Mapping[str, int]

    def copy(self: D) -> D:
        """Return a copy to be changed; what its fields hold is shared."""
        ...


D = TypeVar("D", bound=Draft)
Handlers = Mapping[str, Callable[[D, Mapping[str, Any]], None]]


def fold_events(handlers: Handlers[D], state: D, events: Iterable[Event]) -> D:
    """Return the state after the events, one after another; they share one copy, if they change anything."""
    events = tuple(events)
    for kind, _, data, _ in events:
        if kind in handlers or data.get("by", "").startswith("standing"):
            return _write(handlers, state.copy(), events)
    return state


def _write(handlers: Handlers[D], draft: D, events: Iterable[Event]) -> D:
    """Write the events, one after another, into a draft, and return it.

    An act that followed a standing order is counted under the side, the order and the kind of event.
    """
    for kind, _, data, _ in events:
        if kind in handlers:
            handlers[kind](draft, data)
        if "by" in data and data["by"].startswith("standing"):
            key = f"{data['side']} {data['by']} {kind}"
            draft.uses = {**draft.uses, key: draft.uses.get(key, 0) + 1}
    return draft
