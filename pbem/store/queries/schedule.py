"""Questions about time: what will happen by itself and when, and by what deadlines were put off."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session, col, func, not_, or_, select

from pbem.store import tables as t


class Waits(NamedTuple):
    """What rows wait for that are due: those of the kinds `posted` for a poll which began at their moment or later,
    but for the cause `unless`; those of the kind `named` for something of their cause, of which `there` has come.
    """

    posted: Sequence[str]
    unless: str
    named: str
    there: Collection[str] = ()


def due_now(session: Session, now: datetime, waits: Waits | None = None, most: int | None = None) -> Sequence[t.Due]:
    """The rows that are due and wait for nothing, in the order in which they run.

    Of so many at `most` none is of a game that yields (`games.asked_for`) while others are due.
    """
    order = (col(t.Due.at), col(t.Due.kind), col(t.Due.id))
    found = select(t.Due).where(col(t.Due.at) <= now)
    if most is None:
        found = found.order_by(*order)
    else:
        yields = col(t.Game.asked_by).is_not(None)
        found = found.join(t.Game).order_by(yields, *order).limit(most)
    if waits is not None:
        polled = select(func.min(t.Poll.begun)).scalar_subquery()
        posted = col(t.Due.kind).in_(waits.posted)
        found = found.where(or_(not_(posted), t.Due.cause == waits.unless, col(t.Due.at) <= polled))
        found = found.where(or_(t.Due.kind != waits.named, col(t.Due.cause).in_(waits.there)))
    return session.exec(found).all()


def tournaments(session: Session, now: datetime) -> Sequence[str]:
    """The names of the tournaments at which something is to be looked by now, the longest due first."""
    asked = select(t.Tournament.id).where(col(t.Tournament.wake) <= now)
    return session.exec(asked.order_by(col(t.Tournament.wake), col(t.Tournament.id))).all()


def next_moment(session: Session) -> datetime | None:
    """When anything is due next, or was already; None if nothing is planned."""
    return session.exec(select(func.min(t.Due.at))).one()


def of_game(session: Session, name: str) -> Sequence[t.Due]:
    """What is planned of a game, the earliest first."""
    return session.exec(select(t.Due).where(t.Due.game_id == name).order_by(col(t.Due.at))).all()


def is_planned(session: Session, name: str, cause: str) -> bool:
    """Whether anything is planned of a game for a cause."""
    return session.exec(select(t.Due).where(t.Due.game_id == name, t.Due.cause == cause)).first() is not None


def closing(session: Session, name: str) -> datetime | None:
    """When the open phase of a game closes as things stand; None if nothing is planned, as while the game is held."""
    return session.exec(select(func.min(t.Due.at)).where(t.Due.game_id == name, t.Due.kind == "close")).one()


def causes(session: Session, kind: str, now: datetime) -> Sequence[str]:
    """The causes of the rows of a kind that are due, each once."""
    return session.exec(select(t.Due.cause).where(t.Due.kind == kind, col(t.Due.at) <= now).distinct()).all()


def delays(session: Session, phase: t.Phase, *of: str) -> Sequence[t.Delay]:
    """How the deadline of a phase was put off for one of these causes."""
    return session.exec(select(t.Delay).where(t.Delay.phase_id == phase.id, col(t.Delay.cause).in_(of))).all()


def seconds_put_off(session: Session, seat: t.Seat, cause: str) -> int:
    """By how much a seat has put deadlines off for a cause, in all."""
    found = select(func.sum(t.Delay.seconds)).where(t.Delay.seat_id == seat.id, t.Delay.cause == cause)
    return session.exec(found).one() or 0
