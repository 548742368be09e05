"""Games as the command line lists and shows them, and what it does with a whole game."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import msg
from pbem.engine.game import AnyGame, PinnedEdition
from pbem.letters import moderators, outbox
from pbem.play.positions import game_named, position
from pbem.runtime.transaction import Broken, Work
from pbem.store import erasure, queries, tables


class GameLine(NamedTuple):
    """A game in a list; `phase` and `deadline` are empty and None unless a phase is open."""

    name: str
    game: str
    scenario: str
    state: str
    phase: str
    deadline: datetime | None


class SeatCard(NamedTuple):
    """A seat of a game: who sits there, where he is written to and writes to, and whether his orders are in."""

    seat: str
    side: str
    person: str
    email: str
    address: str
    language: str
    active: bool
    revision: int
    strikes: int
    unreachable: datetime | None = None


class GameCard(NamedTuple):
    """A game in full; `dues` are what will happen by itself: moment, kind, cause.

    `moderator` is who moderates it by letter and where he writes to; None if nobody does. `void` are phases that a
    ruling made void, each with its name.
    """

    line: GameLine
    edition: str
    scheme: str
    held_why: str
    seats: tuple[SeatCard, ...]
    dues: tuple[tuple[datetime, str, str], ...]
    moderator: tuple[str, str] | None = None
    void: tuple[tuple[str, str], ...] = ()


def delete_game(work: Work, name: str) -> None:
    """Delete a game that is not being played; Broken if it is. What the log has of it stays."""
    game = game_named(work.session, name)
    if game.state in ("running", "held"):
        raise Broken(msg("The game {game} is being played: end it first.", game=name))
    if (found := queries.tournaments.board_of(work.session, name)) is not None:
        raise Broken(msg("The game {game} is a table of the tournament {event}.", game=name, event=found[0].id))
    work.session.expunge_all()
    erasure.remove_game(work.session, name)


def edition_of(work: Work, name: str) -> tuple[AnyGame, PinnedEdition]:
    """The rules and the edition a game is pinned to; Broken if there is none of that name."""
    game = game_named(work.session, name)
    return work.server.rules_of(game), work.server.edition_of(work.session, game)


def list_games(session: Session) -> tuple[GameLine, ...]:
    """All games by name."""
    phases = {game.id: phase for game, phase in queries.games.with_phases(session)}
    return tuple(_line(row, phases.get(row.id)) for row in queries.games.every(session))


def show_game(work: Work, name: str) -> GameCard:
    """A game with its seats and what is planned; Broken if there is none of that name."""
    game = game_named(work.session, name)
    phase = queries.phases.open_phase(work.session, name)
    active: tuple[str, ...] = ()
    if phase is not None:
        here = position(work, game)
        active = here.rules.active(here.state)
    cards = []
    for seat in queries.games.seats(work.session, name):
        queued = queries.orders.queued(work.session, phase, seat) if phase else None
        who = work.session.get(tables.Person, seat.person_id) if seat.person_id else None
        cards.append(
            SeatCard(
                seat.name,
                seat.side,
                who.name if who else f"bot {seat.bot}" if seat.bot else "",
                queries.people.email_of(work.session, seat.person_id) or "",
                work.server.seat_address(seat),
                seat.language,
                seat.name in active,
                queued.revision if queued else 0,
                seat.strikes,
                seat.unreachable,
            )
        )
    dues = queries.dues.of_game(work.session, name)
    return GameCard(
        _line(game, queries.phases.played_phase(work.session, name)),
        game.edition_digest,
        game.scheme,
        game.held_why,
        tuple(cards),
        tuple((due.at, due.kind, due.cause) for due in dues),
        (moderator.email, work.server.moderator_address(moderator.row))
        if (moderator := moderators.moderator_of(work.session, game))
        else None,
        tuple((str(outbox.phase_of(row)), f"M{row.void_by}") for row in queries.phases.void(work.session, game.id)),
    )


def _line(row: tables.Game, played: tables.Phase | None) -> GameLine:
    phase = played if row.state in ("running", "held") else None
    shown = str(outbox.phase_of(phase)) if phase else ""
    return GameLine(row.id, row.system, row.scenario, row.state, shown, phase.deadline if phase else None)
