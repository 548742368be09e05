"""E3 The table of a stage: what its format looks at first, then the criteria of the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pbem.tournaments.arithmetic.entrants import PENDING, Lots
from pbem.tournaments.arithmetic.pairing.double import survived
from pbem.tournaments.arithmetic.pairing.drawn import Field
from pbem.tournaments.arithmetic.pairing.knockout import reached
from pbem.tournaments.arithmetic.pairing.ladder import decided, ladder_before
from pbem.tournaments.arithmetic.pairing.league import divisions_of
from pbem.tournaments.arithmetic.standings.ranking import Contest, Table, standing

_PERCENT = 100


def _places(field: Field) -> dict[int, int]:
    """Places on the ladder after all its results so far, 1 as -1; who has not come yet stands below all."""
    last = max((one.round for one in field.results), default=0)
    ladder = ladder_before(decided(field), last + 1)
    ladder += [one.number for one in field.entrants if one.number not in ladder]
    return {number: -place for place, number in enumerate(ladder, start=1)}


def _settled(field: Field) -> Field:
    """The field up to the last round that is over: of one that is being played it is not known yet who goes on."""
    played = [one.round for one in field.results if one.how == PENDING]
    return field._replace(results=tuple(one for one in field.results if not played or one.round < min(played)))


def _reached(field: Field) -> dict[int, int]:
    """Rounds gone on from, in the rounds that are over."""
    return reached(_settled(field))


def _survived(field: Field) -> dict[int, int]:
    """The round in which each went out, of those that are over."""
    return survived(_settled(field))


def _divisions(field: Field) -> dict[int, int]:
    """Divisions, the first as -1."""
    return {one.number: -at for at, some in enumerate(divisions_of(field), start=1) for one in some}


_FIRST: Mapping[str, tuple[str, Callable[[Field], dict[int, int]]]] = MappingProxyType(
    {
        "knockout": ("reached", _reached),
        "double": ("survived", _survived),
        "ladder": ("place", _places),
        "league": ("division", _divisions),
    }
)
"""What a format looks at before the criteria of the rules."""


def stage_table(field: Field, order: Sequence[str], lots: Lots, luck: Mapping[int, int] | None = None) -> Table:
    """E7 Return the table of a stage from all results of the field, whatever its round is.

    Knockout ranks by rounds gone on from, double by the round in which one went out, ladder by place, league by
    division, and each then by `order`. `luck` are the margins of E7.11, where the rules name them.
    """
    given: dict[str, Mapping[int, int]] = {} if luck is None else {"luck": luck}
    first: tuple[str, ...] = ()
    if field.manner.format in _FIRST:
        name, count = _FIRST[field.manner.format]
        given[name], first = count(field), (name,)
    contest = Contest(field.entrants, field.results, (*first, *order), field.start, given)
    return standing(contest, lots)


def luck_adjusted(margins: Mapping[int, int], luck: Mapping[int, int], weight: int) -> dict[int, int]:
    """E7.11 Return hundredths of the margins that are left when `weight` percent of luck is taken off.

    `luck` is what luck gave to each at all his tables, in points of margin; who is not in it had none.
    """
    return {number: _PERCENT * margin - weight * luck.get(number, 0) for number, margin in margins.items()}
