"""Questions about pauses: the segments of phases that were paused, and what was asked at the end of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlmodel import Session, col, func, select

from pbem.store import tables as t


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
