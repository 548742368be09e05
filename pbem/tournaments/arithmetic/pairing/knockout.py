"""E3.3 Knockout: a bracket filled by seeds, one against last; winners go on until one is left.

Who has nobody opposite goes on by a bye, which his result says. Who is away, or has no result in a round, is out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import (
    BYE,
    FIRST,
    NOBODY,
    PENDING,
    SECOND,
    Lots,
    Result,
    Tally,
    name_of,
    tallies,
)
from pbem.tournaments.arithmetic.pairing.boards import bye, here, met_as, round_of
from pbem.tournaments.arithmetic.pairing.costs import Edge, lot_label, solved
from pbem.tournaments.arithmetic.pairing.drawn import Drawn, Field, Pair, Reason

# E3.10 Which of two goes on: more points, else the greater margin, else the better seed.
#
# Where both have forfeited neither does. What is still pending decides nothing.


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


def bracket(count: int) -> list[int]:
    """Return the seeds from 1 in the order of the bracket, as many places as it has: 1 8 4 5 2 7 3 6."""
    order = [1]
    while len(order) < count:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    return order


def seeds_of(field: Field) -> dict[int, int]:
    """Return everybody's seed from 1, as the field stands."""
    return {one.number: seed for seed, one in enumerate(field.entrants, start=1)}


def slots_after(field: Field, rounds: int) -> list[int]:
    """Return who stands where in the bracket after so many rounds; NOBODY where nobody went on."""
    seeds = seeds_of(field)
    slots = [field.entrants[seed - 1].number if seed <= len(seeds) else NOBODY for seed in bracket(len(seeds))]
    for round_ in range(1, rounds + 1):
        tables, rested = played_in(field.results, round_), rested_in(field.results, round_)
        following = []
        for a, b in _couples(slots):
            met = tables.get(frozenset((a, b)))
            left = winner_of(met, seeds) if met else next((one for one in (a, b) if one in rested), NOBODY)
            following.append(left)
        slots = following
    return slots


def reached(field: Field) -> dict[int, int]:
    """Return how many rounds each has gone on from, in the rounds that have results."""
    last = max((one.round for one in field.results), default=0)
    found = dict.fromkeys(seeds_of(field), 0)
    for round_ in range(1, min(last, len(bracket(len(found))).bit_length() - 1) + 1):
        for number in slots_after(field, round_):
            if number != NOBODY:
                found[number] = round_
    return found


def pair_knockout(field: Field, lots: Lots) -> Drawn:
    """E3.3 Draw the round; over when one is left, or as many rounds are played as the rules say."""
    if 0 < field.manner.rounds < field.round:
        return Drawn(field.round, over=True)
    slots = slots_after(field, field.round - 1)
    if sum(number != NOBODY for number in slots) < 2:
        return Drawn(field.round, over=True)
    return round_of(field, bracket_pairs(field, slots, "E3.3", lots))


def bracket_pairs(field: Field, slots: Sequence[int], rule: str, lots: Lots) -> Iterator[Pair]:
    """Yield the pairs of neighbours in a bracket, and a bye for who has nobody opposite."""
    seeds, there = seeds_of(field), here(field)
    counted = tallies(field.entrants, field.results, field.start)
    for a, b in _couples(slots):
        if a in there and b in there:
            why = Reason(rule, "bracket", {name_of(a): seeds[a], name_of(b): seeds[b]})
            yield met_as(a, b, (why,), (field, counted, lots))
        elif a in there or b in there:
            yield bye(a, rule, b, field.round) if a in there else bye(b, rule, a, field.round)


def _couples(slots: Sequence[int]) -> Iterator[tuple[int, int]]:
    yield from zip(slots[::2], slots[1::2], strict=True)


# E3.4 Double elimination: who loses once goes on in the lower bracket, who loses twice is out.
#
# The upper bracket is that of a knockout. In the lower one, every round, the best seed meets the last as far as they
# have not met. The last of the upper waits for the last of the lower; if he then loses, they meet again. To be away is
# to lose.


_NEAR = 12
"""In a large lower bracket each is weighed against so many about him whom the fold gives."""


class Brackets(NamedTuple):
    """Who is where before a round: the upper bracket's places, the lower's people by seed, and the round in which
    others went out."""

    upper: tuple[int, ...]
    lower: tuple[int, ...]
    out: Mapping[int, int]

    @property
    def unbeaten(self) -> tuple[int, ...]:
        """Those of the upper bracket."""
        return tuple(one for one in self.upper if one != NOBODY)

    @property
    def final(self) -> bool:
        """Whether one of each is left, who meet."""
        return len(self.unbeaten) == 1 == len(self.lower)


def brackets_before(field: Field, round_: int) -> Brackets:
    """Return who is where before a round, from the results of those before it; Undecided if one is pending."""
    seeds = seeds_of(field)
    now = Brackets(tuple(slots_after(field, 0)), (), {})
    for number in range(1, round_):
        if len(now.unbeaten) + len(now.lower) > 1:
            now = _after(now, field, number, seeds)
    return now


def _after(now: Brackets, field: Field, round_: int, seeds: Mapping[int, int]) -> Brackets:
    tables, rested = played_in(field.results, round_), rested_in(field.results, round_)
    kept = set(rested)
    for some in tables.values():
        kept |= {some[0].first, some[0].second} - set(loser_of(some, seeds))
    upper = now.upper
    if len(now.unbeaten) > 1:
        couples = zip(upper[::2], upper[1::2], strict=True)
        upper = tuple(next((one for one in two if one in kept), NOBODY) for two in couples)
    else:
        upper = tuple(one for one in now.unbeaten if one in kept)
    fallen = [one for one in now.unbeaten if one not in upper]
    lost = [one for one in now.lower if one not in kept]
    lower = sorted([*(one for one in now.lower if one in kept), *fallen], key=seeds.__getitem__)
    return Brackets(upper, tuple(lower), {**now.out, **dict.fromkeys(lost, round_)})


def survived(field: Field) -> dict[int, int]:
    """Return the round in which each went out, and of those still in one round more than were played."""
    last = max((one.round for one in field.results), default=0)
    out = brackets_before(field, last + 1).out
    left = {one: last + 1 for one in seeds_of(field)}
    return {**left, **out}


def pair_double(field: Field, lots: Lots) -> Drawn:
    """E3.4 Draw the round in both brackets; over when one is left."""
    now = brackets_before(field, field.round)
    if len(now.unbeaten) + len(now.lower) < 2 or 0 < field.manner.rounds < field.round:
        return Drawn(field.round, over=True)
    if now.final:
        return round_of(field, bracket_pairs(field, (*now.unbeaten, *now.lower), "E3.4", lots))
    there = here(field)
    pairs: list[Pair] = []
    if len(now.unbeaten) > 1:
        pairs += bracket_pairs(field, now.upper, "E3.4", lots)
    else:
        pairs += [bye(one, "E3.4") for one in now.unbeaten if one in there]
    pairs += _lower_pairs(field, [one for one in now.lower if one in there], lots)
    return round_of(field, pairs)


def _lower_pairs(field: Field, lower: Sequence[int], lots: Lots) -> Iterator[Pair]:
    """One against last, no two again if it can be helped; if one is over, the best seed of the fewest byes rests."""
    seeds = seeds_of(field)
    counted = tallies(field.entrants, field.results, field.start)
    order = sorted(lower, key=lambda one: (counted[one].byes, seeds[one])) if len(lower) % 2 else [NOBODY]
    # Who rests is another where the others could else meet only again.
    tried = ((one, _fresh([left for left in lower if left != one], counted, lots)) for one in order)
    resting, pairs = next(((one, found) for one, found in tried if found is not None), (order[0], None))
    if pairs is None:
        pairs = _again([left for left in lower if left != resting], counted, lots)
    for a, b in pairs:
        why = Reason("E3.4", "lower", {name_of(a): seeds[a], name_of(b): seeds[b], "met": counted[a].met.count(b)})
        yield met_as(a, b, (why,), (field, counted, lots))
    if resting != NOBODY:
        yield bye(resting, "E3.4")


def _fresh(left: Sequence[int], counted: Mapping[int, Tally], lots: Lots) -> list[tuple[int, int]] | None:
    """The pairs nearest to the fold of those who have not met; None if some must meet again."""
    last = len(left) - 1
    for far in (_NEAR, last):
        near = [(a, b) for a, b in combinations(range(last + 1), 2) if abs(a + b - last) <= far]
        edges = [_edge(left, pair, lots) for pair in near if left[pair[1]] not in counted[left[pair[0]]].met]
        if (found := solved(len(left), edges)) is not None:
            return [(left[a], left[b]) for a, b in found]
    return None


def _again(left: Sequence[int], counted: Mapping[int, Tally], lots: Lots) -> list[tuple[int, int]]:
    """The pairs of which the fewest meet again."""
    edges = [_edge(left, pair, lots) for pair in combinations(range(len(left)), 2)]
    met = [counted[left[edge.a]].met.count(left[edge.b]) for edge in edges]
    costs = [edge._replace(cost=edge.cost + (times << 80)) for edge, times in zip(edges, met, strict=True)]
    return [(left[a], left[b]) for a, b in solved(len(left), costs) or ()]


def _edge(left: Sequence[int], pair: tuple[int, int], lots: Lots) -> Edge:
    """How far two are from the fold, squared, and their lot."""
    a, b = pair
    return Edge(a, b, (a + b - len(left) + 1) ** 2 << 48 | lots(lot_label(left[a], left[b])))
