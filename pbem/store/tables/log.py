"""The tables of the log: leaves, the nodes of the tree over them, the checkpoints that were signed, and who signs now.

A leaf is written by the transaction of the act that it records, with its place in its game's chain; its `number` in
the log comes after that, once, from whoever holds the lease. Nothing else of it ever changes: the migration that makes
`leaf` adds triggers that refuse it, and every DELETE.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel


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
    says: bytes = Field(default=b"", sa_column_kwargs={"server_default": text("''")})
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
