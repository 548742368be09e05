"""What is behind a happening of a report: rolls, charts with the cells that were read, own standing orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pbem.engine.data.events import Event
from pbem.engine.map.charts import Chart, marked
from pbem.engine.reasons import because
from pbem.engine.run.steps import Task
from pbem.engine.terms import Because, Orders
from pbem.games.africa1860.orders.grammar import line_of
from pbem.games.africa1860.phase.sequence import ORDER_TASKS
from pbem.games.africa1860.setup.edition import Edition
from pbem.games.africa1860.state import State
from pbem.games.africa1860.telling.tell import happenings

Data = Mapping[str, Any]
Cells = tuple[tuple[str, str], ...]


def order_line(task: Task) -> str:
    """Return the first canonical line of the order that a task carries out."""
    return line_of(task.args[0]) if task.name in ORDER_TASKS else ""


def why(view: State, seat: str, seen: Sequence[tuple[Event, State]], number: int, orders: Orders) -> Because | None:
    """Return what is behind happening `number`; `orders` are those of the seat that saw it."""
    return because(happenings(seen), seen, number, orders, partial(_charts, view.edition))


def _charts(edition: Edition, events: Sequence[Event]) -> tuple[str, ...]:
    """The charts that were read, each once, in the order of reading; none of which no line applied (C8.1)."""
    cells: dict[str, dict[tuple[str, str], None]] = {}
    added: dict[str, dict[str, None]] = {}
    for happened in events:
        if happened.kind in _READ:
            name, read = _READ[happened.kind]
            chart = edition.chart(name)
            cells.setdefault(name, {}).update(dict.fromkeys(read(chart, happened.data)))
            added.setdefault(name, {}).update(dict.fromkeys(rule for rule, _, _ in happened.data.get("modifiers", ())))
    return tuple(marked(edition.chart(name), cells[name], added[name]) for name in cells if cells[name] or added[name])


def _die(column: str) -> Callable[[Chart, Data], Cells]:
    return lambda chart, data: ((chart.row(data["die"]), column),)


def _heads(chart: Chart, data: Data) -> Cells:
    return (("effect", chart.column(data["heads"])),)


def _apart(chart: Chart, data: Data) -> Cells:
    row = chart.row(abs(data["totals"][0] - data["totals"][1]))
    return (row, "loser"), (row, "winner")


_READ: Mapping[str, tuple[str, Callable[[Chart, Data], Cells]]] = {
    "volley": ("fire", _heads),
    "check": ("morale", _die("check")),
    "strength": ("shock", lambda chart, data: ()),
    "charge": ("charge", _apart),
    "recovery": ("recovery", _die("try")),
    "leader throws": ("leader", _die("fate")),
}
"""Kinds of event that read a chart, and the cells they read."""
