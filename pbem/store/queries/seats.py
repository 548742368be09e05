"""Query the state of a game's seats: player, orders and wishes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam
from sqlalchemy import select as columns
from sqlmodel import Session, col, func, select

from pbem.store import hot_statements
from pbem.store import tables as t
from pbem.store.hot_statements import LATEST_STATE_QUERY
from pbem.store.queries import games
from pbem.store.queries.inbox import WEIGHTED_LETTERS
from pbem.store.queries.orders import IS_QUEUED, queued_by_seat
from pbem.store.queries.phases import IS_OPEN, StoredState
from pbem.store.session_cache import cache_of, forget_when_written

forget_when_written(t.Wish, t.Address)

_FIRST_ADDRESS = (
    select(t.Address.email)
    .where(t.Address.person_id == t.Seat.person_id)
    .order_by(col(t.Address.id))
    .limit(1)
    .scalar_subquery()
)
_LETTERS_OF = (
    select(WEIGHTED_LETTERS).where(t.Inbox.seat_id == t.Seat.id, t.Inbox.taken > bindparam("since")).scalar_subquery()
)
_ITS_ORDERS = and_(col(t.QueuedOrders.seat_id) == col(t.Seat.id), IS_QUEUED)
_ITS_WISH = col(t.Wish.seat_id) == col(t.Seat.id)
_LAST_REVISION = (
    select(func.coalesce(func.max(t.QueuedOrders.revision), 0))
    .where(t.QueuedOrders.phase_id == t.Phase.id, t.QueuedOrders.seat_id == t.Seat.id)
    .correlate(t.Phase, t.Seat)
    .scalar_subquery()
)
_HAS_STANDING = select(t.StandingOrders.id).where(t.StandingOrders.seat_id == t.Seat.id).correlate(t.Seat).exists()
_SITTINGS = (
    columns(
        *(
            LATEST_STATE_QUERY.with_only_columns(column).scalar_subquery()
            for column in LATEST_STATE_QUERY.selected_columns
        ),
        *(_LAST_REVISION, _HAS_STANDING),
        *(t.Seat, _FIRST_ADDRESS, _LETTERS_OF, t.Phase, t.QueuedOrders, col(t.Wish.word)),
    )
    .select_from(t.Seat)
    .outerjoin(t.Phase, and_(col(t.Phase.game_id) == col(t.Seat.game_id), IS_OPEN))
    .outerjoin(t.QueuedOrders, and_(col(t.QueuedOrders.phase_id) == col(t.Phase.id), _ITS_ORDERS))
    .outerjoin(t.Wish, and_(col(t.Wish.phase_id) == col(t.Phase.id), _ITS_WISH))
    .where(col(t.Seat.game_id) == bindparam("game"))
    .order_by(col(t.Seat.id))
)
_OF_SEATS = ("absence", "later")
_WORDS = columns(col(t.Wish.seat_id), col(t.Wish.word)).where(col(t.Wish.phase_id) == bindparam("phase"))


class SeatStatus(NamedTuple):
    """A seat with its player and its state.

    `email` is the player's registered address, None without a player; `letters` counts the player's letters since a
    moment. In the open `phase`, if any, the seat has queued `orders`, and said `word` about closing it.
    """

    seat: t.Seat
    email: str | None
    letters: int
    phase: t.Phase | None
    orders: t.QueuedOrders | None
    word: str | None


class PhaseStatus(NamedTuple):
    """The state of the open phase: seats with orders, and words about its closing.

    A word is ``wait``, ``go`` or ``done``. `early` are the seats whose queued orders were written before the phase
    opened and wait for their review, each with their origin: ``later`` or ``repeated``.
    """

    queued: frozenset[str]
    said: Mapping[str, str]
    early: Mapping[str, str]


def statuses(session: Session, name: str, since: datetime) -> tuple[tuple[SeatStatus, ...], StoredState | None]:
    """Return the state of a game's seats, in the order of play.

    `letters` are counted from `since` on. The second value is that of `phases.latest_snapshot`, which callers need
    next.
    """
    rows = session.execute(_SITTINGS, {"game": name, "since": since}).all()
    snapshot = next((StoredState(number, body) for number, body, *_ in rows if body is not None), None)
    sittings = tuple(SeatStatus(*row[4:]) for row in rows)
    for (_, _, revision, has_standing, *_), (seat, _, _, phase, *_) in zip(rows, sittings, strict=True):
        if phase is not None:
            cache_of(session, "order_set")[phase.id, seat.id] = revision
        if not has_standing:
            cache_of(session, "standing")[seat.id] = []
    return sittings, snapshot


def phase_status(session: Session, phase: t.Phase) -> PhaseStatus:
    """Return the orders and words of a game's seats for a phase."""
    queued = queued_by_seat(session, phase)
    words = cache_of(session, "wish")
    if phase.id not in words:
        words[phase.id] = {seat: word for seat, word in session.execute(_WORDS, {"phase": phase.id})}
    seats = {seat.id or 0: seat.name for seat in games.seats(session, phase.game_id)}
    early = {seats[seat]: row.origin for seat, row in queued.items() if row.waits}
    words_by_seat = {seats[seat]: word for seat, word in words[phase.id].items()}
    return PhaseStatus(frozenset(seats[seat] for seat in queued), words_by_seat, early)


def begin_phase(session: Session, phase: t.Phase) -> None:
    """Note that a phase is new: no seat has sent orders for it or said a word."""
    cache_of(session, "order_set")[phase.id], cache_of(session, "wish")[phase.id] = (), {}


def read_table(session: Session, name: str, now: datetime) -> tuple[t.Phase | None, StoredState | None]:
    """Read what a closing needs; return the game's open phase and last stored state.

    These are two statements. What they find answers the queries to come, until rows of these tables are written.
    """
    sittings, snapshot = statuses(session, name, now)
    phase = next((status.phase for status in sittings), None)
    cache_of(session, "seats")[name] = [status.seat for status in sittings]
    cache_of(session, "address").update({status.seat.person_id: status.email for status in sittings})
    if phase is not None:
        cache_of(session, "order_set")[phase.id] = [status.orders for status in sittings if status.orders is not None]
        cache_of(session, "wish")[phase.id] = {status.seat.id: status.word for status in sittings if status.word}
        seats = [status.seat.id for status in sittings]
        keys: dict[str, list[Any]] = {
            "segment": [phase.id],
            "question": [(name, phase.turn)],
            **dict.fromkeys(_OF_SEATS, seats),
        }
        for table in hot_statements.tables_without_rows(session, name, phase.turn):
            cache_of(session, table).update(dict.fromkeys(keys.get(table, [name]), ()))
    return phase, snapshot
