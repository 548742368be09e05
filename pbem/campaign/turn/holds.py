"""A game held: nothing of it is due, letters are answered, and a named person decides how it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session

from pbem.campaign.base.server import Office
from pbem.campaign.people import moderators, news, outbox
from pbem.core.data.messages import Msg, msg
from pbem.store import tables, writes

__all__ = ["HELD", "hold", "stop"]


HELD = msg("the game is held")
"""What letters about it to the operator are called."""


def stop(session: Session, game: tables.Game, why: str) -> None:
    """Hold a game and strike out all that was due of it but the news gathered for its seats; tell nobody."""
    game.state, game.held_why = "held", why[:1000]
    session.add(game)
    writes.forget_due(session, game.id, but=news.DUE)


def hold(
    session: Session,
    office: Office,
    game: tables.Game,
    phase: tables.Phase | None,
    why: Msg,
    noted: str,
    *,
    now: datetime,
) -> None:
    """Hold a game and tell everybody why: the seats, the observers, its moderator, and whoever runs the server."""
    stop(session, game, noted)

    def told(zone: str) -> Sequence[Msg]:
        return why, msg("The game is held: no deadline runs until it goes on, and then everybody hears of it.")

    cause = f"held {now.isoformat()}"
    outbox.to_all(session, office, game, phase, told, cause=cause, now=now)
    outbox.to_operator(session, office, why, "", cause=f"{game.id} {cause}", now=now, game=game.id, title=HELD)
    moderators.notify(session, office, game, told(""), cause=cause, now=now)
