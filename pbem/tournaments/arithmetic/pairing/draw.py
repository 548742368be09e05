"""Draw a round of any format, looked up by the manner of its stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pbem.tournaments.arithmetic.entrants import Lots
from pbem.tournaments.arithmetic.pairing.drawn import RoundDraw, RoundInput
from pbem.tournaments.arithmetic.pairing.knockout import pair_double_elimination, pair_knockout
from pbem.tournaments.arithmetic.pairing.ladder import pair_ladder
from pbem.tournaments.arithmetic.pairing.robin import pair_league, pair_robin
from pbem.tournaments.arithmetic.pairing.swiss import pair_swiss

FORMATS: Mapping[str, Callable[[RoundInput, Lots], RoundDraw]] = MappingProxyType(
    {
        "swiss": pair_swiss,
        "robin": pair_robin,
        "knockout": pair_knockout,
        "double": pair_double_elimination,
        "ladder": pair_ladder,
        "league": pair_league,
    }
)
"""How each format pairs a round, by the word of the rules."""


def draw(round_input: RoundInput, lots: Lots) -> RoundDraw:
    """E3 Draw the round of the input; `over` is set if no such round exists.

    Raise KeyError for an unknown format, Undecided if the format needs a result that is pending. Absentees have no
    pair; everybody else has one, except entrants who are out of a bracket, or whose division has finished. The same
    input and lots give the same round, whatever the order of results.
    """
    manner = round_input.manner
    if manner.format == "swiss" and round_input.round > manner.rounds > 0:
        return RoundDraw(round_input.round, over=True)
    return FORMATS[manner.format](round_input, lots)
