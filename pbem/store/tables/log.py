"""The tables of the log: leaves, the nodes of the tree over them, the checkpoints that were signed, and who signs now.

A leaf is written by the transaction of the act that it records, with its place in its game's chain; its `number` in
the log comes after that, once, from whoever holds the lease. Nothing else of it ever changes: the migration that makes
`leaf` adds triggers that refuse it, and every DELETE.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

import pbem.store.tables.games  # noqa: F401  # these refer to its tables
from pbem.store.tables import one_of


class Leaf(SQLModel, table=True):
    """A leaf: its bytes, its place `seq` in the chain of `game` ("-": the server), its kind, its phase if it has one.

    `body` are the bytes that everybody may see, `says` those of what it says, which are shown to whom they concern; a
    leaf about the server has none. `number` is its index in the log, None until it is signed for. `opens` is what a
    digest in it stands for: the orders of commitments (the text, and the standing orders rule by rule), the answers,
    the slate of a close, the manifest of a roll, the state that a phase was opened with or led to.
    """

    __table_args__ = (UniqueConstraint("game", "seq"), Index("ix_leaf_game_phase_seq", "game", "phase", "seq"))

    id: int | None = Field(default=None, primary_key=True)
    game: str = Field(max_length=64)
    seq: int
    kind: str
    phase: str = ""
    body: bytes
    says: bytes = Field(default=b"", sa_column_kwargs={"server_default": ""})
    opens: str = ""
    number: int | None = Field(default=None, sa_type=BigInteger, unique=True)
    written: datetime


class Node(SQLModel, table=True):
    """A full node of the tree: the hash over 2**level leaves, the `place`-th of its level from 0."""

    level: int = Field(primary_key=True)
    place: int = Field(primary_key=True, sa_type=BigInteger)
    digest: bytes


class Checkpoint(SQLModel, table=True):
    """A signed checkpoint: how many leaves it is over, and the note as it is sent.

    `kept` is True if a file beside the keys is told of it before it leaves (`proofs.guard`).
    """

    size: int = Field(primary_key=True, sa_type=BigInteger)
    note: bytes
    signed: datetime
    kept: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})


class Lease(SQLModel, table=True):
    """Which process may do something, such as signing, that only one may do at a time, and until when."""

    name: str = Field(primary_key=True)
    owner: str
    until: datetime


class Shown(SQLModel, table=True):
    """What a seat has been shown of the log: the size of the last checkpoint, and the last leaf of its game."""

    seat_id: int = Field(primary_key=True, foreign_key="seat.id")
    size: int = Field(sa_type=BigInteger)
    seq: int


# The tables of witnesses: who watches the log for a game, what they have cosigned, and what they say that they saw.


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
