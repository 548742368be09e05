"""List and show games to the command line, and delete a whole game."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import msg
from pbem.lazy import lazily
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables

with lazily():
    from pbem.letters import moderators, outbox
    from pbem.play import positions
    from pbem.store import erasure

if TYPE_CHECKING:
    from pbem.engine.game import AnyGame, PinnedEdition


class GameLine(NamedTuple):
    """A game in a list; `phase` and `deadline` are None unless a phase is open."""

    name: Annotated[str, "NAME"]
    game: Annotated[str, "GAME"]
    scenario: Annotated[str, "SCENARIO"]
    state: Annotated[str, "STATE"]
    phase: Annotated[str | None, "PHASE"]
    deadline: Annotated[datetime | None, "DEADLINE"]


class SeatCard(NamedTuple):
    """A seat of a game: its player, his addresses, and whether his orders are queued.

    `awaited` is True if orders are expected and not queued, `revision` is the revision of the queued orders or 0,
    `missed` counts missed deadlines, and `letters_come_back` is the moment of the first bounce.
    """

    seat: str
    side: str
    person: str | None
    email: str | None
    address: str | None
    language: str
    awaited: bool
    revision: int
    missed: int
    letters_come_back: datetime | None = None


class DueLine(NamedTuple):
    """A scheduled job and its time."""

    at: datetime
    kind: str
    cause: str


class VoidLine(NamedTuple):
    """A phase that a ruling made void, and the name of the ruling."""

    phase: str
    ruling: str


class GameCard(NamedTuple):
    """A game with all details; `moderator` is the address of its moderator by letter."""

    name: str
    game: str
    scenario: str
    state: str
    phase: str | None
    deadline: datetime | None
    edition: str
    dice: str
    held_because: str | None
    moderator: str | None
    seats: tuple[SeatCard, ...]
    due: tuple[DueLine, ...]
    void: tuple[VoidLine, ...] = ()


def delete_game(tx: Transaction, name: str) -> None:
    """Delete a game that is not being played; raise UserError if it is.

    Its entries in the log stay.
    """
    game = positions.lock_game(tx.session, name)
    if game.state in ("running", "held"):
        raise UserError(msg("The game {game} is being played: end it first.", game=name))
    if (board := queries.tournaments.board_of(tx.session, name)) is not None:
        raise UserError(msg("The game {game} is a table of the tournament {event}.", game=name, event=board[0].id))
    tx.session.expunge_all()
    erasure.remove_game(tx.session, name)


def edition_of(tx: Transaction, name: str) -> tuple[AnyGame, PinnedEdition]:
    """Return the rules and the pinned edition of a game; raise UserError if unknown."""
    game = positions.lock_game(tx.session, name)
    return tx.server.rules_of(game), tx.server.edition_of(tx.session, game)


def list_games(session: Session) -> tuple[GameLine, ...]:
    """Return all games by name."""
    phases = {game.id: phase for game, phase in queries.games.games_with_phases(session)}
    return tuple(_game_line(row, phases.get(row.id)) for row in queries.games.all_games(session))


def show_game(tx: Transaction, name: str) -> GameCard:
    """Return a game with its seats and due jobs; raise UserError if unknown."""
    game = positions.lock_game(tx.session, name)
    phase = queries.phases.open_phase(tx.session, name)
    active: tuple[str, ...] = ()
    if phase is not None:
        position = positions.read_position(tx, game)
        active = position.rules.active(position.state)
    cards = []
    for seat in queries.games.seats(tx.session, name):
        queued = queries.orders.queued_orders(tx.session, phase, seat) if phase else None
        person = tx.session.get(tables.Person, seat.person_id) if seat.person_id else None
        name = person.name if person else f"bot {seat.bot}" if seat.bot else ""
        cards.append(
            SeatCard(
                seat.name,
                seat.side,
                name or None,
                queries.persons.email_of(tx.session, seat.person_id) or None,
                tx.server.seat_address(seat) if name else None,
                seat.language,
                seat.name in active and not queued,
                queued.revision if queued else 0,
                seat.strikes,
                seat.unreachable,
            )
        )
    moderator = moderators.moderator_of(tx.session, game)
    return GameCard(
        *_game_line(game, queries.phases.present_phase(tx.session, game.id)),
        game.edition_digest,
        game.scheme,
        game.held_why or None,
        moderator.email if moderator else None,
        tuple(cards),
        tuple(DueLine(due.at, due.kind, due.cause) for due in queries.schedule.jobs_of_game(tx.session, game.id)),
        tuple(
            VoidLine(str(outbox.phase_of(row)), f"M{row.void_by}")
            for row in queries.phases.void_phases(tx.session, game.id)
        ),
    )


def moderator_address(tx: Transaction, name: str) -> str:
    """Return the address to which a game's moderator writes, or empty.

    It is empty if the game has no moderator by letter.
    """
    moderator = moderators.moderator_of(tx.session, positions.lock_game(tx.session, name))
    return tx.server.moderator_address(moderator.row) if moderator else ""


def _game_line(row: tables.Game, played: tables.Phase | None) -> GameLine:
    phase = played if row.state in ("running", "held") else None
    phase_name = str(outbox.phase_of(phase)) if phase else None
    return GameLine(row.id, row.system, row.scenario, row.state, phase_name, phase.deadline if phase else None)
