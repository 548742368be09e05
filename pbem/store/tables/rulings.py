"""The tables of whoever moderates: who it is, what he is asked, what he or a director drafts, what was ruled."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

import pbem.store.tables.phases  # noqa: F401  # these refer to its tables


class Moderator(SQLModel, table=True):
    """Whoever moderates a game by letter; the token of his address is derived from `generation`, never stored.

    Nobody is in it when nobody moderates the game any more. `plays` is True where all players know that he may have a
    seat as well.
    """

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    person_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    generation: int = 1
    language: str = "en"
    zone: str = "UTC"
    plays: bool = False


class Draft(SQLModel, table=True):
    """Rulings of one letter, a line each, that a code mailed back makes so; the code is derived from the row.

    A moderator's is of a game, a director's of a tournament. `phase_id` is the phase that was going on when it was
    `asked`, and `after` the number of the last ruling then: what was foretold is true as long as both are. `made` is
    the moment at which the code came back, `numbers` are those of the rulings that it made.
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
