"""E4 Compute the penalty of a pair by field, and of a round as one integer.

Each field of the integer holds its sum over all pairs, the gravest field in the highest bits, so that no number of
faults in a later field outweighs one in an earlier. A field is wide enough for the largest value that occurs, times
the number of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import DOWN, UP, Entrant, EntrantRecord, Lots, entrant_label, entrant_records
from pbem.tournaments.arithmetic.pairing.drawn import Penalty, RoundInput

# Each is more than all before it together can be.
_TEAM, _MET, _BARRED = 1, 4, 16
_MOST_MET = 3
"""Earlier meetings that count: three times `_MET` are less than `_BARRED`, so no number of them outweighs it."""
# A choice (E4.6): hours of pace that count one, and the most that pace counts, so that clocks count too.
_PACE_STEP, _PACE_MOST = 6, 15
_DAY = 24 * 60
"""Minutes of a day: time zones are compared the short way round."""
MOST_WEIGHED = 1000
"""Most entrants of a new stage whose draw weighs pairs. A choice: 12 seconds of a processor a round; with all pairs,
the most that a draw may have to weigh, 25 seconds and 430 MB, where the unit of a server allows 1 GB."""
BALANCED = ("balanced", "duplicate")


class PairingState(NamedTuple):
    """An entrant, with all that the draw needs to know.

    `place` counts from 0 by points, then seed; `upper` is whether he is in his group's upper half.
    """

    entrant: Entrant
    tally: EntrantRecord
    place: int
    upper: bool
    owed: int
    drifts: frozenset[str]
    met: Mapping[int, int]

    @property
    def number(self) -> int:
        """Return his number."""
        return self.entrant.number


def pair_lot_label(a: int, b: int) -> str:
    """Return the label of a pair's lot, the lower number first: ``lot/e3-e7``."""
    return f"lot/{entrant_label(min(a, b))}-{entrant_label(max(a, b))}"


def pairing_states(round_input: RoundInput) -> list[PairingState]:
    """Return the entrants to be paired, by points, then strength, then list order."""
    counted = entrant_records(round_input.entrants, round_input.results, round_input.start)
    seeds = {entrant.number: (-entrant.strength, index) for index, entrant in enumerate(round_input.entrants)}
    present = [
        entrant
        for entrant in round_input.entrants
        if entrant.number not in round_input.away and entrant.since <= round_input.round
    ]
    present.sort(key=lambda entrant: (-counted[entrant.number].halves, *seeds[entrant.number]))
    groups: dict[int, list[int]] = {}
    for entrant in present:
        groups.setdefault(counted[entrant.number].halves, []).append(entrant.number)
    upper = {number for group in groups.values() for number in group[: (len(group) + 1) // 2]}
    return [
        _pairing_state(entrant, counted[entrant.number], place, entrant.number in upper, round_input)
        for place, entrant in enumerate(present)
    ]


def _pairing_state(
    entrant: Entrant, tally: EntrantRecord, place: int, upper: bool, round_input: RoundInput
) -> PairingState:
    meetings: dict[int, int] = {}
    for number in tally.opponents:
        meetings[number] = meetings.get(number, 0) + 1
    # E4.4 counts floats of the last two rounds.
    floats = frozenset(
        record.drift for record in tally.meetings if record.drift and record.round >= round_input.round - 2
    )
    owed = tally.side_due if round_input.manner.sides in BALANCED else 0
    return PairingState(entrant, tally, place, upper, owed, floats, meetings)


def penalty_of_pair(a: PairingState, b: PairingState, lots: Lots) -> Penalty:
    """E4 Return the penalty of a pair, the same in either order."""
    difference = a.tally.halves - b.tally.halves
    return Penalty(
        _forbidden(a, b),
        _side_conflict(a.owed, b.owed),
        difference * difference,
        _floats(a, b, difference),
        int(difference == 0 and a.upper == b.upper),
        _distance(a.entrant, b.entrant),
        lots(pair_lot_label(a.number, b.number)),
    )


def _forbidden(a: PairingState, b: PairingState) -> int:
    """E4.1 Return the weight of a forbidden pair: barred over met over same team."""
    barred = b.number in a.entrant.barred or a.number in b.entrant.barred
    same_team = bool(a.entrant.team) and a.entrant.team == b.entrant.team
    return _BARRED * barred + _MET * min(a.met.get(b.number, 0), _MOST_MET) + _TEAM * same_team


def may_meet(a: PairingState, b: PairingState) -> bool:
    """E4.1 Return whether two have not met, are not barred and not of one team."""
    return not _forbidden(a, b)


def are_due_same_side(a: PairingState, b: PairingState) -> bool:
    """E4.2 Return whether the same side is due to both."""
    return a.owed * b.owed > 0


def _side_conflict(a: int, b: int) -> int:
    """E4.2 Return the penalty of a side due to both.

    It is the square of the smaller `side_due` of the two, since that one gets the wrong side.
    """
    return min(abs(a), abs(b)) ** 2 if a * b > 0 else 0


def _floats(a: PairingState, b: PairingState, difference: int) -> int:
    """E4.4 Return how many of two would float as in one of their last two rounds."""
    if not difference:
        return 0
    high, low = (a, b) if difference > 0 else (b, a)
    return (DOWN in high.drifts) + (UP in low.drifts)


def _distance(a: Entrant, b: Entrant) -> int:
    """E4.6 Return the distance of two in pace and clock.

    Six hours of pace count one, up to 15; an hour of the clock one, the short way round the earth.
    """
    pace = min(abs(a.pace - b.pace) // _PACE_STEP, _PACE_MOST)
    around = abs(a.zone - b.zone) % _DAY
    return pace + min(around, _DAY - around) // 60


def total_penalty(costs: Iterable[Penalty]) -> Penalty:
    """Return the sum of penalties, field by field."""
    return Penalty(*(sum(column) for column in zip(Penalty(), *costs, strict=True)))


class WeightLayout(NamedTuple):
    """The number of bits of each penalty field in the one integer."""

    widths: Penalty

    @property
    def bits(self) -> int:
        """Return the number of all bits."""
        return sum(self.widths)


def weight_layout(costs: Iterable[Penalty], pairs: int) -> WeightLayout:
    """Return fields wide enough for the sum of so many of these penalties."""
    most = (max(column) for column in zip(Penalty(), *costs, strict=True))
    return WeightLayout(Penalty(*((value * pairs).bit_length() for value in most)))


def weight_of_penalty(penalty: Penalty, layout: WeightLayout) -> int:
    """Return a penalty, or a sum of penalties, as one integer.

    Raise ArithmeticError if a field does not hold its value.
    """
    weight = 0
    for name, value, width in zip(Penalty._fields, penalty, layout.widths, strict=True):
        if value < 0 or value.bit_length() > width:
            raise ArithmeticError(f"the field {name} has {width} bits and cannot hold {value}")
        weight = weight << width | value
    return weight
