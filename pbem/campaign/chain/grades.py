"""The grade of dice: how well it is proven, and to whom, that nobody chose or foresaw them; A, B or C."""

from __future__ import annotations

from sqlmodel import Session

from pbem.campaign.base.terms import Terms
from pbem.campaign.chain import cosignatures
from pbem.core.data.messages import Msg, msg
from pbem.store import tables

__all__ = ["FORESEEN", "GRADE", "grade"]

FORESEEN = msg(
    "Whoever runs this server could foresee these dice, and if he plays, or has a friend who plays, could choose "
    "among them by trying orders."
)
"""What dice of grade C leave open."""

GRADE = msg(
    "Dice: pbemdice/v1, grade C. Nobody can choose them, but this server could compute them before the orders were "
    "closed. The attachment pbemdice.txt proves them."
)
"""What letters say of dice of grade C."""


def grade(session: Session, game: tables.Game, phase: str) -> tuple[str, Msg]:
    """The grade of the dice of a phase that was rolled, and what it means in words."""
    waits = Terms.read(game.terms).beacon != "none"
    closes = cosignatures.closed_lists(session, game.id, phase) if waits else ()
    if not closes:
        return "C", GRADE
    late = [one for one in closes if one.is_late]
    if late:
        told = msg(
            "Dice: pbemdice/v1, grade C this time. They follow from round {round} of a public beacon, but the orders "
            "were closed after it had come out: nobody could choose them, yet whoever runs this server could foresee "
            "them.",
            round=late[0].round,
        )
        return "C", told
    moved = cosignatures.moves(session, game.id, phase)
    after = [one for one in moved if one.is_late]
    if after:
        told = msg(
            "Dice: pbemdice/v1, grade C this time. They follow from round {round} of a public beacon, but the closing "
            "was moved when round {before}, which would have been theirs, had come out: whoever runs this server could "
            "see those dice, and move it because of them.",
            round=closes[-1].round,
            before=after[0].round,
        )
        return "C", told
    if all(one.said for one in closes) and all(one.seen for one in moved):
        told = msg(
            "Dice: pbemdice/v1, grade A. They follow from the closed orders and from round {round} of a public beacon, "
            "which came out after them: nobody could choose or foresee them, this server included. Before it came "
            "out a witness had seen these orders closed in the log, and no others of this phase ({witnesses}); the "
            "attachment pbemdice.txt proves it to whoever knows the key of that witness.",
            round=closes[-1].round,
            witnesses=cosignatures.names(closes),
        )
        return "A", told
    told = msg(
        "Dice: pbemdice/v1, grade B. They follow from the closed orders and from round {round} of a public beacon, "
        "which came out after them: nobody could choose or foresee them, this server included. The time at which your "
        "mailbox took my letter that the orders are closed proves it, and the attachment pbemdice.txt all the rest.",
        round=closes[-1].round,
    )
    return "B", told
