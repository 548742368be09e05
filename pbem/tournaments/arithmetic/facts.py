"""E11 What looks like an agreement, as facts for the director alone: what happened, to whom, how often, beside others.

No fact is a verdict: friends write in one evening from one provider, and some openings are good for everybody.

    Fact("host", (3, 7), {"letters": 12, "others": 0})       both wrote from one sending host, which `others` use too
    Fact("minute", (3, 7), {"times": 5, "letters": 9})       letters within a minute of each other, of the rarer's
    Fact("alike", (3, 7), {"percent": 81, "strangers": 34, "phases": 12})   orders alike, in positions all had
    Fact("resigned ahead", (3, 7), {"margin": 5, "round": 2, "turn": 9})    3 gave up to 7 while he was ahead
    Fact("one way", (3, 7), {"tables": 4, "halves": 8})      3 had all that was to be had of 7
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import BYE, FIRST, NOBODY, PENDING, Result


class WroteAt(NamedTuple):
    """A letter of an entrant: when, in seconds, and from which sending host (empty: not known)."""

    entrant: int
    at: int
    host: str = ""


class GivenOrders(NamedTuple):
    """An entrant's orders of a phase, as canonical lines; `position` is the same text for all who had the same."""

    entrant: int
    position: str
    lines: frozenset[str]


class GaveUp(NamedTuple):
    """A resignation: who, to whom, how far he was ahead, and when."""

    entrant: int
    other: int
    margin: int
    round: int
    turn: int


class ObservedPlay(NamedTuple):
    """All that is looked at; `results` of one pool may be of several tournaments, with the numbers of this one."""

    letters: Sequence[WroteAt] = ()
    orders: Sequence[GivenOrders] = ()
    resigned: Sequence[GaveUp] = ()
    results: Sequence[Result] = ()


class Usual(NamedTuple):
    """What is not worth a look: hosts of more than `sharing` entrants; fewer than `times` letters within a minute, or
    less than `share` percent of the rarer's; fewer than `phases` in common, or `above` percent alike more than
    strangers; fewer than `tables` between two."""

    sharing: int = 4
    times: int = 3
    share: int = 25
    phases: int = 5
    above: int = 25
    tables: int = 3


class Fact(NamedTuple):
    """What happened, between which two, with numbers by name; the order of the two says who did it to whom."""

    what: str
    entrants: tuple[int, int]
    values: Mapping[str, int]


_MINUTE = 60


def facts_of(evidence: ObservedPlay, usual: Usual = Usual()) -> tuple[Fact, ...]:  # noqa: B008 - a frozen record
    """E11 Return what is worth a look, the same for the same evidence in any order."""
    found = [
        *_hosts(evidence.letters, usual),
        *_minutes(evidence.letters, usual),
        *_alike(evidence.orders, usual),
        *_resigned(evidence.resigned),
        *_one_way(evidence.results, usual),
    ]
    return tuple(sorted(found, key=lambda one: (one.what, one.entrants, sorted(one.values.items()))))


def _hosts(letters: Sequence[WroteAt], usual: Usual) -> Iterable[Fact]:
    """Two who write from one host that hardly anybody else uses."""
    used: dict[str, dict[int, int]] = {}
    for one in letters:
        if one.host:
            counts = used.setdefault(one.host.casefold(), {})
            counts[one.entrant] = counts.get(one.entrant, 0) + 1
    for counts in used.values():
        if 2 <= len(counts) <= usual.sharing:
            for a, b in combinations(sorted(counts), 2):
                yield Fact("host", (a, b), {"letters": counts[a] + counts[b], "others": len(counts) - 2})


def _minutes(letters: Sequence[WroteAt], usual: Usual) -> Iterable[Fact]:
    """Two whose letters come within a minute of each other, more often than it happens."""
    ordered = sorted(letters, key=lambda one: one.at)
    near: dict[tuple[int, int], dict[int, set[int]]] = {}
    first = 0
    for at, one in enumerate(ordered):
        while ordered[first].at < one.at - _MINUTE:
            first += 1
        for before in range(first, at):
            other = ordered[before].entrant
            if other != one.entrant:
                two = near.setdefault((min(one.entrant, other), max(one.entrant, other)), {})
                two.setdefault(one.entrant, set()).add(at)
                two.setdefault(other, set()).add(before)
    written = Counter(one.entrant for one in ordered)
    for (a, b), close in near.items():
        few = a if written[a] <= written[b] else b
        times = len(close[few])
        if times >= usual.times and 100 * times >= usual.share * written[few]:
            yield Fact("minute", (a, b), {"times": times, "letters": written[few]})


def _alike(orders: Sequence[GivenOrders], usual: Usual) -> Iterable[Fact]:
    """Two whose orders in positions that both had are alike, far more than those of all other twos."""
    at: dict[str, dict[int, frozenset[str]]] = {}
    for one in orders:
        at.setdefault(one.position, {})[one.entrant] = one.lines
    likeness: dict[tuple[int, int], list[int]] = {}
    for had in at.values():
        for a, b in combinations(sorted(had), 2):
            if had[a] or had[b]:
                percent = 100 * len(had[a] & had[b]) // len(had[a] | had[b])
                likeness.setdefault((a, b), []).append(percent)
    # Strangers are all twos without either: all, less those of the one and of the other.
    sums: Counter[int] = Counter()
    counts: Counter[int] = Counter()
    for two, percents in likeness.items():
        for key in (NOBODY, *two):
            sums[key] += sum(percents)
            counts[key] += len(percents)
    for (a, b), percents in likeness.items():
        strangers = counts[NOBODY] - counts[a] - counts[b] + len(percents)
        if len(percents) >= usual.phases and strangers:
            mean = sum(percents) // len(percents)
            others = (sums[NOBODY] - sums[a] - sums[b] + sum(percents)) // strangers
            if mean >= others + usual.above:
                yield Fact("alike", (a, b), {"percent": mean, "strangers": others, "phases": len(percents)})


def _resigned(resigned: Sequence[GaveUp]) -> Iterable[Fact]:
    """Who gave up while he was ahead."""
    for one in resigned:
        if one.margin > 0:
            values = {"margin": one.margin, "round": one.round, "turn": one.turn}
            yield Fact("resigned ahead", (one.entrant, one.other), values)


def _one_way(results: Sequence[Result], usual: Usual) -> Iterable[Fact]:
    """Two of whom one had all points at all their tables."""
    halves: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for one in results:
        if one.second == NOBODY or one.how in (PENDING, BYE):
            continue
        low = min(one.first, one.second)
        seat = FIRST if one.first == low else 1 - FIRST
        two = (low, max(one.first, one.second))
        halves.setdefault(two, []).append((one.halves[seat], one.halves[1 - seat]))
    for (a, b), met in halves.items():
        mine, his = (sum(column) for column in zip(*met, strict=True))
        if len(met) >= usual.tables and bool(mine) != bool(his):
            yield Fact("one way", (a, b) if mine else (b, a), {"tables": len(met), "halves": mine + his})
