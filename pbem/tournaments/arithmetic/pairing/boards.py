"""Make the boards of non-Swiss rounds: entrants, sides, numbers, forbidden pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest

from pbem.tournaments.arithmetic.entrants import FIRST, NOBODY, SECOND, EntrantRecord, Lots, entrant_label
from pbem.tournaments.arithmetic.pairing.drawn import Pair, PairingReason, RoundDraw, RoundInput

# E5 Sides: the side due, else the opposite of last time, else by lot.


def side_lot_label(a: int, b: int) -> str:
    """Return the label of the lot for a pair's sides.

    If the lot is even, the lower number has the first side.
    """
    return f"side/{entrant_label(min(a, b))}-{entrant_label(max(a, b))}"


def sides_of(a: EntrantRecord, b: EntrantRecord, manner: str, lots: Lots) -> tuple[tuple[int, int], PairingReason]:
    """Return the players by side, with the reason.

    `manner`: ``balanced`` and ``duplicate`` look at earlier sides; with all others a lot decides (E5.3).
    """
    if manner in ("balanced", "duplicate"):
        if a.side_due != b.side_due:
            first, second = (a, b) if a.side_due > b.side_due else (b, a)
            values = {entrant_label(first.number): first.side_due, entrant_label(second.number): second.side_due}
            return (first.number, second.number), PairingReason("E5.1", "owed", values)
        for back, (own_side, other_side) in enumerate(zip_longest(a.order, b.order), start=1):
            if own_side != other_side and None not in (own_side, other_side):
                first, second = (a, b) if own_side == SECOND else (b, a)
                sides = {entrant_label(first.number): SECOND, entrant_label(second.number): FIRST, "back": back}
                return (first.number, second.number), PairingReason("E5.2", "alternate", sides)
    low, high = sorted((a.number, b.number))
    lot = lots(side_lot_label(low, high))
    pair = (high, low) if lot % 2 else (low, high)
    return pair, PairingReason(
        "E5.3", manner if manner in ("mirror", "bid") else "lot", {side_lot_label(low, high): lot}
    )


def present_numbers(round_input: RoundInput) -> frozenset[int]:
    """Return the numbers of the entrants present this round."""
    return frozenset(
        entrant.number
        for entrant in round_input.entrants
        if entrant.number not in round_input.away and entrant.since <= round_input.round
    )


def pair_with_sides(
    a: int, b: int, reasons: tuple[PairingReason, ...], context: tuple[RoundInput, Mapping[int, EntrantRecord], Lots]
) -> Pair:
    """Return a pair with its sides by E5; the board is numbered by `number_boards`."""
    round_input, counted, lots = context
    (first, second), side_reason = sides_of(counted[a], counted[b], round_input.manner.sides, lots)
    return Pair(0, first, second, why=(*reasons, side_reason))


def bye_pair(number: int, rule: str, absentee: int = NOBODY, round_: int = 1) -> Pair:
    """Return a bye, for one without an opponent or with an absent one.

    In a later `round_` of a bracket, neither of the two possible opponents has gone on.
    """
    reason = PairingReason(rule, "away", {"with": entrant_label(absentee)})
    if absentee == NOBODY:
        reason = PairingReason(rule, "bye" if round_ == 1 else "neither", {})
    return Pair(0, number, NOBODY, why=(reason,))


def number_boards(round_input: RoundInput, pairs: Iterable[Pair]) -> RoundDraw:
    """Return the round with numbered boards, byes last.

    `opened` are forbidden pairs that could not be avoided.
    """
    ordered = sorted(pairs, key=lambda pair: pair.second == NOBODY)
    barred = {(entrant.number, barred_number) for entrant in round_input.entrants for barred_number in entrant.barred}
    barred |= {(high, low) for low, high in barred}
    opened = tuple((pair.first, pair.second) for pair in ordered if (pair.first, pair.second) in barred)
    return RoundDraw(
        round_input.round,
        tuple(pair._replace(board=number) for number, pair in enumerate(ordered, start=1)),
        opened=opened,
    )
