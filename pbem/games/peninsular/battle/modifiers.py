"""Modifiers of the charts that held: added up, and as an event lists them."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.engine.data.canon import Json
from pbem.engine.map.charts import Applied


def summed(modifiers: Iterable[Applied]) -> int:
    """Return what modifiers add to a die."""
    return sum([item.value for item in modifiers])


def listed(modifiers: Iterable[Applied]) -> Json:
    """Return modifiers as an event holds them: rule, value, words."""
    return [list(item) for item in modifiers]
