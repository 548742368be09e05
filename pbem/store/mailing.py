"""Tables of what passes the door: bytes that came, addresses they came from, tries at sending, polls."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

import pbem.store.naming  # noqa: F401  # constraints are named by what it says

__all__ = ["Attempt", "Poll", "Raw", "Writer"]


class Writer(SQLModel, table=True):
    """An address other than the registered one from which letters of a seat came, and since when."""

    __table_args__ = (UniqueConstraint("seat_id", "email"),)

    id: int | None = Field(default=None, primary_key=True)
    seat_id: int = Field(foreign_key="seat.id")
    email: str
    first: datetime


class Raw(SQLModel, table=True):
    """The bytes of a received letter, once however often they came."""

    sha256: str = Field(primary_key=True, max_length=64)
    body: bytes


class Attempt(SQLModel, table=True):
    """One try at sending: the reply code (0 when there was none) and its text."""

    id: int | None = Field(default=None, primary_key=True)
    outbox_id: int = Field(foreign_key="outbox.id", index=True)
    at: datetime
    code: int
    text: str


class Poll(SQLModel, table=True):
    """When the last poll of a mailbox that was taken in whole began."""

    account: str = Field(primary_key=True)
    folder: str = Field(primary_key=True)
    begun: datetime
