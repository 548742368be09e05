"""What players let be shown of their games to everybody, on pages that the server writes.

A game is shown when all who play it have agreed. Nobody is named who did not ask for it: he has a name that says
nothing of him and is the same in all games, so that whoever plays much can be followed.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.store import tables

NOTHING, GAME, PRESS = "", "game", "press"
"""What a player lets be shown: nothing, the game, and what he wrote to others in it besides."""


def waited_for(seats: Sequence[tables.Seat]) -> tuple[str, ...]:
    """Return the seats whose players have not agreed to the game being shown; seats without a player are not asked."""
    return tuple(seat.name for seat in seats if seat.person_id is not None and not seat.published)


def agreed(seats: Sequence[tables.Seat]) -> bool:
    """Return whether all who play a game have agreed to its being shown, and there is one, by the game's seats."""
    return any(seat.person_id is not None for seat in seats) and not waited_for(seats)


def names(key: bytes, seats: Sequence[tables.Seat]) -> Mapping[str, str | Msg]:
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
