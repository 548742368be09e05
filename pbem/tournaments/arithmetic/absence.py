"""E6.1 Absence, decided for the two at a table; E6.2 who came at all.

What is done about a seat that is silent or given up, by how the other one is. A seat is `ABSENT` whose player is gone,
or has let his time pass; `ASKED` as long as he has some, or another may take the seat:

    mine \\ his   THERE   UNHEARD                       ASKED   ABSENT
    ASKED        USUAL   WAIT                          WAIT    WAIT
    ABSENT       USUAL   WAIT; if I gave it up USUAL   WAIT    BOTH

When the game or its round has ended it is USUAL if a word came from one of the two, who was not asked in vain since,
and BOTH if not.

USUAL is what the rules of the tournament say of one who is silent: the director, a substitute, a forfeit, a bye.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import NOBODY, Result

THERE, UNHEARD, ASKED, ABSENT = "there", "unheard", "asked", "absent"
"""How a seat is: a word came in the round; none yet; he was asked for one; none will come."""
USUAL, WAIT, BOTH = "usual", "wait", "both"
"""What is done: as the rules say of one; nothing until more is known of the other; 0:0, and both are out."""


class SeatSeen(NamedTuple):
    """What is known of a seat.

    `heard`: a word came since the letter of the round; `asked`: he was asked for another, and none came since; `up`:
    the time for it is over; `gone`: nobody sits there; `pending`: the director or one who waits may still fill it.
    """

    heard: bool = False
    asked: bool = False
    up: bool = False
    gone: bool = False
    pending: bool = False

    @property
    def state(self) -> str:
        """One of THERE, UNHEARD, ASKED, ABSENT."""
        if self.pending:
            return ASKED
        if self.gone or self.asked:
            return ABSENT if self.gone or self.up else ASKED
        return THERE if self.heard else UNHEARD


def decide(mine: SeatSeen, his: SeatSeen, ended: bool = False) -> str:
    """E6.1 Return what is done about my seat: USUAL, WAIT or BOTH; `ended`: game or round are over."""
    if ended:
        there = (one.heard and not one.gone and not (one.asked and one.up) for one in (mine, his))
        return USUAL if any(there) else BOTH
    if mine.state == his.state == ABSENT:
        return BOTH
    if his.state in (ASKED, ABSENT) or (his.state == UNHEARD and not mine.gone):
        return WAIT
    return USUAL


def came(drawn: Collection[int], results: Iterable[Result]) -> frozenset[int]:
    """E6.2 Return those of a round who had an opponent and were not away: `drawn` are those of pairs of two."""
    met, there = set(drawn), set[int]()
    for one in results:
        for number, halves in zip((one.first, one.second), one.halves, strict=True):
            met |= {number} if one.second != NOBODY else set()
            there |= {number} if halves or one.how not in ("forfeit", "absent") else set()
    return frozenset((met & there) - {NOBODY})
