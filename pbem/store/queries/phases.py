"""Query the phases of games, their events, states, pauses and questions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import and_, bindparam, false, literal_column, or_
from sqlmodel import Session, col, func, select

from pbem.store import hot_statements
from pbem.store import tables as t
from pbem.store.compiled_statements import read_rows
from pbem.store.session_cache import cache_of, cached_rows, forget_when_written, write_pending

forget_when_written(t.Segment, t.Question)

# As a literal: a partial index is not used for a value that is bound later.
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
_LAST_ATTEMPT = select(func.max(t.Phase.attempt)).where(
    t.Phase.game_id == bindparam("game"), t.Phase.turn == bindparam("turn"), t.Phase.name == bindparam("phase")
)
_SEGMENTS = select(t.Segment).where(t.Segment.phase_id == bindparam("phase")).order_by(col(t.Segment.number))
_ASKED = (
    select(t.Question.seat_id, func.count(func.distinct(t.Question.segment_id)))
    .join(t.Segment)
    .join(t.Phase)
    .where(t.Phase.game_id == bindparam("game"), t.Phase.turn == bindparam("turn"), t.Phase.state != "void")
    .group_by(col(t.Question.seat_id))
)
_BY_NUMBER = select(t.Phase).order_by(col(t.Phase.number))


class StoredState(NamedTuple):
    """The state after a phase, 0 at the start, as canonical JSON."""

    number: int
    body: str


def open_phase(session: Session, name: str) -> t.Phase | None:
    """Return the phase that takes orders, of which a game has at most one."""
    return session.exec(_OPEN_PHASE, params={"game": name}).one_or_none()


def waiting_phase(session: Session, name: str) -> t.Phase | None:
    """Return the phase that waits for answers; None while one is open."""
    return session.exec(_CLOSED_PHASE, params={"game": name}).one_or_none()


def present_phase(session: Session, name: str) -> t.Phase | None:
    """Return the present phase: the open one, or else the closed one."""
    return open_phase(session, name) or waiting_phase(session, name)


def all_phases(session: Session, name: str) -> Sequence[t.Phase]:
    """Return all phases of a game in order, void ones too."""
    return session.exec(_BY_NUMBER.where(t.Phase.game_id == name)).all()


def resolved_phases(session: Session, name: str) -> Sequence[t.Phase]:
    """Return the resolved phases of a game in order, without void ones."""
    return session.exec(_BY_NUMBER.where(t.Phase.game_id == name, t.Phase.state == "resolved")).all()


def void_phases(session: Session, name: str) -> Sequence[t.Phase]:
    """Return the phases of a game that rulings made void, in the order of opening."""
    return session.exec(_BY_NUMBER.where(t.Phase.game_id == name, t.Phase.state == "void")).all()


def phases_with_rolls(session: Session, name: str) -> Sequence[t.Phase]:
    """Return the phases of a game with dice rolls, in order, void ones too."""
    return session.exec(_BY_NUMBER.where(t.Phase.game_id == name, col(t.Phase.rolls).is_not(None))).all()


def phases_of_turn(session: Session, name: str, turn: int) -> Sequence[t.Phase]:
    """Return all phases of a turn of a game in order, void ones too."""
    return session.exec(_BY_NUMBER.where(t.Phase.game_id == name, t.Phase.turn == turn)).all()


def first_of_turn(session: Session, name: str, turn: int) -> t.Phase | None:
    """Return a turn's first phase, resolved or open; None if it has not begun."""
    return session.exec(
        _BY_NUMBER.where(t.Phase.game_id == name, t.Phase.turn == turn, t.Phase.state != "void")
    ).first()


def phases_from(session: Session, phase: t.Phase) -> Sequence[t.Phase]:
    """Return a phase and the later ones of its game, in order, without void ones."""
    query = _BY_NUMBER.where(t.Phase.game_id == phase.game_id, t.Phase.number >= phase.number)
    return session.exec(query.where(t.Phase.state != "void")).all()


def earlier_attempts(session: Session, phase: t.Phase) -> Sequence[t.Phase]:
    """Return the earlier attempts at a phase, in order."""
    query = _BY_NUMBER.where(t.Phase.game_id == phase.game_id, t.Phase.turn == phase.turn, t.Phase.name == phase.name)
    return session.exec(query.where(t.Phase.attempt < phase.attempt)).all()


def ruling_of_attempt(session: Session, phase: t.Phase) -> int:
    """Return the number of the ruling that opened an attempt; 0 for the first."""
    query = select(func.max(t.Phase.void_by)).where(
        t.Phase.game_id == phase.game_id,
        t.Phase.turn == phase.turn,
        t.Phase.name == phase.name,
        t.Phase.attempt == phase.attempt - 1,
    )
    return session.exec(query).one() or 0 if phase.attempt > 1 else 0


def last_attempt(session: Session, name: str, turn: int, phase_name: str) -> int:
    """Return the number of the last attempt at a phase, 0 if it was never opened."""
    ((number,),) = read_rows(session, _LAST_ATTEMPT, game=name, turn=turn, phase=phase_name)
    return number or 0


def last_run(session: Session, phase: t.Phase) -> int:
    """Return the number of the last run of a phase's attempt, or 0."""
    query = select(func.max(t.Phase.run)).where(
        t.Phase.game_id == phase.game_id,
        t.Phase.turn == phase.turn,
        t.Phase.name == phase.name,
        t.Phase.attempt == phase.attempt,
    )
    return session.exec(query).one() or 0


def last_number(session: Session, name: str) -> int:
    """Return the number of the last phase of a game, 0 before the first."""
    return session.exec(select(func.max(t.Phase.number)).where(t.Phase.game_id == name)).one() or 0


def phase_or_ruled_state(session: Session, name: str, number: int) -> t.Phase | t.Basis | None:
    """Return the phase with a number in a game, or the state that a ruling made."""
    phase = select(t.Phase).where(t.Phase.game_id == name, t.Phase.number == number)
    basis = select(t.Basis).where(t.Basis.game_id == name, t.Basis.number == number)
    return session.exec(phase).one_or_none() or session.exec(basis).one_or_none()


def ruled_states(session: Session, name: str) -> Sequence[t.Basis]:
    """Return the states of a game that rulings made."""
    return session.exec(select(t.Basis).where(t.Basis.game_id == name)).all()


def events(session: Session, phase: t.Phase) -> Sequence[t.Event]:
    """Return the events of a resolved phase in order."""
    return session.exec(select(t.Event).where(t.Event.phase_id == phase.id).order_by(col(t.Event.number))).all()


def midway_state(session: Session, name: str) -> str | None:
    """Return the state after the open phase's last letter, as canonical JSON."""
    return session.exec(_MIDWAY, params={"game": name}).first()


def latest_snapshot(session: Session, name: str) -> StoredState | None:
    """Return the state after the last resolved phase, or at the start."""
    row = hot_statements.latest_state(session, name)
    return None if row is None else StoredState(*row)


def stored_states(session: Session, wanted: Collection[tuple[str, int]]) -> list[tuple[t.Game, StoredState]]:
    """Return stored states, with their games.

    `wanted` are names of games and numbers of the phase before the state.
    """
    # Each pair by the key: with a list of pairs, SQLite would read all states of all games.
    pairs = (and_(col(t.Snapshot.game_id) == name, col(t.Snapshot.number) == number) for name, number in sorted(wanted))
    rows = session.exec(_KEPT_STATES.where(or_(false(), *pairs)))
    return [(game, StoredState(number, body)) for game, number, body in rows]


# Queries about pauses: the segments of paused phases, and their questions.


def open_pause(session: Session, phase: t.Phase) -> t.Segment | None:
    """Return the pause that a phase is in, or None."""
    query = select(t.Segment).where(t.Segment.phase_id == phase.id, t.Segment.state == "asking")
    return session.exec(query).one_or_none()


def segments(session: Session, phase: t.Phase) -> Sequence[t.Segment]:
    """Return the segments of a phase, in order; empty if it never paused."""
    of = phase.again_of or phase.id
    return cached_rows(session, t.Segment, of, lambda: session.exec(_SEGMENTS, params={"phase": of}).all())


def last_pause(session: Session, seat: t.Seat) -> t.Segment | None:
    """Return the last valid pause of a seat's game with questions to the seat."""
    query = (
        select(t.Segment)
        .join(t.Question)
        .join(t.Phase)
        .where(t.Phase.game_id == seat.game_id, t.Question.seat_id == seat.id, t.Phase.state != "void")
        .order_by(col(t.Segment.id).desc())
    )
    return session.exec(query).first()


def questions(session: Session, segment: t.Segment) -> Sequence[tuple[str, t.Question]]:
    """Return the questions of a pause in order, each with its seat's name."""
    query = select(t.Seat.name, t.Question).join(t.Question).where(t.Question.segment_id == segment.id)
    return session.exec(query.order_by(col(t.Question.number))).all()


def questions_to(session: Session, segment: t.Segment, seat: t.Seat | None = None) -> Sequence[t.Question]:
    """Return the questions of a pause to one seat, or to all by seat, in order."""
    query = select(t.Question).where(t.Question.segment_id == segment.id)
    if seat is not None:
        query = query.where(t.Question.seat_id == seat.id)
    return session.exec(query.order_by(col(t.Question.seat_id), col(t.Question.number))).all()


def count_questions(session: Session, phase: t.Phase, seat: t.Seat) -> int:
    """Return how many questions a seat was asked in a phase."""
    query = select(func.count()).select_from(t.Question).join(t.Segment)
    return session.exec(query.where(t.Segment.phase_id == phase.id, t.Question.seat_id == seat.id)).one()


def previous_pause(session: Session, segment: t.Segment, seat: t.Seat) -> t.Segment | None:
    """Return the phase's last earlier pause with questions to the seat."""
    query = (
        select(t.Segment)
        .join(t.Question)
        .where(
            t.Segment.phase_id == segment.phase_id,
            t.Segment.number < segment.number,
            t.Question.seat_id == seat.id,
        )
        .order_by(col(t.Segment.number).desc())
    )
    return session.exec(query).first()


def question_letters_by_seat(session: Session, name: str, turn: int) -> Mapping[int, int]:
    """Return how many letters of questions each seat got in a turn, by seat id."""
    write_pending(session, t.Question, t.Segment)
    cache = cache_of(session, "question")
    if (name, turn) not in cache:
        cache[name, turn] = session.exec(_ASKED, params={"game": name, "turn": turn}).all()
    return dict(cache[name, turn])


def all_answers(session: Session) -> Sequence[str | None]:
    """Return the answers to all questions of all games; None for one unanswered."""
    return session.exec(select(t.Question.answer)).all()
