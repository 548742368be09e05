"""Define the tables of orders, standing orders, wishes and proposals."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

import pbem.store.tables.phases  # these refer to its tables
import pbem.store.tables.post  # noqa: F401  # these refer to its tables
from pbem.store.tables import one_of, partial_unique_index


class QueuedOrders(SQLModel, table=True):
    """One revision of a seat's orders for a phase, as canonical text.

    At most one is queued. `dated` is the letter's Date header, `received` the receiving server's INTERNALDATE;
    `mark` is the digest of the block as it was written, which identifies it in a quote.

    `origin` says whether the orders came in a letter of their turn (``letter``), were scheduled for the turn
    (``later``), are repeated lines (``repeated``), or come from a bot (``bot``), which writes no letters. Orders
    that wait (`waits`) are executed as any others, but the phase does not close early because of them, so that
    their seat can review them. `repeated` are the lines to be repeated from now on, as canonical text; None leaves
    them unchanged.

    `luck` is the LUCK word for the dice, if any; `sealed_text` has it above the text.
    """

    __tablename__ = "order_set"
    __table_args__ = (
        one_of("state", "queued", "replaced", "cancelled", "carried"),
        one_of("origin", "letter", "later", "repeated", "bot"),
        UniqueConstraint("phase_id", "seat_id", "revision"),
        partial_unique_index("ix_order_set_one_queued", "phase_id", "seat_id", where="state = 'queued'"),
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
    def sealed_text(self) -> str:
        """Return the canonical text as it is sealed."""
        return f"LUCK {self.luck}\n{self.text}" if self.luck else self.text


class Later(SQLModel, table=True):
    """The orders of a seat for a later turn, as canonical text.

    The row is deleted when their turn begins. It names the letter that brought them, with its Date header and the
    receiving server's INTERNALDATE. `repeated`, `luck` and `sealed_text` are as in `QueuedOrders`.
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
    def sealed_text(self) -> str:
        """Return the canonical text as it is sealed."""
        return f"LUCK {self.luck}\n{self.text}" if self.luck else self.text


class StandingOrders(SQLModel, table=True):
    """A seat's standing orders for one scope, canonical text, until replaced."""

    __tablename__ = "standing"
    __table_args__ = (UniqueConstraint("seat_id", "scope"),)

    id: int | None = Field(default=None, primary_key=True)
    seat_id: int = Field(foreign_key="seat.id")
    scope: str
    text: str
    inbox_id: int = Field(foreign_key="inbox.id")


class Wish(SQLModel, table=True):
    """A seat's wish about the open phase: to wait for the deadline, or not, or done."""

    __table_args__ = (one_of("word", "wait", "go", "done"), UniqueConstraint("phase_id", "seat_id"))

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id")
    seat_id: int = Field(foreign_key="seat.id")
    word: str


class Proposal(SQLModel, table=True):
    """A seat's proposal to end the game: a draw, or that its side concedes.

    In a camp of a war ``concede`` means that its side sues for peace, ``draw`` that it accepts it (K7.1).
    """

    __table_args__ = (one_of("word", "draw", "concede"), UniqueConstraint("phase_id", "seat_id", "word"))

    id: int | None = Field(default=None, primary_key=True)
    phase_id: int = Field(foreign_key="phase.id")
    seat_id: int = Field(foreign_key="seat.id")
    word: str
