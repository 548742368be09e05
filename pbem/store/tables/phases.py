"""Define the tables of phases, events, states, questions and jobs.

Phases and the states that rulings made are numbered together.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

import pbem.store.tables.games  # noqa: F401  # these refer to its tables
from pbem.store.tables import one_of, partial_index, partial_unique_index


class Phase(SQLModel, table=True):
    """A phase of a game; `number` counts from 1 over the whole game.

    States set by rulings are counted too. On closing it gets `orders` (JSON: seat -> revision, canonical text,
    standing orders rule by rule); on resolution `slate`, the closed orders of its first segment, `rolls` (JSON:
    label, n, sides, values), the digest of its events and of the state after them, and `shown`, the orders that its
    report reveals (JSON; `play.revealed_orders`). A phase stays closed while questions are open.

    A void phase keeps all its values; `void_by` is the number of the ruling. `attempt` counts how often the phase
    was opened. A phase that was resolved again from the same closed orders has a row for each `run`; `again_of` is
    the id of the first row, which has the segments of all.
    """

    __table_args__ = (
        one_of("state", "open", "closed", "resolved", "void"),
        UniqueConstraint("game_id", "number"),
        UniqueConstraint("game_id", "turn", "name", "attempt", "run"),
        partial_unique_index("ix_phase_one_open", "game_id", where="state = 'open'"),
        partial_index("ix_phase_going_on", "game_id", where="state IN ('open', 'closed')"),
    )

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    number: int
    turn: int
    name: str
    attempt: int = 1
    run: int = 1
    again_of: int | None = Field(default=None, foreign_key="phase.id")
    state: str = "open"
    void_by: int | None = None
    opened: datetime
    deadline: datetime
    closed: datetime | None = None
    orders: str | None = None
    slate: str | None = None
    rolls: str | None = None
    events_digest: str | None = None
    state_digest: str | None = None
    shown: str | None = None


class Event(SQLModel, table=True):
    """One event of a resolved phase, from 1; `body` is canonical JSON. Append-only."""

    __table_args__ = (UniqueConstraint("phase_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id")
    number: int
    kind: str
    cite: str
    body: str


class Snapshot(SQLModel, table=True):
    """A cache: the state after phase `number` (0: at the start), as canonical JSON."""

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)
    body: str


class Basis(SQLModel, table=True):
    """A state set by a ruling: that after phase `after`, changed by `events` (JSON).

    Append-only. `number` counts together with those of the game's phases; the next phase begins from it. `ruling`
    is the number of the ruling. Everything with a number between `after` and this one is void.
    """

    __table_args__ = (UniqueConstraint("game_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    number: int
    ruling: int
    after: int
    events: str = "[]"


# The tables of paused phases: their segments, and the questions at the end of each.


class Segment(SQLModel, table=True):
    """A segment of a paused phase, from one pause to the next, or to the end.

    `number` counts from 1. A phase has one row for each pause, and one more when it is resolved; a phase without a
    pause has none. `events` (JSON) are all events of the phase up to the pause, which were mailed; `deadline` is
    that of its questions. If letters are carried out one by one, `letter` (JSON: the window, the orders by seat or
    none) is the letter after the segment, and `position` the canonical JSON of the state before that letter.
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
    """A question to a seat at the end of a segment.

    `number` counts from 1 over phase and seat. `window` is the id of the question, `text` (JSON) has its words, the
    options with their words, and the default; `answer` (JSON: the words of an option) is None without one, and
    `revision` counts the seat's letters.
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


# The tables of time: scheduled jobs, and delays of deadlines.


class Due(SQLModel, table=True):
    """A job at a moment; rows run in the order of (at, kind, id).

    `judged` is the trouble (`play.outage_guard`) found when a phase was due to close, empty if none; None until it
    is checked.
    """

    __table_args__ = (UniqueConstraint("game_id", "kind", "cause"), Index("ix_due_at_kind_id", "at", "kind", "id"))

    id: int | None = Field(default=None, primary_key=True)
    at: datetime
    kind: str
    game_id: str = Field(foreign_key="game.id")
    cause: str
    judged: str | None = None


class Delay(SQLModel, table=True):
    """A delay of a deadline in seconds: its cause, and the seat that asked for it."""

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id", index=True)
    seat_id: int | None = Field(default=None, foreign_key="seat.id", index=True)
    cause: str
    seconds: int
    at: datetime
