"""What is told of tournaments to whoever runs the server: who is in, rounds, boards, how all stand."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from pbem.engine.data.messages import msg
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, ratings, record, standings, teams
from pbem.tournaments.arithmetic.ratings import shown


class EntrantLine(NamedTuple):
    """An entrant: his number and name, state, strength, mail, and where he writes to."""

    entrant: str
    name: str
    state: str
    strength: int
    email: str
    address: str


class TeamLine(NamedTuple):
    """A team: its number, name and state, its captain and members by their numbers, how strong it is."""

    team: str
    name: str
    state: str
    captain: str
    members: tuple[str, ...]
    strength: int


class MemberLine(NamedTuple):
    """What a member of a team has made at its boards."""

    entrant: str
    name: str
    team: str
    points: str
    boards: int


class BoardLine(NamedTuple):
    """A board of a round: who sits there, its game, points of both, margin and how they came."""

    board: str
    first: str
    second: str
    game: str
    state: str
    points: str
    margin: int
    how: str


class RoundLine(NamedTuple):
    """A round with its boards; moments are None that are not known yet."""

    name: str
    attempt: int
    state: str
    opens: datetime
    draws: datetime | None
    starts: datetime | None
    ends: datetime | None
    boards: tuple[BoardLine, ...]


class ChallengeLine(NamedTuple):
    """A challenge of a ladder: for which round, who challenges whom, and what has come of it."""

    round: str
    challenger: str
    challenged: str
    state: str


class RankLine(NamedTuple):
    """A line of the table: points and the values of the criteria that were asked."""

    rank: int
    entrant: str
    name: str
    points: str
    values: tuple[tuple[str, int], ...]


class EventCard(NamedTuple):
    """A tournament in full."""

    name: str
    title: str
    state: str
    held_why: str
    stage: int
    digest: str
    scenario: str
    director: str
    address: str
    wake: datetime | None
    entrants: tuple[EntrantLine, ...]
    teams: tuple[TeamLine, ...]
    rounds: tuple[RoundLine, ...]
    challenges: tuple[ChallengeLine, ...] = ()


def _points(halves: int) -> str:
    return f"{halves // 2}{'.5' if halves % 2 else ''}"


def show_event(work: Work, name: str) -> EventCard:
    """A tournament with its entrants and rounds; Broken if there is none of that name."""
    return _card(work, record.tournament_named(work.session, name))


def list_events(work: Work) -> tuple[EventCard, ...]:
    """All tournaments by name."""
    return tuple(_card(work, event) for event in queries.tournaments.every(work.session))


def _card(work: Work, event: tables.Tournament) -> EventCard:
    rows = queries.tournaments.entrants(work.session, event.id)
    return EventCard(
        event.id,
        event.title,
        event.state,
        event.held_why,
        event.stage,
        event.digest,
        record.rules_of(event).table.scenario,
        queries.people.email_of(work.session, event.director_id) or "",
        work.server.director_address(event),
        event.wake,
        tuple(_entrant(work, row) for row in rows),
        _teams(work, event),
        tuple(_round(work, row) for row in queries.tournaments.rounds(work.session, event.id)),
        tuple(
            ChallengeLine(f"r{one.number}", f"e{one.challenger}", f"e{one.challenged}", one.state)
            for one in queries.tournaments.all_challenges(work.session, event.id)
        ),
    )


def _teams(work: Work, event: tables.Tournament) -> tuple[TeamLine, ...]:
    strength = {number: one.strength for number, one in contenders.contenders(work, event).items()}
    return tuple(
        TeamLine(
            f"e{team.number}",
            team.name,
            team.state,
            f"e{team.captain}" if team.captain is not None else "-",
            tuple(f"e{row.number}" for row in contenders.members(work, team)),
            strength[team.number],
        )
        for team in contenders.teams_of(work, event)
    )


def _entrant(work: Work, row: tables.Entrant) -> EntrantLine:
    email = queries.people.email_of(work.session, row.person_id) or ""
    return EntrantLine(f"e{row.number}", row.name, row.state, row.strength, email, work.server.entrant_address(row))


def _round(work: Work, row: tables.Round) -> RoundLine:
    boards = tuple(_board(one) for one in queries.tournaments.boards(work.session, row.id))
    return RoundLine(row.name, row.attempt, row.state, row.opens, row.draws, row.starts, row.ends, boards)


def _board(one: tables.Board) -> BoardLine:
    return BoardLine(
        f"{one.board}{one.leg}",
        f"e{one.first}",
        f"e{one.second}" if one.second else "-",
        one.game_id or "-",
        one.state,
        f"{_points(one.first_halves)}:{_points(one.second_halves)}" if one.how != "pending" else "-",
        one.margin,
        one.how,
    )


def ranks(work: Work, name: str) -> tuple[RankLine, ...]:
    """How all stand in the stage that is played; Broken if there is no tournament of that name."""
    event = record.tournament_named(work.session, name)
    names = {row.number: row.name for row in queries.tournaments.entrants(work.session, event.id)}
    names |= {team.number: team.name for team in contenders.teams_of(work, event)}
    return tuple(
        RankLine(
            row.rank,
            f"e{row.number}",
            names[row.number],
            _points(row.tally.halves),
            tuple((key, value) for key, value in row.values.items() if key != "points"),
        )
        for row in standings.standing(work, event).rows
    )


def member_lines(work: Work, name: str) -> tuple[MemberLine, ...]:
    """What the members of teams have made in the stage that is played; nothing where there are no teams."""
    event = record.tournament_named(work.session, name)
    return tuple(
        MemberLine(f"e{row.number}", row.name, f"e{contenders.mine(work, row)}", _points(halves), boards)
        for row, halves, boards in teams.made_by_members(work, event)
    )


class RatingLine(NamedTuple):
    """Somebody in a pool, after its newest month; his name is empty if he has given none."""

    pool: str
    period: str
    log_name: str
    name: str
    points: int
    deviation: int
    public: bool


def list_ratings(work: Work, pool: str = "", everybody: bool = False) -> tuple[RatingLine, ...]:
    """Who is rated in a pool, or in all, the strongest first; only who lets it be seen unless `everybody` is wanted.

    Broken if there is no such pool.
    """
    there = queries.tournaments.pools(work.session)
    if pool and pool not in there:
        raise Broken(
            msg("Nobody is rated in a pool {pool}; there are: {pools}.", pool=pool, pools=tuple(there) or ("-",))
        )
    found = []
    for name in (pool,) if pool else there:
        period = queries.tournaments.last_period(work.session, name)
        for row, person in queries.tournaments.people_in(work.session, name, period):
            if person.rating_public or everybody:
                points, deviation = shown(ratings.rating_of_row(row))
                called = _called(work, person)
                found.append(RatingLine(name, period, row.name, called, points, deviation, person.rating_public))
    return tuple(sorted(found, key=lambda one: (one.pool, -one.points, one.log_name)))


def _called(work: Work, person: tables.Person) -> str:
    """The name that somebody gave when he entered a tournament last, or his own."""
    rows = queries.tournaments.of_person(work.session, person.id or 0)
    named = sorted((row for row in rows if row.name), key=lambda row: row.entered)
    return named[-1].name if named else person.name
