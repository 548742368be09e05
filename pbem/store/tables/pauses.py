"""The tables of phases that were paused: their segments, and what was asked at the end of each."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from pbem.store.naming import one_of


class Segment(SQLModel, table=True):
    """A segment of a phase that was paused, `number` counting from 1: from one pause to the next, or to the end.

    The rows of a phase are one a pause, and one more when it is resolved; a phase without a pause has none. `events`
    (JSON) are all that had happened in the phase at the pause, which were mailed; `deadline` is that of its questions.
    Where letters are carried out one by one, `letter` (JSON: the window, the orders by seat or none) is the one that
    came after the segment, and `position` the canonical JSON of the state before it.
    """

    __table_args__ = (one_of("state", "asking", "closed"), UniqueConstraint("phase_id", "number"))

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id")
    number: int
    state: str = "asking"
    slate: str
    events: str = "[]"
    letter: str | None = None
    position: str | None = None
    opened: datetime
    deadline: datetime | None = None


class Question(SQLModel, table=True):
    """Something a seat was asked at the end of a segment, `number` counting from 1 over phase and seat.

    `window` is the id of what was asked, `text` (JSON) its words, the options with theirs, what holds in silence;
    `answer` (JSON: the words of an option) is None as long as none came, and `revision` counts the seat's letters.
    """

    __table_args__ = (UniqueConstraint("segment_id", "seat_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    segment_id: int = Field(foreign_key="segment.id")
    seat_id: int = Field(foreign_key="seat.id", index=True)
    number: int
    window: str
    text: str
    answer: str | None = None
    revision: int = 0
