"""The tables of time: what will happen by itself, and by what deadlines were put off."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel


class Due(SQLModel, table=True):
    """Something that fires at a moment; rows run in the order of (at, kind, id).

    `judged` says of the closing of a phase what was wrong when it fell due, if anything (`campaign.turn.breakers`);
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
