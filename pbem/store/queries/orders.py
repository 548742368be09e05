"""Query seats' orders for a phase, later turns and standing; and proposals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import bindparam, literal_column
from sqlmodel import Session, col, func, or_, select

from pbem.store import hot_statements
from pbem.store import tables as t
from pbem.store.compiled_statements import read_rows
from pbem.store.queries import games
from pbem.store.queries.phases import IS_OPEN
from pbem.store.session_cache import cache_of, cached_rows, forget_when_written, write_pending

forget_when_written(t.QueuedOrders, t.Later, t.StandingOrders)

# As a literal: a partial index is not used for a value that is bound later.
IS_QUEUED = col(t.QueuedOrders.state) == literal_column("'queued'")

_ACTIVE = select(t.QueuedOrders).where(t.QueuedOrders.phase_id == bindparam("phase"), IS_QUEUED)
_REVISION = select(func.max(t.QueuedOrders.revision)).where(
    t.QueuedOrders.phase_id == bindparam("phase"), t.QueuedOrders.seat_id == bindparam("seat")
)
_STANDING = (
    select(t.StandingOrders).where(t.StandingOrders.seat_id == bindparam("seat")).order_by(col(t.StandingOrders.scope))
)
_LETTERS = (
    select(t.QueuedOrders.seat_id, t.Raw.body)
    .select_from(t.QueuedOrders)
    .join(t.Inbox, col(t.QueuedOrders.inbox_id) == t.Inbox.id)
    .join(t.Raw, col(t.Inbox.sha256) == t.Raw.sha256)
    .where(t.QueuedOrders.phase_id == bindparam("phase"))
    .order_by(col(t.QueuedOrders.id))
)
_LATER = select(t.Later).where(t.Later.seat_id == bindparam("seat")).order_by(col(t.Later.turn))


def queued_orders(session: Session, phase: t.Phase, seat: t.Seat) -> t.QueuedOrders | None:
    """Return the orders that would be executed if the phase closed now."""
    return queued_by_seat(session, phase).get(seat.id or 0)


def queued_by_seat(session: Session, phase: t.Phase) -> dict[int, t.QueuedOrders]:
    """Return the queued orders of a phase by the id of their seat."""
    rows = cached_rows(
        session, t.QueuedOrders, phase.id, lambda: session.exec(_ACTIVE, params={"phase": phase.id}).all()
    )
    return {row.seat_id: row for row in rows}


def effective_orders(session: Session, phase: t.Phase, seat: t.Seat) -> Sequence[t.QueuedOrders]:
    """Return a seat's queued or executed orders for a phase, by revision."""
    query = select(t.QueuedOrders).where(t.QueuedOrders.phase_id == phase.id, t.QueuedOrders.seat_id == seat.id)
    query = query.where(col(t.QueuedOrders.state).in_(("queued", "carried")))
    return session.exec(query.order_by(col(t.QueuedOrders.revision))).all()


def newly_silent_games(session: Session, games: Collection[str]) -> Sequence[str]:
    """Return games whose open phase suddenly has no fresh orders.

    None of their seats had missed a deadline before. Repeated orders that wait for their review do not count as
    fresh.
    """
    has_orders = select(t.QueuedOrders.id).where(
        t.QueuedOrders.phase_id == t.Phase.id,
        IS_QUEUED,
        or_(t.QueuedOrders.origin != "repeated", col(t.QueuedOrders.waits).is_(False)),
    )
    has_missed = select(t.Seat.id).where(t.Seat.game_id == t.Phase.game_id, t.Seat.missed > 0)
    query = select(t.Phase.game_id).where(
        col(t.Phase.game_id).in_(games), IS_OPEN, ~has_orders.exists(), ~has_missed.exists()
    )
    return session.exec(query).all()


def last_revision(session: Session, phase: t.Phase, seat: t.Seat) -> int:
    """Return the highest revision a seat has sent for a phase, 0 if none."""
    write_pending(session, t.QueuedOrders)
    cache = cache_of(session, "order_set")
    if (phase.id, seat.id) not in cache:
        cache[phase.id, seat.id] = session.exec(_REVISION, params={"phase": phase.id, "seat": seat.id}).one() or 0
    return int(cache[phase.id, seat.id])


def last_phase_with_orders(session: Session, seat: t.Seat) -> t.Phase | None:
    """Return a seat's last resolved phase with orders; None if there is none."""
    query = (
        select(t.Phase)
        .join(t.QueuedOrders, col(t.QueuedOrders.phase_id) == t.Phase.id)
        .where(
            t.Phase.game_id == seat.game_id,
            t.Phase.state == "resolved",
            t.QueuedOrders.seat_id == seat.id,
            col(t.QueuedOrders.state).in_(("queued", "carried")),
        )
    )
    return session.exec(query.order_by(col(t.Phase.number).desc()).limit(1)).first()


def letters_of_orders(session: Session, phase: t.Phase) -> Sequence[tuple[str, bytes]]:
    """Return the raw letters with orders for a phase, each with its seat's name."""
    names = {seat.id: seat.name for seat in games.seats(session, phase.game_id)}
    return [(names[seat], body) for seat, body in read_rows(session, _LETTERS, phase=phase.id)]


class WordedOrders(NamedTuple):
    """Orders by the digest of their author's words, and in canonical form."""

    mark: str
    canonical: str
    luck: str = ""


def matching_revision(
    session: Session, phase: t.Phase, seat: t.Seat, orders: WordedOrders, states: Sequence[str]
) -> int | None:
    """Return a seat's last revision equal to these orders, in these states."""
    if not last_revision(session, phase, seat):
        return None
    query = select(func.max(t.QueuedOrders.revision)).where(
        t.QueuedOrders.phase_id == phase.id,
        t.QueuedOrders.seat_id == seat.id,
        col(t.QueuedOrders.state).in_(states),
        (col(t.QueuedOrders.mark) == orders.mark)
        | ((col(t.QueuedOrders.text) == orders.canonical) & (col(t.QueuedOrders.luck) == orders.luck)),
    )
    return session.exec(query).one()


def revision_by_mark(session: Session, phase: t.Phase, seat: t.Seat, mark: str) -> int | None:
    """Return a seat's last revision for a phase with this digest of its words.

    None if it sent no such orders.
    """
    query = select(func.max(t.QueuedOrders.revision)).where(
        t.QueuedOrders.phase_id == phase.id, t.QueuedOrders.seat_id == seat.id, t.QueuedOrders.mark == mark
    )
    return session.exec(query).one()


def standing_orders(session: Session, seat: t.Seat) -> Sequence[t.StandingOrders]:
    """Return the standing orders of a seat, one row a scope, in the order of scopes."""
    return session.exec(_STANDING, params={"seat": seat.id}).all()


def standing_texts(session: Session, seat: t.Seat) -> list[str]:
    """Return only the texts of a seat's standing orders, in the order of scopes."""
    write_pending(session, t.StandingOrders)
    cache = cache_of(session, "standing")
    if seat.id not in cache:
        cache[seat.id] = hot_statements.standing_texts(session, seat.id)
    texts: list[str] = cache[seat.id]
    return texts


def scheduled_orders(session: Session, seat: t.Seat) -> Sequence[t.Later]:
    """Return the orders of a seat for later turns, by turn."""
    return cached_rows(session, t.Later, seat.id, lambda: session.exec(_LATER, params={"seat": seat.id}).all())


def scheduled_for_turn(session: Session, seat: t.Seat, turn: int) -> t.Later | None:
    """Return the orders of a seat for one later turn."""
    return next((row for row in scheduled_orders(session, seat) if row.turn == turn), None)


def proposers(session: Session, phase: t.Phase, word: str) -> frozenset[int]:
    """Return the ids of the seats that propose this end of the game."""
    query = select(t.Proposal.seat_id).where(t.Proposal.phase_id == phase.id, t.Proposal.word == word)
    return frozenset(session.exec(query))
