"""FORBID PRESS and ALLOW PRESS: a moderator keeps a seat from writing to others, or lets it again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.play.rulings import words
from pbem.play.rulings.context import Order, RulingContext, seat_named
from pbem.runtime.transaction import Broken
from pbem.store import tables

_SEAT = re.compile(r"(?:PRESS|PRENSA)\s+(\S+)", re.IGNORECASE)


def forbid_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    """What everybody is told; Broken if the seat may not write already."""
    seat = _named(context, order)
    if seat.press_forbidden:
        raise Broken(msg("{seat} may not write to others already.", seat=seat.name))
    return (msg("{seat} may not write to others any more: PRESS and SAY of that seat are refused.", seat=seat.name),)


def forbid(context: RulingContext, order: Order) -> None:
    """Refuse a seat's letters to others from now on."""
    _set(context, order, forbidden=True)


def allow_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    """What everybody is told; Broken if the seat may write anyhow."""
    seat = _named(context, order)
    if not seat.press_forbidden:
        raise Broken(msg("{seat} may write to others; there is nothing to allow.", seat=seat.name))
    return (msg("{seat} may write to others again.", seat=seat.name),)


def allow(context: RulingContext, order: Order) -> None:
    """Let a seat write to others again."""
    _set(context, order, forbidden=False)


def _set(context: RulingContext, order: Order, *, forbidden: bool) -> None:
    seat = _named(context, order)
    seat.press_forbidden = forbidden
    context.session.add(seat)


def _named(context: RulingContext, order: Order) -> tables.Seat:
    found = _SEAT.fullmatch(order.rest)
    if found is None:
        raise Broken(msg("Say whose letters: {word} PRESS spain.", word=words.word(order.word)))
    return seat_named(context, found[1])
