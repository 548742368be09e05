"""A round of any format: what its manner says is looked up here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pbem.tournament.entrants import Lots
from pbem.tournament.pairing.drawn import Drawn, Field
from pbem.tournament.pairing.swiss import pair_swiss

__all__ = ["FORMATS", "draw"]

FORMATS: Mapping[str, Callable[[Field, Lots], Drawn]] = MappingProxyType({"swiss": pair_swiss})
"""How each format pairs a round, by the word of the rules."""


def draw(field: Field, lots: Lots) -> Drawn:
    """E3 Draw the round that the field asks for; `over` if the stage has no such round.

    KeyError for a format that there is not. The same field and lots give the same round, in whatever order the
    results stand.
    """
    manner = field.manner
    if manner.format == "swiss" and field.round > manner.rounds > 0:
        return Drawn(field.round, over=True)
    return FORMATS[manner.format](field, lots)
