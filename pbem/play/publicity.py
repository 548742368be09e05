"""What players let be shown of their games to everybody, on pages that the server writes.

A game is shown when all who play it have agreed. Nobody is named who did not ask for it: he has a name that says
nothing of him and is the same in all games, so that whoever plays much can be followed.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import hides
from pbem.play import history
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

NOTHING, GAME, PRESS = "", "game", "press"
"""What a player lets be shown: nothing, the game, and what he wrote to others in it besides."""


def waited_for(seats: Sequence[tables.Seat]) -> tuple[str, ...]:
    """Return the seats whose players have not agreed to the game being shown; seats without a player are not asked."""
    return tuple(seat.name for seat in seats if seat.person_id is not None and not seat.published)


def agreed(seats: Sequence[tables.Seat]) -> bool:
    """Return whether all who play a game have agreed to its being shown, and there is one, by the game's seats."""
    return any(seat.person_id is not None for seat in seats) and not waited_for(seats)


def player_names(key: bytes, seats: Sequence[tables.Seat]) -> Mapping[str, str | Msg]:
    """Return what the player of each seat is called where everybody can see it; a bot by its own name.

    `key` is the server's.
    """
    return {
        seat.name: seat.bot or seat.pen_name or _pseudonym(key, seat.person_id)
        for seat in seats
        if seat.bot or seat.person_id is not None
    }


def _pseudonym(key: bytes, person: int | None) -> Msg:
    """A name that only who has the server's key can trace."""
    mac = hmac.digest(key, f"pen name {person}".encode(), "sha256")
    return msg("player {code}", code=base64.b32encode(mac)[:6].decode("ascii").lower())


# The games that everybody may look at: whose players have agreed, and what has changed since one looked last.


class Published(NamedTuple):
    """A game that is shown: whether it is `over`, whether it is `hidden` until it is, who plays it by seat.

    `closed` says when each phase that is over closed, by its name, and is empty of a game that is hidden; `began` is
    when it was set up. `mark` is another as soon as there is anything to be shown anew.
    """

    game: str
    over: bool
    hidden: bool
    names: Mapping[str, str | Msg]
    began: datetime
    closed: Mapping[str, datetime]
    mark: str


def published(work: Transaction) -> tuple[Published, ...]:
    """Return the games that have begun and that all who play them let be shown, by name."""
    begun = (game for game in queries.games.every(work.session) if game.state != "forming")
    seated = ((game, queries.games.seats(work.session, game.id)) for game in sorted(begun, key=lambda game: game.id))
    return tuple(_published(work, game, seats) for game, seats in seated if agreed(seats))


def _published(work: Transaction, game: tables.Game, seats: Sequence[tables.Seat]) -> Published:
    over, names = game.state == "over", player_names(work.server.keys.key, seats)
    hidden = not over and _hides(work, game)
    rows = [] if hidden else queries.phases.resolved(work.session, game.id)
    closed = {history.name_of(row): row.closed for row in rows if row.closed is not None}
    bases = [] if hidden else [row.number for row in queries.phases.bases(work.session, game.id)]
    called = {seat: name.to_json() if isinstance(name, Msg) else name for seat, name in names.items()}
    agreed = [seat.published for seat in seats]
    mark = dumps([over, hidden, called, agreed, [row.events_digest for row in rows], bases, game.result])
    return Published(game.id, over, hidden, names, game.created, closed, mark)


def _hides(work: Transaction, game: tables.Game) -> bool:
    """Whether nobody may look at the positions of a game that goes on."""
    return hides(work.server.rules_of(game), history.state_after(work, game, 0))
