"""Hold and resume games: while held nothing is due, and letters are answered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pbem.engine.data.messages import Msg, msg
from pbem.letters import moderators, outbox
from pbem.play import beacons, deadlines, pauses, phase_states
from pbem.play.positions import lock_game, read_position
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import hot_statements, queries, tables

HELD = msg("the game is held")
"""The title of letters to the operator about a held game."""


def hold_and_notify(
    tx: Transaction, game: tables.Game, phase: tables.Phase | None, reason: Msg, stored_reason: str
) -> None:
    """Hold a game; notify all players, its moderator and the operator."""
    phase_states.hold_game(tx.session, game, stored_reason)

    def write_notice(zone: str) -> Sequence[Msg]:
        return reason, msg("The game is held: no deadline runs until it goes on, and then everybody hears of it.")

    cause = f"held {tx.now.isoformat()}"
    outbox.announce_to_all(tx, game, phase, outbox.Announcement(write_notice, cause=cause))
    outbox.write_to_operator(
        tx, outbox.OperatorNotice(reason, "", cause=f"{game.id} {cause}", game=game.id, title=HELD)
    )
    moderators.notify(tx, game, moderators.ModeratorNotice(write_notice(""), cause=cause))


# The game goes on: with the deadline that it had, or a new one if that is past.


def resume_game(tx: Transaction, name: str) -> None:
    """Let a held game go on, with its old deadline, or a new one if that is past.

    Missed deadlines in a row are reset, for the holder of the game has dealt with them.
    """
    game = lock_game(tx.session, name)
    deadline = deadline_if_resumed(tx, name)
    phase, closed = queries.phases.open_phase(tx.session, name), queries.phases.waiting_phase(tx.session, name)
    phase_states.continue_game(tx.session, game)
    for seat in queries.games.seats(tx.session, name):
        deadlines.record_presence(tx, seat)
        seat.missed = 0
        tx.session.add(seat)
    current = read_position(tx, game)
    if phase is not None and deadline is not None:
        deadlines.move_deadline(tx, current, phase, deadlines.DeadlineMove(deadline, cause="held"))
    elif closed is not None and (segment := queries.phases.open_pause(tx.session, closed)) is not None:
        pauses.await_answers(tx, game, segment, "held")
    elif closed is not None and (board := beacons.board_sharing_dice(tx, closed)):
        # The board's tables may have closed meanwhile, or may not wait for this one any more.
        hot_statements.schedule_job(tx.session, game.id, beacons.BOARD, board, tx.now)
    elif closed is not None and (awaited_round := beacons.closed_orders_with_beacons(tx, closed).waits_for) is not None:
        beacons.plan_beacon_round(tx, game, *awaited_round)


def deadline_if_resumed(tx: Transaction, name: str) -> datetime | None:
    """Return the open phase's deadline if a held game went on now.

    None if it waits for answers. Raise UserError if the game is not held.
    """
    game, now = lock_game(tx.session, name), tx.now
    phase, closed = queries.phases.open_phase(tx.session, name), queries.phases.waiting_phase(tx.session, name)
    if game.state != "held" or (phase or closed) is None:
        raise UserError(msg("The game {game} is not held.", game=name))
    if phase is None:
        return None
    return phase.deadline if phase.deadline > now else deadlines.new_deadline(tx, read_position(tx, game))
