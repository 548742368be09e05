"""Questions about how the seats of a game stand: who sits there, what he has sent, what he wants of the open phase."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, bindparam
from sqlalchemy import select as columns
from sqlmodel import Session, col, select

from pbem.store import tables as t
from pbem.store.hot_statements import LATEST_STATE
from pbem.store.queries.inbox import LETTERS
from pbem.store.queries.orders import IS_QUEUED
from pbem.store.queries.phases import IS_OPEN, StoredState

_FIRST_ADDRESS = (
    select(t.Address.email)
    .where(t.Address.person_id == t.Seat.person_id)
    .order_by(col(t.Address.id))
    .limit(1)
    .scalar_subquery()
)
_LETTERS_OF = select(LETTERS).where(t.Inbox.seat_id == t.Seat.id, t.Inbox.taken > bindparam("since")).scalar_subquery()
_ITS_ORDERS = and_(col(t.QueuedOrders.seat_id) == col(t.Seat.id), IS_QUEUED)
_ITS_WISH = col(t.Wish.seat_id) == col(t.Seat.id)
_SITTINGS = (
    columns(
        *(LATEST_STATE.with_only_columns(one).scalar_subquery() for one in LATEST_STATE.selected_columns),
        *(t.Seat, _FIRST_ADDRESS, _LETTERS_OF, t.Phase, t.QueuedOrders, col(t.Wish.word)),
    )
    .select_from(t.Seat)
    .outerjoin(t.Phase, and_(col(t.Phase.game_id) == col(t.Seat.game_id), IS_OPEN))
    .outerjoin(t.QueuedOrders, and_(col(t.QueuedOrders.phase_id) == col(t.Phase.id), _ITS_ORDERS))
    .outerjoin(t.Wish, and_(col(t.Wish.phase_id) == col(t.Phase.id), _ITS_WISH))
    .where(col(t.Seat.game_id) == bindparam("game"))
    .order_by(col(t.Seat.id))
)
_HEARD = (
    columns(col(t.Seat.name), col(t.QueuedOrders.origin), col(t.QueuedOrders.waits), col(t.Wish.word))
    .select_from(t.Seat)
    .outerjoin(t.QueuedOrders, and_(col(t.QueuedOrders.phase_id) == bindparam("phase"), _ITS_ORDERS))
    .outerjoin(t.Wish, and_(col(t.Wish.phase_id) == bindparam("phase"), _ITS_WISH))
    .where(col(t.Seat.game_id) == bindparam("game"))
)


class SeatStatus(NamedTuple):
    """A seat, who sits there, and how it stands.

    `email` is his registered address, None if nobody sits there; `letters` came from him since a moment; of the open
    `phase`, None if there is none, he has `orders` queued, and said `word` of its closing.
    """

    seat: t.Seat
    email: str | None
    letters: int
    phase: t.Phase | None
    orders: t.QueuedOrders | None
    word: str | None


class Heard(NamedTuple):
    """What the open phase has heard: the names of seats with orders queued, and what seats said of its closing.

    What can be said is ``wait``, ``go`` and ``done``. `early` are those whose queued orders were written before the
    phase opened and wait for another look, each with where they are from: ``later`` or ``repeated``.
    """

    queued: frozenset[str]
    said: Mapping[str, str]
    early: Mapping[str, str]


def statuses(session: Session, name: str, since: datetime) -> tuple[tuple[SeatStatus, ...], StoredState | None]:
    """All seats of a game in the order of play as they stand, with the letters that came since a moment.

    Beside them what `phases.latest_snapshot` says, which whoever asks for them wants next.
    """
    rows = session.execute(_SITTINGS, {"game": name, "since": since}).all()
    kept = next((StoredState(number, body) for number, body, *_ in rows if body is not None), None)
    return tuple(SeatStatus(*row[2:]) for row in rows), kept


def heard(session: Session, phase: t.Phase) -> Heard:
    """What the seats of a game have sent and said for a phase."""
    rows = session.execute(_HEARD, {"game": phase.game_id, "phase": phase.id}).all()
    queued = frozenset(name for name, origin, _, _ in rows if origin is not None)
    early = {name: origin for name, origin, waits, _ in rows if waits}
    return Heard(queued, {name: word for name, _, _, word in rows if word is not None}, early)
