"""The tables. Text with a check stands where a closed set of words is meant; every moment is aware and in UTC.

`event` is append-only: the migration that makes it adds triggers that refuse UPDATE and DELETE. `snapshot` is a
cache, `raw`, `inbox`, `outbox` and `attempt` are the mail; the rest is what a game is made of.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from pbem.store.ahead import Gathered as Gathered
from pbem.store.ahead import Later as Later
from pbem.store.basis import Basis as Basis
from pbem.store.mailing import Attempt as Attempt
from pbem.store.mailing import Poll as Poll
from pbem.store.mailing import Raw as Raw
from pbem.store.mailing import Writer as Writer
from pbem.store.moderators import Draft as Draft
from pbem.store.moderators import Moderator as Moderator
from pbem.store.naming import one_of
from pbem.store.pauses import Question as Question
from pbem.store.pauses import Segment as Segment
from pbem.store.wishes import Absence as Absence
from pbem.store.wishes import Delay as Delay
from pbem.store.wishes import Proposal as Proposal
from pbem.store.wishes import Standby as Standby
from pbem.store.wishes import Wish as Wish


def _only_one(name: str, *columns: str, where: str) -> Index:
    """Of the rows for which `where` is true at most one with these values."""
    return Index(name, *columns, unique=True, sqlite_where=text(where), postgresql_where=text(where))


class Person(SQLModel, table=True):
    """Somebody who plays or runs games; `language` and `zone` are what new seats start with."""

    id: int | None = Field(default=None, primary_key=True)
    name: str
    language: str = "en"
    zone: str = "UTC"


class Address(SQLModel, table=True):
    """A mail address of a person, lower-case; the first one is where answers go."""

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    email: str = Field(unique=True)


class Edition(SQLModel, table=True):
    """A whole edition, rules to roster, as the canonical JSON that its digest names."""

    digest: str = Field(primary_key=True)
    system: str
    text: str


class Game(SQLModel, table=True):
    """A game being played: the system and edition it is pinned to, its dice scheme, and its pace.

    `weekdays` are digits 0 (Monday) to 6; a deadline falls at `hour` of `zone` on one of them, at least `grace_hours`
    after the phase opened. `root` is the Message-ID that the whole thread refers to. While the game is forming,
    `open_seats` lets anybody take a seat that is free. `terms` are those agreed on that differ from the usual, as
    canonical JSON; `result` says how a game ended that its players or its moderator ended.
    """

    __table_args__ = (one_of("state", "forming", "running", "held", "over"),)

    id: str = Field(primary_key=True, max_length=20)
    system: str
    scenario: str
    edition_digest: str = Field(foreign_key="edition.digest")
    scheme: str
    state: str = "forming"
    held_why: str = ""
    zone: str = "UTC"
    weekdays: str = "0123456"
    hour: int = 20
    grace_hours: int = 24
    undo_minutes: int = 30
    root: str
    created: datetime
    open_seats: bool = False
    terms: str = "{}"
    result: str = ""


class Seat(SQLModel, table=True):
    """A commander's place in a game; its token is derived from `generation`, never stored.

    `nonce` and `template` are those of the last order template sent; `last_letter` is its Message-ID. `bounces` are
    the letters to it that came back for good since its player last wrote, `unreachable` is the moment at which they
    became too many. `strikes` are
    the deadlines missed in all, `missed` those in a row; `spent` are the seconds that phases waited for it. `notify`
    says how its news come (`digest.Rhythm`), empty as the terms of the game have it; `reminded` if it wants reminders.
    `format` is that of its letters (`office.FORMATS`).
    `repeats` are the lines that it has repeated each turn, as canonical text, `repeats_from` the letter they came in.
    """

    __table_args__ = (UniqueConstraint("game_id", "name"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    name: str = Field(max_length=12)
    side: str
    person_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    generation: int = 1
    language: str = "en"
    zone: str = "UTC"
    format: str = "text"
    nonce: str = ""
    template: str = ""
    last_letter: str = ""
    strikes: int = 0
    bounces: int = 0
    unreachable: datetime | None = None
    missed: int = 0
    spent: int = 0
    notify: str = ""
    reminded: bool = True
    repeats: str = ""
    repeats_from: int | None = None


class Observer(SQLModel, table=True):
    """Somebody who watches a game without a seat and gets the public reports of it, in `language`."""

    __table_args__ = (UniqueConstraint("game_id", "person_id"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    language: str = "en"


class Phase(SQLModel, table=True):
    """A phase of a game, `number` counting from 1 over the whole game, rulings that change the past counted too.

    On closing it gets `orders` (JSON: seat -> revision and canonical text, standing orders included); on resolution
    `slate`, that of its first segment, `rolls` (JSON: label, n, sides, values), the digest of its events and of the
    state after them. A phase stays closed while somebody is asked by letter.

    A void phase keeps all that it had; `void_by` is the number of the ruling. `attempt` counts how often the phase was
    opened. One that was resolved once more, from the same closed orders, has a row for each `run` and in `again_of` the
    id of the first, whose segments are its own.
    """

    __table_args__ = (
        one_of("state", "open", "closed", "resolved", "void"),
        UniqueConstraint("game_id", "number"),
        UniqueConstraint("game_id", "turn", "name", "attempt", "run"),
        _only_one("ix_phase_one_open", "game_id", where="state = 'open'"),
    )

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    number: int
    turn: int
    name: str
    attempt: int = 1
    run: int = 1
    again_of: int | None = Field(default=None, foreign_key="phase.id")
    state: str = "open"
    void_by: int | None = None
    opened: datetime
    deadline: datetime
    closed: datetime | None = None
    orders: str | None = None
    slate: str | None = None
    rolls: str | None = None
    events_digest: str | None = None
    state_digest: str | None = None


class OrderSet(SQLModel, table=True):
    """One revision of a seat's orders for a phase, as canonical text; at most one is queued; carried ones were.

    `dated` is the letter's Date header, `received` the receiving server's INTERNALDATE; `mark` is the digest of the
    block as it was written, by which it is known when it comes back in a quote.

    `origin` tells a set that came in a letter of its turn from one that was kept for it (``later``) and from lines that
    are repeated. One that `waits` is carried out as any other, but its seat has time until the deadline to look at it.
    `repeated` is what is repeated from it on, as canonical text; None leaves that as it was.
    """

    __tablename__ = "order_set"
    __table_args__ = (
        one_of("state", "queued", "replaced", "cancelled", "carried"),
        one_of("origin", "letter", "later", "repeated"),
        UniqueConstraint("phase_id", "seat_id", "revision"),
        _only_one("ix_order_set_one_queued", "phase_id", "seat_id", where="state = 'queued'"),
    )

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id")
    seat_id: int = Field(foreign_key="seat.id")
    revision: int
    text: str
    state: str = "queued"
    inbox_id: int = Field(foreign_key="inbox.id")
    dated: datetime | None = None
    received: datetime
    mark: str = ""
    origin: str = "letter"
    waits: bool = False
    repeated: str | None = None


class Press(SQLModel, table=True):
    """A letter of a seat's player to others: `to` names their seats, parted by blanks, or is a star for everybody."""

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id", index=True)
    seat_id: int = Field(foreign_key="seat.id", index=True)
    inbox_id: int = Field(foreign_key="inbox.id")
    turn: int
    to: str
    text: str
    at: datetime
    delivered: bool = False


class Ruling(SQLModel, table=True):
    """What a moderator decided on a game, `number` counting from 1 within it: the line, and why. Append-only."""

    __table_args__ = (UniqueConstraint("game_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    number: int
    at: datetime
    phase: str
    line: str
    reason: str


class Appeal(SQLModel, table=True):
    """What a player asked a moderator to rule on, `number` counting from 1 within the game, and the answer to it."""

    __table_args__ = (UniqueConstraint("game_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    number: int
    seat_id: int = Field(foreign_key="seat.id")
    at: datetime
    phase: str
    text: str
    answer: str | None = None


class Standing(SQLModel, table=True):
    """Standing orders of a seat for one scope, in force until replaced: canonical text."""

    __table_args__ = (UniqueConstraint("seat_id", "scope"),)

    id: int | None = Field(default=None, primary_key=True)
    seat_id: int = Field(foreign_key="seat.id")
    scope: str
    text: str
    inbox_id: int = Field(foreign_key="inbox.id")


class Event(SQLModel, table=True):
    """One event of a resolved phase, `number` from 1; `body` is its canonical JSON. Append-only."""

    __table_args__ = (UniqueConstraint("phase_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id")
    number: int
    kind: str
    cite: str
    body: str


class Snapshot(SQLModel, table=True):
    """A cache: the state after phase `number` (0: at the start), as canonical JSON."""

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)
    body: str


class Inbox(SQLModel, table=True):
    """A received letter: where it lay, what was found in it (`verdict`), what came of it (`outcome`).

    `copy_of` is the first row with the same Message-ID and bytes.
    """

    __table_args__ = (
        UniqueConstraint("account", "folder", "uidvalidity", "uid"),
        _only_one("ix_inbox_one_original", "message_id", "sha256", where="copy_of IS NULL"),
        Index("ix_inbox_seat_id_taken", "seat_id", "taken"),
        Index("ix_inbox_verdict_taken", "verdict", "taken"),
    )

    id: int | None = Field(default=None, primary_key=True)
    account: str
    folder: str
    uidvalidity: int = Field(sa_type=BigInteger)
    uid: int = Field(sa_type=BigInteger)
    message_id: str
    sha256: str = Field(foreign_key="raw.sha256")
    sender: str = Field(index=True)
    internaldate: datetime
    taken: datetime
    seat_id: int | None = Field(default=None, foreign_key="seat.id")
    verdict: str
    outcome: str
    copy_of: int | None = Field(default=None, foreign_key="inbox.id")


class Outbox(SQLModel, table=True):
    """A letter to one recipient: its model, and from the first rendering on the bytes that every try sends.

    `language` and `format` are those wanted when it was made. `bounced` is the status (RFC 3463) under which it came
    back.
    """

    __table_args__ = (
        one_of("state", "queued", "sent", "failed"),
        Index("ix_outbox_state_next_try", "state", "next_try"),
    )

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    kind: str
    game_id: str | None = Field(default=None, foreign_key="game.id")
    seat_id: int | None = Field(default=None, foreign_key="seat.id")
    inbox_id: int | None = Field(default=None, foreign_key="inbox.id", index=True)
    recipient: str
    envelope_sender: str = Field(index=True)
    reply_to: str = ""
    in_reply_to: str = ""
    references: str = ""
    language: str
    format: str = "text"
    model: str
    body: bytes | None = None
    state: str = "queued"
    attempts: int = 0
    created: datetime
    next_try: datetime
    last_code: int | None = None
    last_text: str = ""
    bounced: str = ""


class Due(SQLModel, table=True):
    """Something that fires at a moment; rows run in the order of (at, kind, id)."""

    __table_args__ = (UniqueConstraint("game_id", "kind", "cause"), Index("ix_due_at_kind_id", "at", "kind", "id"))

    id: int | None = Field(default=None, primary_key=True)
    at: datetime
    kind: str
    game_id: str = Field(foreign_key="game.id")
    cause: str
