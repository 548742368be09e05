"""The fold of events: what every game's way of changing a position has in common.

A game gives a table of handlers by kind of event; one that only tells has none. A handler writes into a draft, a copy
of the position that nobody else has yet: it exchanges fields, and never changes what they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from pbem.core.events import Event

__all__ = ["Draft", "Handlers", "folded"]


class Draft(Protocol):
    """A position that can be copied; `uses` says how often a standing order was used this turn."""

    uses: Mapping[str, int]

    def copy(self: D) -> D:
        """Return a copy to be changed; what its fields hold is shared."""
        ...


D = TypeVar("D", bound=Draft)
Handlers = Mapping[str, Callable[[D, Mapping[str, Any]], None]]


def folded(handlers: Handlers[D], state: D, events: Iterable[Event]) -> D:
    """Return the state after the events, one after another; they share one copy, if they change anything.

    An act that followed a standing order is counted under the side, the order and the kind of event.
    """
    draft: D | None = None
    for kind, _, data, _ in events:
        handler = handlers.get(kind)
        if handler is not None:
            if draft is None:
                draft = state.copy()
            handler(draft, data)
        by = data.get("by")
        if by and by.startswith("standing"):
            draft = draft or state.copy()
            key = f"{data['side']} {by} {kind}"
            draft.uses = {**draft.uses, key: draft.uses.get(key, 0) + 1}
    return draft or state
