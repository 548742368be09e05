"""Define the tables of writers, observers, standbys, searches and absences."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

import pbem.store.tables.games  # noqa: F401  # these refer to its tables


class UnknownWriter(SQLModel, table=True):
    """An unregistered address from which letters of a seat came, and since when."""

    __tablename__ = "writer"
    __table_args__ = (UniqueConstraint("seat_id", "email"),)

    id: int | None = Field(default=None, primary_key=True)
    seat_id: int = Field(foreign_key="seat.id")
    email: str
    first: datetime


class Observer(SQLModel, table=True):
    """A person who watches a game by its public reports, in `language`."""

    __table_args__ = (UniqueConstraint("game_id", "person_id"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    language: str = "en"


class Standby(SQLModel, table=True):
    """A person who stands by for vacant seats, of one game or of any."""

    __table_args__ = (UniqueConstraint("person_id", "game_id"),)

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    game_id: str | None = Field(default=None, foreign_key="game.id", index=True)


class Seek(SQLModel, table=True):
    """A search for an opponent: the battle, the seat (empty: any), the time."""

    __table_args__ = (UniqueConstraint("person_id", "scenario"),)

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    scenario: str = Field(index=True)
    seat: str = ""
    at: datetime = Field(index=True)


class Absence(SQLModel, table=True):
    """A seat's absence: first and last day, ``YYYY-MM-DD`` in its own zone."""

    id: int | None = Field(default=None, primary_key=True)
    seat_id: int = Field(foreign_key="seat.id", index=True)
    first: str
    last: str
