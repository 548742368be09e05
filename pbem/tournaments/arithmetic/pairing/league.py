"""E3.7 League: divisions play by themselves, each a robin; then so many at the top go up and so many go down."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.tournaments.arithmetic.entrants import Entrant, Lots
from pbem.tournaments.arithmetic.pairing.boards import round_of
from pbem.tournaments.arithmetic.pairing.drawn import Drawn, Field
from pbem.tournaments.arithmetic.pairing.robin import circle_rounds, robin_pairs


def divisions_of(field: Field) -> list[tuple[Entrant, ...]]:
    """Return the divisions from the top, by seeds, as even as can be; the larger ones are the upper."""
    each, over = divmod(len(field.entrants), field.manner.divisions)
    found, at = [], 0
    for number in range(field.manner.divisions):
        size = each + (number < over)
        found.append(field.entrants[at : at + size])
        at += size
    return found


def pair_league(field: Field, lots: Lots) -> Drawn:
    """E3.7 Draw the round of all divisions, the boards of the upper first; over when the largest has met."""
    divisions = divisions_of(field)
    rounds = [circle_rounds(len(one), field.manner.double) for one in divisions]
    if field.round > max(rounds, default=0):
        return Drawn(field.round, over=True)
    playing = [one for one, last in zip(divisions, rounds, strict=True) if field.round <= last]
    return round_of(field, [pair for one in playing for pair in robin_pairs(field, one, lots)])


def moved(divisions: Sequence[Sequence[int]], moving: int) -> list[list[int]]:
    """E3.7 Return the divisions of the next season from final orders: who came down first, who came up last."""
    found = []
    for at, order in enumerate(divisions):
        down = list(divisions[at - 1][-moving:]) if at and moving else []
        up = list(divisions[at + 1][:moving]) if at + 1 < len(divisions) and moving else []
        stay = list(order[moving if at else 0 : len(order) - (moving if at + 1 < len(divisions) else 0)])
        found.append([*down, *stay, *up])
    return found
