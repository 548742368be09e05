"""Moderators by letter: found by the address written to.

The answer goes to the registered address. Players know that a game has a moderator, but neither his name nor his
address. A moderator has no seat in the same game, unless all players have been notified that he may.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.mail.address import base_address
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

MAY_PLAY_NOTICE = msg("The moderator of this game may have a seat in it himself.")
"""The notice to all players that the moderator may have a seat in his game."""


class Moderator(NamedTuple):
    """The moderator of a game: the locked row of the game, his row, his address."""

    game: tables.Game
    row: tables.Moderator
    email: str


def moderator_of(session: Session, game: tables.Game) -> Moderator | None:
    """Return the moderator of a game; None if it has none with an address."""
    row = session.get(tables.Moderator, game.id)
    email = queries.persons.email_of(session, row.person_id) if row is not None else None
    return Moderator(game, row, email) if row is not None and email is not None else None


def addresses_of(session: Session, person_id: int) -> frozenset[str]:
    """Return all addresses of a person, without the part after a plus."""
    return frozenset(base_address(row.email) for row in queries.persons.addresses(session, person_id))


def is_same_person(session: Session, person_id: int | None, email: str) -> bool:
    """Return whether an address is one of a person's, ignoring the part after a plus."""
    return person_id is not None and base_address(email) in addresses_of(session, person_id)


def why_barred(session: Session, game: str, email: str) -> Msg | None:
    """Return why nobody with this address can have a seat of a game, or None.

    The reason is that this person moderates the game, and the players have not been notified.
    """
    row = session.get(tables.Moderator, game)
    if row is None or row.plays or not is_same_person(session, row.person_id, email):
        return None
    return msg("Whoever moderates {game} cannot have a seat in it.", game=game)


def seats_of(session: Session, game: str, email: str) -> tuple[str, ...]:
    """Return the seats of a game whose player has this address."""
    return tuple(
        seat.name for seat in queries.games.seats(session, game) if is_same_person(session, seat.person_id, email)
    )


def would_moderate_secretly(session: Session, person_id: int, email: str) -> bool:
    """Return whether a person would play and secretly moderate a game.

    The person counts as the owner of `email`.
    """
    own_games = [seat.game_id for seat in queries.persons.seats_of(session, person_id)]
    secret_games = [row.game_id for row in queries.rulings.moderated_by(session, person_id) if not row.plays]
    return any(why_barred(session, game, email) for game in own_games) or any(
        seats_of(session, game, email) for game in secret_games
    )


class ModeratorNotice(NamedTuple):
    """A notice to a moderator; `cause` distinguishes it from others of its kind."""

    opening: Iterable[Msg]
    cause: str
    kind: str = "announcement"
    blocks: Iterable[Json] = ()


def head_for(tx: Transaction, moderator: Moderator) -> content.LetterHead:
    """Return the head of a letter to a moderator."""
    phase = queries.phases.present_phase(tx.session, moderator.game.id)
    head = outbox.head_of(tx.server, moderator.game, None, phase)
    return head._replace(address=tx.server.moderator_address(moderator.row))


def notify(tx: Transaction, game: tables.Game, memo: ModeratorNotice) -> bool:
    """Notify the moderator of a game, if it has one; return whether it has."""
    moderator = moderator_of(tx.session, game)
    if moderator is None:
        return False
    letter = content.Letter(memo.kind, head_for(tx, moderator), opening=memo.opening, blocks=memo.blocks).to_json()
    to = outbox.Recipient(moderator.email, moderator.row.language, game=game)
    outbox.queue_letter(tx, letter, to, f"moderator {memo.cause}")
    return True
