"""E11 Find possible agreements between entrants, as facts for the director alone.

No fact is a verdict: friends write in one evening from one provider, and some openings are good for everybody.

    Fact("host", (3, 7), {"letters": 12, "others": 0})       both wrote from one host, as did so many `others`
    Fact("minute", (3, 7), {"times": 5, "letters": 9})       5 of the rarer writer's 9 within a minute
    Fact("alike", (3, 7), {"percent": 81, "strangers": 34, "phases": 12})   orders alike in 12 positions
    Fact("resigned ahead", (3, 7), {"margin": 5, "round": 2, "turn": 9})    3 gave up to 7 while he was ahead
    Fact("one way", (3, 7), {"tables": 4, "halves": 8})      3 had all the points against 7
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import BYE, FIRST, NOBODY, PENDING, TableResult


class LetterTrace(NamedTuple):
    """A letter of an entrant: second of arrival, and sending host (empty: unknown)."""

    entrant: int
    at: int
    host: str = ""


class PhaseOrders(NamedTuple):
    """An entrant's orders of a phase as canonical lines; `position` identifies it."""

    entrant: int
    position: str
    lines: frozenset[str]


class Resignation(NamedTuple):
    """A resignation: entrant, opponent, points by which he led, and when."""

    entrant: int
    other: int
    margin: int
    round: int
    turn: int


class ObservedPlay(NamedTuple):
    """All the evidence that is examined.

    `results` may come from several tournaments of one pool; their entrants have the numbers of this one.
    """

    letters: Sequence[LetterTrace] = ()
    orders: Sequence[PhaseOrders] = ()
    resigned: Sequence[Resignation] = ()
    results: Sequence[TableResult] = ()


class FactThresholds(NamedTuple):
    """The limits below which nothing is reported.

    `sharing` is the most entrants who use one host. `times` is the number of letters within a minute, and `share`
    the percentage of the rarer writer's letters that these are. `phases` is the number of positions that two
    entrants both had, and `above` by how many percent their orders are more alike than strangers'. `tables` is the
    number of games between the two.
    """

    sharing: int = 4
    times: int = 3
    share: int = 25
    phases: int = 5
    above: int = 25
    tables: int = 3


class ObservedFact(NamedTuple):
    """An observed fact about two entrants, with numbers by name.

    Where one of them acts, he comes first.
    """

    what: str
    entrants: tuple[int, int]
    values: Mapping[str, int]


_MINUTE = 60
"""Seconds between two letters that count as sent together: people who write by turns need longer."""


def notable_facts(evidence: ObservedPlay, limits: FactThresholds = FactThresholds()) -> tuple[ObservedFact, ...]:  # noqa: B008 - a frozen record
    """E11 Return the notable facts, the same for evidence in any order."""
    facts = [
        *_hosts(evidence.letters, limits),
        *_minutes(evidence.letters, limits),
        *_similar_orders(evidence.orders, limits),
        *_resigned_ahead(evidence.resigned),
        *_one_sided_scores(evidence.results, limits),
    ]
    # In an order of their own, whatever the order in which they are found.
    return tuple(sorted(facts, key=lambda fact: (fact.what, fact.entrants, sorted(fact.values.items()))))


def _hosts(letters: Sequence[LetterTrace], limits: FactThresholds) -> Iterable[ObservedFact]:
    """Yield pairs who write from a host that hardly anybody else uses."""
    by_host: dict[str, dict[int, int]] = {}
    for letter in letters:
        if letter.host:
            counts = by_host.setdefault(letter.host.casefold(), {})
            counts[letter.entrant] = counts.get(letter.entrant, 0) + 1
    for counts in by_host.values():
        if 2 <= len(counts) <= limits.sharing:
            for a, b in combinations(sorted(counts), 2):
                yield ObservedFact("host", (a, b), {"letters": counts[a] + counts[b], "others": len(counts) - 2})


def _minutes(letters: Sequence[LetterTrace], limits: FactThresholds) -> Iterable[ObservedFact]:
    """Yield pairs whose letters come within a minute unusually often."""
    # By time, for the window of a minute that moves along.
    ordered = sorted(letters, key=lambda letter: letter.at)
    by_pair: dict[tuple[int, int], dict[int, set[int]]] = {}
    first = 0
    for index, letter in enumerate(ordered):
        while ordered[first].at < letter.at - _MINUTE:
            first += 1
        for earlier in range(first, index):
            other_entrant = ordered[earlier].entrant
            if other_entrant != letter.entrant:
                pair_letters = by_pair.setdefault(
                    (min(letter.entrant, other_entrant), max(letter.entrant, other_entrant)), {}
                )
                pair_letters.setdefault(letter.entrant, set()).add(index)
                pair_letters.setdefault(other_entrant, set()).add(earlier)
    letter_counts = Counter(trace.entrant for trace in ordered)
    for (a, b), close_letters in by_pair.items():
        rarer = a if letter_counts[a] <= letter_counts[b] else b
        times = len(close_letters[rarer])
        if times >= limits.times and 100 * times >= limits.share * letter_counts[rarer]:
            yield ObservedFact("minute", (a, b), {"times": times, "letters": letter_counts[rarer]})


def _similar_orders(orders: Sequence[PhaseOrders], limits: FactThresholds) -> Iterable[ObservedFact]:
    """Yield pairs whose orders in shared positions are far more alike than others'."""
    by_position: dict[str, dict[int, frozenset[str]]] = {}
    for order_record in orders:
        by_position.setdefault(order_record.position, {})[order_record.entrant] = order_record.lines
    likeness: dict[tuple[int, int], list[int]] = {}
    for by_entrant in by_position.values():
        for a, b in combinations(sorted(by_entrant), 2):
            if by_entrant[a] or by_entrant[b]:
                percent = 100 * len(by_entrant[a] & by_entrant[b]) // len(by_entrant[a] | by_entrant[b])
                likeness.setdefault((a, b), []).append(percent)
    # Strangers are all pairs without either entrant: all pairs, less those of the one and of the other.
    sums: Counter[int] = Counter()
    counts: Counter[int] = Counter()
    for pair, percents in likeness.items():
        for key in (NOBODY, *pair):
            sums[key] += sum(percents)
            counts[key] += len(percents)
    for (a, b), percents in likeness.items():
        strangers = counts[NOBODY] - counts[a] - counts[b] + len(percents)
        if len(percents) >= limits.phases and strangers:
            mean = sum(percents) // len(percents)
            others = (sums[NOBODY] - sums[a] - sums[b] + sum(percents)) // strangers
            if mean >= others + limits.above:
                yield ObservedFact("alike", (a, b), {"percent": mean, "strangers": others, "phases": len(percents)})


def _resigned_ahead(resigned: Sequence[Resignation]) -> Iterable[ObservedFact]:
    """Yield resignations of entrants who were ahead."""
    for resignation in resigned:
        if resignation.margin > 0:
            values = {"margin": resignation.margin, "round": resignation.round, "turn": resignation.turn}
            yield ObservedFact("resigned ahead", (resignation.entrant, resignation.other), values)


def _one_sided_scores(results: Sequence[TableResult], limits: FactThresholds) -> Iterable[ObservedFact]:
    """Yield pairs of whom one has all the points at all their tables."""
    halves: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for result in results:
        if result.second == NOBODY or result.how in (PENDING, BYE):
            continue
        low = min(result.first, result.second)
        seat = FIRST if result.first == low else 1 - FIRST
        pair = (low, max(result.first, result.second))
        halves.setdefault(pair, []).append((result.halves[seat], result.halves[1 - seat]))
    for (a, b), scores in halves.items():
        own_halves, other_halves = (sum(column) for column in zip(*scores, strict=True))
        if len(scores) >= limits.tables and bool(own_halves) != bool(other_halves):
            yield ObservedFact(
                "one way",
                (a, b) if own_halves else (b, a),
                {"tables": len(scores), "halves": own_halves + other_halves},
            )
