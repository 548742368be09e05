"""A game held and resumed: nothing of it is due meanwhile, letters are answered, somebody decides how it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pbem.engine.data.messages import Msg, msg
from pbem.letters import moderators, outbox
from pbem.play import beacons, deadlines, pauses, phase_states
from pbem.play.positions import game_named, position
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import hot_statements, queries, tables

HELD = msg("the game is held")
"""The title of letters to the operator about a held game."""


def hold(work: Transaction, game: tables.Game, phase: tables.Phase | None, why: Msg, noted: str) -> None:
    """Hold a game and tell everybody why: the seats, the observers, its moderator, and whoever runs the server."""
    phase_states.hold_game(work.session, game, noted)

    def told(zone: str) -> Sequence[Msg]:
        return why, msg("The game is held: no deadline runs until it goes on, and then everybody hears of it.")

    cause = f"held {work.now.isoformat()}"
    outbox.to_all(work, game, phase, outbox.Circular(told, cause=cause))
    outbox.to_operator(work, outbox.Notice(why, "", cause=f"{game.id} {cause}", game=game.id, title=HELD))
    moderators.notify(work, game, moderators.Memo(told(""), cause=cause))


# The game goes on: with the deadline that it had, or a new one if that is past.


def resume_game(work: Transaction, name: str) -> None:
    """Let a held game go on: its phase closes when it was to, or if that is past gets a deadline as if opened now.

    Who missed deadlines in a row begins anew, for whoever held the game has dealt with that.
    """
    game = game_named(work.session, name)
    to = deadline_after(work, name)
    phase, closed = queries.phases.open_phase(work.session, name), queries.phases.closed_phase(work.session, name)
    phase_states.continue_game(work.session, game)
    for seat in queries.games.seats(work.session, name):
        deadlines.note_presence(work, seat)
        seat.missed = 0
        work.session.add(seat)
    here = position(work, game)
    if phase is not None and to is not None:
        deadlines.put_off(work, here, phase, deadlines.Delay(to, cause="held"))
    elif closed is not None and (segment := queries.phases.asking(work.session, closed)) is not None:
        pauses.await_answers(work, game, segment, "held")
    elif closed is not None and (called := beacons.board_of(work, closed)):
        # Its tables may have closed meanwhile, or wait for this one no more.
        hot_statements.plan(work.session, game.id, beacons.BOARD, called, work.now)
    elif closed is not None and (wanted := beacons.so_far(work, closed).waits_for) is not None:
        beacons.await_round(work, game, *wanted)


def deadline_after(work: Transaction, name: str) -> datetime | None:
    """The deadline that the open phase of a held game would have if it went on now; None if it waits for answers."""
    game, now = game_named(work.session, name), work.now
    phase, closed = queries.phases.open_phase(work.session, name), queries.phases.closed_phase(work.session, name)
    if game.state != "held" or (phase or closed) is None:
        raise UserError(msg("The game {game} is not held.", game=name))
    if phase is None:
        return None
    return phase.deadline if phase.deadline > now else deadlines.setting(work, position(work, game))
