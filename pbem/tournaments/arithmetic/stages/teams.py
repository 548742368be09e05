"""E3.8 Teams: the pairing is of teams, their boards are filled by line-ups, and a match is won by boards.

Teams are paired as entrants are (`pairing.draw`), by their own numbers. On odd boards the member of the team drawn
first has the first side, on even ones the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import NOBODY, PENDING, Result
from pbem.tournaments.arithmetic.pairing.drawn import Pair

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
