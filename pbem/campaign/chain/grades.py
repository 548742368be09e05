"""The grade of dice: how well it is proven, and to whom, that nobody chose or foresaw them; A, B or C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.campaign.base.terms import Terms
from pbem.campaign.chain import cosignatures, logbook
from pbem.campaign.chain.cosignatures import Witnessed
from pbem.core.data.messages import Msg, msg
from pbem.store import queries, tables

FORESEEN = msg(
    "Whoever runs this server could foresee these dice, and if he plays, or has a friend who plays, could choose "
    "among them by trying orders."
)
"""What dice of grade C leave open."""

GRADE = msg(
    "Dice: pbemdice/v1, grade C. They follow from the closed orders by a key of this server, as the attachment "
    "pbemdice.txt proves. Whoever runs this server could foresee them, and if he plays, or has a friend who plays, "
    "could choose among them by trying orders; nobody else could."
)
"""What letters say of dice of grade C."""


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
            "Dice: pbemdice/v1, grade A. They follow from the closed orders and from round {round} of a public beacon. "
            "Before it came out a witness had seen these orders closed in the log, and no others of this phase "
            "({witnesses}): unless he is in league with whoever runs this server, nobody could foresee or choose them. "
            "The attachment pbemdice.txt proves it to whoever knows the key of that witness.",
            round=closes[-1].round,
            witnesses=cosignatures.names(closes),
        )
        return Grade("A", told, "A")
    told = msg(
        "Dice: pbemdice/v1, grade B. They follow from the closed orders and from round {round} of a public beacon. If "
        "your mailbox took my letter that the orders are closed before that round came out, as the headers of that "
        "letter show you, nobody could foresee or choose them, this server included. The attachment pbemdice.txt "
        "proves all the rest.",
        round=closes[-1].round,
    )
    return Grade("B", told, "B")


def _stopped(closes: Sequence[Witnessed], seen: bool) -> Msg:
    """What is said of a phase that stopped on its way: whether it had to stop there only its rules can tell."""
    return msg(
        "Dice: pbemdice/v1, grade C until the game is over, then grade {grade}. They follow from the closed orders and "
        "from rounds of a public beacon, the last of them {round}; but the phase stopped on its way, and each part has "
        "a round of its own. Whoever runs this server could have chosen between rounds by stopping elsewhere: that it "
        "stopped where the rules have it shows when all is opened and the phase is run again (pbem verify --full).",
        grade="A" if seen else "B",
        round=closes[-1].round,
    )


def _foreseen(
    session: Session, game: tables.Game, phase: str, closes: Sequence[Witnessed], moved: Sequence[Witnessed]
) -> Msg | None:
    """Why dice that were to wait for a beacon could be foreseen all the same; None if they could not."""
    known = logbook.at_hand(session, game.id, phase).rows
    bots = next((leaf("bots") for leaf in known if (leaf.kind, leaf.phase) == ("open", phase)), "-")
    if bots != "-":
        return msg(
            "Dice: pbemdice/v1, grade C this time. They follow from round {round} of a public beacon, but a bot could "
            "write in this phase ({bots}): whoever runs this server could have it write otherwise.",
            round=closes[-1].round,
            bots=", ".join(one.replace(":", " ") for one in bots.split(" ")),
        )
    changed = queries.log.leaves(session, game.id, "beacon-change", phase=phase)
    if changed:
        return msg(
            "Dice: pbemdice/v1, grade C this time. The round of the public beacon that they were to wait for did not "
            "come, and by ruling they follow from something else. Whoever runs this server could foresee them, or "
            "choose when it was ruled."
        )
    if late := [one for one in closes if one.is_late]:
        return msg(
            "Dice: pbemdice/v1, grade C this time. They follow from round {round} of a public beacon, but the orders "
            "were closed after it had come out. Whoever runs this server could foresee them, and if he plays, or has a "
            "friend who plays, could choose among them by trying orders.",
            round=late[0].round,
        )
    if after := [one for one in moved if one.is_late]:
        return msg(
            "Dice: pbemdice/v1, grade C this time. They follow from round {round} of a public beacon, but the closing "
            "was moved when round {before}, which would have been theirs, had come out: whoever runs this server could "
            "see those dice, and move it because of them.",
            round=closes[-1].round,
            before=after[0].round,
        )
    return None
