"""E4 Swiss rounds: laws that hold in every field, and the cheapest pairing held against all there are."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.tournaments.arithmetic.entrants import NOBODY, Entrant, entrant_records
from pbem.tournaments.arithmetic.pairing import swiss
from pbem.tournaments.arithmetic.pairing.costs import (
    pairing_states,
    penalty_of_pair,
    total_penalty,
    weight_layout,
    weight_of_penalty,
)
from pbem.tournaments.arithmetic.pairing.drawn import PairingManner, Penalty, RoundDraw, RoundInput
from tests.tournament.build import entrants, play, results
from tests.tournament.lots import lots


def perfect(places: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """All ways to pair them."""
    if not places:
        yield []
        return
    first, *others = places
    for other in others:
        for rest in perfect([number for number in others if number != other]):
            yield [(first, other), *rest]


def seen(drawn: RoundDraw) -> list[int]:
    return sorted(number for pair in drawn.pairs for number in (pair.first, pair.second) if number != NOBODY)


@settings(max_examples=25, deadline=None)
@given(
    count=st.integers(2, 24),
    rounds=st.integers(1, 6),
    seed=st.integers(0, 10**6),
    gone=st.dictionaries(st.integers(1, 6), st.sets(st.integers(1, 24), max_size=4), max_size=4),
)
def test_everybody_who_is_there_has_one_pairing_a_round(count, rounds, seed, gone):
    drawn, _ = play(count, PairingManner("swiss", rounds), seed, lambda number: gone.get(number, ()))
    assert len(drawn) == rounds
    for number, drawn_round in enumerate(drawn, start=1):
        assert seen(drawn_round) == sorted(set(range(1, count + 1)) - gone.get(number, set()))
        assert sum(pair.second == NOBODY for pair in drawn_round.pairs) == len(seen(drawn_round)) % 2
        assert [pair.board for pair in drawn_round.pairs] == [*range(1, len(drawn_round.pairs) + 1)]


@settings(max_examples=15, deadline=None)
@given(count=st.integers(10, 32), rounds=st.integers(1, 5), seed=st.integers(0, 10**6))
def test_nobody_meets_twice_or_rests_twice_and_sides_are_even(count, rounds, seed):
    drawn, played = play(count, PairingManner("swiss", rounds), seed)
    assert all(drawn_round.opened == () for drawn_round in drawn)
    tallies_found = entrant_records(entrants(count), played).values()
    assert all(len(set(tally.opponents)) == len(tally.opponents) and tally.byes <= 1 for tally in tallies_found)
    assert all(abs(tally.side_due) <= 2 for tally in tallies_found)


@settings(max_examples=60, deadline=None)
@given(count=st.sampled_from([2, 4, 6, 8]), before=st.integers(0, 6), seed=st.integers(0, 10**6))
def test_the_pairing_is_the_cheapest_of_all(count, before, seed):
    _, played = play(count, PairingManner("swiss", before), seed) if before else ([], ())
    field = RoundInput(before + 1, entrants(count), played)
    drawn = swiss.pair_swiss(field, lots(seed))
    states = pairing_states(field)
    costs = {
        (a, b): penalty_of_pair(states[a], states[b], lots(seed)) for a in range(count) for b in range(a + 1, count)
    }
    best = min(total_penalty(costs[pair] for pair in pairs) for pairs in perfect(range(count)))
    assert drawn.cost == best == total_penalty(pair.cost for pair in drawn.pairs)


def test_the_order_of_results_and_of_names_in_a_pair_does_not_matter():
    drawn, played = play(12, PairingManner("swiss", 4), 7)
    field = RoundInput(5, entrants(12), played)
    turned = field._replace(results=tuple(reversed(played)))
    assert swiss.pair_swiss(field, lots(1)) == swiss.pair_swiss(turned, lots(1))
    a, b = pairing_states(field)[:2]
    assert penalty_of_pair(a, b, lots(1)) == penalty_of_pair(b, a, lots(1))
    assert len(drawn) == 4


def test_a_field_that_would_run_over_is_refused():
    fields = weight_layout([Penalty(points=4, lot=2**32 - 1)], 4)
    assert weight_of_penalty(Penalty(points=16, lot=2**34 - 4), fields) > weight_of_penalty(
        Penalty(lot=2**34 - 4), fields
    )
    with pytest.raises(ArithmeticError, match="points has 5 bits and cannot hold 32"):
        weight_of_penalty(Penalty(points=32), fields)
    with pytest.raises(ArithmeticError, match="lot"):
        weight_of_penalty(Penalty(lot=-1), fields)


def test_an_edge_is_packed_so_that_no_later_field_outweighs_an_earlier():
    heavy, light = Penalty(sides=1), Penalty(points=400, floats=2, halves=1, pace=27, lot=2**32 - 1)
    fields = weight_layout([heavy, light], 500)
    assert weight_of_penalty(heavy, fields) > weight_of_penalty(total_penalty([light] * 500), fields)


def test_nobody_and_one_alone():
    assert swiss.pair_swiss(RoundInput(1, ()), lots()).pairs == ()
    alone = swiss.pair_swiss(RoundInput(1, entrants(1)), lots())
    assert [(pair.first, pair.second) for pair in alone.pairs] == [(1, NOBODY)]
    assert alone.pairs[0].why[0].rule == "E4.8"


def test_a_rematch_is_opened_only_for_want_of_another_and_said():
    drawn = swiss.pair_swiss(RoundInput(2, entrants(2), results(["1 1-2 1-0"])), lots())
    assert drawn.opened == ((2, 1),)
    assert drawn.pairs[0].why[0][:2] == ("E4.1", "opened")


def test_a_bye_goes_to_the_next_where_the_last_is_needed_for_a_pair():
    # The two others of team red can meet nobody but e5.
    team = {1: "red", 2: "red", 5: ""}
    field = tuple(Entrant(number, 2000 - number, team[number]) for number in team)
    drawn = swiss.pair_swiss(RoundInput(2, field, results(["1 1-5 1-0", "1 2 bye"])), lots())
    assert drawn.opened == ()
    assert {(pair.first, pair.second) for pair in drawn.pairs} == {(1, NOBODY), (5, 2)}
