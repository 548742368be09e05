"""Modifiers of the charts bound to what the rules ask: one place, so that each edition binds its own charts once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from pbem.core.canon import Json
from pbem.core.charts import Applied, Modifiers
from pbem.games.peninsular.edition import Edition

__all__ = ["applied", "listed", "summed"]

T = TypeVar("T")
_bound: WeakKeyDictionary[Edition, dict[str, Modifiers[Any]]] = WeakKeyDictionary()


def applied(
    edition: Edition, chart: str, predicates: Mapping[str, Callable[[T], int]], moment: T
) -> tuple[Applied, ...]:
    """Return the modifiers of a chart that hold at a moment, in the order of the card."""
    charts = _bound.setdefault(edition, {})
    if chart not in charts:
        charts[chart] = Modifiers(edition.chart(chart), predicates)
    return charts[chart].holding(moment)


def summed(modifiers: Iterable[Applied]) -> int:
    """Return what modifiers add to a die."""
    return sum(item.value for item in modifiers)


def listed(modifiers: Iterable[Applied]) -> Json:
    """Return modifiers as an event holds them: rule, value, words."""
    return [list(item) for item in modifiers]
