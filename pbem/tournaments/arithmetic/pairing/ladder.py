"""E3.5 E3.6 Ladder: those next to one another meet, a challenge reaches further up, and who wins from below climbs.

Challenges that were accepted come first, as the field lists them; all others are drawn by the cheapest pairing of
places apart, squared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pbem.tournaments.arithmetic.entrants import NOBODY, PENDING, Entrant, Lots, Tally, name_of, tallies
from pbem.tournaments.arithmetic.pairing.boards import bye, here, met_as, round_of
from pbem.tournaments.arithmetic.pairing.costs import Edge, lot_label, solved
from pbem.tournaments.arithmetic.pairing.drawn import Drawn, Field, Pair, Reason
from pbem.tournaments.arithmetic.pairing.knockout import Undecided, played_in

_WIDE = 16
"""Who has met or may not meet those near him is weighed against so many more places away."""


def climbed(ladder: Sequence[int], winner: int, loser: int, challenge: str) -> list[int]:
    """E3.6 Return the ladder after a win from below: into the loser's place (``swap``), or half the way up (``half``).

    Half of an odd way is rounded up. A win from above changes nothing.
    """
    low, high = ladder.index(winner), ladder.index(loser)
    if low < high:
        return list(ladder)
    target = high if challenge == "swap" else low - (low - high + 1) // 2
    rest = [one for one in ladder if one != winner]
    return [*rest[:target], winner, *rest[target:]]


def ladder_before(field: Field, round_: int) -> list[int]:
    """Return the places before a round, from the top: seeds, late entrants below, and what results have changed.

    Tables of one round count from the top of the ladder downwards. Undecided if one before it is pending.
    """
    ladder: list[int] = []
    for number in range(1, round_ + 1):
        ladder += [one.number for one in field.entrants if one.since <= number and one.number not in ladder]
        if number < round_:
            ladder = _after(ladder, field, number)
    return ladder


def _after(ladder: list[int], field: Field, round_: int) -> list[int]:
    tables = [some for two, some in played_in(field.results, round_).items() if two <= set(ladder)]
    places = {number: place for place, number in enumerate(ladder)}
    for some in sorted(tables, key=lambda one: min(places[one[0].first], places[one[0].second])):
        if any(one.how == PENDING for one in some):
            raise Undecided(f"round {round_}: e{some[0].first} and e{some[0].second} are still at it")
        halves = {some[0].first: 0, some[0].second: 0}
        for one in some:
            halves[one.first] += one.halves[0]
            halves[one.second] += one.halves[1]
        winner, loser = sorted(halves, key=lambda one: -halves[one])
        if halves[winner] > halves[loser]:
            ladder = climbed(ladder, winner, loser, field.manner.challenge)
    return ladder


def decided(field: Field) -> Field:
    """Return the field without what is still being played: a board that is not over has changed no place yet."""
    open_ = {(one.round, frozenset((one.first, one.second))) for one in field.results if one.how == PENDING}
    kept = tuple(one for one in field.results if (one.round, frozenset((one.first, one.second))) not in open_)
    return field._replace(results=kept)


def challenge_fault(field: Field, challenger: int, challenged: int) -> str:
    """E3.5 Return what is against a challenge in the field's round: ``away``, ``below``, ``far``, ``barred``.

    Nothing is, and the text is empty, where somebody stands above one, as near as the rules say, both are there, and
    they are neither barred from each other nor comrades.
    """
    ladder = ladder_before(field, field.round)
    if not {challenger, challenged} <= here(field):
        return "away"
    up = ladder.index(challenger) - ladder.index(challenged)
    if not 0 < up <= field.manner.reach:
        return "far" if up > 0 else "below"
    return "barred" if _apart(field)(challenger, challenged) else ""


def challengeable(field: Field, ladder: Sequence[int], challenger: int) -> list[int]:
    """E3.5 Return whom one may challenge, from the top; `ladder` are the places before the field's round."""
    there = here(field)
    if challenger not in there:
        return []
    at, apart = ladder.index(challenger), _apart(field)
    near = ladder[max(0, at - field.manner.reach) : at]
    return [one for one in near if one in there and not apart(challenger, one)]


def standing_challenges(field: Field) -> tuple[tuple[int, int], ...]:
    """E3.5 Return those of the field's challenges by which two meet: nobody in two, that accepted first holds."""
    found: list[tuple[int, int]] = []
    for two in field.challenges:
        taken = {number for pair in found for number in pair}
        if not taken & {*two} and not challenge_fault(field, *two):
            found.append(two)
    return tuple(found)


def pair_ladder(field: Field, lots: Lots) -> Drawn:
    """E3.5 Draw the round; over when as many are played as the rules say."""
    if 0 < field.manner.rounds < field.round:
        return Drawn(field.round, over=True)
    ladder, there = ladder_before(field, field.round), here(field)
    counted = tallies(field.entrants, field.results, field.start)
    free = [number for number in ladder if number in there]
    places = {number: place for place, number in enumerate(ladder, start=1)}
    pairs: list[Pair] = []
    for low, high in standing_challenges(field):
        free = [one for one in free if one not in (low, high)]
        at: dict[str, int | str] = {"by": name_of(low), name_of(low): places[low], name_of(high): places[high]}
        pairs.append(met_as(low, high, (Reason("E3.5", "challenge", at),), (field, counted, lots)))
    resting = NOBODY
    if len(free) % 2:
        resting = min(free, key=lambda one: (counted[one].byes, -places[one]))
        free.remove(resting)
    for a, b in _neighbours(field, free, counted, lots):
        why = Reason("E3.5", "neighbours", {name_of(a): places[a], name_of(b): places[b]})
        pairs.append(met_as(a, b, (why,), (field, counted, lots)))
    if resting != NOBODY:
        pairs.append(bye(resting, "E3.5"))
    return round_of(field, pairs)


def _neighbours(field: Field, free: Sequence[int], counted: Mapping[int, Tally], lots: Lots) -> list[tuple[int, int]]:
    """The cheapest pairs by places apart; the barred, comrades and who met last round only if nothing else is left."""
    apart = _apart(field)

    def edge(a: int, b: int) -> Edge:
        one, other = free[a], free[b]
        last = [meeting.opponent for meeting in counted[one].meetings if meeting.round == field.round - 1]
        against = 16 * apart(one, other) + (other in last)
        return Edge(a, b, against << 96 | (b - a) ** 2 << 48 | lots(lot_label(one, other)))

    count = len(free)
    wide = max(_WIDE, field.manner.reach)
    for width in (wide, count):
        edges = [edge(a, b) for a in range(count) for b in range(a + 1, min(count, a + width + 1))]
        if width < count:
            edges = [one for one in edges if one.cost < 1 << 96]
        if (found := solved(count, edges)) is not None:
            return [(free[a], free[b]) for a, b in found]
    raise ArithmeticError("an even field can always be paired")


def _apart(field: Field) -> Callable[[int, int], bool]:
    """Whether two are barred from each other, or of one team."""
    entrants: Mapping[int, Entrant] = {one.number: one for one in field.entrants}

    def apart(a: int, b: int) -> bool:
        one, other = entrants[a], entrants[b]
        return b in one.barred or a in other.barred or bool(one.team and one.team == other.team)

    return apart
