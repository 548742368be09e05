"""Events: single facts of a phase, each citing its rule.

Example: ``Event("moved", "O3.2", {"units": ["Leon"], "from": "B", "to": "C"})``. A turn is stored as its
events, a state is their fold, a report is a rendering of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol, TypeVar

from pbem.engine.data.canon import Json

Data = Mapping[str, Json]
"""The values of an event, by name."""


class Event(NamedTuple):
    """An event: kind, cited rule, data, and the seats that may see it (None: all)."""

    kind: str
    cite: str
    data: Data
    seen_by: tuple[str, ...] | None = None

    def to_json(self) -> Json:
        """Return the JSON value that is stored and compared byte for byte."""
        out: dict[str, Json] = {"kind": self.kind, "cite": self.cite, "data": dict(self.data)}
        if self.seen_by is not None:
            out["seen_by"] = list(self.seen_by)
        return out

    @classmethod
    def from_json(cls, value: Json) -> Event:
        """Read the output of `to_json`."""
        seats = value.get("seen_by")
        return cls(value["kind"], value["cite"], value["data"], None if seats is None else tuple(seats))


def event(kind: str, cite: str, /, **data: Json) -> Event:
    """Return an event that everybody may see.

    ``from``, a keyword of the language, is written ``from_``.
    """
    if "from_" in data:
        data["from"] = data.pop("from_")
    return Event(kind, cite, data, None)


# The fold of events: changes of positions, common to all games.
#
# A game gives a table of handlers by kind of event; an event that changes nothing has no handler. A handler writes into
# a draft, a copy of the position that nobody else has yet: it exchanges fields, and never changes what they hold.


class Draft(Protocol):
    """A position that can be copied; `uses` counts uses of standing orders.

    They are counted by turn.
    """

    uses: Mapping[str, int]

    def copy(self: D) -> D:
        """Return a copy to be changed; the values of its fields are shared."""
        ...


D = TypeVar("D", bound=Draft)
"""The type of a position that events are applied to."""
Handlers = Mapping[str, Callable[[D, Data], None]]


def fold_events(handlers: Handlers[D], state: D, events: Iterable[Event]) -> D:
    """Return the state after the events; a changed state is copied once."""
    events = tuple(events)
    for kind, _, data, _ in events:
        if kind in handlers or ("by" in data and data["by"].startswith("standing")):
            return _write(handlers, state.copy(), events)
    return state


def _write(handlers: Handlers[D], draft: D, events: Iterable[Event]) -> D:
    """Apply the events, one after another, to a draft, and return it.

    An event caused by a standing order is counted under the side, the order and the kind of event.
    """
    for kind, _, data, _ in events:
        if kind in handlers:
            handlers[kind](draft, data)
        if "by" in data and data["by"].startswith("standing"):
            key = f"{data['side']} {data['by']} {kind}"
            draft.uses = {**draft.uses, key: draft.uses.get(key, 0) + 1}
    return draft
