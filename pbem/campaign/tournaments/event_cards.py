"""What is told of tournaments to whoever runs the server: who is in, rounds, boards, how all stand."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from pbem.campaign.base.server import Work
from pbem.campaign.contest import record
from pbem.campaign.contest import tables as standings
from pbem.store import queries, tables

__all__ = ["BoardLine", "EntrantLine", "EventCard", "RankLine", "RoundLine", "list_events", "ranks", "show_event"]


class EntrantLine(NamedTuple):
    """An entrant: his number and name, state, strength, mail, and where he writes to."""

    entrant: str
    name: str
    state: str
    strength: int
    email: str
    address: str


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
    rounds: tuple[RoundLine, ...]


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
        tuple(_round(work, row) for row in queries.tournaments.rounds(work.session, event.id)),
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
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, event.id)}
    return tuple(
        RankLine(
            row.rank,
            f"e{row.number}",
            rows[row.number].name,
            _points(row.tally.halves),
            tuple((key, value) for key, value in row.values.items() if key != "points"),
        )
        for row in standings.standing(work, event).rows
    )
