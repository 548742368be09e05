"""What follows a missed deadline: a ladder of steps, agreed on in the terms of a game, each explained to the seat.

``standing``   the seat's forces do nothing but follow its standing orders, and the game goes on
``standby``    the same, and others may take the seat over
``moderator``  the game is held before the phase closes, until its moderator has decided
``close``      the game is over before the phase closes: nobody else waits for it
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session

from pbem.campaign.base.positions import Position
from pbem.campaign.base.terms import Terms
from pbem.campaign.turn import deadlines
from pbem.core.data.messages import Msg, msg
from pbem.store import queries, tables

__all__ = [
    "clock",
    "clock_sentences",
    "count_missed",
    "ended_by",
    "forget_missed",
    "is_newly_offered",
    "is_offered",
    "stopped_by",
]


def stopped_by(session: Session, here: Position, phase: tables.Phase, seats: Sequence[tables.Seat]) -> tuple[str, ...]:
    """The seats without orders for whom the game is to be held, were the phase closed now."""
    return _without_orders(session, here, phase, seats, "moderator")


def ended_by(session: Session, here: Position, phase: tables.Phase, seats: Sequence[tables.Seat]) -> tuple[str, ...]:
    """The seats without orders for whom the game is to end, were the phase closed now."""
    return _without_orders(session, here, phase, seats, "close")


def _without_orders(
    session: Session, here: Position, phase: tables.Phase, seats: Sequence[tables.Seat], step: str
) -> tuple[str, ...]:
    terms = Terms.read(here.game.terms)
    near = [seat.name for seat in seats if terms.step(seat.missed + 1) == step]
    missing = deadlines.absent(here, queries.sittings.heard(session, phase)) if near else ()
    return tuple(seat for seat in near if seat in missing)


def is_offered(game: tables.Game, seat: tables.Seat) -> bool:
    """Whether others may take the seat over now: nobody sits there, or whoever does has missed too many deadlines."""
    if seat.is_free:
        return True
    return seat.missed > 0 and Terms.read(game.terms).step(seat.missed) != "standing"


def is_newly_offered(game: tables.Game, seat: tables.Seat) -> bool:
    """Whether others may take the seat over since the deadline that was missed last."""
    terms = Terms.read(game.terms)
    if seat.missed == 0 or terms.step(seat.missed) == "standing":
        return False
    return seat.missed == 1 or terms.step(seat.missed - 1) == "standing"


def count_missed(here: Position, seat: tables.Seat, repeated: bool = False) -> list[Msg]:
    """Count a deadline that a seat missed, and say what that means now and what the next one would mean.

    `repeated` says that the lines were carried out which it has repeated each turn.
    """
    terms = Terms.read(here.game.terms)
    seat.strikes += 1
    seat.missed += 1
    did = msg(
        "No orders came from you by the deadline: your forces did nothing but follow standing orders. "
        "Missed so far: {count}.",
        count=seat.strikes,
    )
    if repeated:
        did = msg(
            "No word came from you by the deadline: the lines that you repeat were carried out, and your standing "
            "orders. Missed so far: {count}.",
            count=seat.strikes,
        )
    told = [did]
    if terms.step(seat.missed) != "standing":
        told.append(msg("Others may take your seat over now; as soon as orders of yours come in, they no longer can."))
    ahead = terms.step(seat.missed + 1)
    if ahead == "moderator":
        told.append(msg("If none come next time either, the game is held and its moderator decides."))
    elif ahead == "standby" and terms.step(seat.missed) == "standing":
        told.append(msg("If none come next time either, others may take your seat over."))
    return told


def forget_missed(seat: tables.Seat) -> None:
    """Orders of the seat were in: what it missed before is behind it."""
    seat.missed = 0


def clock(phase: tables.Phase, seat: tables.Seat, until: datetime) -> None:
    """Charge a seat with the time that the phase waited for it."""
    seat.spent += max(0, round((until - phase.opened).total_seconds()))


def clock_sentences(game: tables.Game, seat: tables.Seat) -> list[Msg]:
    """How much of its time a seat has used, where the game keeps clocks."""
    terms = Terms.read(game.terms)
    if not terms.clock_hours:
        return []
    used = seat.spent // 3600
    if deadlines.is_used_up(terms, seat):
        return [
            msg(
                "Your clock has run out: {used} of {all} hours are used. Your phases last {short} hours at least, "
                "and you can put no deadline off.",
                used=used,
                all=terms.clock_hours,
                short=terms.short_hours,
            )
        ]
    return [msg("Your clock: {used} of {all} hours are used.", used=used, all=terms.clock_hours)]
