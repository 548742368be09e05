"""What a game tells that tells its events one by one, each in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.engine import parts
from pbem.engine.data.events import Event
from pbem.engine.data.report import Entry
from pbem.engine.map.charts import marked
from pbem.engine.reasons import because
from pbem.engine.terms import Because, Orders


class OneByOne(parts.Telling):
    """Happenings from `tell`, and what is behind them; a game adds its report and the words of its questions."""

    def tell(self, happened: Event) -> Entry | None:
        """An event as a happening of the report; None if it is none."""
        return None

    def read(self, happened: Event) -> tuple[str, tuple[str, str]] | None:
        """The chart that an event was read from and the cell, row and column; None if it was read from none."""
        return None

    def happenings(self, seen: Sequence[tuple[Event, Any]]) -> tuple[Entry, ...]:
        """What the report tells of events."""
        return tuple(entry for happened, _ in seen if (entry := self.tell(happened)) is not None)

    def why(
        self, view: Any, seat: str, seen: Sequence[tuple[Event, Any]], number: int, orders: Orders
    ) -> Because | None:
        """What is behind a happening, with the charts read and their cells in brackets."""
        told = [(entry, (at,)) for at, (one, _) in enumerate(seen) if (entry := self.tell(one)) is not None]

        def charts(events: Sequence[Event]) -> tuple[str, ...]:
            cells: dict[str, dict[tuple[str, str], None]] = {}
            for happened in events:
                if found := self.read(happened):
                    cells.setdefault(found[0], {})[found[1]] = None
            return tuple(marked(view.edition.chart(name), cells[name], {}) for name in cells)

        return because(told, seen, number, orders, charts)
