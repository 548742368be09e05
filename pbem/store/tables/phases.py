"""The tables of what a game came by: its phases with their events, and the states before and after them.

Phases and the states that rulings made are numbered together.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

import pbem.store.tables.games  # noqa: F401  # these refer to its tables
from pbem.store.tables import one_of, only_one, some


class Phase(SQLModel, table=True):
    """A phase of a game, `number` counting from 1 over the whole game, rulings that change the past counted too.

    On closing it gets `orders` (JSON: seat -> revision, canonical text, standing orders rule by rule); on resolution
    `slate`, that of its first segment, `rolls` (JSON: label, n, sides, values), the digest of its events and of the
    state after them, and `shown`, what its report opens of the orders (JSON; `play.revealed_orders`). A phase stays
    closed while somebody is asked by letter.

    A void phase keeps all that it had; `void_by` is the number of the ruling. `attempt` counts how often the phase was
    opened. One that was resolved once more, from the same closed orders, has a row for each `run` and in `again_of` the
    id of the first, whose segments are its own.
    """

    __table_args__ = (
        one_of("state", "open", "closed", "resolved", "void"),
        UniqueConstraint("game_id", "number"),
        UniqueConstraint("game_id", "turn", "name", "attempt", "run"),
        only_one("ix_phase_one_open", "game_id", where="state = 'open'"),
        some("ix_phase_going_on", "game_id", where="state IN ('open', 'closed')"),
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
    """One event of a resolved phase, `number` from 1; `body` is its canonical JSON. Append-only."""

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
    """A state that a ruling made: that after number `after` of the game, changed by `events` (JSON). Append-only.

    `number` counts together with those of the game's phases; the next phase begins from it. `ruling` is the number of
    the ruling. Whatever has a number between `after` and this one is void.
    """

    __table_args__ = (UniqueConstraint("game_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    number: int
    ruling: int
    after: int
    events: str = "[]"


# The tables of phases that were paused: their segments, and what was asked at the end of each.


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


# The tables of time: what will happen by itself, and by what deadlines were put off.


class Due(SQLModel, table=True):
    """Something that fires at a moment; rows run in the order of (at, kind, id).

    `judged` says of the closing of a phase what was wrong when it fell due, if anything (`play.outage_guard`);
    None as long as nobody has looked.
    """

    __table_args__ = (UniqueConstraint("game_id", "kind", "cause"), Index("ix_due_at_kind_id", "at", "kind", "id"))

    id: int | None = Field(default=None, primary_key=True)
    at: datetime
    kind: str
    game_id: str = Field(foreign_key="game.id")
    cause: str
    judged: str | None = None


class Delay(SQLModel, table=True):
    """A deadline put off, by so many seconds: why, and by whose wish if it was a seat's."""

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id", index=True)
    seat_id: int | None = Field(default=None, foreign_key="seat.id", index=True)
    cause: str
    seconds: int
    at: datetime
