"""Publish games on the server's pages, as far as their players agree.

A game is shown when all its players have agreed. No player is named without his request: the page shows a
pseudonym, the same in all his games, so that readers recognise a frequent player.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import has_secrets
from pbem.play import history
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

NOTHING, GAME, PRESS = "", "game", "press"
"""A player's permission: nothing, the game, or the game with his press."""


def seats_against_publication(seats: Sequence[tables.Seat]) -> tuple[str, ...]:
    """Return the seats whose players have not agreed to publication."""
    return tuple(seat.name for seat in seats if seat.person_id is not None and not seat.published)


def is_publication_agreed(seats: Sequence[tables.Seat]) -> bool:
    """Return whether a game has players, and all of them have agreed to publication."""
    return any(seat.person_id is not None for seat in seats) and not seats_against_publication(seats)


def player_names(key: bytes, seats: Sequence[tables.Seat]) -> Mapping[str, str | Msg]:
    """Return the public name of each seat's player; a bot has its own.

    `key` is the server's.
    """
    return {
        seat.name: seat.bot or seat.pen_name or _pseudonym(key, seat.person_id)
        for seat in seats
        if seat.bot or seat.person_id is not None
    }


def _pseudonym(key: bytes, person: int | None) -> Msg:
    """Return a person's pseudonym, which only the server's key can trace back."""
    mac = hmac.digest(key, f"pen name {person}".encode(), "sha256")
    # A choice: 30 bits are hardly ever alike for two of a server, and six characters are easily told apart.
    return msg("player {code}", code=base64.b32encode(mac)[:6].decode("ascii").lower())


# The games that everybody may look at: whose players have agreed, and what has changed since one looked last.


class PublishedGame(NamedTuple):
    """A published game: whether `over`, or `hidden` until then, and its players.

    `closed` has the closing time of each completed phase by name, and is empty for a hidden game; `began` is
    when it was set up. `mark` changes whenever there is something new to show.
    """

    game: str
    over: bool
    hidden: bool
    names: Mapping[str, str | Msg]
    began: datetime
    closed: Mapping[str, datetime]
    mark: str


def published_games(tx: Transaction) -> tuple[PublishedGame, ...]:
    """Return the published games that have begun, by name."""
    begun_games = (game for game in queries.games.all_games(tx.session) if game.state != "forming")
    games_with_seats = (
        (game, queries.games.seats(tx.session, game.id)) for game in sorted(begun_games, key=lambda game: game.id)
    )
    return tuple(_published_game(tx, game, seats) for game, seats in games_with_seats if is_publication_agreed(seats))


def _published_game(tx: Transaction, game: tables.Game, seats: Sequence[tables.Seat]) -> PublishedGame:
    over, names = game.state == "over", player_names(tx.server.keys.key, seats)
    hidden = not over and _hides(tx, game)
    rows = [] if hidden else queries.phases.resolved_phases(tx.session, game.id)
    closed = {history.phase_label(row): row.closed for row in rows if row.closed is not None}
    bases = [] if hidden else [row.number for row in queries.phases.ruled_states(tx.session, game.id)]
    labels = {seat: name.to_json() if isinstance(name, Msg) else name for seat, name in names.items()}
    agreements = [seat.published for seat in seats]
    mark = dumps([over, hidden, labels, agreements, [row.events_digest for row in rows], bases, game.result])
    return PublishedGame(game.id, over, hidden, names, game.created, closed, mark)


def _hides(tx: Transaction, game: tables.Game) -> bool:
    """Return whether the positions of a running game are hidden."""
    return has_secrets(tx.server.rules_of(game), history.state_after(tx, game, 0))
