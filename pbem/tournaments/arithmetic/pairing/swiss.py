"""E4 Pair a Swiss round: the pairing of lowest penalty, then sides and boards.

All present entrants are paired; if their number is odd, one has a bye. The draw depends on the input and on lots
alone: anybody with both draws the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from pbem.tournaments.arithmetic.entrants import NOBODY, Lots, entrant_label
from pbem.tournaments.arithmetic.pairing.boards import sides_of
from pbem.tournaments.arithmetic.pairing.costs import (
    PairingState,
    are_due_same_side,
    may_meet,
    pair_lot_label,
    pairing_states,
    penalty_of_pair,
    total_penalty,
    weight_layout,
    weight_of_penalty,
)
from pbem.tournaments.arithmetic.pairing.drawn import Pair, PairingReason, Penalty, RoundDraw, RoundInput
from pbem.tournaments.arithmetic.pairing.matching import Edge, can_all_be_paired, minimum_weight_matching

# E4.10 The pairs to be weighed: all among few entrants, near ones among many.
#
# Among many each entrant is weighed against the nearest by place and the nearest to the place that folding his
# score group would give him, as many as `breadth` whose side fits, and a quarter as many whose side does not.


# A choice: 40 entrants have 780 pairs.
SMALL = 40
"""Up to this many entrants all pairs are weighed; above, near pairs first, since their number grows with the square."""
PairPenalties = dict[tuple[int, int], Penalty]
"""Penalties by pair of places, the lower first."""


def penalties_of_all_pairs(states: Sequence[PairingState], lots: Lots, forbidden: bool = False) -> PairPenalties:
    """Return the penalties of all pairs; with `forbidden` also of pairs against E4.1."""
    pairs = combinations(range(len(states)), 2)
    return {
        (a, b): penalty_of_pair(states[a], states[b], lots)
        for a, b in pairs
        if forbidden or may_meet(states[a], states[b])
    }


def penalties_of_near_pairs(states: Sequence[PairingState], lots: Lots, breadth: int) -> PairPenalties:
    """Return the penalties of near pairs, none of them forbidden."""
    folds = _folds(states)
    due = Counter(_sign(state.owed) for state in states)
    penalties: PairPenalties = {}
    for place, state in enumerate(states):
        # Himself does not count; nobody is kept apart from somebody to whom no side is due.
        unfit = due[_sign(state.owed)] - 1 if state.owed else 0
        wanted = {True: min(breadth, len(states) - 1 - unfit), False: min(breadth // 4, unfit)}
        for centre in (place, folds[place]):
            for other in _nearest(states, place, centre, wanted):
                pair = (min(place, other), max(place, other))
                if pair not in penalties:
                    penalties[pair] = penalty_of_pair(states[place], states[other], lots)
    return penalties


def _folds(states: Sequence[PairingState]) -> list[int]:
    """Return for each place the opposite one after folding its score group."""
    groups: dict[int, list[int]] = {}
    for place, state in enumerate(states):
        groups.setdefault(state.tally.halves, []).append(place)
    return [group[(index + len(group) // 2) % len(group)] for group in groups.values() for index in range(len(group))]


def _sign(owed: int) -> int:
    """Return 1 if the first side is due, -1 if the second, 0 if neither."""
    return (owed > 0) - (owed < 0)


def _nearest(states: Sequence[PairingState], place: int, centre: int, wanted: Mapping[bool, int]) -> Iterator[int]:
    """Yield the places nearest to a centre.

    They are as many as `wanted` whose side fits, and as many whose side does not.
    """
    remaining = dict(wanted)
    for other in _outwards(centre, len(states)):
        if other == place or not may_meet(states[place], states[other]):
            continue
        fits = not are_due_same_side(states[place], states[other])
        if remaining[fits]:
            remaining[fits] -= 1
            yield other
            if not any(remaining.values()):
                return


def _outwards(centre: int, count: int) -> Iterator[int]:
    """Yield all places, from the centre outwards."""
    yield centre
    for away in range(1, count):
        if centre - away >= 0:
            yield centre - away
        if centre + away < count:
            yield centre + away


# The reasons of a pairing, as data: sides due, points, floats, half of the group, and lots of equal pairs.


_OTHERS = 3
"""Rivals that the reasons of a pair name, the ones with the lowest lots: the record has all."""


def reasons_of_pair(
    a: PairingState, b: PairingState, penalty: Penalty, rivals_weighed: Mapping[tuple[int, int], Penalty]
) -> tuple[PairingReason, ...]:
    """Return the reasons of a pairing, one for each part that matters.

    E4.7 is cited if other pairs of `a` cost the same without the lot, with the lots of up to three of them.
    """
    own_name, other_name = entrant_label(a.number), entrant_label(b.number)
    reasons = []
    if penalty.forbidden:
        reasons.append(
            PairingReason("E4.1", "opened", {"met": a.met.get(b.number, 0), "team": a.entrant.team, "with": other_name})
        )
    if a.owed or b.owed:
        reasons.append(
            PairingReason("E4.2", "both owed" if penalty.sides else "owed", {own_name: a.owed, other_name: b.owed})
        )
    reasons.append(PairingReason("E4.3", "points", {own_name: a.tally.halves, other_name: b.tally.halves}))
    if penalty.points:
        reasons.append(PairingReason("E4.4", "floated" if penalty.floats else "floats", {"again": penalty.floats}))
    if penalty.halves:
        reasons.append(PairingReason("E4.5", "one half", {own_name: int(a.upper), other_name: int(b.upper)}))
    if penalty.pace:
        reasons.append(PairingReason("E4.6", "pace", {"apart": penalty.pace}))
    equal = sorted((other.lot, pair) for pair, other in rivals_weighed.items() if other[:-1] == penalty[:-1])
    pair = (min(a.number, b.number), max(a.number, b.number))
    rivals = [(lot, rival_pair) for lot, rival_pair in equal if rival_pair != pair][:_OTHERS]
    if rivals:
        reasons.append(
            PairingReason(
                "E4.7", "lots", {pair_lot_label(*rival_pair): lot for lot, rival_pair in ((penalty.lot, pair), *rivals)}
            )
        )
    return tuple(reasons)


def reasons_of_bye(state: PairingState, lots: Lots) -> tuple[PairingReason, ...]:
    """Return the reasons of a bye: points, byes before, and lot among equals."""
    label = f"bye/{entrant_label(state.number)}"
    values = {"points": state.tally.halves, "before": state.tally.byes, label: lots(label)}
    return (PairingReason("E4.8", "bye", values),)


_BREADTHS = (8, 24, 72)
"""Neighbours of each entrant that are weighed in a large field; more only where these cannot be paired. A choice: few
pairs are quick to weigh, and each number is three times the one before it."""
Matching = tuple[list[tuple[int, int]], PairPenalties]


def bye_lot_label(number: int) -> str:
    """Return the label of the lot that decides a bye among equals."""
    return f"bye/{entrant_label(number)}"


def pair_swiss(round_input: RoundInput, lots: Lots) -> RoundDraw:
    """E4 Pair a round; no pairs if nobody is present."""
    states = pairing_states(round_input)
    resting: PairingState | None = None
    if len(states) % 2:
        states, resting = _choose_bye(states, lots)
    pairs, penalties = _best_matching(states, lots)
    # By the points of both, the highest first, then by the place of the higher.
    boards = sorted(pairs, key=lambda pair: (-states[pair[0]].tally.halves - states[pair[1]].tally.halves, pair))
    rivals = _rivals(states, penalties)
    board_pairs = [
        _board(states, pair, rivals[pair[0]], (number, round_input, lots))
        for number, pair in enumerate(boards, start=1)
    ]
    opened = tuple((paired.first, paired.second) for paired in board_pairs if paired.cost.forbidden)
    if resting is not None:
        board_pairs.append(Pair(len(board_pairs) + 1, resting.number, NOBODY, why=reasons_of_bye(resting, lots)))
    return RoundDraw(
        round_input.round, tuple(board_pairs), total_penalty(paired.cost for paired in board_pairs), opened
    )


def _board(
    states: Sequence[PairingState],
    pair: tuple[int, int],
    rivals: PairPenalties,
    round_: tuple[int, RoundInput, Lots],
) -> Pair:
    """Return a board with its sides and reasons.

    `rivals` are the pairs that were weighed for the first of the two.
    """
    number, round_input, lots = round_
    a, b = states[pair[0]], states[pair[1]]
    (first, second), side_reason = sides_of(a.tally, b.tally, round_input.manner.sides, lots)
    penalty = rivals[_numbers(states, pair)]
    reasons = reasons_of_pair(a, b, penalty, rivals)
    return Pair(number, first, second, penalty, (*reasons, side_reason))


def _rivals(states: Sequence[PairingState], penalties: PairPenalties) -> list[PairPenalties]:
    """Return the weighed pairs of each place, by the numbers of the two."""
    rivals: list[PairPenalties] = [{} for _ in states]
    for edge, penalty in penalties.items():
        for place in edge:
            rivals[place][_numbers(states, edge)] = penalty
    return rivals


def _numbers(states: Sequence[PairingState], edge: tuple[int, int]) -> tuple[int, int]:
    """Return the entrants' numbers of two places, the lower first."""
    a, b = states[edge[0]].number, states[edge[1]].number
    return min(a, b), max(a, b)


def _choose_bye(states: list[PairingState], lots: Lots) -> tuple[list[PairingState], PairingState]:
    """E4.8 Return the others and the entrant with the bye.

    The bye goes to the last in the order of points among those with the fewest byes; a lot decides between equals.
    If the others could then be paired only against E4.1, the next one has it; if that is so for everybody, the
    first choice stays.
    """
    order = sorted(states, key=lambda state: (state.tally.byes, state.tally.halves, lots(bye_lot_label(state.number))))
    for resting in order:
        others = [state for state in states if state is not resting]
        if _can_be_paired(others):
            return others, resting
    return [state for state in states if state is not order[0]], order[0]


def _can_be_paired(states: Sequence[PairingState]) -> bool:
    """Return whether all can be paired legally; near pairs are tried first."""
    return any(can_all_be_paired(len(states), penalties) for penalties in _widening_pairs(states, lambda label: 0))


def _widening_pairs(states: Sequence[PairingState], lots: Lots) -> Iterator[PairPenalties]:
    """E4.10 Yield growing sets of pairs to be weighed, none forbidden."""
    if len(states) > SMALL:
        for breadth in _BREADTHS:
            yield penalties_of_near_pairs(states, lots, breadth)
    yield penalties_of_all_pairs(states, lots)


def _best_matching(states: Sequence[PairingState], lots: Lots) -> Matching:
    """Return the pairing of lowest penalty and the weighed pairs.

    More pairs are weighed if more of them break E4.2 than `least_same_side_pairs`; all pairs, even forbidden ones, if
    nothing else helps.
    """
    if not states:
        return [], {}
    best: Matching | None = None
    least_breaks = least_same_side_pairs(states)
    for penalties in _widening_pairs(states, lots):
        if best is not None and len(penalties) == len(states) * (len(states) - 1) // 2:
            break
        pairs = _solve(states, penalties)
        if pairs is None:
            continue
        break_count = sum(are_due_same_side(states[a], states[b]) for a, b in pairs)
        best = pairs, penalties
        if break_count <= least_breaks:
            break
    if best is not None:
        return best
    penalties = penalties_of_all_pairs(states, lots, forbidden=True)
    pairs = _solve(states, penalties)
    if pairs is None:
        raise ArithmeticError("an even field can always be paired")
    return pairs, penalties


def least_same_side_pairs(states: Sequence[PairingState]) -> int:
    """E4.2 Return the least number of pairs where the same side is due to both."""
    first = sum(state.owed > 0 for state in states)
    second = sum(state.owed < 0 for state in states)
    # Entrants without a due side take up the surplus; with enough of them there are no such pairs.
    return max(0, (abs(first - second) - (len(states) - first - second)) // 2)


def _solve(states: Sequence[PairingState], penalties: PairPenalties) -> list[tuple[int, int]] | None:
    """Return the cheapest pairs of those weighed; None if they cannot pair everybody."""
    layout = weight_layout(penalties.values(), len(states) // 2)
    edges = [Edge(low, high, weight_of_penalty(penalty, layout)) for (low, high), penalty in penalties.items()]
    pairs = minimum_weight_matching(len(states), edges)
    if pairs is not None:
        # weight_of raises ArithmeticError if a field of the sum overflows into the next.
        weight_sum = weight_of_penalty(total_penalty(penalties[pair] for pair in pairs), layout)
        if weight_sum != sum(weight_of_penalty(penalties[pair], layout) for pair in pairs):
            raise ArithmeticError("the packed costs do not add up")
    return pairs
