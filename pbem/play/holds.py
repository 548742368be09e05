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
    work: Transaction, game: tables.Game, phase: tables.Phase | None, reason: Msg, stored_reason: str
) -> None:
    """Hold a game; notify all players, its moderator and the operator."""
    phase_states.hold_game(work.session, game, stored_reason)

    def told(zone: str) -> Sequence[Msg]:
        return reason, msg("The game is held: no deadline runs until it goes on, and then everybody hears of it.")

    cause = f"held {work.now.isoformat()}"
    outbox.to_all(work, game, phase, outbox.Circular(told, cause=cause))
    outbox.to_operator(work, outbox.Notice(reason, "", cause=f"{game.id} {cause}", game=game.id, title=HELD))
    moderators.notify(work, game, moderators.Memo(told(""), cause=cause))


# The game goes on: with the deadline that it had, or a new one if that is past.


def resume_game(work: Transaction, name: str) -> None:
    """Let a held game go on, with its old deadline, or a new one if that is past.

    Missed deadlines in a row are reset, for the holder of the game has dealt with them.
    """
    game = lock_game(work.session, name)
    deadline = deadline_if_resumed(work, name)
    phase, closed = queries.phases.open_phase(work.session, name), queries.phases.closed_phase(work.session, name)
    phase_states.continue_game(work.session, game)
    for seat in queries.games.seats(work.session, name):
        deadlines.record_presence(work, seat)
        seat.missed = 0
        work.session.add(seat)
    current = read_position(work, game)
    if phase is not None and deadline is not None:
        deadlines.move_deadline(work, current, phase, deadlines.DeadlineMove(deadline, cause="held"))
    elif closed is not None and (segment := queries.phases.asking(work.session, closed)) is not None:
        pauses.await_answers(work, game, segment, "held")
    elif closed is not None and (board := beacons.board_of(work, closed)):
        # The board's tables may have closed meanwhile, or may not wait for this one any more.
        hot_statements.plan(work.session, game.id, beacons.BOARD, board, work.now)
    elif closed is not None and (awaited_round := beacons.closed_lists(work, closed).waits_for) is not None:
        beacons.await_round(work, game, *awaited_round)


def deadline_if_resumed(work: Transaction, name: str) -> datetime | None:
    """Return the open phase's deadline if a held game went on now.

    None if it waits for answers. Raises UserError if the game is not held.
    """
    game, now = lock_game(work.session, name), work.now
    phase, closed = queries.phases.open_phase(work.session, name), queries.phases.closed_phase(work.session, name)
    if game.state != "held" or (phase or closed) is None:
        raise UserError(msg("The game {game} is not held.", game=name))
    if phase is None:
        return None
    return phase.deadline if phase.deadline > now else deadlines.new_deadline(work, read_position(work, game))
