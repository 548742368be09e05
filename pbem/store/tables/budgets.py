"""The tables of what is limited: commands that were used, and letters that were begun and may end the server."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Index
from sqlmodel import Field, SQLModel


class Use(SQLModel, table=True):
    """A command of a seat's letter that was carried out and is counted: in which phase, and whom it had written to.

    `about` is that address, lower-case and without what follows a plus, empty if there is none.
    """

    __table_args__ = (
        Index("ix_use_seat_id_command", "seat_id", "command"),
        Index("ix_use_person_id_at", "person_id", "at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    command: str
    seat_id: int = Field(foreign_key="seat.id")
    person_id: int | None = Field(default=None, foreign_key="person.id")
    phase_id: int | None = Field(default=None, foreign_key="phase.id")
    about: str = ""
    at: datetime = Field(index=True)


class Begun(SQLModel, table=True):
    """A letter that was begun in a poll which was not ended, and in how many lives of the server it was.

    The row goes when the letter is taken; while it is there, the letter has ended each of these lives. `sha256` is of
    all its bytes: another letter may come to lie in its place.
    """

    account: str = Field(primary_key=True)
    folder: str = Field(primary_key=True)
    uidvalidity: int = Field(sa_type=BigInteger, primary_key=True)
    uid: int = Field(sa_type=BigInteger, primary_key=True)
    lives: int = 1
    sha256: str = ""
