"""Define the tables of the log: leaves, nodes, checkpoints and witnesses.

A leaf is written by the transaction of the act that it records, with its place in its game's chain; its `number` in
the log comes later, once, from the process that has the lease. Nothing else in it ever changes: the migration that
makes `leaf` adds triggers that refuse all other changes, and every DELETE.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

import pbem.store.tables.games  # noqa: F401  # these refer to its tables
from pbem.store.tables import one_of


class Leaf(SQLModel, table=True):
    """A leaf: bytes, place `seq` in the chain of `game`, kind and phase.

    The server's chain is "-". `body` are the bytes in the public log. `says` are the bytes of the leaf's content,
    shown to the seats concerned; a leaf about the server has none. `number` is its index in the log, None until it
    is signed.

    `opens` is the text of which the leaf has a digest. By the kind of leaf it is: the orders of a commitment and
    its standing orders rule by rule; the answers; the block `slate` of a close; the manifest of a roll; the
    position before or after a phase.
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
    """A full node of the tree: the hash over 2**level leaves.

    `place` is its index in its level, from 0.
    """

    level: int = Field(primary_key=True)
    place: int = Field(primary_key=True, sa_type=BigInteger)
    digest: bytes


class Checkpoint(SQLModel, table=True):
    """A signed checkpoint: its number of leaves, and the note as it is sent.

    `kept` is whether it is recorded outside the database, as it must be before it is sent (`log.log_health`).
    """

    size: int = Field(primary_key=True, sa_type=BigInteger)
    note: bytes
    signed: datetime
    kept: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})


class Lease(SQLModel, table=True):
    """The process that has an exclusive task, such as signing, and until when."""

    name: str = Field(primary_key=True)
    owner: str
    until: datetime


class Shown(SQLModel, table=True):
    """Up to where a seat was shown the log: checkpoint size, its game's last leaf."""

    seat_id: int = Field(primary_key=True, foreign_key="seat.id")
    size: int = Field(sa_type=BigInteger)
    seq: int


# The tables of witnesses: their cosignatures and statements.


class Witness(SQLModel, table=True):
    """A witness of the log for a game, named by a player or the moderator.

    His mailbox is `email`; the token of the address that he answers to is derived from the row, never stored.
    `state` is ``asked`` until his first cosignature, then ``sworn``, and ``off`` after the end; `key` is his key,
    known from the first cosignature. The next proof begins at the tree of `base` leaves; `unanswered` counts
    letters in a row without an answer, `gaps` the repeated proofs since the last answer.
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
    """A verified cosignature of the checkpoint of `size` leaves.

    `by` is its line in the note, and `at` the unix second that it signs; `came` is when its letter was taken in.
    """

    __table_args__ = (UniqueConstraint("witness_id", "size"),)

    id: int | None = Field(default=None, primary_key=True)
    witness_id: int = Field(foreign_key="witness.id")
    size: int = Field(sa_type=BigInteger)
    by: str
    at: int = Field(sa_type=BigInteger)
    came: datetime


class Statement(SQLModel, table=True):
    """A witness's verified statement on closed orders in a tree of `size` leaves.

    `said` is the block (`audit.witness_statement`) as it came. `at` is the unix second in it, `came` when its
    letter was taken in.
    """

    id: int | None = Field(default=None, primary_key=True)
    witness_id: int = Field(foreign_key="witness.id", index=True)
    size: int = Field(sa_type=BigInteger)
    said: bytes
    at: int = Field(sa_type=BigInteger)
    came: datetime


class WebCosignature(SQLModel, table=True):
    """A witness's cosignature, by HTTP, of a checkpoint of the whole log.

    `key` is the witness's key; the other columns are as in `Cosignature`.
    """

    __tablename__ = "web_cosignature"
    __table_args__ = (UniqueConstraint("key", "size"),)

    id: int | None = Field(default=None, primary_key=True)
    key: str
    size: int = Field(sa_type=BigInteger)
    by: str
    at: int = Field(sa_type=BigInteger, index=True)
    came: datetime
