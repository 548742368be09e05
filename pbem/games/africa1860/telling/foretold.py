"""C0 What a forecast rests on under fog: that nobody unseen stands where a move goes or intercepts it (O4)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.couriers.telling import rests_on
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.games.africa1860.sight import UNSEEN, dated, sight
from pbem.games.africa1860.state import State


def provided(seat: str, seen: Sequence[tuple[Event, State]]) -> tuple[Msg, ...]:
    """Return what must be so out of sight for the moves foretold to a seat to come about.

    M6 Under couriers it is said besides of which places only older reports are counted.
    """
    older = rests_on(dated(seen[0][1], seat)) if seen else ()
    return (*_moves(seat, seen), *older)


def _moves(seat: str, seen: Sequence[tuple[Event, State]]) -> tuple[Msg, ...]:
    moves = [(one, before) for one, before in seen if one.kind == "moves"]
    if not moves or moves[0][1].edition.options["fog"] == "off":
        return ()
    known = sight(seen[0][1], seat)
    hidden = sorted({one.data["to"] for one, _ in moves} - known - {UNSEEN})
    if hidden:
        return (msg("All this only if no enemy stands out of sight in {spaces}.", spaces=tuple(hidden)),)
    return (msg("An enemy out of sight may still come in the way of this."),)
