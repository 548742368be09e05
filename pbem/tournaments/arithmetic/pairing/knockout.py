"""E3.3 Knockout: a bracket filled by seeds, one against last; winners go on until one is left.

Who has nobody opposite goes on by a bye, which his result says. Who is away, or has no result in a round, is out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.tournaments.arithmetic.entrants import NOBODY, Lots, name_of
from pbem.tournaments.arithmetic.pairing.boards import bye, here, met_as, round_of
from pbem.tournaments.arithmetic.pairing.drawn import Drawn, Field, Pair, Reason
from pbem.tournaments.arithmetic.pairing.winners import played_in, rested_in, winner_of
from pbem.tournaments.arithmetic.tally import tallies


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
