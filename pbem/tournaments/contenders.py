"""What is paired, as rows: each entrant, or where teams play each team with those who play for it.

::

    contenders(work, event)[2]       Lions (e2): strength, pace, hour, who plays for them, ...
    line_up(work, event, team, 3)    E3.11 who sits at their boards in round 3, in order

Where teams play, a number of the tournament is an entrant's or a team's, and no two have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import record
from pbem.tournaments.arithmetic.stages import lined_up, team_strength


class Contender(NamedTuple):
    """One who is paired.

    `people` are those who play for it and are not out, in the order of entry. `pace` is hours, `zone` minutes east of
    Greenwich, `start` halves for rounds missed, `since` the first round that it may be paired in, `line_up` a team's.
    """

    number: int
    name: str
    people: tuple[tables.Entrant, ...]
    strength: int
    pace: int
    zone: int
    start: int
    since: int
    barred: frozenset[int]
    out: bool
    resting: frozenset[int]


def contenders(work: Work, event: tables.Tournament, number: int = 2**31) -> dict[int, Contender]:
    """All who were ever let in to be paired, by number; teams are as strong as those who may play in a round."""
    rows = queries.tournaments.entrants(work.session, event.id)
    # From version 2 on clocks are read as of the founding, so that the leaf of who enters can say it.
    moment = event.created if event.version > 1 else work.now
    if not record.boards_a_match(event):
        return {row.number: _alone(row, moment) for row in rows if row.state not in ("waiting", "offered")}
    return {
        team.number: _team(event, team, [row for row in rows if row.team_id == team.id], number, moment)
        for team in queries.tournaments.teams(work.session, event.id)
    }


def _alone(row: tables.Entrant, moment: datetime) -> Contender:
    out = is_out(row)
    return Contender(
        row.number,
        record.shown_name(row),
        () if out else (row,),
        row.strength,
        row.pace,
        minutes_east(row, moment),
        row.start,
        row.since,
        record.numbers_in(row.barred),
        out,
        record.numbers_in(row.resting),
    )


def _team(
    event: tables.Tournament, team: tables.Team, rows: Sequence[tables.Entrant], number: int, moment: datetime
) -> Contender:
    """Return a team as it is paired in a round: its pace is that of the slowest, it rests when all its members do.

    Its hour is that of its first member. Before version 2 it is that of its captain, whom no leaf names. `rows` are all
    who ever played for it, `moment` is when clocks are read.
    """
    there = [row for row in rows if row.state == "in" and row.since <= number]
    every = there or [row for row in rows if row.left_once]
    resting = [record.numbers_in(row.resting) for row in there]
    by_number = sorted(every, key=lambda row: (event.version == 1 and row.number != team.captain, row.number))
    return Contender(
        team.number,
        record.shown_team(team),
        tuple(there),
        team_strength([row.strength for row in every]),
        max((row.pace for row in every), default=24),
        minutes_east(by_number[0], moment) if by_number else 0,
        team.start,
        team.since,
        record.numbers_in(team.barred),
        team.state != "in",
        frozenset.intersection(*resting) if resting else frozenset(),
    )


def minutes_east(row: tables.Entrant, moment: datetime) -> int:
    """How far east of Greenwich an entrant's clock is."""
    offset = moment.astimezone(ZoneInfo(row.zone)).utcoffset() or timedelta()
    return round(offset.total_seconds()) // 60


def is_out(row: tables.Entrant) -> bool:
    """Whether somebody who entered does not play any more."""
    return row.state in record.OUT


def rests(row: tables.Entrant, number: int) -> bool:
    """Whether an entrant rests a round."""
    return number in record.numbers_in(row.resting)


def leaves_before(row: tables.Entrant, number: int) -> bool:
    """Whether an entrant has said that he leaves before a round."""
    return row.out_after is not None and row.out_after < number


def has_offer(row: tables.Entrant, number: int) -> bool:
    """Whether the seat of an entrant is offered to another: to one who waits, or to a comrade, who plays himself."""
    return row.offered_for == number and (row.state == "offered" or row.offered_until is not None)


def teams_of(work: Work, event: tables.Tournament) -> Sequence[tables.Team]:
    """The teams of a tournament by number; none where everybody plays for himself."""
    return queries.tournaments.teams(work.session, event.id) if record.boards_a_match(event) else ()


def team_of(work: Work, row: tables.Entrant) -> tables.Team | None:
    """The team that an entrant plays for, or asks to."""
    return work.session.get_one(tables.Team, row.team_id) if row.team_id is not None else None


def team_named(work: Work, event: tables.Tournament, number: int) -> tables.Team | None:
    """A team by its number."""
    return next((one for one in teams_of(work, event) if one.number == number), None)


def mine(work: Work, row: tables.Entrant) -> int:
    """The number by which an entrant is paired: his own, or that of his team."""
    team = team_of(work, row)
    return row.number if team is None else team.number


def team_numbers(work: Work, event: tables.Tournament) -> dict[int, int]:
    """The numbers of the teams of all who play for one, or ever did."""
    teams = {team.id: team.number for team in teams_of(work, event)}
    rows = queries.tournaments.entrants(work.session, event.id) if teams else ()
    return {row.number: teams[row.team_id] for row in rows if row.team_id is not None}


def members(work: Work, team: tables.Team, *states: str) -> list[tables.Entrant]:
    """Who plays for a team, in the order of entry; those in other states than ``in`` if these are told."""
    rows = queries.tournaments.members(work.session, team)
    return [row for row in rows if row.state in (states or ("in",))]


def captain_of(work: Work, team: tables.Team) -> tables.Entrant | None:
    """Who writes a team's line-ups; None if nobody is left in it."""
    return next((row for row in members(work, team) if row.number == team.captain), None)


def line_up(work: Work, event: tables.Tournament, team: tables.Team, number: int) -> tuple[int, ...]:
    """E3.11 Who sits at the boards of a team in a round, as it stands now."""
    rows = [row for row in members(work, team) if not rests(row, number) and not leaves_before(row, number)]
    there = [row.number for row in rows if row.since <= number]
    wanted = queries.tournaments.line_up(work.session, team.id, number)
    named = [int(one) for one in wanted.boards.split()] if wanted is not None else []
    return lined_up(named, there, record.boards_a_match(event))


def next_number(work: Work, event: tables.Tournament) -> int:
    """The number of the next who enters, a person or a team."""
    people = [row.number for row in queries.tournaments.entrants(work.session, event.id)]
    return 1 + max([*people, *(team.number for team in queries.tournaments.teams(work.session, event.id))], default=0)
