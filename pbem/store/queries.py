"""Questions asked of the tables in more than one place. Nothing here writes.

The statements are made once, with parameters: making one anew costs more than asking it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, bindparam, literal, literal_column, tuple_, union_all
from sqlalchemy import select as columns
from sqlmodel import Session, SQLModel, col, func, select

from pbem.store import tables as t
from pbem.store.driven import rows
from pbem.store.writes import connection

__all__ = [
    "Earlier",
    "Heard",
    "Kept",
    "Place",
    "Sitting",
    "active_sets",
    "closed_phase",
    "due_now",
    "earlier",
    "email_of",
    "game",
    "heard",
    "last_revision",
    "latest_snapshot",
    "letters_of_orders",
    "letters_since",
    "midway",
    "observers",
    "open_phase",
    "person_by_email",
    "played_phase",
    "polled",
    "queued_set",
    "revision_marked",
    "seat",
    "seats",
    "sittings",
    "standing",
    "standing_texts",
    "states_kept",
]

# Said in the statement itself: an index over some of the rows is of no use to a question that names them later.
_IS_OPEN = col(t.Phase.state) == literal_column("'open'")
_IS_QUEUED = col(t.OrderSet.state) == literal_column("'queued'")

_GAME = select(t.Game).where(t.Game.id == bindparam("game")).with_for_update()
_SEATS = select(t.Seat).where(t.Seat.game_id == bindparam("game")).order_by(col(t.Seat.id))
_SEAT = select(t.Seat).where(t.Seat.game_id == bindparam("game"), t.Seat.name == bindparam("seat"))
_OBSERVERS = select(t.Observer).where(t.Observer.game_id == bindparam("game")).order_by(col(t.Observer.id))
_OPEN_PHASE = select(t.Phase).where(t.Phase.game_id == bindparam("game"), _IS_OPEN)
_MIDWAY = (
    select(t.Segment.position)
    .join(t.Phase)
    .where(t.Phase.game_id == bindparam("game"), col(t.Phase.state).in_(("open", "closed")))
    .where(col(t.Segment.position).is_not(None))
    .order_by(col(t.Segment.number).desc())
)
_CLOSED_PHASE = select(t.Phase).where(t.Phase.game_id == bindparam("game"), t.Phase.state == "closed")
_KEPT = SQLModel.metadata.tables[str(t.Snapshot.__tablename__)].c
_SNAPSHOT = (
    columns(_KEPT.number, _KEPT.body).where(_KEPT.game_id == bindparam("game")).order_by(_KEPT.number.desc()).limit(1)
)
_KEPT_STATES = (
    columns(t.Game, _KEPT.number, _KEPT.body)
    .join(t.Snapshot)
    .where(tuple_(_KEPT.game_id, _KEPT.number).in_(bindparam("wanted", expanding=True)))
)
_QUEUED = select(t.OrderSet).where(
    t.OrderSet.phase_id == bindparam("phase"), t.OrderSet.seat_id == bindparam("seat"), _IS_QUEUED
)
_ACTIVE = select(t.OrderSet).where(t.OrderSet.phase_id == bindparam("phase"), _IS_QUEUED)
_REVISION = select(func.max(t.OrderSet.revision)).where(
    t.OrderSet.phase_id == bindparam("phase"), t.OrderSet.seat_id == bindparam("seat")
)
_STANDING = select(t.Standing).where(t.Standing.seat_id == bindparam("seat")).order_by(col(t.Standing.scope))
_ORDERED = SQLModel.metadata.tables[str(t.Standing.__tablename__)].c
_STANDING_TEXTS = columns(_ORDERED.text).where(_ORDERED.seat_id == bindparam("seat")).order_by(_ORDERED.scope)
_EMAIL = select(t.Address.email).where(t.Address.person_id == bindparam("person")).order_by(col(t.Address.id)).limit(1)
_PERSON = select(t.Person).join(t.Address).where(t.Address.email == bindparam("email"))
_INBOX = SQLModel.metadata.tables[str(t.Inbox.__tablename__)].c
_SEEN = (_INBOX.id, _INBOX.sha256, _INBOX.verdict, _INBOX.outcome, _INBOX.seat_id)
# Every copy has an original with its id, and only originals are in the index by id: the question stays cheap.
_EARLIER = union_all(
    columns(literal(True).label("here"), *_SEEN).where(
        _INBOX.account == bindparam("account"),
        _INBOX.folder == bindparam("folder"),
        _INBOX.uidvalidity == bindparam("uidvalidity"),
        _INBOX.uid == bindparam("uid"),
    ),
    columns(literal(False), *_SEEN).where(_INBOX.message_id == bindparam("message_id"), _INBOX.copy_of.is_(None)),
)
_LETTERS = select(func.count()).where(t.Inbox.seat_id == bindparam("seat"), t.Inbox.taken > bindparam("since"))
_FIRST_ADDRESS = (
    select(t.Address.email)
    .where(t.Address.person_id == t.Seat.person_id)
    .order_by(col(t.Address.id))
    .limit(1)
    .scalar_subquery()
)
_LETTERS_OF = (
    select(func.count()).where(t.Inbox.seat_id == t.Seat.id, t.Inbox.taken > bindparam("since")).scalar_subquery()
)
_ITS_ORDERS = and_(col(t.OrderSet.seat_id) == col(t.Seat.id), _IS_QUEUED)
_ITS_WISH = col(t.Wish.seat_id) == col(t.Seat.id)
_SITTINGS = (
    columns(
        _SNAPSHOT.with_only_columns(_KEPT.number).scalar_subquery(),
        _SNAPSHOT.with_only_columns(_KEPT.body).scalar_subquery(),
        *(t.Seat, _FIRST_ADDRESS, _LETTERS_OF, t.Phase, t.OrderSet, col(t.Wish.word)),
    )
    .select_from(t.Seat)
    .outerjoin(t.Phase, and_(col(t.Phase.game_id) == col(t.Seat.game_id), _IS_OPEN))
    .outerjoin(t.OrderSet, and_(col(t.OrderSet.phase_id) == col(t.Phase.id), _ITS_ORDERS))
    .outerjoin(t.Wish, and_(col(t.Wish.phase_id) == col(t.Phase.id), _ITS_WISH))
    .where(col(t.Seat.game_id) == bindparam("game"))
    .order_by(col(t.Seat.id))
)
_HEARD = (
    columns(col(t.Seat.name), col(t.OrderSet.origin), col(t.OrderSet.waits), col(t.Wish.word))
    .select_from(t.Seat)
    .outerjoin(t.OrderSet, and_(col(t.OrderSet.phase_id) == bindparam("phase"), _ITS_ORDERS))
    .outerjoin(t.Wish, and_(col(t.Wish.phase_id) == bindparam("phase"), _ITS_WISH))
    .where(col(t.Seat.game_id) == bindparam("game"))
)


class Sitting(NamedTuple):
    """A seat, who sits there, and how it stands.

    `email` is his registered address, None if nobody sits there; `letters` came from him since a moment; of the open
    `phase`, None if there is none, he has `orders` queued, and said `word` of its closing.
    """

    seat: t.Seat
    email: str | None
    letters: int
    phase: t.Phase | None
    orders: t.OrderSet | None
    word: str | None


class Heard(NamedTuple):
    """What the open phase has heard of its seats: the names of those with orders queued, and what who said of its end.

    What can be said is ``wait``, ``go`` and ``done``. `early` are those whose queued orders were written before the
    phase opened and wait for another look, each with where they are from: ``later`` or ``repeated``.
    """

    queued: frozenset[str]
    said: Mapping[str, str]
    early: Mapping[str, str]


class Kept(NamedTuple):
    """The state after a phase, 0 at the start, as canonical JSON."""

    number: int
    body: str


class Earlier(NamedTuple):
    """A letter taken before: `here` if at the very place asked for, else under the same Message-ID for the first time.

    The rest is of its row in the inbox.
    """

    here: bool
    id: int
    sha256: str
    verdict: str
    outcome: str
    seat_id: int | None


def game(session: Session, name: str) -> t.Game | None:
    """The game, its row locked until the transaction ends where the database locks rows."""
    return session.exec(_GAME, params={"game": name}).one_or_none()


def seats(session: Session, name: str) -> Sequence[t.Seat]:
    """All seats of a game in the order of play."""
    return session.exec(_SEATS, params={"game": name}).all()


def observers(session: Session, name: str) -> Sequence[t.Observer]:
    """Who watches a game."""
    return session.exec(_OBSERVERS, params={"game": name}).all()


def sittings(session: Session, name: str, since: datetime) -> tuple[tuple[Sitting, ...], Kept | None]:
    """All seats of a game in the order of play as they stand, with the letters that came since a moment.

    Beside them what `latest_snapshot` says, which whoever asks for them wants next.
    """
    rows = session.execute(_SITTINGS, {"game": name, "since": since}).all()
    kept = next((Kept(number, body) for number, body, *_ in rows if body is not None), None)
    return tuple(Sitting(*row[2:]) for row in rows), kept


def heard(session: Session, phase: t.Phase) -> Heard:
    """What the seats of a game have sent and said for a phase."""
    rows = session.execute(_HEARD, {"game": phase.game_id, "phase": phase.id}).all()
    queued = frozenset(name for name, origin, _, _ in rows if origin is not None)
    early = {name: origin for name, origin, waits, _ in rows if waits}
    return Heard(queued, {name: word for name, _, _, word in rows if word is not None}, early)


def letters_since(session: Session, seat: t.Seat, since: datetime) -> int:
    """How many letters came from a seat since a moment."""
    return session.exec(_LETTERS, params={"seat": seat.id, "since": since}).one()


def seat(session: Session, name: str, seat_name: str) -> t.Seat | None:
    """One seat of a game."""
    return session.exec(_SEAT, params={"game": name, "seat": seat_name}).one_or_none()


def open_phase(session: Session, name: str) -> t.Phase | None:
    """The phase that takes orders, of which a game has at most one."""
    return session.exec(_OPEN_PHASE, params={"game": name}).one_or_none()


def closed_phase(session: Session, name: str) -> t.Phase | None:
    """The phase that takes no more orders and waits for answers; there is none while one is open."""
    return session.exec(_CLOSED_PHASE, params={"game": name}).one_or_none()


def played_phase(session: Session, name: str) -> t.Phase | None:
    """The phase that a game is at: the one that takes orders, else the one that waits for answers."""
    return open_phase(session, name) or closed_phase(session, name)


def midway(session: Session, name: str) -> str | None:
    """The state after the last letter of the open phase that was carried out, as canonical JSON."""
    return session.exec(_MIDWAY, params={"game": name}).first()


def latest_snapshot(session: Session, name: str) -> Kept | None:
    """The state after the last resolved phase, or at the start."""
    found = rows(connection(session), _SNAPSHOT, {"game": name})
    return Kept(*found[0]) if found else None


def states_kept(session: Session, wanted: Collection[tuple[str, int]]) -> list[tuple[t.Game, Kept]]:
    """Games with the states that are stored of them, by the game's name and the number of the phase before it."""
    rows = session.execute(_KEPT_STATES, {"wanted": list(wanted)})
    return [(found, Kept(number, body)) for found, number, body in rows]


def queued_set(session: Session, phase: t.Phase, seat: t.Seat) -> t.OrderSet | None:
    """The order set that would be carried out if the phase closed now."""
    return session.exec(_QUEUED, params={"phase": phase.id, "seat": seat.id}).one_or_none()


def active_sets(session: Session, phase: t.Phase) -> dict[int, t.OrderSet]:
    """The queued order sets of a phase by the id of their seat."""
    return {row.seat_id: row for row in session.exec(_ACTIVE, params={"phase": phase.id})}


def last_revision(session: Session, phase: t.Phase, seat: t.Seat) -> int:
    """The highest revision a seat has sent for a phase, 0 if none."""
    return session.exec(_REVISION, params={"phase": phase.id, "seat": seat.id}).one() or 0


def letters_of_orders(session: Session, phase: t.Phase) -> Sequence[tuple[str, bytes]]:
    """The letters, as they came, that brought orders for a phase, each with the name of its seat."""
    found = (
        select(t.Seat.name, t.Raw.body)
        .select_from(t.OrderSet)
        .join(t.Seat)
        .join(t.Inbox, col(t.OrderSet.inbox_id) == t.Inbox.id)
        .join(t.Raw, col(t.Inbox.sha256) == t.Raw.sha256)
        .where(t.OrderSet.phase_id == phase.id)
    )
    return session.exec(found.order_by(col(t.OrderSet.id))).all()


def revision_marked(session: Session, phase: t.Phase, seat: t.Seat, mark: str) -> int | None:
    """The last revision that a seat sent for a phase in these very words, None if there is none."""
    found = select(func.max(t.OrderSet.revision)).where(
        t.OrderSet.phase_id == phase.id, t.OrderSet.seat_id == seat.id, t.OrderSet.mark == mark
    )
    return session.exec(found).one()


def standing(session: Session, seat: t.Seat) -> Sequence[t.Standing]:
    """The standing orders of a seat, one row a scope, in the order of scopes."""
    return session.exec(_STANDING, params={"seat": seat.id}).all()


def standing_texts(session: Session, seat: t.Seat) -> list[str]:
    """The texts alone of the standing orders of a seat, in the order of scopes."""
    return [text for (text,) in rows(connection(session), _STANDING_TEXTS, {"seat": seat.id})]


def email_of(session: Session, person_id: int | None) -> str | None:
    """The registered address of a person: the first of his addresses."""
    return None if person_id is None else session.exec(_EMAIL, params={"person": person_id}).first()


def person_by_email(session: Session, email: str) -> t.Person | None:
    """Who has this address, if anybody."""
    return session.exec(_PERSON, params={"email": email.casefold()}).one_or_none()


class Place(NamedTuple):
    """Where a letter lies in a mailbox (RFC 9051, 2.3.1.1)."""

    account: str
    folder: str
    uidvalidity: int
    uid: int


def earlier(session: Session, place: Place, message_id: str) -> tuple[Earlier, ...]:
    """What was taken from a place in a mailbox, and the first letter of each content under a Message-ID."""
    asked = {**place._asdict(), "message_id": message_id}
    return tuple(Earlier(*row) for row in rows(connection(session), _EARLIER, asked))


def due_now(session: Session, now: datetime) -> Sequence[int]:
    """The ids of the rows that are due, in the order in which they run."""
    order = (col(t.Due.at), col(t.Due.kind), col(t.Due.id))
    found = session.exec(select(t.Due.id).where(col(t.Due.at) <= now).order_by(*order)).all()
    return [row for row in found if row is not None]


def polled(session: Session) -> datetime | None:
    """When the last whole poll began, of the mailbox polled least lately; None before the first."""
    return session.exec(select(func.min(t.Poll.begun))).one()
