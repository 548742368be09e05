"""E6.1 Decide absences at a table from both its seats; E6.2 find who attended.

The action about a silent or abandoned seat depends on the other seat. A seat is `ABSENT` if its player has left the
game, or has not answered in time; `ASKED` while there is time to answer, or while another player may take the seat.
`mine` is the seat that the action is about:

    mine \\ his   THERE   UNHEARD                       ASKED   ABSENT
    ASKED        USUAL   WAIT                          WAIT    WAIT
    ABSENT       USUAL   WAIT; if I gave it up USUAL   WAIT    BOTH

When the game or its round has ended, the action is USUAL if one of the two wrote and has answered all questions
since, and BOTH if neither has.

USUAL is what the rules of the tournament say of a no-show: the director, a substitute, a forfeit, a bye.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import NOBODY, TableResult

THERE, UNHEARD, ASKED, ABSENT = "there", "unheard", "asked", "absent"
"""State of a seat: a letter came in the round; none yet; the player was asked; none will come."""
USUAL, WAIT, BOTH = "usual", "wait", "both"
"""Action: the rule for one no-show; wait for the other seat; 0:0, and both are out."""


class SeatPresence(NamedTuple):
    """The known facts about a seat.

    `heard`: a letter came since the round's first letter; `asked`: the player was then asked for another, and none
    came; `up`: the time for that answer is over; `gone`: the seat has no player; `pending`: the director or a
    candidate may still fill it.
    """

    heard: bool = False
    asked: bool = False
    up: bool = False
    gone: bool = False
    pending: bool = False

    @property
    def state(self) -> str:
        """Return the state: THERE, UNHEARD, ASKED or ABSENT."""
        if self.pending:
            return ASKED
        if self.gone or self.asked:
            return ABSENT if self.gone or self.up else ASKED
        return THERE if self.heard else UNHEARD


def decide_about_silent_seat(own_seat: SeatPresence, other: SeatPresence, has_ended: bool = False) -> str:
    """E6.1 Return the action about a seat: USUAL, WAIT or BOTH.

    `has_ended`: game or round are over.
    """
    if has_ended:
        is_present = (
            seat_facts.heard and not seat_facts.gone and not (seat_facts.asked and seat_facts.up)
            for seat_facts in (own_seat, other)
        )
        return USUAL if any(is_present) else BOTH
    if own_seat.state == other.state == ABSENT:
        return BOTH
    if other.state in (ASKED, ABSENT) or (other.state == UNHEARD and not own_seat.gone):
        return WAIT
    return USUAL


def entrants_present(paired: Collection[int], results: Iterable[TableResult]) -> frozenset[int]:
    """E6.2 Return the entrants of `paired`, those with an opponent, who were present."""
    opposed, present = set(paired), set[int]()
    for result in results:
        for number, halves in zip((result.first, result.second), result.halves, strict=True):
            opposed |= {number} if result.second != NOBODY else set()
            present |= {number} if halves or result.how not in ("forfeit", "absent") else set()
    return frozenset((opposed & present) - {NOBODY})


def entrants_without_last_table(results: Iterable[TableResult]) -> frozenset[int]:
    """E6.2 Return the entrants at whose last table of a stage nobody was present."""
    last: dict[int, list[TableResult]] = {}
    for result in sorted(results, key=lambda result: result.round):
        for number in (result.first, result.second) if result.second != NOBODY else ():
            earlier = last.get(number, [])
            last[number] = [*(table for table in earlier if table.round == result.round), result]
    return frozenset(number for number, played in last.items() if not entrants_present((), played))
