"""The tables of what players want of a game besides orders: time, absence, its end, and to take part in it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from pbem.store.naming import one_of

__all__ = ["Absence", "Delay", "Proposal", "Standby", "Wish"]


class Wish(SQLModel, table=True):
    """What a seat wants of the open phase: that it waits for the deadline or for nothing, or that it is done."""

    __table_args__ = (one_of("word", "wait", "go", "done"), UniqueConstraint("phase_id", "seat_id"))

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id")
    seat_id: int = Field(foreign_key="seat.id")
    word: str


class Delay(SQLModel, table=True):
    """A deadline put off, by so many seconds: why, and by whose wish if it was a seat's."""

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id", index=True)
    seat_id: int | None = Field(default=None, foreign_key="seat.id", index=True)
    cause: str
    seconds: int
    at: datetime


class Proposal(SQLModel, table=True):
    """What a seat wants the open phase to end the game with: a draw, or that its side concedes."""

    __table_args__ = (one_of("word", "draw", "concede"), UniqueConstraint("phase_id", "seat_id", "word"))

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id")
    seat_id: int = Field(foreign_key="seat.id")
    word: str


class Standby(SQLModel, table=True):
    """Somebody who wants to hear of seats that need a player, of one game or of any."""

    __table_args__ = (UniqueConstraint("person_id", "game_id"),)

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    game_id: str | None = Field(default=None, foreign_key="game.id", index=True)


class Absence(SQLModel, table=True):
    """Days on which a seat is away, the first and the last, ``YYYY-MM-DD`` in its own zone."""

    id: int | None = Field(default=None, primary_key=True)
    seat_id: int = Field(foreign_key="seat.id", index=True)
    first: str
    last: str
