"""A game held: nothing of it is due, letters are answered, and a named person decides how it goes on."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.letters import moderators, outbox
from pbem.play import phase_states
from pbem.runtime.transaction import Work
from pbem.store import tables

HELD = msg("the game is held")
"""The title of letters to the operator about a held game."""


def hold(work: Work, game: tables.Game, phase: tables.Phase | None, why: Msg, noted: str) -> None:
    """Hold a game and tell everybody why: the seats, the observers, its moderator, and whoever runs the server."""
    phase_states.hold_game(work.session, game, noted)

    def told(zone: str) -> Sequence[Msg]:
        return why, msg("The game is held: no deadline runs until it goes on, and then everybody hears of it.")

    cause = f"held {work.now.isoformat()}"
    outbox.to_all(work, game, phase, outbox.Circular(told, cause=cause))
    outbox.to_operator(work, outbox.Notice(why, "", cause=f"{game.id} {cause}", game=game.id, title=HELD))
    moderators.notify(work, game, moderators.Memo(told(""), cause=cause))
