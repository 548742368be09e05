"""Questions about what seats order: for a phase, for turns to come, until replaced; and what else they want of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import bindparam, literal_column
from sqlmodel import Session, col, func, or_, select

from pbem.store import hot_statements
from pbem.store import tables as t
from pbem.store.queries.phases import IS_OPEN

# Said in the statement itself: an index over some of the rows is of no use to a question that names them later.
IS_QUEUED = col(t.QueuedOrders.state) == literal_column("'queued'")

_QUEUED = select(t.QueuedOrders).where(
    t.QueuedOrders.phase_id == bindparam("phase"), t.QueuedOrders.seat_id == bindparam("seat"), IS_QUEUED
)
_ACTIVE = select(t.QueuedOrders).where(t.QueuedOrders.phase_id == bindparam("phase"), IS_QUEUED)
_REVISION = select(func.max(t.QueuedOrders.revision)).where(
    t.QueuedOrders.phase_id == bindparam("phase"), t.QueuedOrders.seat_id == bindparam("seat")
)
_STANDING = select(t.Standing).where(t.Standing.seat_id == bindparam("seat")).order_by(col(t.Standing.scope))


def queued(session: Session, phase: t.Phase, seat: t.Seat) -> t.QueuedOrders | None:
    """The orders that would be carried out if the phase closed now."""
    return session.exec(_QUEUED, params={"phase": phase.id, "seat": seat.id}).one_or_none()


def queued_by_seat(session: Session, phase: t.Phase) -> dict[int, t.QueuedOrders]:
    """The queued orders of a phase by the id of their seat."""
    return {row.seat_id: row for row in session.exec(_ACTIVE, params={"phase": phase.id})}


def not_replaced(session: Session, phase: t.Phase, seat: t.Seat) -> Sequence[t.QueuedOrders]:
    """The orders of a seat for a phase, a row a revision, that were carried out or still are to be, in order."""
    found = select(t.QueuedOrders).where(t.QueuedOrders.phase_id == phase.id, t.QueuedOrders.seat_id == seat.id)
    found = found.where(col(t.QueuedOrders.state).in_(("queued", "carried")))
    return session.exec(found.order_by(col(t.QueuedOrders.revision))).all()


def suddenly_silent(session: Session, games: Collection[str]) -> Sequence[str]:
    """Those of these games whose open phase has no orders but repeated ones that wait for another look, and none of
    whose seats had missed a deadline before: who is silent for longer tells nothing new."""
    wrote = select(t.QueuedOrders.id).where(
        t.QueuedOrders.phase_id == t.Phase.id,
        IS_QUEUED,
        or_(t.QueuedOrders.origin != "repeated", col(t.QueuedOrders.waits).is_(False)),
    )
    missed = select(t.Seat.id).where(t.Seat.game_id == t.Phase.game_id, t.Seat.missed > 0)
    found = select(t.Phase.game_id).where(col(t.Phase.game_id).in_(games), IS_OPEN, ~wrote.exists(), ~missed.exists())
    return session.exec(found).all()


def last_revision(session: Session, phase: t.Phase, seat: t.Seat) -> int:
    """The highest revision a seat has sent for a phase, 0 if none."""
    return session.exec(_REVISION, params={"phase": phase.id, "seat": seat.id}).one() or 0


def last_carried_out(session: Session, seat: t.Seat) -> t.Phase | None:
    """The last resolved phase for which a seat had sent orders, None if there is none."""
    found = (
        select(t.Phase)
        .join(t.QueuedOrders, col(t.QueuedOrders.phase_id) == t.Phase.id)
        .where(
            t.Phase.game_id == seat.game_id,
            t.Phase.state == "resolved",
            t.QueuedOrders.seat_id == seat.id,
            col(t.QueuedOrders.state).in_(("queued", "carried")),
        )
    )
    return session.exec(found.order_by(col(t.Phase.number).desc()).limit(1)).first()


def letters_of_orders(session: Session, phase: t.Phase) -> Sequence[tuple[str, bytes]]:
    """The letters, as they came, that brought orders for a phase, each with the name of its seat."""
    found = (
        select(t.Seat.name, t.Raw.body)
        .select_from(t.QueuedOrders)
        .join(t.Seat)
        .join(t.Inbox, col(t.QueuedOrders.inbox_id) == t.Inbox.id)
        .join(t.Raw, col(t.Inbox.sha256) == t.Raw.sha256)
        .where(t.QueuedOrders.phase_id == phase.id)
    )
    return session.exec(found.order_by(col(t.QueuedOrders.id))).all()


class Worded(NamedTuple):
    """Orders as they were worded by their author (the mark of their words), and as they are understood."""

    mark: str
    canonical: str
    luck: str = ""


def given_up(session: Session, phase: t.Phase, seat: t.Seat, orders: Worded, states: Sequence[str]) -> int | None:
    """The last revision of a seat for a phase that is the same as these orders and in one of these states."""
    found = select(func.max(t.QueuedOrders.revision)).where(
        t.QueuedOrders.phase_id == phase.id,
        t.QueuedOrders.seat_id == seat.id,
        col(t.QueuedOrders.state).in_(states),
        (col(t.QueuedOrders.mark) == orders.mark)
        | ((col(t.QueuedOrders.text) == orders.canonical) & (col(t.QueuedOrders.luck) == orders.luck)),
    )
    return session.exec(found).one()


def revision_marked(session: Session, phase: t.Phase, seat: t.Seat, mark: str) -> int | None:
    """The last revision that a seat sent for a phase in these very words, None if there is none."""
    found = select(func.max(t.QueuedOrders.revision)).where(
        t.QueuedOrders.phase_id == phase.id, t.QueuedOrders.seat_id == seat.id, t.QueuedOrders.mark == mark
    )
    return session.exec(found).one()


def standing(session: Session, seat: t.Seat) -> Sequence[t.Standing]:
    """The standing orders of a seat, one row a scope, in the order of scopes."""
    return session.exec(_STANDING, params={"seat": seat.id}).all()


def standing_texts(session: Session, seat: t.Seat) -> list[str]:
    """The texts alone of the standing orders of a seat, in the order of scopes."""
    return hot_statements.standing_texts(session, seat.id)


def later(session: Session, seat: t.Seat) -> Sequence[t.Later]:
    """The orders of a seat for turns to come, by turn."""
    return session.exec(select(t.Later).where(t.Later.seat_id == seat.id).order_by(col(t.Later.turn))).all()


def later_of_turn(session: Session, seat: t.Seat, turn: int) -> t.Later | None:
    """The orders of a seat for one turn to come."""
    return session.exec(select(t.Later).where(t.Later.seat_id == seat.id, t.Later.turn == turn)).one_or_none()


def proposers(session: Session, phase: t.Phase, word: str) -> frozenset[int]:
    """The ids of the seats that want to end the game of a phase so."""
    found = select(t.Proposal.seat_id).where(t.Proposal.phase_id == phase.id, t.Proposal.word == word)
    return frozenset(session.exec(found))
