"""What is told of tournaments to whoever runs the server: who is in, rounds, boards, how all stand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, NamedTuple

from pbem.engine.data.messages import msg
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, ratings, record, standings, teams
from pbem.tournaments.arithmetic.ratings import shown


class TournamentLine(NamedTuple):
    """A tournament in a list: how many play, the round that was planned last, when it is looked at next."""

    name: Annotated[str, "NAME"]
    title: Annotated[str, "TITLE"]
    state: Annotated[str, "STATE"]
    entrants: Annotated[int, "IN"]
    round: Annotated[str | None, "ROUND"]
    next: Annotated[datetime | None, "LOOKED AT NEXT"]


class EntrantLine(NamedTuple):
    """An entrant: his number and name, state, strength, mail, and where he writes to."""

    entrant: Annotated[str, "ENTRANT"]
    name: Annotated[str, "NAME"]
    state: Annotated[str, "STATE"]
    strength: Annotated[int, "STRENGTH"]
    email: Annotated[str, "MAIL"]
    address: Annotated[str, "WRITES TO"]


class TeamLine(NamedTuple):
    """A team: its number, name and state, its captain and members by their numbers, how strong it is."""

    team: Annotated[str, "TEAM"]
    name: Annotated[str, "NAME"]
    state: Annotated[str, "STATE"]
    captain: Annotated[str, "CAPTAIN", 8]
    members: Annotated[tuple[str, ...], "MEMBERS", 9]
    strength: Annotated[int, "STRENGTH"]


class MemberLine(NamedTuple):
    """What a member of a team has made at its boards."""

    entrant: Annotated[str, "MEMBER"]
    name: Annotated[str, "NAME"]
    team: Annotated[str, "TEAM"]
    points: Annotated[str, "POINTS"]
    boards: Annotated[int, "BOARDS"]


class BoardLine(NamedTuple):
    """A board of a round: who sits there, its game, points of both, margin and how they came.

    `second` and `game` are ``-`` where there is none, `points` as long as nothing is decided.
    """

    board: Annotated[str, "BOARD"]
    first: Annotated[str, "FIRST"]
    second: Annotated[str, "SECOND"]
    game: Annotated[str, "GAME"]
    state: Annotated[str, "STATE"]
    points: Annotated[str, "POINTS"]
    margin: Annotated[int, "MARGIN"]
    how: Annotated[str, "HOW"]


class RoundLine(NamedTuple):
    """A round with its boards; moments are None that are not known yet."""

    name: str
    attempt: int
    state: str
    list_shuts: datetime
    draws: datetime | None
    starts: datetime | None
    ends: datetime | None
    boards: tuple[BoardLine, ...]


class ChallengeLine(NamedTuple):
    """A challenge of a ladder: for which round, who challenges whom, and what has come of it."""

    round: Annotated[str, "ROUND"]
    challenger: Annotated[str, "CHALLENGER"]
    challenged: Annotated[str, "CHALLENGED"]
    state: Annotated[str, "CHALLENGE"]


class RankLine(NamedTuple):
    """A line of the table: points and the values of the criteria that were asked."""

    rank: Annotated[int, "RANK"]
    entrant: Annotated[str, "ENTRANT"]
    name: Annotated[str, "NAME"]
    points: Annotated[str, "POINTS"]
    values: Annotated[Mapping[str, int], "TIES"]


class EventCard(NamedTuple):
    """A tournament in full."""

    name: str
    title: str
    state: str
    held_why: str | None
    stage: int
    rules: str
    scenario: str
    director: str
    next: datetime | None
    entrants: tuple[EntrantLine, ...]
    teams: tuple[TeamLine, ...]
    rounds: tuple[RoundLine, ...]
    challenges: tuple[ChallengeLine, ...] = ()


def _points(halves: int) -> str:
    return f"{halves // 2}{'.5' if halves % 2 else ''}"


def show_event(work: Work, name: str) -> EventCard:
    """A tournament with its entrants and rounds; Broken if there is none of that name."""
    return _card(work, record.tournament_named(work.session, name))


def list_events(work: Work) -> tuple[TournamentLine, ...]:
    """All tournaments by name."""
    found = []
    for event in queries.tournaments.every(work.session):
        playing = sum(row.state == "in" for row in queries.tournaments.entrants(work.session, event.id))
        rounds = queries.tournaments.rounds(work.session, event.id)
        last = rounds[-1].name if rounds else None
        found.append(TournamentLine(event.id, event.title, event.state, playing, last, event.wake))
    return tuple(found)


def _card(work: Work, event: tables.Tournament) -> EventCard:
    rows = queries.tournaments.entrants(work.session, event.id)
    return EventCard(
        event.id,
        event.title,
        event.state,
        event.held_why or None,
        event.stage,
        event.digest,
        record.rules_of(event).table.scenario,
        queries.persons.email_of(work.session, event.director_id) or "",
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
    email = queries.persons.email_of(work.session, row.person_id) or ""
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
            {key: value for key, value in row.values.items() if key != "points"},
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
    """Somebody in a pool, after its newest month; points and deviation as players see them."""

    pool: Annotated[str, "POOL"]
    period: Annotated[str, "AFTER"]
    log_name: Annotated[str, "IN THE LOG", 9]
    name: Annotated[str | None, "NAME", 8]
    points: Annotated[int, "RATING"]
    deviation: Annotated[int, "DEVIATION"]
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
                called = _called(work, person) or None
                found.append(RatingLine(name, period, row.name, called, points, deviation, person.rating_public))
    return tuple(sorted(found, key=lambda one: (one.pool, -one.points, one.log_name)))


def _called(work: Work, person: tables.Person) -> str:
    """The name that somebody gave when he entered a tournament last, or his own."""
    rows = queries.tournaments.of_person(work.session, person.id or 0)
    named = sorted((row for row in rows if row.name), key=lambda row: row.entered)
    return named[-1].name if named else person.name
