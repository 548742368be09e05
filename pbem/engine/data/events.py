"""Events: what happened, one at a time, each citing the rule it happened by.

Example: ``Event("moved", "O3.2", {"units": ["Leon"], "from": "B", "to": "C"})``. A turn is stored as its events, a
state is their fold, a report is a rendering of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pbem.engine.data.canon import Json


class Event(NamedTuple):
    """A thing that happened: its kind, the rule it cites, its data, and the seats that may see it (None: all)."""

    kind: str
    cite: str
    data: Mapping[str, Json]
    seen_by: tuple[str, ...] | None = None

    def to_json(self) -> Json:
        """Return the JSON value that is stored and compared byte for byte."""
        out: dict[str, Json] = {"kind": self.kind, "cite": self.cite, "data": dict(self.data)}
        if self.seen_by is not None:
            out["seen_by"] = list(self.seen_by)
        return out

    @classmethod
    def from_json(cls, value: Json) -> Event:
        """Read what `to_json` wrote."""
        seen = value.get("seen_by")
        return cls(value["kind"], value["cite"], value["data"], None if seen is None else tuple(seen))


def event(kind: str, cite: str, /, **data: Json) -> Event:
    """Make an event that everybody may see; ``from``, a keyword of the language, is written ``from_``."""
    if "from_" in data:
        data["from"] = data.pop("from_")
    return Event(kind, cite, data, None)
