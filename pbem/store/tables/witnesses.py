"""The tables of witnesses: who watches the log for a game, what they have cosigned, and what they say that they saw."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, UniqueConstraint
from sqlmodel import Field, SQLModel

from pbem.store.naming import one_of


class Witness(SQLModel, table=True):
    """Who was asked to watch the log for a game: by the player of a seat, or without one by whoever moderates.

    His mailbox is `email`; the token of the address that he answers to is derived from the row, never stored. `state`
    is asked until a cosignature of his came, sworn from then on, and off for good; `key` is his own, as the first
    cosignature told it. The next proof begins at the tree of `base` leaves; so many letters in a row are `unanswered`,
    and for the last so many `gaps` were mended.
    """

    __table_args__ = (one_of("state", "asked", "sworn", "off"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id", index=True)
    seat_id: int | None = Field(default=None, foreign_key="seat.id")
    email: str = Field(index=True)
    language: str = "en"
    state: str = Field(default="asked", index=True)
    key: str = ""
    base: int = Field(default=0, sa_type=BigInteger)
    unanswered: int = 0
    gaps: int = 0
    asked: datetime


class Cosignature(SQLModel, table=True):
    """A cosignature that was verified: of the checkpoint of `size` leaves, `by` its line in the note, for the unix
    second `at`; `came` is when its letter was taken in.
    """

    __table_args__ = (UniqueConstraint("witness_id", "size"),)

    id: int | None = Field(default=None, primary_key=True)
    witness_id: int = Field(foreign_key="witness.id")
    size: int = Field(sa_type=BigInteger)
    by: str
    at: int = Field(sa_type=BigInteger)
    came: datetime


class Statement(SQLModel, table=True):
    """What a witness says of closed lists in the tree of `size` leaves: the block (`audit.sees`) as it came, verified.

    `at` is the unix second that it says, `came` when its letter was taken in.
    """

    id: int | None = Field(default=None, primary_key=True)
    witness_id: int = Field(foreign_key="witness.id", index=True)
    size: int = Field(sa_type=BigInteger)
    said: bytes
    at: int = Field(sa_type=BigInteger)
    came: datetime


class WebCosignature(SQLModel, table=True):
    """A cosignature of a witness who is asked by HTTP, for all games: his `key` as one word, all else as before."""

    __tablename__ = "web_cosignature"
    __table_args__ = (UniqueConstraint("key", "size"),)

    id: int | None = Field(default=None, primary_key=True)
    key: str
    size: int = Field(sa_type=BigInteger)
    by: str
    at: int = Field(sa_type=BigInteger, index=True)
    came: datetime
