"""Define the tables of letters, press, tallies, uses and begun letters."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Index, UniqueConstraint
from sqlmodel import Field, Relationship, SQLModel

import pbem.store.tables.phases  # noqa: F401  # these refer to its tables
from pbem.store.tables import Compressed, one_of, partial_index, partial_unique_index


class Raw(SQLModel, table=True):
    """The bytes of a received letter, stored once however often it came."""

    sha256: str = Field(primary_key=True, max_length=64)
    body: bytes


class Inbox(SQLModel, table=True):
    """A received letter: its place, its kind (`verdict`), its result (`outcome`).

    `copy_of` is the first row with the same Message-ID and bytes.
    """

    __table_args__ = (
        UniqueConstraint("account", "folder", "uidvalidity", "uid"),
        partial_unique_index("ix_inbox_one_original", "message_id", "sha256", where="copy_of IS NULL"),
        Index("ix_inbox_seat_id_taken", "seat_id", "taken"),
        Index("ix_inbox_verdict_taken", "verdict", "taken"),
        Index("ix_inbox_taken", "taken"),
    )

    id: int | None = Field(default=None, primary_key=True)
    account: str
    folder: str
    uidvalidity: int = Field(sa_type=BigInteger)
    uid: int = Field(sa_type=BigInteger)
    message_id: str
    sha256: str = Field(foreign_key="raw.sha256", index=True)
    sender: str = Field(index=True)
    internaldate: datetime
    taken: datetime
    seat_id: int | None = Field(default=None, foreign_key="seat.id")
    verdict: str
    outcome: str
    copy_of: int | None = Field(default=None, foreign_key="inbox.id", index=True)


class Poll(SQLModel, table=True):
    """When a mailbox's last complete poll began."""

    account: str = Field(primary_key=True)
    folder: str = Field(primary_key=True)
    begun: datetime


class Content(SQLModel, table=True):
    """The content of a letter: JSON (`model`), and the bytes once rendered.

    All tries send the same bytes. In the bytes pictures are named by their digest (`mail.outbound`). It is in a
    table of its own, because it is a hundred times as large as the letter's row, and most queries need only rows.
    """

    outbox_id: int | None = Field(default=None, primary_key=True, foreign_key="outbox.id")
    model: str
    body: bytes | None = Field(default=None, sa_type=Compressed)


class Outbox(SQLModel, table=True):
    """A letter to one recipient, without its `content`.

    `language` and `format` are the recipient's when it was written. `bounced` is the status (RFC 3463) with which
    it came back. With several workers, `owner` is the worker that has reserved it, and no other worker sends it
    before `until`.
    """

    __table_args__ = (
        one_of("state", "queued", "sent", "failed"),
        Index("ix_outbox_state_next_try", "state", "next_try"),
        Index("ix_outbox_seat_id_kind_id", "seat_id", "kind", "id"),
        Index("ix_outbox_game_id_created", "game_id", "created"),
        partial_index("ix_outbox_given_up", "id", where="state = 'failed' AND last_text NOT LIKE 'overtaken by %'"),
    )

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    kind: str
    game_id: str | None = Field(default=None, foreign_key="game.id")
    seat_id: int | None = Field(default=None, foreign_key="seat.id")
    inbox_id: int | None = Field(default=None, foreign_key="inbox.id", index=True)
    recipient: str = Field(index=True)
    envelope_sender: str = Field(index=True)
    reply_to: str = ""
    in_reply_to: str = ""
    references: str = ""
    language: str
    format: str = "text"
    state: str = "queued"
    attempts: int = 0
    created: datetime = Field(index=True)
    next_try: datetime
    last_code: int | None = None
    last_text: str = ""
    bounced: str = ""
    owner: str = Field(default="", sa_column_kwargs={"server_default": ""})
    until: datetime | None = None
    # Every letter has one. It is loaded with the row, unless the query excludes it.
    content: Content = Relationship(sa_relationship_kwargs={"lazy": "joined", "innerjoin": True, "uselist": False})

    @property
    def model(self) -> str:
        """Return its content as JSON; empty if that is no longer stored."""
        return self.content.model

    @property
    def body(self) -> bytes | None:
        """Return the bytes that every try sends, once they are rendered."""
        return self.content.body


class Picture(SQLModel, table=True):
    """A picture in letters, as PNG, stored once by its scene, language and colours.

    `made` is when it was drawn.
    """

    digest: str = Field(primary_key=True, max_length=64)
    png: bytes
    made: datetime = Field(index=True)


class Attempt(SQLModel, table=True):
    """One try at sending: the reply code (0 when there was none) and its text."""

    __table_args__ = (partial_index("ix_attempt_taken", "id", where="code BETWEEN 200 AND 299"),)

    id: int | None = Field(default=None, primary_key=True)
    outbox_id: int = Field(foreign_key="outbox.id", index=True)
    at: datetime
    code: int
    text: str


class Gathered(SQLModel, table=True):
    """News collected for a seat: kind, sentences and blocks (canonical JSON).

    `letter` is the Message-ID of the digest with it, empty as long as there is none.
    """

    id: int | None = Field(default=None, primary_key=True)
    seat_id: int = Field(foreign_key="seat.id", index=True)
    kind: str
    at: datetime
    body: str
    letter: str = ""


class Press(SQLModel, table=True):
    """A letter of a player to others.

    `to` has their seats, separated by blanks, or a star for all. `kept_from` are the readers who have muted the
    author, and have not unmuted him since. `rides` says when it is delivered: 1 at once, 2 with the next report,
    and so on; 0 by the terms of the game.
    """

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id", index=True)
    seat_id: int = Field(foreign_key="seat.id", index=True)
    inbox_id: int = Field(foreign_key="inbox.id")
    turn: int
    to: str
    text: str
    at: datetime
    delivered: bool = False
    kept_from: str = ""
    rides: int = 0


class Tally(SQLModel, table=True):
    """The number of rows of a table with a word (`queries.counts`).

    The row with the empty word has the id up to which rows are counted. Triggers on `game` keep the tally of games
    by state, which needs no such row.
    """

    about: str = Field(primary_key=True)
    word: str = Field(primary_key=True)
    count: int = Field(sa_type=BigInteger)


# The tables of limits: used commands, and begun letters that may end the server.


class Use(SQLModel, table=True):
    """A counted use of a command: its phase, and the address written to.

    `about` is that address, lower-case and without its detail, empty if there is none.
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
    """A letter begun in an unfinished poll, and how many server runs it has ended.

    The row is deleted when the letter is taken; while it exists, the letter has ended each of these runs. `sha256`
    is the digest of all its bytes, since another letter may get its place.
    """

    account: str = Field(primary_key=True)
    folder: str = Field(primary_key=True)
    uidvalidity: int = Field(sa_type=BigInteger, primary_key=True)
    uid: int = Field(sa_type=BigInteger, primary_key=True)
    lives: int = 1
    sha256: str = ""
