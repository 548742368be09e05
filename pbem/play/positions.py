"""A game as it stands: what a letter is held against and what a phase is resolved from."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import Game
from pbem.runtime.terms import ACTIVATION, Terms
from pbem.runtime.transaction import Broken, Server, Work
from pbem.store import queries, tables
from pbem.store.queries.phases import StoredState


class Position(NamedTuple):
    """A game at this moment: its row, its rules and edition, the state, and how many phases are behind it.

    `letters` is True where letters of orders are carried out one by one, `begun` once one of the open phase was.
    """

    game: tables.Game
    rules: Game
    edition: Any
    state: Any
    number: int
    letters: bool = False
    begun: bool = False

    @property
    def by_letter(self) -> bool:
        """Whether each letter of orders is carried out at once; never where both sides are asked at once."""
        return self.letters and not self.rules.together(self.state)

    @property
    def active(self) -> tuple[str, ...]:
        """The seats that the open phase asks for orders."""
        return self.rules.active(self.state)

    @property
    def commanders(self) -> tuple[str, ...]:
        """The seats of the open phase that each order units of their own; none where one orders a whole side."""
        return self.rules.commanders(self.state)


def game_named(session: Session, name: str) -> tables.Game:
    """The row of a game, locked; Broken if there is none of that name."""
    found = queries.games.game(session, name)
    if found is None:
        raise Broken(msg("There is no game {game}.", game=name))
    return found


def position(work: Work, game: tables.Game, kept: StoredState | None = None) -> Position:
    """Read a game's state, after the letters of the open phase that were carried out; LookupError before it began.

    `kept` is the last state stored, which is looked up if it is not given.
    """
    here = before(work, game, kept)
    if here.by_letter and (midway := queries.phases.midway(work.session, game.id)) is not None:
        return here._replace(state=work.server.state_of(work.session, game, midway), begun=True)
    return here


def before(work: Work, game: tables.Game, kept: StoredState | None = None) -> Position:
    """Read a game's state before the open phase; LookupError before the game was started."""
    snapshot = kept or queries.phases.latest_snapshot(work.session, game.id)
    if snapshot is None:
        raise LookupError(f"game {game.id} has not begun")
    number, text = snapshot
    rules, edition = work.server.rules_of(game), work.server.edition_of(work.session, game)
    letters = Terms.read(game.terms).pace == ACTIVATION
    return Position(game, rules, edition, work.server.state_of(work.session, game, text), number, letters)


def last_moment(game: tables.Game, phase: tables.Phase) -> datetime:
    """Until when letters for the phase are taken: its deadline, and what the terms of the game give late ones."""
    return phase.deadline + timedelta(minutes=Terms.read(game.terms).late_minutes)


def titles(server: Server, game: tables.Game) -> tuple[Msg | str, Msg | str]:
    """What a game and its scenario are called; their ids if this server has lost the rules."""
    try:
        rules = server.rules_of(game)
    except KeyError:
        return game.system, game.scenario
    return rules.title, rules.editions().get(game.scenario, game.scenario)
