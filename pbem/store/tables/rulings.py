"""Define the tables of moderators, drafts, rulings and appeals."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

import pbem.store.tables.phases  # noqa: F401  # these refer to its tables


class Moderator(SQLModel, table=True):
    """The moderator of a game by letter.

    His token is derived from `generation`, never stored. `person_id` is None when nobody moderates the game
    any more. `plays` is True where all players know that he may have a seat as well.
    """

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    person_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    generation: int = 1
    language: str = "en"
    zone: str = "UTC"
    plays: bool = False


class Draft(SQLModel, table=True):
    """Rulings of one letter, a line each, that a mailed code confirms.

    The code is derived from the row. A moderator's draft belongs to a game, a director's to a tournament.
    `phase_id` is the present phase when it was `asked`, and `after` the number of the last ruling then: its preview
    is valid as long as both are unchanged. `made` is the moment at which the code came back, `numbers` are the
    numbers of the rulings then made.
    """

    id: int | None = Field(default=None, primary_key=True)
    game_id: str | None = Field(default=None, foreign_key="game.id", index=True)
    tournament_id: str | None = Field(default=None, foreign_key="tournament.id", index=True)
    generation: int
    lines: str
    asked: datetime = Field(index=True)
    phase_id: int | None = Field(default=None, foreign_key="phase.id")
    after: int
    made: datetime | None = None
    numbers: str = ""


class Ruling(SQLModel, table=True):
    """A moderator's ruling, `number` from 1 in its game. Append-only."""

    __table_args__ = (UniqueConstraint("game_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    number: int
    at: datetime
    phase: str
    line: str
    reason: str


class Appeal(SQLModel, table=True):
    """A player's appeal, `number` from 1 in its game, and the answer."""

    __table_args__ = (UniqueConstraint("game_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    number: int
    seat_id: int = Field(foreign_key="seat.id")
    at: datetime
    phase: str
    text: str
    answer: str | None = None
