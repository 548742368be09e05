"""E3.2 Pair a round robin in the order of a circle, once or twice.

The last entrant stays, the others go round him: in round r those at the same distance from place r, on its two
sides, meet. Over the whole circle everybody has both sides equally often, or one of them once more where the number
of his games is odd.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.tournaments.arithmetic.entrants import NOBODY, Entrant, Lots, entrant_label, entrant_records
from pbem.tournaments.arithmetic.pairing.boards import bye_pair, number_boards, pair_with_sides, present_numbers
from pbem.tournaments.arithmetic.pairing.costs import BALANCED
from pbem.tournaments.arithmetic.pairing.drawn import Pair, PairingReason, RoundDraw, RoundInput


def round_robin_length(count: int, double: bool) -> int:
    """Return the number of rounds in which all meet all, once or twice."""
    # Without entrants there are no rounds, rather than -1.
    return max(0, count - 1 + count % 2) * (2 if double else 1)


def circle_method_pairs(numbers: Sequence[int], round_: int) -> list[tuple[int, int]]:
    """Return the pairs of a round, which counts from 1; the first side comes first.

    An odd number is filled up with NOBODY. The circle is repeated, each second time with the sides exchanged.
    """
    order = [*numbers, NOBODY] if len(numbers) % 2 else list(numbers)
    *ring, fixed = order
    turn, place = divmod(round_ - 1, len(ring))
    pairs = [(fixed, ring[place]) if place % 2 else (ring[place], fixed)]
    for distance in range(1, len(ring) // 2 + 1):
        left_number, right_number = ring[(place + distance) % len(ring)], ring[place - distance]
        pairs.append((left_number, right_number) if distance % 2 else (right_number, left_number))
    return [(b, a) for a, b in pairs] if turn % 2 else pairs


def pair_robin(round_input: RoundInput, lots: Lots) -> RoundDraw:
    """E3.2 Draw the round; the stage is over when all have met."""
    if round_input.round > round_robin_length(len(round_input.entrants), round_input.manner.double):
        return RoundDraw(round_input.round, over=True)
    return number_boards(round_input, robin_pairs(round_input, round_input.entrants, lots))


def robin_pairs(round_input: RoundInput, entrants: Sequence[Entrant], lots: Lots) -> Iterator[Pair]:
    """Yield a round's pairs of some entrants.

    An entrant whose opponent is away has a bye.
    """
    present = present_numbers(round_input)
    by_circle = round_input.manner.sides in BALANCED
    counted = {} if by_circle else entrant_records(round_input.entrants, round_input.results, round_input.start)
    is_rematch = round_input.round > round_robin_length(len(entrants), False)
    for a, b in circle_method_pairs([entrant.number for entrant in entrants], round_input.round):
        if a in present and b in present:
            if by_circle:
                why = PairingReason(
                    "E3.2", "circle", {entrant_label(a): 0, entrant_label(b): 1, "again": int(is_rematch)}
                )
                yield Pair(0, a, b, why=(why,))
            else:
                yield _return_pair(round_input, a, b) or pair_with_sides(a, b, (), (round_input, counted, lots))
        elif a in present or b in present:
            yield bye_pair(a, "E3.2", b) if a in present else bye_pair(b, "E3.2", a)


def _return_pair(round_input: RoundInput, a: int, b: int) -> Pair | None:
    """Return the second pairing of two entrants, with exchanged sides.

    None if they have not met before.
    """
    for result in round_input.results:
        if {result.first, result.second} == {a, b} and result.round < round_input.round:
            values = {entrant_label(result.second): 0, entrant_label(result.first): 1, "again": 1}
            return Pair(0, result.second, result.first, why=(PairingReason("E3.2", "circle", values),))
    return None


# E3.7 League: each division is a robin; then a number of entrants go up and down between them.


def divisions_of(round_input: RoundInput) -> list[tuple[Entrant, ...]]:
    """Return the divisions by seed, as even as possible.

    Upper ones are larger; E3.15 with ``snake`` they are dealt to and fro: 1 4 5, 2 3 6.
    """
    count = round_input.manner.divisions
    if round_input.manner.deal == "snake":
        order = [*range(count), *reversed(range(count))]
        return [
            tuple(entrant for place, entrant in enumerate(round_input.entrants) if order[place % len(order)] == number)
            for number in range(count)
        ]
    size_each, remainder = divmod(len(round_input.entrants), count)
    divisions, start = [], 0
    for number in range(count):
        size = size_each + (number < remainder)
        divisions.append(round_input.entrants[start : start + size])
        start += size
    return divisions


def pair_league(round_input: RoundInput, lots: Lots) -> RoundDraw:
    """E3.7 Draw a round of all divisions, the upper ones at the first boards.

    The stage is over when the largest division has played all its rounds."""
    divisions = divisions_of(round_input)
    rounds = [round_robin_length(len(division), round_input.manner.double) for division in divisions]
    if round_input.round > max(rounds, default=0):
        return RoundDraw(round_input.round, over=True)
    playing = [division for division, last in zip(divisions, rounds, strict=True) if round_input.round <= last]
    return number_boards(
        round_input, [pair for division in playing for pair in robin_pairs(round_input, division, lots)]
    )


def promote_and_relegate(divisions: Sequence[Sequence[int]], moving: int) -> list[list[int]]:
    """E3.7 Return the divisions of the next season from final orders.

    In each division the relegated from above come first, the promoted from below last.
    """
    seasons = []
    for index, order in enumerate(divisions):
        down = list(divisions[index - 1][-moving:]) if index and moving else []
        up = list(divisions[index + 1][:moving]) if index + 1 < len(divisions) and moving else []
        stay = list(order[moving if index else 0 : len(order) - (moving if index + 1 < len(divisions) else 0)])
        seasons.append([*down, *stay, *up])
    return seasons
