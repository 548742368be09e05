"""E3.5 E3.6 Pair a ladder by neighbours and challenges; winners climb.

Accepted challenges come first, in the order of the input; all others are drawn by the cheapest pairing of
squared distances of places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pbem.tournaments.arithmetic.entrants import (
    NOBODY,
    PENDING,
    Entrant,
    EntrantRecord,
    Lots,
    entrant_label,
    entrant_records,
)
from pbem.tournaments.arithmetic.pairing.boards import bye_pair, number_boards, pair_with_sides, present_numbers
from pbem.tournaments.arithmetic.pairing.costs import pair_lot_label
from pbem.tournaments.arithmetic.pairing.drawn import Pair, PairingReason, RoundDraw, RoundInput
from pbem.tournaments.arithmetic.pairing.knockout import UndecidedRound, tables_by_pair
from pbem.tournaments.arithmetic.pairing.matching import Edge, minimum_weight_matching

# A choice: the number of all pairs grows with the square.
_WIDE = 16
"""Opponents are weighed up to so many places away at first; if these do not pair all, further ones are."""


def ladder_after_win(ladder: Sequence[int], winner: int, loser: int, challenge: str) -> list[int]:
    """E3.6 Return the ladder after a win from below.

    The winner goes into the loser's place (``swap``), or half the way up (``half``), an odd way rounded up. A
    win from above changes nothing.
    """
    low, high = ladder.index(winner), ladder.index(loser)
    if low < high:
        return list(ladder)
    target = high if challenge == "swap" else low - (low - high + 1) // 2
    rest = [number for number in ladder if number != winner]
    return [*rest[:target], winner, *rest[target:]]


def ladder_before(round_input: RoundInput, round_: int) -> list[int]:
    """Return the ladder before a round, by seeds and earlier results.

    Late entrants begin below all others. The results of one round are applied from the top of the ladder down.
    Raise UndecidedRound if an earlier table is pending.
    """
    ladder: list[int] = []
    for number in range(1, round_ + 1):
        ladder += [
            entrant.number
            for entrant in round_input.entrants
            if entrant.since <= number and entrant.number not in ladder
        ]
        if number < round_:
            ladder = _apply_round(ladder, round_input, number)
    return ladder


def _apply_round(ladder: list[int], round_input: RoundInput, round_: int) -> list[int]:
    tables = [
        pair_tables for pair, pair_tables in tables_by_pair(round_input.results, round_).items() if pair <= set(ladder)
    ]
    places = {number: place for place, number in enumerate(ladder)}
    for pair_results in sorted(tables, key=lambda result: min(places[result[0].first], places[result[0].second])):
        if any(group.how == PENDING for group in pair_results):
            raise UndecidedRound(
                f"round {round_}: e{pair_results[0].first} and e{pair_results[0].second} are still at it"
            )
        halves = {pair_results[0].first: 0, pair_results[0].second: 0}
        for table in pair_results:
            halves[table.first] += table.halves[0]
            halves[table.second] += table.halves[1]
        # If they are level, it does not matter which is which.
        winner, loser = sorted(halves, key=lambda number: -halves[number])
        if halves[winner] > halves[loser]:
            ladder = ladder_after_win(ladder, winner, loser, round_input.manner.challenge)
    return ladder


def without_pending_boards(round_input: RoundInput) -> RoundInput:
    """Return the input without pending boards, which have changed no place yet."""
    pending = {
        (result.round, frozenset((result.first, result.second)))
        for result in round_input.results
        if result.how == PENDING
    }
    decided_results = tuple(
        result
        for result in round_input.results
        if (result.round, frozenset((result.first, result.second))) not in pending
    )
    return round_input._replace(results=decided_results)


def challenge_fault(round_input: RoundInput, challenger: int, challenged: int) -> str:
    """E3.5 Return the fault of a challenge: ``away``, ``below``, ``far``, ``barred``.

    Empty if both are present, the challenged entrant is above within reach, and they are neither barred from
    each other nor of one team.
    """
    ladder = ladder_before(round_input, round_input.round)
    if not {challenger, challenged} <= present_numbers(round_input):
        return "away"
    up = ladder.index(challenger) - ladder.index(challenged)
    if not 0 < up <= round_input.manner.reach:
        return "far" if up > 0 else "below"
    return "barred" if _forbidden_test(round_input)(challenger, challenged) else ""


def challengeable_opponents(round_input: RoundInput, ladder: Sequence[int], challenger: int) -> list[int]:
    """E3.5 Return the possible opponents of a challenger, from the top.

    `ladder` are the places before the round.
    """
    present = present_numbers(round_input)
    if challenger not in present:
        return []
    place, is_forbidden = ladder.index(challenger), _forbidden_test(round_input)
    # Near the top fewer are above; a place below 0 would count from the bottom.
    reachable = ladder[max(0, place - round_input.manner.reach) : place]
    return [number for number in reachable if number in present and not is_forbidden(challenger, number)]


def valid_challenges(round_input: RoundInput) -> tuple[tuple[int, int], ...]:
    """E3.5 Return the valid challenges.

    If an entrant is in two challenges, the first one counts.
    """
    valid: list[tuple[int, int]] = []
    for challenge in round_input.challenges:
        engaged = {number for pair in valid for number in pair}
        if not engaged & {*challenge} and not challenge_fault(round_input, *challenge):
            valid.append(challenge)
    return tuple(valid)


def pair_ladder(round_input: RoundInput, lots: Lots) -> RoundDraw:
    """E3.5 Draw the round; the stage is over after the last round of the rules."""
    if 0 < round_input.manner.rounds < round_input.round:
        return RoundDraw(round_input.round, over=True)
    ladder, present = ladder_before(round_input, round_input.round), present_numbers(round_input)
    counted = entrant_records(round_input.entrants, round_input.results, round_input.start)
    free = [number for number in ladder if number in present]
    places = {number: place for place, number in enumerate(ladder, start=1)}
    pairs: list[Pair] = []
    for low, high in valid_challenges(round_input):
        free = [number for number in free if number not in (low, high)]
        values: dict[str, int | str] = {
            "by": entrant_label(low),
            entrant_label(low): places[low],
            entrant_label(high): places[high],
        }
        pairs.append(
            pair_with_sides(low, high, (PairingReason("E3.5", "challenge", values),), (round_input, counted, lots))
        )
    resting = NOBODY
    if len(free) % 2:
        resting = min(free, key=lambda number: (counted[number].byes, -places[number]))
        free.remove(resting)
    for a, b in _neighbours(round_input, free, counted, lots):
        reason = PairingReason("E3.5", "neighbours", {entrant_label(a): places[a], entrant_label(b): places[b]})
        pairs.append(pair_with_sides(a, b, (reason,), (round_input, counted, lots)))
    if resting != NOBODY:
        pairs.append(bye_pair(resting, "E3.5"))
    return number_boards(round_input, pairs)


def _neighbours(
    round_input: RoundInput, free: Sequence[int], counted: Mapping[int, EntrantRecord], lots: Lots
) -> list[tuple[int, int]]:
    """Return the cheapest pairs by distance of places.

    Barred pairs, team-mates and opponents of the last round meet only if nothing else is left.
    """
    is_forbidden = _forbidden_test(round_input)

    def edge(a: int, b: int) -> Edge:
        number, other_number = free[a], free[b]
        last_opponents = [
            meeting.opponent for meeting in counted[number].meetings if meeting.round == round_input.round - 1
        ]
        faults = 16 * is_forbidden(number, other_number) + (other_number in last_opponents)
        return Edge(a, b, faults << 96 | (b - a) ** 2 << 48 | lots(pair_lot_label(number, other_number)))

    count = len(free)
    breadth = max(_WIDE, round_input.manner.reach)
    for width in (breadth, count):
        edges = [edge(a, b) for a in range(count) for b in range(a + 1, min(count, a + width + 1))]
        if width < count:
            edges = [candidate for candidate in edges if candidate.cost < 1 << 96]
        if (pairs := minimum_weight_matching(count, edges)) is not None:
            return [(free[a], free[b]) for a, b in pairs]
    raise ArithmeticError("an even field can always be paired")


def _forbidden_test(round_input: RoundInput) -> Callable[[int, int], bool]:
    """Return the test whether two are barred from each other, or of one team."""
    entrants: Mapping[int, Entrant] = {entrant.number: entrant for entrant in round_input.entrants}

    def is_forbidden(a: int, b: int) -> bool:
        entrant, other_entrant = entrants[a], entrants[b]
        return (
            b in entrant.barred
            or a in other_entrant.barred
            or bool(entrant.team and entrant.team == other_entrant.team)
        )

    return is_forbidden
