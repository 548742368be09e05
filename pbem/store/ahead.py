"""The tables of what is kept for a time to come: orders of later turns, news not yet told."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

__all__ = ["Gathered", "Later"]


class Later(SQLModel, table=True):
    """The orders of a seat for a turn to come, as canonical text; gone once they are those of their turn.

    The letter that brought them, its Date header, the receiving server's INTERNALDATE. `repeated` is as in `OrderSet`.
    """

    __table_args__ = (UniqueConstraint("seat_id", "turn"),)

    id: int | None = Field(default=None, primary_key=True)
    seat_id: int = Field(foreign_key="seat.id")
    turn: int
    text: str
    repeated: str | None = None
    inbox_id: int = Field(foreign_key="inbox.id")
    dated: datetime | None = None
    received: datetime


class Gathered(SQLModel, table=True):
    """A piece of news for a seat that wants them gathered: its kind, its sentences and blocks as canonical JSON.

    `letter` is the Message-ID of the digest that tells it, empty as long as there is none.
    """

    id: int | None = Field(default=None, primary_key=True)
    seat_id: int = Field(foreign_key="seat.id", index=True)
    kind: str
    at: datetime
    body: str
    letter: str = ""
