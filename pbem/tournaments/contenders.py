"""Convert rows into participants, the entrants or teams that are paired.

::

    participants(tx, event)[2]     Lions (e2): strength, pace, hour, members, ...
    line_up(tx, event, team, 3)    E3.11 the members at their boards in round 3, in order

In a team tournament entrants and teams are numbered together, so that a number means one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import record
from pbem.tournaments.arithmetic.stages import fill_line_up, team_strength


class Participant(NamedTuple):
    """A participant of the pairing, a person or a team.

    `people` are its active members, in the order of entry. `pace` is in hours, `zone` in minutes east of Greenwich;
    `start` are half points for missed rounds, `since` is the first round in which it may be paired.
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


def participants(tx: Transaction, event: tables.Tournament, number: int = 2**31) -> dict[int, Participant]:
    """Return all participants ever admitted, by number.

    The strength of a team is that of its possible members in a round.
    """
    rows = queries.tournaments.entrants(tx.session, event.id)
    # From version 2 on clocks are read as of the founding, so that the leaf of an entry can hold it.
    moment = event.created if event.version > 1 else tx.now
    if not record.boards_per_match(event):
        return {row.number: _individual(row, moment) for row in rows if row.state not in ("waiting", "offered")}
    return {
        team.number: _team_participant(event, team, [row for row in rows if row.team_id == team.id], number, moment)
        for team in queries.tournaments.teams(tx.session, event.id)
    }


def _individual(row: tables.Entrant, moment: datetime) -> Participant:
    out = has_left(row)
    return Participant(
        row.number,
        record.public_entrant_name(row),
        () if out else (row,),
        row.strength,
        row.pace,
        minutes_east(row, moment),
        row.start,
        row.since,
        record.numbers_from_column(row.barred),
        out,
        record.numbers_from_column(row.resting),
    )


def _team_participant(
    event: tables.Tournament, team: tables.Team, rows: Sequence[tables.Entrant], number: int, moment: datetime
) -> Participant:
    """Return a team as it is paired in a round.

    The team has the pace of its slowest member, and rests when all members do. It has the time zone of its first
    member; before version 2 it was the captain's, whom no leaf names. `rows` are all members it ever had, `moment`
    is when the zones are read.
    """
    active = [row for row in rows if row.state == "in" and row.since <= number]
    counted = active or [row for row in rows if row.left_once]
    resting = [record.numbers_from_column(row.resting) for row in active]
    # In tournaments of version 1 the captain comes first, and lists must come out as they were.
    by_number = sorted(counted, key=lambda row: (event.version == 1 and row.number != team.captain, row.number))
    return Participant(
        team.number,
        record.public_team_name(team),
        tuple(active),
        team_strength([row.strength for row in counted]),
        max((row.pace for row in counted), default=24),
        minutes_east(by_number[0], moment) if by_number else 0,
        team.start,
        team.since,
        record.numbers_from_column(team.barred),
        team.state != "in",
        frozenset.intersection(*resting) if resting else frozenset(),
    )


def minutes_east(row: tables.Entrant, moment: datetime) -> int:
    """Return an entrant's time zone in minutes east of Greenwich at a moment."""
    offset = moment.astimezone(ZoneInfo(row.zone)).utcoffset() or timedelta()
    return round(offset.total_seconds()) // 60


def has_left(row: tables.Entrant) -> bool:
    """Return whether an entrant does not play any more."""
    return row.state in record.OUT


def is_resting(row: tables.Entrant, number: int) -> bool:
    """Return whether an entrant rests a round."""
    return number in record.numbers_from_column(row.resting)


def leaves_before_round(row: tables.Entrant, number: int) -> bool:
    """Return whether an entrant has announced to leave before a round."""
    return row.out_after is not None and row.out_after < number


def has_seat_offer(row: tables.Entrant, number: int) -> bool:
    """Return whether an entrant is offered the seat of another one.

    Offers go to the waiting list, or to a team member who also plays a board of his own.
    """
    return row.offered_for == number and (row.state == "offered" or row.offered_until is not None)


def teams_of(tx: Transaction, event: tables.Tournament) -> Sequence[tables.Team]:
    """Return the teams of a tournament by number; none in individual tournaments."""
    return queries.tournaments.teams(tx.session, event.id) if record.boards_per_match(event) else ()


def team_of(tx: Transaction, row: tables.Entrant) -> tables.Team | None:
    """Return the team of an entrant, or the one that he applied to."""
    return tx.session.get_one(tables.Team, row.team_id) if row.team_id is not None else None


def team_by_number(tx: Transaction, event: tables.Tournament, number: int) -> tables.Team | None:
    """Return a team by its number."""
    return next((team for team in teams_of(tx, event) if team.number == number), None)


def pairing_number(tx: Transaction, row: tables.Entrant) -> int:
    """Return the number by which an entrant is paired: his own, or his team's."""
    team = team_of(tx, row)
    return row.number if team is None else team.number


def team_numbers(tx: Transaction, event: tables.Tournament) -> dict[int, int]:
    """Return the team numbers of all present and former members."""
    teams = {team.id: team.number for team in teams_of(tx, event)}
    rows = queries.tournaments.entrants(tx.session, event.id) if teams else ()
    return {row.number: teams[row.team_id] for row in rows if row.team_id is not None}


def members(tx: Transaction, team: tables.Team, *states: str) -> list[tables.Entrant]:
    """Return a team's entrants in the given states, by default ``in``, by entry."""
    rows = queries.tournaments.members(tx.session, team)
    return [row for row in rows if row.state in (states or ("in",))]


def captain_of(tx: Transaction, team: tables.Team) -> tables.Entrant | None:
    """Return a team's captain; None if nobody is left in it."""
    return next((row for row in members(tx, team) if row.number == team.captain), None)


def members_at_boards(tx: Transaction, event: tables.Tournament, team: tables.Team, number: int) -> tuple[int, ...]:
    """E3.11 Return the members at a team's boards in a round, by the present state."""
    rows = [row for row in members(tx, team) if not is_resting(row, number) and not leaves_before_round(row, number)]
    present = [row.number for row in rows if row.since <= number]
    stored = queries.tournaments.latest_line_up(tx.session, team.id, number)
    chosen = [int(word) for word in stored.boards.split()] if stored is not None else []
    return fill_line_up(chosen, present, record.boards_per_match(event))


def next_number(tx: Transaction, event: tables.Tournament) -> int:
    """Return the number of the next entrant or team."""
    people = [row.number for row in queries.tournaments.entrants(tx.session, event.id)]
    return 1 + max([*people, *(team.number for team in queries.tournaments.teams(tx.session, event.id))], default=0)
