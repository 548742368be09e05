"""The tables of what seats order: for a phase, for turns to come, until replaced; and what else they want of it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

import pbem.store.tables.phases  # these refer to its tables
import pbem.store.tables.post  # noqa: F401  # these refer to its tables
from pbem.store.tables import one_of, only_one


class QueuedOrders(SQLModel, table=True):
    """One revision of a seat's orders for a phase, as canonical text; at most one is queued.

    `dated` is the letter's Date header, `received` the receiving server's INTERNALDATE; `mark` is the digest of the
    block as it was written, by which it is known when it comes back in a quote.

    `origin` tells orders that came in a letter of their turn from those that were kept for it (``later``), from lines
    that are repeated, and from those of a bot, which no letter brought. Those that wait (`waits`) are carried out as
    any other, but their seat has time until the deadline to look at them. `repeated` is what is repeated from them on,
    as canonical text; None leaves it as it was.
    `luck` is the word that was given for the dice, if any, which `sealed` has above the text.
    """

    __tablename__ = "order_set"
    __table_args__ = (
        one_of("state", "queued", "replaced", "cancelled", "carried"),
        one_of("origin", "letter", "later", "repeated", "bot"),
        UniqueConstraint("phase_id", "seat_id", "revision"),
        only_one("ix_order_set_one_queued", "phase_id", "seat_id", where="state = 'queued'"),
    )

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id")
    seat_id: int = Field(foreign_key="seat.id")
    revision: int
    text: str
    state: str = "queued"
    inbox_id: int | None = Field(default=None, foreign_key="inbox.id", index=True)
    dated: datetime | None = None
    received: datetime
    mark: str = ""
    origin: str = "letter"
    waits: bool = False
    repeated: str | None = None
    luck: str = ""

    @property
    def sealed(self) -> str:
        """The canonical text as it is sealed."""
        return f"LUCK {self.luck}\n{self.text}" if self.luck else self.text


class Later(SQLModel, table=True):
    """The orders of a seat for a turn to come, as canonical text; gone once they are those of their turn.

    The letter that brought them, its Date header, the receiving server's INTERNALDATE. `repeated`, `luck` and `sealed`
    as in `QueuedOrders`.
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
    luck: str = ""

    @property
    def sealed(self) -> str:
        """The canonical text as it is sealed."""
        return f"LUCK {self.luck}\n{self.text}" if self.luck else self.text


class Standing(SQLModel, table=True):
    """Standing orders of a seat for one scope, in force until replaced: canonical text."""

    __table_args__ = (UniqueConstraint("seat_id", "scope"),)

    id: int | None = Field(default=None, primary_key=True)
    seat_id: int = Field(foreign_key="seat.id")
    scope: str
    text: str
    inbox_id: int = Field(foreign_key="inbox.id")


class Wish(SQLModel, table=True):
    """What a seat wants of the open phase: that it waits for the deadline or for nothing, or that it is done."""

    __table_args__ = (one_of("word", "wait", "go", "done"), UniqueConstraint("phase_id", "seat_id"))

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id")
    seat_id: int = Field(foreign_key="seat.id")
    word: str


class Proposal(SQLModel, table=True):
    """What a seat wants the open phase to end the game with: a draw, or that its side concedes.

    In a camp of a war ``concede`` is that its side sues for peace, ``draw`` that it accepts it (K7.1).
    """

    __table_args__ = (one_of("word", "draw", "concede"), UniqueConstraint("phase_id", "seat_id", "word"))

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id")
    seat_id: int = Field(foreign_key="seat.id")
    word: str
