"""The tables of wars: chains of games, each begun when the one before it has ended."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from pbem.store.naming import one_of


class War(SQLModel, table=True):
    """A war: the rules of its battles, its name among their wars, and how it is going.

    `opening` is the whole of it before its first leg, `record` as it is now, both as canonical JSON (`kit.war.record`):
    file, what the legs list, options, outcomes, ledger. `sued` are the sides that sued for peace in the camp that is
    on, parted by blanks.
    """

    __table_args__ = (one_of("state", "going", "over"),)

    id: str = Field(primary_key=True, max_length=16)
    system: str
    name: str
    state: str = "going"
    opening: str
    record: str
    sued: str = ""


class WarGame(SQLModel, table=True):
    """A game of a war: its place from 1 on, legs and camps counted together, which are the odd and the even ones.

    K8 A game that is void, since one before it was taken up again, has left that line: such places count down from -1.
    `ended` says how it ended before its time, as ``concede spain``; empty if it came to its last turn.
    """

    __tablename__ = "war_game"
    __table_args__ = (UniqueConstraint("war_id", "place"),)

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    war_id: str = Field(foreign_key="war.id")
    place: int
    ended: str = ""

    @property
    def camp(self) -> int:
        """Which camp it is, from 1; 0 if it is a leg."""
        return 0 if self.place % 2 else self.place // 2

    @property
    def leg(self) -> int:
        """Which leg it is, or which leg is behind it, from 1."""
        return (self.place + 1) // 2
