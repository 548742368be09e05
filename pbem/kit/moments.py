"""When it is: the turn and whose phase it is, as the heading of a picture has it."""

from __future__ import annotations

from pbem.core.data.messages import Msg, msg
from pbem.core.data.stakes import Stakes

__all__ = ["moment"]


def moment(told: Stakes, mover: Msg | None) -> Msg:
    """Return turn and mover in words; without a mover the game is over."""
    if mover is None:
        return msg("The end of the game")
    turn = msg("Turn {turn}", turn=told.turn)
    if told.turns:
        turn = msg("Turn {turn} of {turns}", turn=told.turn, turns=told.turns)
    return msg("{turn}, to move: {side}", turn=turn, side=mover)
