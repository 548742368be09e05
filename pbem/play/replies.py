"""What came of a phase's pauses, read from its rows: answers, letters that were carried out, what was mailed."""

from __future__ import annotations

from sqlmodel import Session

from pbem.engine.data.canon import loads
from pbem.engine.data.events import Event
from pbem.engine.run.questions import Value
from pbem.play.dice_segments import Pause, SeatAnswers
from pbem.store import queries, tables


def pauses(session: Session, phase: tables.Phase) -> tuple[Pause, ...]:
    """What came of the pauses that are over, in order."""
    return tuple(
        answers(session, segment) for segment in queries.phases.segments(session, phase) if _is_paused(segment)
    )


def mailed_events(session: Session, phase: tables.Phase) -> tuple[Event, ...]:
    """The events that were mailed at the last pause."""
    rows = [segment for segment in queries.phases.segments(session, phase) if segment.deadline or segment.letter]
    return tuple(Event.from_json(value) for value in loads(rows[-1].events)) if rows else ()


def _is_paused(segment: tables.Segment) -> bool:
    return segment.state == "closed" and (segment.deadline is not None or "answer" in loads(segment.letter or "{}"))


def answers(session: Session, segment: tables.Segment) -> Pause:
    """What came of a pause so far, by seat."""
    if segment.letter is not None:
        letter = loads(segment.letter)
        answer: tuple[tuple[str, Value], ...] = ((letter["window"], (letter["answer"],)),)
        return {seat: SeatAnswers(revision, answer, text) for seat, (revision, text) in letter["orders"].items()}
    said: dict[str, SeatAnswers] = {}
    for seat, row in queries.phases.questions(session, segment):
        before = said.get(seat, SeatAnswers())
        value: Value = () if row.answer is None else tuple(loads(row.answer))
        said[seat] = SeatAnswers(max(before.revision, row.revision), (*before.answers, (row.window, value)))
    return said


def next_window(session: Session, phase: tables.Phase) -> tuple[int, str]:
    """The number of the segment that the next letter begins, and the window that it answers."""
    last = queries.phases.segments(session, phase)[-1]
    return last.number + 1, str(loads(last.letter or "{}")["window"])
