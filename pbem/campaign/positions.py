"""A game as it stands: what a letter is held against and what a phase is resolved from."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlmodel import Session

from pbem.campaign.office import Office
from pbem.store import queries, tables

__all__ = ["Position", "position"]


class Position(NamedTuple):
    """A game at this moment: its row, its rules and edition, the state, and how many phases are behind it."""

    game: tables.Game
    rules: Any
    edition: Any
    state: Any
    number: int

    @property
    def active(self) -> tuple[str, ...]:
        """The seats that the open phase asks for orders."""
        found: tuple[str, ...] = self.rules.active(self.state)
        return found


def position(session: Session, office: Office, game: tables.Game) -> Position:
    """Read a game's state; LookupError before it was started."""
    snapshot = queries.latest_snapshot(session, game.id)
    if snapshot is None:
        raise LookupError(f"game {game.id} has not begun")
    number, text = snapshot
    rules, edition = office.rules_of(game), office.edition_of(session, game)
    return Position(game, rules, edition, office.state_of(session, game, text), number)
