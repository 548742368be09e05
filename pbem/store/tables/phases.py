"""The tables of what a game came by: its phases with their events, and the states before and after them.

Phases and the states that rulings made are numbered together.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from pbem.store.naming import one_of, only_one, some


class Phase(SQLModel, table=True):
    """A phase of a game, `number` counting from 1 over the whole game, rulings that change the past counted too.

    On closing it gets `orders` (JSON: seat -> revision, canonical text, standing orders rule by rule); on resolution
    `slate`, that of its first segment, `rolls` (JSON: label, n, sides, values), the digest of its events and of the
    state after them, and `shown`, what its report opens of the orders (JSON; `campaign.chain.openings`). A phase stays
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
