"""A round of any format: what its manner says is looked up here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pbem.tournaments.arithmetic.entrants import Lots
from pbem.tournaments.arithmetic.pairing.drawn import Drawn, Field
from pbem.tournaments.arithmetic.pairing.knockout import pair_double, pair_knockout
from pbem.tournaments.arithmetic.pairing.ladder import pair_ladder
from pbem.tournaments.arithmetic.pairing.robin import pair_league, pair_robin
from pbem.tournaments.arithmetic.pairing.swiss import pair_swiss

FORMATS: Mapping[str, Callable[[Field, Lots], Drawn]] = MappingProxyType(
    {
        "swiss": pair_swiss,
        "robin": pair_robin,
        "knockout": pair_knockout,
        "double": pair_double,
        "ladder": pair_ladder,
        "league": pair_league,
    }
)
"""How each format pairs a round, by the word of the rules."""


def draw(field: Field, lots: Lots) -> Drawn:
    """E3 Draw the round that the field asks for; `over` if the stage has no such round.

    KeyError for a format that there is not; Undecided where a format goes on from results of which one is pending.
    Who is away has no pair; everybody else has one, but who is out of a bracket or whose division is done. The same
    field and lots give the same round, in whatever order the results stand.
    """
    manner = field.manner
    if manner.format == "swiss" and field.round > manner.rounds > 0:
        return Drawn(field.round, over=True)
    return FORMATS[manner.format](field, lots)
