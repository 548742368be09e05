"""Questions about phases: the phases of a game, their events, the states around them, and where they paused to ask."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import and_, bindparam, false, literal_column, or_
from sqlmodel import Session, col, func, select

from pbem.store import hot_statements
from pbem.store import tables as t

# Said in the statement itself: an index over some of the rows is of no use to a question that names them later.
IS_OPEN = col(t.Phase.state) == literal_column("'open'")

IS_GOING_ON = col(t.Phase.state).in_((literal_column("'open'"), literal_column("'closed'")))

_OPEN_PHASE = select(t.Phase).where(t.Phase.game_id == bindparam("game"), IS_OPEN)
_CLOSED_PHASE = select(t.Phase).where(t.Phase.game_id == bindparam("game"), t.Phase.state == "closed", IS_GOING_ON)
_MIDWAY = (
    select(t.Segment.position)
    .join(t.Phase)
    .where(t.Phase.game_id == bindparam("game"), IS_GOING_ON)
    .where(col(t.Segment.position).is_not(None))
    .order_by(col(t.Segment.number).desc())
)
_KEPT_STATES = select(t.Game, t.Snapshot.number, t.Snapshot.body).join(t.Snapshot)
_BY_NUMBER = select(t.Phase).order_by(col(t.Phase.number))


class StoredState(NamedTuple):
    """The state after a phase, 0 at the start, as canonical JSON."""

    number: int
    body: str


def open_phase(session: Session, name: str) -> t.Phase | None:
    """The phase that takes orders, of which a game has at most one."""
    return session.exec(_OPEN_PHASE, params={"game": name}).one_or_none()


def closed_phase(session: Session, name: str) -> t.Phase | None:
    """The phase that takes no more orders and waits for answers; there is none while one is open."""
    return session.exec(_CLOSED_PHASE, params={"game": name}).one_or_none()


def played_phase(session: Session, name: str) -> t.Phase | None:
    """The phase that a game is at: the one that takes orders, else the one that waits for answers."""
    return open_phase(session, name) or closed_phase(session, name)


def every(session: Session, name: str) -> Sequence[t.Phase]:
    """All phases of a game in order, void ones too."""
    return session.exec(_BY_NUMBER.where(t.Phase.game_id == name)).all()


def resolved(session: Session, name: str) -> Sequence[t.Phase]:
    """The resolved phases of a game in order, without those that are void."""
    return session.exec(_BY_NUMBER.where(t.Phase.game_id == name, t.Phase.state == "resolved")).all()


def void(session: Session, name: str) -> Sequence[t.Phase]:
    """The phases of a game that rulings made void, in the order in which they were opened."""
    return session.exec(_BY_NUMBER.where(t.Phase.game_id == name, t.Phase.state == "void")).all()


def with_rolls(session: Session, name: str) -> Sequence[t.Phase]:
    """The phases of a game in which dice were rolled, in order, void ones too."""
    return session.exec(_BY_NUMBER.where(t.Phase.game_id == name, col(t.Phase.rolls).is_not(None))).all()


def of_turn(session: Session, name: str, turn: int) -> Sequence[t.Phase]:
    """All phases of a turn of a game in order, void ones too."""
    return session.exec(_BY_NUMBER.where(t.Phase.game_id == name, t.Phase.turn == turn)).all()


def first_of_turn(session: Session, name: str, turn: int) -> t.Phase | None:
    """The phase that a turn began with, resolved or open; None if it has not begun."""
    return session.exec(
        _BY_NUMBER.where(t.Phase.game_id == name, t.Phase.turn == turn, t.Phase.state != "void")
    ).first()


def from_on(session: Session, phase: t.Phase) -> Sequence[t.Phase]:
    """A phase and what came after it in its game, in order, without what is void."""
    later = _BY_NUMBER.where(t.Phase.game_id == phase.game_id, t.Phase.number >= phase.number)
    return session.exec(later.where(t.Phase.state != "void")).all()


def before(session: Session, phase: t.Phase) -> Sequence[t.Phase]:
    """The earlier attempts at a phase, in order."""
    same = _BY_NUMBER.where(t.Phase.game_id == phase.game_id, t.Phase.turn == phase.turn, t.Phase.name == phase.name)
    return session.exec(same.where(t.Phase.attempt < phase.attempt)).all()


def opened_anew_by(session: Session, phase: t.Phase) -> int:
    """The number of the ruling by which an attempt at a phase was opened; 0 for the first attempt."""
    found = select(func.max(t.Phase.void_by)).where(
        t.Phase.game_id == phase.game_id,
        t.Phase.turn == phase.turn,
        t.Phase.name == phase.name,
        t.Phase.attempt == phase.attempt - 1,
    )
    return session.exec(found).one() or 0 if phase.attempt > 1 else 0


def last_attempt(session: Session, name: str, turn: int, phase_name: str) -> int:
    """The number of the last attempt at a phase of a game, 0 if it was never opened."""
    found = select(func.max(t.Phase.attempt)).where(
        t.Phase.game_id == name, t.Phase.turn == turn, t.Phase.name == phase_name
    )
    return session.exec(found).one() or 0


def last_run(session: Session, phase: t.Phase) -> int:
    """The number of the last run of a phase's attempt, 0 if there is none."""
    found = select(func.max(t.Phase.run)).where(
        t.Phase.game_id == phase.game_id,
        t.Phase.turn == phase.turn,
        t.Phase.name == phase.name,
        t.Phase.attempt == phase.attempt,
    )
    return session.exec(found).one() or 0


def last_number(session: Session, name: str) -> int:
    """The number of the last phase of a game, 0 before the first."""
    return session.exec(select(func.max(t.Phase.number)).where(t.Phase.game_id == name)).one() or 0


def numbered(session: Session, name: str, number: int) -> t.Phase | t.Basis | None:
    """What has a number in a game: a phase, or the state that a ruling made."""
    phase = select(t.Phase).where(t.Phase.game_id == name, t.Phase.number == number)
    basis = select(t.Basis).where(t.Basis.game_id == name, t.Basis.number == number)
    return session.exec(phase).one_or_none() or session.exec(basis).one_or_none()


def bases(session: Session, name: str) -> Sequence[t.Basis]:
    """The states of a game that rulings made."""
    return session.exec(select(t.Basis).where(t.Basis.game_id == name)).all()


def events(session: Session, phase: t.Phase) -> Sequence[t.Event]:
    """The events of a resolved phase in order."""
    return session.exec(select(t.Event).where(t.Event.phase_id == phase.id).order_by(col(t.Event.number))).all()


def midway(session: Session, name: str) -> str | None:
    """The state after the last letter of the open phase that was carried out, as canonical JSON."""
    return session.exec(_MIDWAY, params={"game": name}).first()


def latest_snapshot(session: Session, name: str) -> StoredState | None:
    """The state after the last resolved phase, or at the start."""
    found = hot_statements.latest_state(session, name)
    return None if found is None else StoredState(*found)


def states_kept(session: Session, wanted: Collection[tuple[str, int]]) -> list[tuple[t.Game, StoredState]]:
    """Games with the states that are stored of them, by the game's name and the number of the phase before it."""
    # Each pair by the key: held against a list of pairs, SQLite would read all states of all games.
    pairs = (and_(col(t.Snapshot.game_id) == name, col(t.Snapshot.number) == number) for name, number in sorted(wanted))
    rows = session.exec(_KEPT_STATES.where(or_(false(), *pairs)))
    return [(found, StoredState(number, body)) for found, number, body in rows]


# Questions about pauses: the segments of phases that were paused, and what was asked at the end of each.


def asking(session: Session, phase: t.Phase) -> t.Segment | None:
    """The pause that a phase is in."""
    found = select(t.Segment).where(t.Segment.phase_id == phase.id, t.Segment.state == "asking")
    return session.exec(found).one_or_none()


def segments(session: Session, phase: t.Phase) -> Sequence[t.Segment]:
    """The segments of a phase that was paused, in order; none of one that was not."""
    found = select(t.Segment).where(t.Segment.phase_id == (phase.again_of or phase.id))
    return session.exec(found.order_by(col(t.Segment.number))).all()


def last_asked(session: Session, seat: t.Seat) -> t.Segment | None:
    """The last pause of a seat's game, as it stands, at which the seat was asked."""
    found = (
        select(t.Segment)
        .join(t.Question)
        .join(t.Phase)
        .where(t.Phase.game_id == seat.game_id, t.Question.seat_id == seat.id, t.Phase.state != "void")
        .order_by(col(t.Segment.id).desc())
    )
    return session.exec(found).first()


def questions(session: Session, segment: t.Segment) -> Sequence[tuple[str, t.Question]]:
    """The questions of a pause in order, each with the name of the seat that it was put to."""
    found = select(t.Seat.name, t.Question).join(t.Question).where(t.Question.segment_id == segment.id)
    return session.exec(found.order_by(col(t.Question.number))).all()


def questions_to(session: Session, segment: t.Segment, seat: t.Seat | None = None) -> Sequence[t.Question]:
    """The questions of a pause, those to one seat or to all one after another, in order."""
    found = select(t.Question).where(t.Question.segment_id == segment.id)
    if seat is not None:
        found = found.where(t.Question.seat_id == seat.id)
    return session.exec(found.order_by(col(t.Question.seat_id), col(t.Question.number))).all()


def asked(session: Session, phase: t.Phase, seat: t.Seat) -> int:
    """How many questions a seat was asked in a phase."""
    found = select(func.count()).select_from(t.Question).join(t.Segment)
    return session.exec(found.where(t.Segment.phase_id == phase.id, t.Question.seat_id == seat.id)).one()


def asked_before(session: Session, segment: t.Segment, seat: t.Seat) -> t.Segment | None:
    """The last pause before this one of the same phase at which the seat was asked."""
    found = (
        select(t.Segment)
        .join(t.Question)
        .where(
            t.Segment.phase_id == segment.phase_id,
            t.Segment.number < segment.number,
            t.Question.seat_id == seat.id,
        )
        .order_by(col(t.Segment.number).desc())
    )
    return session.exec(found).first()


def letters_by_seat(session: Session, name: str, turn: int) -> Mapping[int, int]:
    """How many letters of questions each seat of a game was sent in a turn, as it stands, by the seat's id."""
    found = (
        select(t.Question.seat_id, func.count(func.distinct(t.Question.segment_id)))
        .join(t.Segment)
        .join(t.Phase)
        .where(t.Phase.game_id == name, t.Phase.turn == turn, t.Phase.state != "void")
        .group_by(col(t.Question.seat_id))
    )
    return dict(session.exec(found).all())


def answers(session: Session) -> Sequence[str | None]:
    """What all questions of all games were answered, None where no answer came."""
    return session.exec(select(t.Question.answer)).all()
