"""E3 Stages: how each format ranks its people, who goes on with what, matches of teams, and who sits at which table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import FIRST, NOBODY, PENDING, Lots, Result, name_of
from pbem.tournaments.arithmetic.pairing.drawn import Field, Manner, Pair, Reason
from pbem.tournaments.arithmetic.pairing.knockout import reached, survived
from pbem.tournaments.arithmetic.pairing.ladder import decided, ladder_before
from pbem.tournaments.arithmetic.pairing.robin import divisions_of, moved
from pbem.tournaments.arithmetic.rules.records import Stage
from pbem.tournaments.arithmetic.standings import Contest, Table, standing

# E5.4 E5.5 Who sits at which table of a board: mirrored tables, and sides that are bid for.


class Seating(NamedTuple):
    """A table of a board, ``a`` or ``b`` where it is mirrored, else ``""``; who has the first side, who the second."""

    letter: str
    first: int
    second: int


def seatings(pair: Pair, sides: str) -> tuple[Seating, ...]:
    """E5.4 Return the tables of a board; none for a bye. Mirrored, table ``b`` has the sides the other way round."""
    if pair.second == NOBODY:
        return ()
    if sides == "mirror":
        return Seating("a", pair.first, pair.second), Seating("b", pair.second, pair.first)
    return (Seating("", pair.first, pair.second),)


class Bid(NamedTuple):
    """What an entrant would pay to have a side, in points of the scenario."""

    by: int
    side: int
    amount: int


class Award(NamedTuple):
    """Sides after bids: who has them, who pays how much for his (NOBODY and 0 if nobody does), and why."""

    first: int
    second: int
    payer: int
    amount: int
    why: Reason


def award_sides(pair: Pair, bids: Sequence[Bid]) -> Award:
    """E5.5 Return who has which side: who bids more for it has it and pays; alike, `pair.first`, who was drawn first.

    Those who bid for different sides have them and pay nothing. Who alone bids has his side for nothing. Without bids
    the sides are as drawn. The last bid of each counts; bids of others than the two are left out.
    """
    last = {one.by: one for one in bids if one.by in (pair.first, pair.second)}
    mine, his = last.get(pair.first), last.get(pair.second)
    values = {name_of(one.by): one.amount for one in (mine, his) if one}
    if mine and his and mine.side == his.side:
        best = mine if mine.amount >= his.amount else his
        what = "alike" if mine.amount == his.amount else "bid"
        return _award(pair, best.by, best.side, (best.amount, Reason("E5.5", what, values)))
    if one := mine or his:
        why = Reason("E5.5", "other sides" if mine and his else "one bid", values)
        return _award(pair, one.by, one.side, (0, why))
    return Award(pair.first, pair.second, NOBODY, 0, Reason("E5.5", "no bid", values))


def _award(pair: Pair, by: int, side: int, price: tuple[int, Reason]) -> Award:
    other = pair.second if by == pair.first else pair.first
    amount, why = price
    first, second = (by, other) if side == FIRST else (other, by)
    return Award(first, second, by if amount else NOBODY, amount, why)


# E3.8 Teams: the pairing is of teams, their boards are filled by line-ups, and a match is won by boards.
#
# Teams are paired as entrants are (`pairing.draw`), by their own numbers. On odd boards the member of the team drawn
# first has the first side, on even ones the other.


_WIN, _DRAW = 2, 1


class TeamBoard(NamedTuple):
    """A board of a match: who has the first side and who the second, NOBODY where a team has nobody for it."""

    board: int
    first: int
    second: int


def board_number(match: int, board: int, boards: int) -> int:
    """Return the number of a match's board, both from 1, among all boards of the round."""
    return (match - 1) * boards + board


def match_and_board(number: int, boards: int) -> tuple[int, int]:
    """Return the match that a board of the round belongs to, and its number there, both from 1."""
    match, board = divmod(number - 1, boards)
    return match + 1, board + 1


def lined_up(wanted: Sequence[int], there: Sequence[int], boards: int) -> tuple[int, ...]:
    """E3.11 Return who sits at the boards: those `wanted` who are `there`, then the others in the order of entry."""
    first = [one for one in wanted if one in there]
    return (*first, *(one for one in there if one not in first))[:boards]


def team_strength(strengths: Sequence[int]) -> int:
    """E3.13 Return the strength of a team: the average of its members', rounded down; 0 of nobody."""
    return sum(strengths) // len(strengths) if strengths else 0


def line_up_faults(line_up: Sequence[int], members: Sequence[int], boards: int) -> tuple[tuple[str, int], ...]:
    """E3.8 Return what is against a line-up: ``stranger`` or ``twice`` with the member, ``many`` with how many."""
    found = [("stranger", one) for one in line_up if one not in members]
    found += [("twice", one) for at, one in enumerate(line_up) if one in line_up[:at]]
    return (*found, ("many", len(line_up))) if len(line_up) > boards else tuple(found)


def boards_of_match(pair: Pair, line_ups: Mapping[int, Sequence[int]], boards: int) -> tuple[TeamBoard, ...]:
    """E3.8 Return the boards of a match between two teams, from 1 within the match; none for a bye.

    `line_ups` are members in order by team; boards for which neither has anybody are left out.
    """
    if pair.second == NOBODY:
        return ()
    found = []
    for at in range(boards):
        one, other = (_at(line_ups.get(team, ()), at) for team in (pair.first, pair.second))
        first, second = (other, one) if at % 2 else (one, other)
        if first or second:
            found.append(TeamBoard(at + 1, first, second))
    return tuple(found)


def _at(line_up: Sequence[int], place: int) -> int:
    return line_up[place] if place < len(line_up) else NOBODY


def result_of_match(pair: Pair, round_: int, tables: Sequence[Result], members: Mapping[int, int]) -> Result:
    """E3.8 Return the result of a match from those of its boards; `members` are the teams of all who played.

    The team with more halves at the boards has a win, as many a draw; the margin is by how many halves it is ahead.
    Pending as long as one board is, and forfeit if all boards were.
    """
    halves = {pair.first: 0, pair.second: 0}
    for one in tables:
        for member, value in zip((one.first, one.second), one.halves, strict=True):
            if member != NOBODY:
                halves[members[member]] += value
    if not tables or any(one.how == PENDING for one in tables):
        return Result(round_, pair.board, pair.first, pair.second, how=PENDING)
    ahead = halves[pair.first] - halves[pair.second]
    worth = (_DRAW, _DRAW) if not ahead else (_WIN, 0) if ahead > 0 else (0, _WIN)
    forfeit = all(one.how == "forfeit" for one in tables)
    if forfeit and not any(halves.values()):
        worth = (0, 0)
    return Result(round_, pair.board, pair.first, pair.second, worth, ahead, "forfeit" if forfeit else "played")


# E3 The table of a stage: what its format looks at first, then the criteria of the rules.


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


# E3.9 From one stage to the next: who goes on, in which order of seeds, with which points.


class Taken(NamedTuple):
    """Those who go on: their numbers in the order of their seeds, and the halves that they bring along."""

    seeds: tuple[int, ...]
    start: Mapping[int, int]


def go_on(table: Table, before: Manner, stage: Stage, gone: frozenset[int] = frozenset()) -> Taken:
    """E3.9 Return who goes on from a table to a stage: the best `stage.take` of those not `gone`, all if it is 0.

    After a league whose divisions all go on into another one, those who went up and down are seeded there (E3.7).
    """
    order = [row.number for row in table.rows]
    if before.format == "league" and stage.format == "league" and not stage.take:
        order = _moved(table, before.moving)
    left = [one for one in order if one not in gone]
    seeds = tuple(left[: stage.take] if stage.take else left)
    halves = {one: table.ground.tallies[one].halves for one in seeds}
    carried = {"all": halves, "half": {one: (value + 1) // 2 for one, value in halves.items()}}
    return Taken(seeds, {one: value for one, value in carried.get(stage.carry, {}).items() if value})


def _moved(table: Table, moving: int) -> list[int]:
    """All in the order of next season's divisions."""
    division = table.ground.given["division"]
    orders: dict[int, list[int]] = {}
    for row in table.rows:
        orders.setdefault(-division[row.number], []).append(row.number)
    return [one for some in moved([orders[at] for at in sorted(orders)], moving) for one in some]
