"""What is behind a happening of a report: rolls, charts with the cells that were read, own standing orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pbem.engine.data.events import Event
from pbem.engine.map.charts import marked
from pbem.engine.reasons import because
from pbem.engine.run.steps import Task
from pbem.engine.terms import Because, Orders
from pbem.games.peninsular.orders.grammar import line_of
from pbem.games.peninsular.phase.sequence import ORDER_TASKS
from pbem.games.peninsular.setup.edition import Edition
from pbem.games.peninsular.state import State
from pbem.games.peninsular.telling.tell import happenings, ways

Data = Mapping[str, Any]


def order_line(task: Task) -> str:
    """Return the first canonical line of the order that a task carries out."""
    return line_of(task.args[0]) if task.name in ORDER_TASKS else ""


def why(view: State, seat: str, seen: Sequence[tuple[Event, State]], number: int, orders: Orders) -> Because | None:
    """Return what is behind happening `number`; `orders` are those of the seat that saw it."""
    found = because(happenings(seen), seen, number, orders, partial(_charts, view.edition))
    if found is None:
        return None
    marched = ways([seen[place][0] for place in found.events])
    return found._replace(entry=found.entry._replace(details=(*found.entry.details, *marched)))


def _charts(edition: Edition, events: Sequence[Event]) -> tuple[str, ...]:
    """The charts that were read, each once, in the order of reading."""
    cells: dict[str, dict[tuple[str, str], None]] = {}
    added: dict[str, dict[str, int]] = {}
    for happened in events:
        data, name = happened.data, _READ.get(happened.kind, "")
        if name and "cell" in data:
            chart = edition.chart(name)
            cell = chart.row(data["total"]), chart.column(data["column"])
            cells.setdefault(name, {})[cell] = None
            known = {row.rule for row in chart.modifiers}
            added.setdefault(name, {}).update({rule: n for rule, n, _ in data["modifiers"] if rule in known})
    return tuple(marked(edition.chart(name), cells[name], added[name]) for name in cells)


_READ: Mapping[str, str] = {
    "volley": "fire",
    "test": "will",
    "rally": "will",
    "shock": "shock",
    "division": "division",
    "control": "control",
}
"""Kinds of event that read a chart, and which; its row stands in the event as ``total``, its column as it is."""
