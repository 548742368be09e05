"""When it is: the turn and whose phase it is, as the heading of a picture has it."""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.stakes import Stakes


def moment(told: Stakes, mover: Msg | None) -> Msg:
    """Return turn and mover in words, if one side alone moves; turn 0 is before the first."""
    if told.over:
        return msg("The end of the game")
    if mover is None:
        return msg("Before turn 1, both sides at once")
    turn = msg("Turn {turn}", turn=told.turn)
    if told.turns:
        turn = msg("Turn {turn} of {turns}", turn=told.turn, turns=told.turns)
    return msg("{turn}, to move: {side}", turn=turn, side=mover)
