"""What follows a missed deadline: a ladder of steps, agreed on in the terms of a game, each explained to the seat.

``standing``   the seat's forces do nothing but follow its standing orders, and the game goes on
``standby``    the same, and others may take the seat over, unless a letter comes from it within the hours agreed on
``moderator``  the game is held before the phase closes, until its moderator has decided
``close``      the game is over before the phase closes: nobody else waits for it
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import when
from pbem.play import deadlines
from pbem.play.positions import Position
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Work
from pbem.store import queries, tables, writes

OFFER = "offer"
"""The kind of the row at whose time a seat from which no word came is offered to others."""


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
    if here.commanders and not {*here.commanders} <= {*missing}:
        # A silent commander holds nobody up: the others of his side go on.
        return ()
    return tuple(seat for seat in near if seat in missing)


def is_offered(game: tables.Game, seat: tables.Seat, now: datetime) -> bool:
    """Whether others may take the seat over now: nobody sits there, or who does was asked for a word and sent none."""
    return seat.is_free or (seat.silent is not None and now >= seat.silent + _asked_for(game))


def speaks(work: Work, seat: tables.Seat) -> None:
    """A letter came from the seat, whatever it says: whoever sits there is there."""
    if seat.silent is not None:
        writes.change(work.session, seat, silent=None)
        writes.forget_due(work.session, seat.game_id, _cause(seat))


def _asked_for(game: tables.Game) -> timedelta:
    return timedelta(hours=Terms.read(game.terms).here_hours)


def _cause(seat: tables.Seat) -> str:
    return f"{OFFER} {seat.name}"


def count_missed(work: Work, here: Position, seat: tables.Seat, repeated: bool = False) -> list[Msg]:
    """Count a deadline that a seat missed, and say what that means now and what the next one would mean.

    `repeated` says that the lines were carried out which it has repeated each turn. Where others may now take the seat
    over, it is asked for a word first.
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
        told.append(_ask_for_word(work, here, seat))
    ahead = terms.step(seat.missed + 1)
    if ahead == "moderator":
        told.append(msg("If none come next time either, the game is held and its moderator decides."))
    elif ahead == "standby" and terms.step(seat.missed) == "standing":
        told.append(msg("If none come next time either, others may take your seat over."))
    return told


def _ask_for_word(work: Work, here: Position, seat: tables.Seat) -> Msg:
    """Plan that the seat is offered to others, unless it is already, and say until when a word keeps it."""
    if seat.silent is None:
        seat.silent = work.now
        writes.plan(work.session, here.game.id, OFFER, _cause(seat), work.now + _asked_for(here.game))
    until = seat.silent + _asked_for(here.game)
    if work.now >= until:
        return msg("Others may take your seat over now; as soon as any letter of yours comes in, they no longer can.")
    return msg(
        "Are you there? HERE is enough, or any other letter. If none comes by {when}, others may take your seat over.",
        when=when(until, seat.zone),
    )


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
