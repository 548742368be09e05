"""The tables of moderators who write letters: who moderates a game, and the rulings that wait for their code."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

__all__ = ["Draft", "Moderator"]


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

    `phase_id` is the phase that was going on when it was `asked`, and `after` the number of the last ruling then: what
    was foretold is true as long as both are. `made` is the moment at which the code came back, `numbers` are those of
    the rulings that it made.
    """

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id", index=True)
    generation: int
    lines: str
    asked: datetime
    phase_id: int | None = Field(default=None, foreign_key="phase.id")
    after: int
    made: datetime | None = None
    numbers: str = ""
