"""The tables of the post: letters that came in, letters that go out, and what players write to one another."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Index, UniqueConstraint
from sqlmodel import Field, Relationship, SQLModel

import pbem.store.tables.phases  # noqa: F401  # these refer to its tables
from pbem.store.tables import one_of, only_one, some


class Raw(SQLModel, table=True):
    """The bytes of a received letter, once however often they came."""

    sha256: str = Field(primary_key=True, max_length=64)
    body: bytes


class Inbox(SQLModel, table=True):
    """A received letter: where it lay, what was found in it (`verdict`), what came of it (`outcome`).

    `copy_of` is the first row with the same Message-ID and bytes.
    """

    __table_args__ = (
        UniqueConstraint("account", "folder", "uidvalidity", "uid"),
        only_one("ix_inbox_one_original", "message_id", "sha256", where="copy_of IS NULL"),
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
    """When the last poll of a mailbox that was taken in whole began."""

    account: str = Field(primary_key=True)
    folder: str = Field(primary_key=True)
    begun: datetime


class Content(SQLModel, table=True):
    """What a letter to one recipient says: as JSON (`model`), and from the first rendering on the bytes of every try.

    In the bytes pictures are named by their digest (`mail.outbound`). It lies beside the letter's own row, since it is
    a hundred times as large, and most questions are about rows.
    """

    outbox_id: int | None = Field(default=None, primary_key=True, foreign_key="outbox.id")
    model: str
    body: bytes | None = None


class Outbox(SQLModel, table=True):
    """A letter to one recipient, without what it says: that is its `content`.

    `language` and `format` are those wanted when it was made. `bounced` is the status (RFC 3463) under which it came
    back. Where several workers send, `owner` is the one who has taken it on, and nobody else does `until` a moment.
    """

    __table_args__ = (
        one_of("state", "queued", "sent", "failed"),
        Index("ix_outbox_state_next_try", "state", "next_try"),
        Index("ix_outbox_seat_id_kind_id", "seat_id", "kind", "id"),
        Index("ix_outbox_game_id_created", "game_id", "created"),
        some("ix_outbox_given_up", "id", where="state = 'failed' AND last_text NOT LIKE 'overtaken by %'"),
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
    # Every letter has one. It comes with the row, unless the question says that it is not wanted.
    content: Content = Relationship(sa_relationship_kwargs={"lazy": "joined", "innerjoin": True, "uselist": False})

    @property
    def model(self) -> str:
        """What it says, as JSON; empty if that is not kept any more."""
        return self.content.model

    @property
    def body(self) -> bytes | None:
        """The bytes that every try sends, once they are made."""
        return self.content.body


class Picture(SQLModel, table=True):
    """A picture that letters show, as PNG, once however many do: by what it shows, in which words and colours.

    `made` is when it was drawn.
    """

    digest: str = Field(primary_key=True, max_length=64)
    png: bytes
    made: datetime = Field(index=True)


class Attempt(SQLModel, table=True):
    """One try at sending: the reply code (0 when there was none) and its text."""

    __table_args__ = (some("ix_attempt_taken", "id", where="code BETWEEN 200 AND 299"),)

    id: int | None = Field(default=None, primary_key=True)
    outbox_id: int = Field(foreign_key="outbox.id", index=True)
    at: datetime
    code: int
    text: str


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


class Press(SQLModel, table=True):
    """A letter of a seat's player to others: `to` names their seats, parted by blanks, or is a star for everybody.

    `kept_from` are those of them who do not want it, and have not asked for it since. A letter that `rides` is there
    at once by 1, with the next report by 2, and so on; by 0 it goes as the terms of the game have it.
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
    """How many rows of a table there are of a word, up to the id that stands at the empty word (`queries.counts`).

    Those of games are kept by triggers on `game`, of every state, and have no empty word.
    """

    about: str = Field(primary_key=True)
    word: str = Field(primary_key=True)
    count: int = Field(sa_type=BigInteger)


# The tables of what is limited: commands that were used, and letters that were begun and may end the server.


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
