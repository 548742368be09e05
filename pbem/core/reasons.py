"""What is behind a happening of a report, as far as it is told alike in every game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pbem.core.events import Event
from pbem.core.game import Because, Orders
from pbem.core.report import Entry
from pbem.core.standing import Rule, canon_standing

__all__ = ["because"]


def because(
    told: Sequence[tuple[Entry, tuple[int, ...]]],
    seen: Sequence[tuple[Event, Any]],
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
    labels = [label for happened in events for label in _labels(happened.data)]
    standing = [line for happened in events for line in _standing(happened.data.get("by", ""), orders.standing)]
    rules = tuple(dict.fromkeys((entry.rule, *(happened.cite for happened in events))))
    return Because(entry, places, rules, tuple(dict.fromkeys(standing)), tuple(labels), charts(events))


def _labels(data: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(data.get("labels", ())) or tuple(data[key] for key in ("label",) if key in data)


def _standing(by: str, rules: Sequence[Rule]) -> tuple[str, ...]:
    """The standing order that an act names as its reason."""
    for rule in rules:
        if by == f"standing {rule.scope.kind} {rule.scope.id} {rule.number}".replace("  ", " "):
            header, line, _ = canon_standing((rule,))
            return (f"{header}: {rule.number}. {line.partition('. ')[2]}",)
    return ()
