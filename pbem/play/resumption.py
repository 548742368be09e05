"""A held game goes on: with the deadline that it had, or a new one if that is past."""

from __future__ import annotations

from datetime import datetime

from pbem.engine.data.messages import msg
from pbem.play import beacons, deadlines, nmr_policy, pauses, phase_states
from pbem.play.positions import game_named, position
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, writes


def resume_game(work: Work, name: str) -> None:
    """Let a held game go on: its phase closes when it was to, or if that is past gets a deadline as if opened now.

    Who missed deadlines in a row begins anew, for whoever held the game has dealt with that.
    """
    game = game_named(work.session, name)
    to = deadline_after(work, name)
    phase, closed = queries.phases.open_phase(work.session, name), queries.phases.closed_phase(work.session, name)
    phase_states.continue_game(work.session, game)
    for seat in queries.games.seats(work.session, name):
        nmr_policy.speaks(work, seat)
        seat.missed = 0
        work.session.add(seat)
    here = position(work, game)
    if phase is not None and to is not None:
        deadlines.put_off(work, here, phase, deadlines.Delay(to, cause="held"))
    elif closed is not None and (segment := queries.phases.asking(work.session, closed)) is not None:
        pauses.await_answers(work, game, segment, "held")
    elif closed is not None and (called := beacons.board_of(work, closed)):
        # Its tables may have closed meanwhile, or wait for this one no more.
        writes.plan(work.session, game.id, beacons.BOARD, called, work.now)
    elif closed is not None and (wanted := beacons.so_far(work, closed).waits_for) is not None:
        beacons.await_round(work, game, *wanted)


def deadline_after(work: Work, name: str) -> datetime | None:
    """The deadline that the open phase of a held game would have if it went on now; None if it waits for answers."""
    game, now = game_named(work.session, name), work.now
    phase, closed = queries.phases.open_phase(work.session, name), queries.phases.closed_phase(work.session, name)
    if game.state != "held" or (phase or closed) is None:
        raise Broken(msg("The game {game} is not held.", game=name))
    if phase is None:
        return None
    return phase.deadline if phase.deadline > now else deadlines.setting(work, position(work, game))
