"""M6 How long a letter takes between two commands of a side: by the spaces between their leaders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pbem.engine.commanders.holding import commands_beside, units_of

AT_ONCE, NEXT, LATER = 0, 1, 2
"""Phases that a letter rides: it is there at once, with the next report, a turn later."""
_NEXT_SPACE, _WITH_NEXT = 1, 4
"""Spaces between leaders up to which that is so."""


def post_of(state: Any, seat: str) -> str:
    """Return where a command's letters leave and arrive: with its leader, or his successor, else with its first unit.

    The empty string for a command that is nowhere.
    """
    leader: str = state.edition.commands[seat].leader
    while leader not in state.units:
        leader += "-2"
        if leader.count("-2") > _SUCCESSORS:
            own = units_of(state, seat)
            return str(state.units[own[0]].at) if own else ""
    return str(state.units[leader].at)


_SUCCESSORS = 8


def delay(state: Any, seat: str, other: str) -> int:
    """M6 Return how many phases a letter rides from one command to another of its side; none to itself.

    Who is nowhere hears of everything a turn later.
    """
    if seat == other:
        return AT_ONCE
    start, end = post_of(state, seat), post_of(state, other)
    if not start or not end:
        return LATER
    spaces: int = state.edition.map.distances((start,)).get(end, _WITH_NEXT + 1)
    if spaces <= _NEXT_SPACE:
        return AT_ONCE
    return NEXT if spaces <= _WITH_NEXT else LATER


def others(state: Any, seat: str) -> Iterator[str]:
    """Yield the seats of the other commands of a seat's side, by rank."""
    yield from (one.seat for one in commands_beside(state, seat) if one.seat != seat)


def moment(state: Any, sides: tuple[str, ...]) -> int:
    """Return the number of the phase that a position is in, counted from that of the side who begins turn 0."""
    turn: int = state.turn
    return turn * len(sides) + (sides.index(state.phase) if state.phase in sides else 0)


def turn_of(when: int) -> int:
    """Return the turn of a phase by its number."""
    return when // 2
