"""A held game goes on: with the deadline that it had, or a new one if that is past."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from pbem.campaign.base.positions import game_named, position
from pbem.campaign.base.server import Broken, Office
from pbem.campaign.turn import beacons, deadlines, pauses
from pbem.core.data.messages import msg
from pbem.store import queries

__all__ = ["resume_game", "resumed_until"]


def resume_game(session: Session, office: Office, name: str) -> None:
    """Let a held game go on: its phase closes when it was to, or if that is past gets a deadline as if opened now.

    Who missed deadlines in a row begins anew, for whoever held the game has dealt with that.
    """
    game = game_named(session, name)
    to = resumed_until(session, office, name)
    phase, closed = queries.phases.open_phase(session, name), queries.phases.closed_phase(session, name)
    game.state, game.held_why = "running", ""
    session.add(game)
    for seat in queries.games.seats(session, name):
        seat.missed = 0
        session.add(seat)
    here, now = position(session, office, game), office.clock.now()
    if phase is not None and to is not None:
        deadlines.put_off(session, here, phase, to, cause="held", now=now)
    elif closed is not None and (segment := queries.pauses.asking(session, closed)) is not None:
        pauses.await_answers(session, game, segment, now, "held")
    elif closed is not None and (wanted := beacons.so_far(session, office, closed).waits_for) is not None:
        beacons.await_round(session, office, game, *wanted)


def resumed_until(session: Session, office: Office, name: str) -> datetime | None:
    """The deadline that the open phase of a held game would have if it went on now; None if it waits for answers."""
    game, now = game_named(session, name), office.clock.now()
    phase, closed = queries.phases.open_phase(session, name), queries.phases.closed_phase(session, name)
    if game.state != "held" or (phase or closed) is None:
        raise Broken(msg("The game {game} is not held.", game=name))
    if phase is None:
        return None
    return phase.deadline if phase.deadline > now else deadlines.setting(session, position(session, office, game), now)
