"""E3.10 Which of two goes on: more points, else the greater margin, else the better seed.

Where both have forfeited neither does. What is still pending decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pbem.tournaments.arithmetic.entrants import BYE, FIRST, NOBODY, PENDING, SECOND, Result


class Undecided(ValueError):
    """A round that the next follows from has a table that is still pending."""


def played_in(results: Iterable[Result], round_: int) -> Mapping[frozenset[int], list[Result]]:
    """Return the tables of a round by the two at them."""
    found: dict[frozenset[int], list[Result]] = {}
    for one in results:
        if one.round == round_ and one.second != NOBODY:
            found.setdefault(frozenset((one.first, one.second)), []).append(one)
    return found


def rested_in(results: Iterable[Result], round_: int) -> frozenset[int]:
    """Return those who had a bye in a round; who rested by his own will did not."""
    return frozenset(one.first for one in results if one.round == round_ and one.how == BYE)


def winner_of(tables: Sequence[Result], seeds: Mapping[int, int]) -> int:
    """E3.10 Return who goes on from the tables of one board, NOBODY if both forfeited; Undecided if one is pending.

    `seeds` are places by number, the best the lowest.
    """
    a, b = tables[0].first, tables[0].second
    if any(one.how == PENDING for one in tables):
        raise Undecided(f"round {tables[0].round}: e{a} and e{b} are still at it")
    seats = [FIRST if one.first == a else SECOND for one in tables]
    mine = sum(one.halves[seat] for one, seat in zip(tables, seats, strict=True))
    his = sum(one.halves[1 - seat] for one, seat in zip(tables, seats, strict=True))
    if not mine and not his and all(one.how == "forfeit" for one in tables):
        return NOBODY
    ahead = sum(-one.margin if seat else one.margin for one, seat in zip(tables, seats, strict=True))
    return a if (mine, ahead, -seeds[a]) > (his, -ahead, -seeds[b]) else b


def loser_of(tables: Sequence[Result], seeds: Mapping[int, int]) -> tuple[int, ...]:
    """Return those who do not go on: one, or both."""
    winner = winner_of(tables, seeds)
    return tuple(one for one in (tables[0].first, tables[0].second) if one != winner)
