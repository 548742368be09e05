"""Sentences about events, and what is behind a happening of a report, as far as it is told alike in every game."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.map.charts import Charted, marked
from pbem.engine.map.printed import undoubted
from pbem.engine.orders import speech
from pbem.engine.orders.canonical import canon_standing
from pbem.engine.orders.standing import Rule
from pbem.engine.terms import Because, Orders

Teller = Callable[[Data, Any], Msg]
"""Tells an event, by its data and the position before it."""
_GAP = re.compile(r"\{(\w+)")
_KEYS = {"start": "from", "hex": "at"}
"""Gaps of sentences that are filled by what stands under another name in an event."""


def filled(sentence: Msg, data: Data, **more: object) -> Msg:
    """Fill the gaps of a sentence with what the event holds under their names, but for those that are given."""
    gaps = {gap: data[gap if gap in data else _KEYS[gap]] for gap in _GAP.findall(sentence.text) if gap not in more}
    values = {gap: tuple(value) if isinstance(value, list) else value for gap, value in gaps.items()}
    return msg(sentence.text, **values, **more)


def says(sentence: Msg) -> Teller:
    """Tell an event by one sentence, whose gaps it fills."""
    return lambda data, before: filled(sentence, data)


def because(
    told: Sequence[tuple[Entry, tuple[int, ...]]],
    seen: Sequence[tuple[Event, object]],
    number: int,
    orders: Orders,
    charts: Callable[[Sequence[Event]], tuple[str, ...]],
) -> Because | None:
    """Return what is behind happening `number`, counted from 1; None if there is none.

    `told` are the happenings of the report, each with the places in `seen` of the events that it tells; `orders` are
    those of the seat that saw them; `charts` gives the charts that events read, with the cells marked. Rolls stand in
    an event's data as ``label`` or ``labels``, what made a choice as ``by``.
    """
    if not 1 <= number <= len(told):
        return None
    entry, places = told[number - 1]
    events = [seen[place][0] for place in places]
    labels = [label for happened in events for label in labels_of(happened.data)]
    standing = [line for happened in events for line in _standing(happened.data.get("by", ""), orders.standing)]
    rules = tuple(dict.fromkeys((entry.rule, *(happened.cite for happened in events))))
    return Because(entry, places, rules, tuple(dict.fromkeys(standing)), tuple(labels), charts(events))


def labels_of(data: Data) -> tuple[str, ...]:
    """Return the labels of the rolls that an event tells of."""
    return tuple(data.get("labels", ())) or tuple(data[key] for key in ("label",) if key in data)


class ChartRead(NamedTuple):
    """What an event read from a chart: its file, cells by row and column, modifiers as (rule, value, words)."""

    chart: str
    cells: Iterable[tuple[str, str]]
    modifiers: Iterable[Sequence[Any]] = ()


Reads = Callable[[Any, Data], ChartRead]
"""Tells what an event, by its data, read from a chart of an edition."""


def charts_read(edition: Charted, reads: Iterable[ChartRead]) -> tuple[str, ...]:
    """Return the text of each chart that was read, once, in the order of reading, with what was read in brackets.

    A chart of which neither a cell nor a modifier was read is left out, and so are modifiers that it does not print.
    """
    cells: dict[str, dict[tuple[str, str], None]] = {}
    modifiers: dict[str, dict[str, int]] = {}
    for one in reads:
        printed = {row.rule for row in edition.chart(one.chart).modifiers}
        cells.setdefault(one.chart, {}).update(dict.fromkeys(one.cells))
        applied = {rule: value for rule, value, _ in one.modifiers if rule in printed}
        modifiers.setdefault(one.chart, {}).update(applied)
    read = [name for name in cells if cells[name] or modifiers[name]]
    return tuple(marked(edition.chart(name), cells[name], modifiers[name]) for name in read)


def _standing(by: str, rules: Sequence[Rule]) -> tuple[str, ...]:
    """The standing order that an act names as its reason."""
    for rule in rules:
        if by == f"standing {rule.scope.kind} {rule.scope.id} {rule.number}".replace("  ", " "):
            header, line, _ = canon_standing((rule,))
            return (f"{header}: {rule.number}. {line.partition('. ')[2]}",)
    return ()


def arithmetic(modifiers: Sequence[Sequence[Any]]) -> tuple[Msg, ...]:
    """Return modifiers as an event lists them (rule, value, words) as a line below its happening; none for none."""
    said: Msg | None = None
    for rule, value, words in modifiers:
        one = msg("{value} {words} [{rule}]", value=f"{value:+d}", words=Msg(undoubted(words)), rule=rule)
        said = one if said is None else msg("{a}; {b}", a=said, b=one)
    return () if said is None else (said,)


def place_of(place: str) -> Msg:
    """Return which standing order is meant by its place (``SPACE Nudos 2``, ``ALL 1``), in words."""
    kind, *ident, number = place.split(" ")
    return msg(_PLACES[kind].text, number=int(number), **({"name": " ".join(ident)} if ident else {}))


ANOTHERS = "order of "
"""What stands before a seat as the reason of an act that another commander of the side decided by standing orders."""
_PLACES: Mapping[str, Msg] = {
    "ALL": msg("standing order {number} for all"),
    "SPACE": msg("standing order {number} for the space {name}"),
    "LEADER": msg("standing order {number} for the leader {name}"),
    "UNIT": msg("standing order {number} for the unit {name}"),
}


def broken_off(data: Data, speak: speech.Speaks) -> Msg:
    """Return what is told to the owner of a STOP IF that has struck: his order, its line, what it stood at."""
    told = msg(
        "{order} has struck: what stands below line {line} of your orders is not carried out.",
        order=speech.told(data["order"], speak),
        line=data["line"],
    )
    values = tuple(speech.told(value, speak) for value in data["values"])
    return msg("{text} When it was looked at: {values}.", text=told, values=values) if values else told


def choice_of(data: Data) -> tuple[Msg, ...]:
    """Return what was behind a choice, if the reader may know: a line of his standing orders, or his letter."""
    by = data.get("by", "")
    if by.startswith("standing"):
        return (msg("by your {order}", order=place_of(by.removeprefix("standing "))),)
    if by.startswith(ANOTHERS):
        return (msg("by the standing order of {seat}", seat=by.removeprefix(ANOTHERS)),)
    return (msg("by your answer"),) if by == "answer" else ()


def of_others(said: Msg) -> Msg:
    """Return what was told to whoever gave an order, as it is told to those who did not."""
    return msg(_OTHERS[said.text].text, **dict(said.args)) if said.text in _OTHERS else said


_OTHERS: Mapping[str, Msg] = {
    "by your {order}": msg("by the {order} of its side"),
    "by your answer": msg("by an answer by letter"),
    "{order} has struck: what stands below line {line} of your orders is not carried out.": msg(
        "{order} has struck: what stands below line {line} of the orders is not carried out."
    ),
}
