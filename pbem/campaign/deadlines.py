"""When the open phase of a game closes: at its deadline, or before it when all orders are in.

What is planned is a row of `due`; nothing else makes a phase close. A game has at most one such row a cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, func, select

from pbem.campaign import absences
from pbem.campaign.clock import Pace
from pbem.campaign.positions import Position
from pbem.campaign.terms import Terms
from pbem.store import queries, tables, writes

__all__ = [
    "ALL_IN",
    "DEADLINE",
    "REMIND",
    "await_close",
    "begin",
    "closing",
    "forget",
    "last_moment",
    "put_off",
    "setting",
    "waiting",
]

DEADLINE = "deadline"
ALL_IN = "all-in"
REMIND = "remind"


def waiting(session: Session, here: Position, phase: tables.Phase) -> tuple[str, ...]:
    """The seats whose orders the open phase still waits for."""
    queued = queries.active_sets(session, phase)
    inside = {seat.name for seat in queries.seats(session, here.game.id) if seat.id in queued}
    if here.begun:
        return ()
    inside |= {seat for seat, word in _said(session, here, phase).items() if word == "done"}
    return tuple(seat for seat in here.active if seat not in inside)


def setting(session: Session, here: Position, now: datetime) -> datetime:
    """The deadline of a phase that is opened now.

    It falls as the pace of the game says, but never on a day on which a seat that is asked is away; where the time to
    think of all who are asked is used up, the phase is a short one.
    """
    game, terms = here.game, Terms.read(here.game.terms)
    pace = Pace(game.zone, [int(day) for day in game.weekdays], game.hour, game.grace_hours, game.undo_minutes)
    asked = [seat for seat in queries.seats(session, game.id) if seat.name in here.active]
    over = bool(asked) and all(used_up(terms, seat) for seat in asked)
    at = pace.deadline(now, min(terms.short_hours, game.grace_hours) if over else game.grace_hours)
    while (free := max((absences.back(session, seat, at) for seat in asked), default=at)) > at:
        at = pace.deadline(free, 0)
    return at


def used_up(terms: Terms, seat: tables.Seat) -> bool:
    """True if the game keeps clocks and that of the seat has run out."""
    return bool(terms.clock_hours) and seat.spent >= terms.clock_hours * 3600


def begin(session: Session, here: Position, phase: tables.Phase, now: datetime) -> None:
    """Plan the closing of a phase that was opened just now; one that nobody is asked in closes at once."""
    forget(session, here.game)
    if not here.active:
        session.add(tables.Due(at=now, kind="close", game_id=here.game.id, cause=ALL_IN))
    _plan(session, here.game, phase, now)
    session.flush()


def last_moment(game: tables.Game, phase: tables.Phase) -> datetime:
    """Until when letters for the phase are taken: its deadline, and what the terms of the game give late ones."""
    return phase.deadline + timedelta(minutes=Terms.read(game.terms).late_minutes)


def await_close(
    session: Session, here: Position, phase: tables.Phase, now: datetime, missing: Sequence[str] | None = None
) -> datetime:
    """Plan the closing anew after a change of orders or wishes, and return when it will be as things stand.

    When all are in, the phase closes after the undo window, which begins again with every change; at once if all who
    are asked said GO; at the deadline if anybody said WAIT. Else at the deadline, after which late letters may still
    come. `missing` is what `waiting` says, if the caller knows.
    """
    writes.forget_due(session, here.game.id, ALL_IN)
    if here.by_letter:
        return _at_once(session, here, phase, now)
    if waiting(session, here, phase) if missing is None else missing:
        return phase.deadline
    last = last_moment(here.game, phase)
    at = min(_agreed(session, here, phase, now), last)
    if at < last:
        writes.add(session, "due", at=at, kind="close", game_id=here.game.id, cause=ALL_IN)
    return at


def _at_once(session: Session, here: Position, phase: tables.Phase, now: datetime) -> datetime:
    """Plan that a letter is carried out now, or that the phase ends if all who move have said that they are done."""
    done = {seat for seat, word in _said(session, here, phase).items() if word == "done"}
    if not queries.active_sets(session, phase) and not done.issuperset(here.active):
        return phase.deadline
    writes.add(session, "due", at=now, kind="close", game_id=here.game.id, cause=ALL_IN)
    return now


def _said(session: Session, here: Position, phase: tables.Phase) -> dict[str, str]:
    """The wishes of the seats by their names."""
    wishes = queries.wishes(session, phase)
    seats = {seat.id: seat.name for seat in queries.seats(session, here.game.id)} if wishes else {}
    return {seats[seat]: word for seat, word in wishes.items()}


def _agreed(session: Session, here: Position, phase: tables.Phase, now: datetime) -> datetime:
    """When a phase closes that has all orders, by the wishes of the seats."""
    words = _said(session, here, phase)
    if "wait" in words.values() and now < phase.deadline:
        return phase.deadline
    if words and all(words.get(seat) == "go" for seat in here.active):
        return now
    return now + timedelta(minutes=here.game.undo_minutes)


def put_off(
    session: Session,
    here: Position,
    phase: tables.Phase,
    to: datetime,
    *,
    cause: str,
    now: datetime,
    seat: tables.Seat | None = None,
) -> None:
    """Move the deadline of the open phase, note why and for whom, and plan its closing and reminder anew."""
    seconds = round((to - phase.deadline).total_seconds())
    writes.add(
        session, "delay", phase_id=phase.id, seat_id=seat.id if seat else None, cause=cause, seconds=seconds, at=now
    )
    phase.deadline = to
    session.add(phase)
    forget(session, here.game)
    _plan(session, here.game, phase, now)
    await_close(session, here, phase, now)
    session.flush()


def closing(session: Session, game: tables.Game) -> datetime | None:
    """When the open phase closes as things stand; None if nothing is planned, as while the game is held."""
    found = select(func.min(tables.Due.at)).where(tables.Due.game_id == game.id, tables.Due.kind == "close")
    return session.exec(found).one()


def forget(session: Session, game: tables.Game) -> None:
    """Strike out every closing and reminder that was planned."""
    for cause in (DEADLINE, ALL_IN, REMIND):
        writes.forget_due(session, game.id, cause)


def _plan(session: Session, game: tables.Game, phase: tables.Phase, now: datetime) -> None:
    """The rows of a phase's deadline: its closing, and the reminder if it is not too late for one."""
    session.add(tables.Due(at=last_moment(game, phase), kind="close", game_id=game.id, cause=DEADLINE))
    hours = Terms.read(game.terms).reminder_hours
    if hours and (at := phase.deadline - timedelta(hours=hours)) > now:
        session.add(tables.Due(at=at, kind=REMIND, game_id=game.id, cause=REMIND))
