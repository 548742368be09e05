"""Query the schedule: due jobs, closings and delays of deadlines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session, col, func, not_, or_, select

from pbem.store import tables as t


class AwaitedEvents(NamedTuple):
    """The events that due rows wait for.

    Rows of the kinds `posted` wait for a poll of the mailbox that began at their moment or later, unless their
    cause is `unless`. Rows of the kind `named` wait until their cause is in `there`.
    """

    posted: Sequence[str]
    unless: str
    named: str
    there: Collection[str] = ()


def due_now(
    session: Session, now: datetime, waits: AwaitedEvents | None = None, limit: int | None = None
) -> Sequence[t.Due]:
    """Return the due rows that wait for no event, in running order.

    If there is a `limit`, yielding games (`games.yielding_games`) come last.
    """
    order = (col(t.Due.at), col(t.Due.kind), col(t.Due.id))
    query = select(t.Due).where(col(t.Due.at) <= now)
    if limit is None:
        query = query.order_by(*order)
    else:
        is_yielding = col(t.Game.asked_by).is_not(None)
        query = query.join(t.Game).order_by(is_yielding, *order).limit(limit)
    if waits is not None:
        polled = select(func.min(t.Poll.begun)).scalar_subquery()
        is_posted = col(t.Due.kind).in_(waits.posted)
        query = query.where(or_(not_(is_posted), t.Due.cause == waits.unless, col(t.Due.at) <= polled))
        query = query.where(or_(t.Due.kind != waits.named, col(t.Due.cause).in_(waits.there)))
    return session.exec(query).all()


def due_tournaments(session: Session, now: datetime) -> Sequence[str]:
    """Return the names of the tournaments that are due, the longest due first."""
    query = select(t.Tournament.id).where(col(t.Tournament.wake) <= now)
    return session.exec(query.order_by(col(t.Tournament.wake), col(t.Tournament.id))).all()


def next_moment(session: Session) -> datetime | None:
    """Return when the next job is or was due; None if nothing is scheduled."""
    return session.exec(select(func.min(t.Due.at))).one()


def jobs_of_game(session: Session, name: str) -> Sequence[t.Due]:
    """Return the jobs of a game, the earliest first."""
    return session.exec(select(t.Due).where(t.Due.game_id == name).order_by(col(t.Due.at))).all()


def is_planned(session: Session, name: str, cause: str) -> bool:
    """Return whether a game has a job for a cause."""
    return session.exec(select(t.Due).where(t.Due.game_id == name, t.Due.cause == cause)).first() is not None


def closing_time(session: Session, name: str) -> datetime | None:
    """Return when a game's open phase will close; None if unplanned, as in a hold."""
    return session.exec(select(func.min(t.Due.at)).where(t.Due.game_id == name, t.Due.kind == "close")).one()


def due_causes(session: Session, kind: str, now: datetime) -> Sequence[str]:
    """Return the causes of due rows of a kind, each once."""
    return session.exec(select(t.Due.cause).where(t.Due.kind == kind, col(t.Due.at) <= now).distinct()).all()


def delays(session: Session, phase: t.Phase, *causes: str) -> Sequence[t.Delay]:
    """Return the delays of a phase's deadline for these causes."""
    return session.exec(select(t.Delay).where(t.Delay.phase_id == phase.id, col(t.Delay.cause).in_(causes))).all()


def total_delay(session: Session, seat: t.Seat, cause: str) -> int:
    """Return the total seconds by which a seat has delayed deadlines for a cause."""
    query = select(func.sum(t.Delay.seconds)).where(t.Delay.seat_id == seat.id, t.Delay.cause == cause)
    return session.exec(query).one() or 0
