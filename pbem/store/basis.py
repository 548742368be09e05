"""The table of what play goes on from after a ruling that changed what had happened."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

__all__ = ["Basis"]


class Basis(SQLModel, table=True):
    """A state that a ruling made: that after number `after` of the game, changed by `events` (JSON). Append-only.

    `number` counts together with those of the game's phases; the next phase begins from it. `ruling` is the number of
    the ruling. Whatever has a number between `after` and this one is void.
    """

    __table_args__ = (UniqueConstraint("game_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    number: int
    ruling: int
    after: int
    events: str = "[]"
