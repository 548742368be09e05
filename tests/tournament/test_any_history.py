"""E4 Whatever has happened before, absences, late entries, forfeits, rests, meetings nobody would have drawn."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.tournaments.arithmetic.entrants import NOBODY, UNPLAYED, Entrant, TableResult
from pbem.tournaments.arithmetic.pairing.costs import may_meet, pairing_states
from pbem.tournaments.arithmetic.pairing.draw import draw
from pbem.tournaments.arithmetic.pairing.drawn import PairingManner, RoundInput
from tests.tournament.lots import lots

SIZE = 11
HOWS = ("played", "forfeit", "adjudicated", "pending")


@st.composite
def fields(draws):
    """A field before a round, as no draw would have left it."""
    count = draws(st.integers(0, SIZE))
    rounds = draws(st.integers(0, 5))
    numbers = list(range(1, count + 1))
    entrants = []
    for number in numbers:
        barred = frozenset(draws(st.sets(st.sampled_from(numbers), max_size=2))) - {number}
        team = draws(st.sampled_from(["", "", "red", "blue"]))
        strength = draws(st.sampled_from([1400, 1500, 1500, 1600]))
        pace, zone = draws(st.sampled_from([(24, 0), (48, 60), (12, 780)]))
        entrants.append(Entrant(number, strength, team, barred, pace, zone, draws(st.integers(1, 7))))
    results = []
    for round_ in range(1, rounds + 1):
        order = draws(st.permutations(numbers))
        met = draws(st.integers(0, count // 2))
        for board in range(1, met + 1):
            a, b = order[2 * board - 2], order[2 * board - 1]
            halves = draws(st.sampled_from([(2, 0), (0, 2), (1, 1), (0, 0)]))
            results.append(
                TableResult(round_, board, a, b, halves, draws(st.integers(-3, 3)), draws(st.sampled_from(HOWS)))
            )
        for number in order[2 * met :]:
            how = draws(st.sampled_from([*sorted(UNPLAYED), ""]))
            if how:
                results.append(
                    TableResult(round_, len(results) + 1, number, NOBODY, (draws(st.integers(0, 2)), 0), 0, how)
                )
    away = frozenset(draws(st.sets(st.integers(1, SIZE), max_size=4)))
    start = draws(st.dictionaries(st.integers(1, SIZE), st.integers(0, 4), max_size=3))
    manner = PairingManner("swiss", 9, draws(st.sampled_from(["balanced", "mirror", "lot"])))
    return RoundInput(rounds + 1, tuple(entrants), tuple(results), away, start, manner)


def free_of_rematches(field):
    """Whether all can be paired with nothing forbidden, whoever of an odd number rests."""
    states = pairing_states(field)
    rests = [None] if len(states) % 2 == 0 else [state.number for state in states]
    for resting in rests:
        left = [state for state in states if state.number != resting]
        graph = networkx.Graph((a.number, b.number) for a, b in combinations(left, 2) if may_meet(a, b))
        if 2 * len(networkx.max_weight_matching(graph, maxcardinality=True)) == len(left):
            return True
    return False


def with_any_field(few: int, many: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with a few fields and lots, and in the second tier with many."""

    def of(test: Callable[..., None]) -> Callable[..., None]:
        @pytest.mark.parametrize("examples", [few, pytest.param(many, marks=pytest.mark.full)])
        def run(examples: int) -> None:
            any_field: Any = given(field=fields(), seed=st.integers(0, 99))
            settings(max_examples=examples, deadline=None)(any_field(test))()

        return run

    return of


@with_any_field(40, many=120)
def test_each_has_one_pairing_and_nobody_meets_again_unless_it_must_be(field, seed):
    drawn = draw(field, lots(seed))
    numbers_present = sorted(
        entrant.number
        for entrant in field.entrants
        if entrant.number not in field.away and entrant.since <= field.round
    )
    paired = [(pair.first, pair.second) for pair in drawn.pairs]
    assert sorted(number for two in paired for number in two if number != NOBODY) == numbers_present
    assert sum(second == NOBODY for _, second in paired) == len(numbers_present) % 2
    assert bool(drawn.opened) is not free_of_rematches(field)


@with_any_field(20, many=60)
def test_the_order_in_which_results_stand_does_not_matter(field, seed):
    assert draw(field, lots(seed)) == draw(field._replace(results=field.results[::-1]), lots(seed))


@with_any_field(20, many=60)
def test_a_ladder_pairs_all_who_are_there_too(field, seed):
    played = tuple(result for result in field.results if result.how != "pending")
    drawn = draw(field._replace(results=played, manner=PairingManner("ladder", 9)), lots(seed))
    numbers_present = sorted(
        entrant.number
        for entrant in field.entrants
        if entrant.number not in field.away and entrant.since <= field.round
    )
    assert (
        sorted(number for pair in drawn.pairs for number in (pair.first, pair.second) if number != NOBODY)
        == numbers_present
    )
