"""The grade of dice: how well it is proven, and to whom, that nobody chose or foresaw them; A, B or C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.log import cosignatures, sequencer
from pbem.log.cosignatures import Witnessed
from pbem.runtime.bot_versions import bots_in
from pbem.runtime.terms import Terms
from pbem.store import queries, tables

GRADE = msg("Dice: grade C, thrown by this server alone (HELP DICE).")
"""What letters say of dice of grade C, which the operator of the server could foresee."""


class Grade(NamedTuple):
    """What a letter claims of dice, what that proves in words, and what they will be worth once the game is over."""

    claim: str
    told: Msg
    later: str


def grade(session: Session, game: tables.Game, phase: str) -> Grade:
    """The grade of the dice of a phase that was rolled."""
    waits = Terms.read(game.terms).beacon != "none"
    closes = cosignatures.closed_lists(session, game.id, phase) if waits else ()
    if not closes:
        return Grade("C", GRADE, "C")
    moved = cosignatures.moves(session, game.id, phase)
    if (told := _foreseen(session, game, phase, closes, moved)) is not None:
        return Grade("C", told, "C")
    seen = all(one.said for one in closes) and all(one.seen for one in moved)
    if len(closes) > 1:
        return Grade("C", _stopped(closes, seen), "A" if seen else "B")
    if seen:
        told = msg(
            "Dice: grade A, from round {round} of the beacon; witness: {witnesses} (HELP DICE).",
            round=closes[-1].round,
            witnesses=cosignatures.names(closes),
        )
        return Grade("A", told, "A")
    told = msg("Dice: grade B, from round {round} of the beacon (HELP DICE).", round=closes[-1].round)
    return Grade("B", told, "B")


def _stopped(closes: Sequence[Witnessed], seen: bool) -> Msg:
    """Say what a phase is worth that stopped on its way: whether it had to stop there only its rules can tell."""
    return msg(
        "Dice: grade C until the game is over, then {grade}; last round {round} (HELP DICE).",
        grade="A" if seen else "B",
        round=closes[-1].round,
    )


def _foreseen(
    session: Session, game: tables.Game, phase: str, closes: Sequence[Witnessed], moved: Sequence[Witnessed]
) -> Msg | None:
    """Why dice that were to wait for a beacon could be foreseen all the same; None if they could not."""
    known = sequencer.at_hand(session, game.id, phase).rows
    bots = next((leaf("bots") for leaf in known if (leaf.kind, leaf.phase) == ("open", phase)), "-")
    if bots != "-":
        return msg(
            "Dice: grade C this time; a bot could write in this phase: {bots} (HELP DICE).",
            bots=", ".join(f"{seat} {bot.name}" for seat, bot in bots_in(bots).items()),
        )
    if queries.log.leaves(session, game.id, "beacon-change", phase=phase):
        return msg("Dice: grade C this time; by a ruling they did not wait for the beacon (HELP DICE).")
    if late := [one for one in closes if one.is_late]:
        return msg(
            "Dice: grade C this time; round {round} was out when orders closed (HELP DICE).", round=late[0].round
        )
    if after := [one for one in moved if one.is_late]:
        return msg(
            "Dice: grade C this time; round {round} was out when the closing moved (HELP DICE).", round=after[0].round
        )
    return None
