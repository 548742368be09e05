"""Show tournaments to the operator: entrants, rounds, boards, ranks and ratings."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, NamedTuple

from pbem.engine.data.messages import msg
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables
from pbem.tournaments import contenders, ratings, record, sheets, standings, teams
from pbem.tournaments.arithmetic.ratings import display_points
from pbem.tournaments.arithmetic.rules.records import scenarios_of


class TournamentLine(NamedTuple):
    """A tournament in a list: entrants playing, newest planned round, next action."""

    name: Annotated[str, "NAME"]
    title: Annotated[str, "TITLE"]
    state: Annotated[str, "STATE"]
    entrants: Annotated[int, "IN"]
    round: Annotated[str | None, "ROUND"]
    next: Annotated[datetime | None, "LOOKED AT NEXT"]


class EntrantLine(NamedTuple):
    """An entrant: number, name, state, strength, mail and address to write to."""

    entrant: Annotated[str, "ENTRANT"]
    name: Annotated[str, "NAME"]
    state: Annotated[str, "STATE"]
    strength: Annotated[int, "STRENGTH"]
    email: Annotated[str, "MAIL"]
    address: Annotated[str, "WRITES TO"]


class TeamLine(NamedTuple):
    """A team: number, name, state, captain, members and strength."""

    team: Annotated[str, "TEAM"]
    name: Annotated[str, "NAME"]
    state: Annotated[str, "STATE"]
    captain: Annotated[str, "CAPTAIN", 8]
    members: Annotated[tuple[str, ...], "MEMBERS", 9]
    strength: Annotated[int, "STRENGTH"]


class MemberLine(NamedTuple):
    """A team member's points and boards."""

    entrant: Annotated[str, "MEMBER"]
    name: Annotated[str, "NAME"]
    team: Annotated[str, "TEAM"]
    points: Annotated[str, "POINTS"]
    boards: Annotated[int, "BOARDS"]


class BoardLine(NamedTuple):
    """A board of a round: entrants, game, points of both, margin, kind of result.

    `second` and `game` are ``-`` where the board has none, `points` is ``-`` while nothing is decided.
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
    """A round with its boards; unknown moments are None."""

    name: str
    attempt: int
    state: str
    list_shuts: datetime
    draws: datetime | None
    starts: datetime | None
    ends: datetime | None
    boards: tuple[BoardLine, ...]


class ChallengeLine(NamedTuple):
    """A challenge of a ladder: round, challenger, challenged entrant and state."""

    round: Annotated[str, "ROUND"]
    challenger: Annotated[str, "CHALLENGER"]
    challenged: Annotated[str, "CHALLENGED"]
    state: Annotated[str, "CHALLENGE"]


class RankLine(NamedTuple):
    """A line of the table: rank, points and the tie-break values used.

    `values` are as computed, in half points or quarters; `ties` the same as readers see them.
    """

    rank: Annotated[int, "RANK"]
    entrant: Annotated[str, "ENTRANT"]
    name: Annotated[str, "NAME"]
    points: Annotated[str, "POINTS"]
    values: Mapping[str, int]
    ties: Annotated[Mapping[str, str], "TIES"]


class TournamentCard(NamedTuple):
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


def points_text(halves: int) -> str:
    """Return half points as a figure: ``2.5``."""
    return f"{halves // 2}{'.5' if halves % 2 else ''}"


def show_tournament(tx: Transaction, name: str) -> TournamentCard:
    """Return a tournament with entrants and rounds; raise UserError if unknown."""
    return _card(tx, record.tournament_by_name(tx.session, name))


def list_tournaments(tx: Transaction) -> tuple[TournamentLine, ...]:
    """Return all tournaments by name."""
    lines = []
    for event in queries.tournaments.all_tournaments(tx.session):
        playing = sum(row.state == "in" for row in queries.tournaments.entrants(tx.session, event.id))
        rounds = queries.tournaments.rounds(tx.session, event.id)
        last = rounds[-1].name if rounds else None
        lines.append(TournamentLine(event.id, event.title, event.state, playing, last, event.wake))
    return tuple(lines)


def _card(tx: Transaction, event: tables.Tournament) -> TournamentCard:
    rows = queries.tournaments.entrants(tx.session, event.id)
    return TournamentCard(
        event.id,
        event.title,
        event.state,
        event.held_why or None,
        event.stage,
        event.digest,
        ", ".join(scenarios_of(record.rules_of(event))),
        queries.persons.email_of(tx.session, event.director_id) or "",
        event.wake,
        tuple(_entrant(tx, row) for row in rows),
        _teams(tx, event),
        tuple(_round(tx, row) for row in queries.tournaments.rounds(tx.session, event.id)),
        tuple(
            ChallengeLine(
                f"r{challenge.number}", f"e{challenge.challenger}", f"e{challenge.challenged}", challenge.state
            )
            for challenge in queries.tournaments.all_challenges(tx.session, event.id)
        ),
    )


def _teams(tx: Transaction, event: tables.Tournament) -> tuple[TeamLine, ...]:
    strength = {number: participant.strength for number, participant in contenders.participants(tx, event).items()}
    return tuple(
        TeamLine(
            f"e{team.number}",
            team.name,
            team.state,
            f"e{team.captain}" if team.captain is not None else "-",
            tuple(f"e{row.number}" for row in contenders.members(tx, team)),
            strength[team.number],
        )
        for team in contenders.teams_of(tx, event)
    )


def _entrant(tx: Transaction, row: tables.Entrant) -> EntrantLine:
    email = queries.persons.email_of(tx.session, row.person_id) or ""
    return EntrantLine(f"e{row.number}", row.name, row.state, row.strength, email, tx.server.entrant_address(row))


def _round(tx: Transaction, row: tables.Round) -> RoundLine:
    boards = tuple(_board(board) for board in queries.tournaments.boards(tx.session, row.id))
    return RoundLine(row.name, row.attempt, row.state, row.opens, row.draws, row.starts, row.ends, boards)


def _board(board: tables.Board) -> BoardLine:
    return BoardLine(
        f"{board.board}{board.leg}",
        f"e{board.first}",
        f"e{board.second}" if board.second else "-",
        board.game_id or "-",
        board.state,
        f"{points_text(board.first_halves)}:{points_text(board.second_halves)}" if board.how != "pending" else "-",
        board.margin,
        board.how,
    )


def list_ranks(tx: Transaction, name: str) -> tuple[RankLine, ...]:
    """Return the ranks of the present stage; raise UserError if unknown."""
    event = record.tournament_by_name(tx.session, name)
    names = {row.number: row.name for row in queries.tournaments.entrants(tx.session, event.id)}
    names |= {team.number: team.name for team in contenders.teams_of(tx, event)}
    lines = []
    for row in standings.current_table(tx, event).rows:
        values = {key: value for key, value in row.values.items() if key != "points"}
        ties = {key: sheets.value_text(key, value, "en") for key, value in values.items()}
        points = points_text(row.tally.halves)
        lines.append(RankLine(row.rank, f"e{row.number}", names[row.number], points, values, ties))
    return tuple(lines)


def list_members(tx: Transaction, name: str) -> tuple[MemberLine, ...]:
    """Return the members' points in the present stage; empty without teams."""
    event = record.tournament_by_name(tx.session, name)
    return tuple(
        MemberLine(f"e{row.number}", row.name, f"e{contenders.pairing_number(tx, row)}", points_text(halves), boards)
        for row, halves, boards in teams.member_scores(tx, event)
    )


class RatingLine(NamedTuple):
    """A rated player after the newest month of a pool, in points as players see them."""

    pool: Annotated[str, "POOL"]
    period: Annotated[str, "AFTER"]
    log_name: Annotated[str, "IN THE LOG", 9]
    name: Annotated[str | None, "NAME", 8]
    points: Annotated[int, "RATING"]
    deviation: Annotated[int, "DEVIATION"]
    public: bool


def list_ratings(tx: Transaction, pool: str = "", everybody: bool = False) -> tuple[RatingLine, ...]:
    """Return the rated players of a pool, or of all, the strongest first.

    Players with private ratings are left out, unless `everybody` is set. Raise UserError if there is no such pool.
    """
    pools = queries.tournaments.pools(tx.session)
    if pool and pool not in pools:
        raise UserError(
            msg("Nobody is rated in a pool {pool}; there are: {pools}.", pool=pool, pools=tuple(pools) or ("-",))
        )
    lines = []
    for name in (pool,) if pool else pools:
        period = queries.tournaments.last_period(tx.session, name)
        for row, person in queries.tournaments.rated_people(tx.session, name, period):
            if person.rating_public or everybody:
                points, deviation = display_points(ratings.rating_of_row(row))
                shown_name = _player_name(tx, person) or None
                lines.append(RatingLine(name, period, row.name, shown_name, points, deviation, person.rating_public))
    # By pool, the strongest first; names only part equals.
    return tuple(sorted(lines, key=lambda line: (line.pool, -line.points, line.log_name)))


def _player_name(tx: Transaction, person: tables.Person) -> str:
    """Return the name of a player's latest entry, or else his own name."""
    rows = queries.tournaments.entries_of_person(tx.session, person.id or 0)
    # The latest entry comes last.
    named_rows = sorted((row for row in rows if row.name), key=lambda row: row.entered)
    return named_rows[-1].name if named_rows else person.name
