"""Sentences about events, and explanations of happenings, common to all games."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.map.charts import ChartSource, mark_cells
from pbem.engine.map.printed import strip_doubt
from pbem.engine.orders import speech
from pbem.engine.orders.canonical import canon_standing
from pbem.engine.orders.standing import Rule
from pbem.engine.terms import Explanation, Orders

Teller = Callable[[Data, Any], Msg]
"""Tells an event, by its data and the position before it."""
_GAP = re.compile(r"\{(\w+)")
_KEYS = {"start": "from", "hex": "at"}
"""Gaps of sentences that have another name than the event's data."""


def fill_gaps(sentence: Msg, data: Data, **more: object) -> Msg:
    """Fill the gaps of a sentence from an event's data, unless it fills them itself."""
    gaps = {gap: data[gap if gap in data else _KEYS[gap]] for gap in _GAP.findall(sentence.text) if gap not in more}
    values = {gap: tuple(value) if isinstance(value, list) else value for gap, value in gaps.items()}
    return msg(sentence.text, **values, **more)


def sentence_teller(sentence: Msg) -> Teller:
    """Return a teller that words an event in one sentence."""
    return lambda data, before: fill_gaps(sentence, data)


def build_explanation(
    entries: Sequence[tuple[Entry, tuple[int, ...]]],
    seen: Sequence[tuple[Event, object]],
    number: int,
    orders: Orders,
    charts: Callable[[Sequence[Event]], tuple[str, ...]],
) -> Explanation | None:
    """Return the explanation of the report's entry `number`, counted from 1.

    It is None if there is none. `entries` are those of the report, each with the places of its events in `seen`;
    `orders` are those of the seat that saw them; `charts` returns the charts that events read, with the cells
    marked. An event's data hold rolls as ``label`` or ``labels``, and the reason of a choice as ``by``.
    """
    if not 1 <= number <= len(entries):
        return None
    entry, places = entries[number - 1]
    events = [seen[place][0] for place in places]
    labels = [label for happened in events for label in roll_labels(happened.data)]
    standing = [line for happened in events for line in _standing_line(happened.data.get("by", ""), orders.standing)]
    rules = tuple(dict.fromkeys((entry.rule, *(happened.cite for happened in events))))
    return Explanation(entry, places, rules, tuple(dict.fromkeys(standing)), tuple(labels), charts(events))


def roll_labels(data: Data) -> tuple[str, ...]:
    """Return the labels of an event's rolls."""
    return tuple(data.get("labels", ())) or tuple(data[key] for key in ("label",) if key in data)


class ChartRead(NamedTuple):
    """A reading of a chart: file, cells, modifiers.

    Cells are by row and column, modifiers are (rule, value, words).
    """

    chart: str
    cells: Iterable[tuple[str, str]]
    modifiers: Iterable[Sequence[Any]] = ()


Reads = Callable[[Any, Data], ChartRead]
"""Tells what an event, by its data, read from a chart of an edition."""


def marked_charts(edition: ChartSource, reads: Iterable[ChartRead]) -> tuple[str, ...]:
    """Return the text of each chart that was read, with marks.

    Each text comes once, with the readings in brackets. Charts are in the order of reading. A chart without a
    cell or modifier read is left out, and so are modifiers that it does not print.
    """
    cells: dict[str, dict[tuple[str, str], None]] = {}
    modifiers: dict[str, dict[str, int]] = {}
    for reading in reads:
        printed = {row.rule for row in edition.chart(reading.chart).modifiers}
        cells.setdefault(reading.chart, {}).update(dict.fromkeys(reading.cells))
        applied = {rule: value for rule, value, _ in reading.modifiers if rule in printed}
        modifiers.setdefault(reading.chart, {}).update(applied)
    chart_names = [name for name in cells if cells[name] or modifiers[name]]
    return tuple(mark_cells(edition.chart(name), cells[name], modifiers[name]) for name in chart_names)


def _standing_line(by: str, rules: Sequence[Rule]) -> tuple[str, ...]:
    """Return the standing order that an act names as its reason."""
    for rule in rules:
        if by == f"standing {rule.scope.kind} {rule.scope.id} {rule.number}".replace("  ", " "):
            header, line, _ = canon_standing((rule,))
            return (f"{header}: {rule.number}. {line.partition('. ')[2]}",)
    return ()


def modifier_line(modifiers: Sequence[Sequence[Any]]) -> tuple[Msg, ...]:
    """Return an event's modifiers as one line of its entry; empty if there are none."""
    sentence: Msg | None = None
    for rule, value, words in modifiers:
        item = msg("{value} {words} [{rule}]", value=f"{value:+d}", words=Msg(strip_doubt(words)), rule=rule)
        sentence = item if sentence is None else msg("{a}; {b}", a=sentence, b=item)
    return () if sentence is None else (sentence,)


def standing_order_in_words(place: str) -> Msg:
    """Return in words the standing order at a place (``SPACE Nudos 2``, ``ALL 1``)."""
    kind, *ident, number = place.split(" ")
    return msg(_PLACES[kind].text, number=int(number), **({"name": " ".join(ident)} if ident else {}))


OTHERS_ORDER_PREFIX = "order of "
"""The prefix of a seat in the reason of an act: another commander's standing orders decided."""
_PLACES: Mapping[str, Msg] = {
    "ALL": msg("standing order {number} for all"),
    "SPACE": msg("standing order {number} for the space {name}"),
    "LEADER": msg("standing order {number} for the leader {name}"),
    "UNIT": msg("standing order {number} for the unit {name}"),
}


def stop_if_notice(data: Data, speak: speech.Speaks) -> Msg:
    """Return the notice to the owner of a STOP IF: order, line, and values."""
    sentence = msg(
        "{order} has struck: what stands below line {line} of your orders is not carried out.",
        order=speech.order_text(data["order"], speak),
        line=data["line"],
    )
    values = tuple(speech.order_text(value, speak) for value in data["values"])
    return msg("{text} When it was looked at: {values}.", text=sentence, values=values) if values else sentence


def choice_reason(data: Data) -> tuple[Msg, ...]:
    """Return the reason of a choice, if the reader may know it.

    The reason is a standing order or the reader's own answer by letter.
    """
    by = data.get("by", "")
    if by.startswith("standing"):
        return (msg("by your {order}", order=standing_order_in_words(by.removeprefix("standing "))),)
    if by.startswith(OTHERS_ORDER_PREFIX):
        return (msg("by the standing order of {seat}", seat=by.removeprefix(OTHERS_ORDER_PREFIX)),)
    return (msg("by your answer"),) if by == "answer" else ()


def refusal_for_others(sentence: Msg) -> Msg:
    """Return a refusal, worded for the giver of an order, as other players read it."""
    return msg(_OTHERS[sentence.text].text, **dict(sentence.args)) if sentence.text in _OTHERS else sentence


_OTHERS: Mapping[str, Msg] = {
    "by your {order}": msg("by the {order} of its side"),
    "by your answer": msg("by an answer by letter"),
    "{order} has struck: what stands below line {line} of your orders is not carried out.": msg(
        "{order} has struck: what stands below line {line} of the orders is not carried out."
    ),
}
