"""E4 The cheapest pairs: the same by prices as without, and found with less work."""

import sys
from collections.abc import Callable
from itertools import combinations
from random import Random

import networkx
import pytest

from pbem.tournaments.arithmetic.pairing.matching import Edge, can_all_be_paired, minimum_weight_matching, place_prices

Pairing = Callable[[int, list[Edge]], list[tuple[int, int]] | None]


def some_edges(seed: int) -> tuple[int, list[Edge]]:
    """Pairs of places with costs as a draw packs them: few grave faults, squares, and a lot."""
    luck = Random(seed)
    count = luck.randrange(2, 41, 2)
    chosen = [pair for pair in combinations(range(count), 2) if luck.random() < luck.choice((0.15, 0.4, 1))]
    luck.shuffle(chosen)
    return count, [
        Edge(a, b, luck.choice((0, 0, 1, 9)) << 120 | (b - a) ** 2 << 48 | luck.getrandbits(32)) for a, b in chosen
    ]


def without_prices(count: int, edges: list[Edge]) -> list[tuple[int, int]] | None:
    """The cheapest pairs as the solver finds them by the costs themselves."""
    graph = networkx.Graph()
    graph.add_weighted_edges_from((a, b, (1 << 130) - cost) for a, b, cost in edges)
    pairs = sorted((min(pair), max(pair)) for pair in networkx.max_weight_matching(graph, maxcardinality=True))
    return pairs if 2 * len(pairs) == count else None


def test_the_cheapest_pairs_are_those_that_the_solver_finds_without_prices():
    paired_count = 0
    for seed in range(60):
        count, edges = some_edges(seed)
        pairs = without_prices(count, edges)
        assert minimum_weight_matching(count, edges) == pairs, seed
        assert can_all_be_paired(count, [(a, b) for a, b, _ in edges]) == (pairs is not None), seed
        paired_count += pairs is not None
    assert 20 < paired_count < 58


def test_no_pair_costs_less_than_the_prices_of_both_and_none_has_some_only_if_all_cannot_be_paired():
    for seed in range(60):
        count, edges = some_edges(seed)
        prices = place_prices(count, edges)
        if prices is None:
            assert without_prices(count, edges) is None, seed
            continue
        assert all(2 * cost >= prices[a] + prices[b] for a, b, cost in edges), seed


@pytest.mark.parametrize(
    ("pairs", "paired"), [([(0, 1)], False), ([(0, 1), (1, 2), (0, 2), (3, 0)], True), ([], False)]
)
def test_a_place_without_a_pair_is_not_paired(pairs, paired):
    edges = [Edge(a, b, 7) for a, b in pairs]
    assert (minimum_weight_matching(4, edges) is not None) == can_all_be_paired(4, pairs) == paired


def test_two_odd_circles_have_prices_and_no_pairs():
    circles = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
    edges = [Edge(a, b, 5) for a, b in circles]
    assert place_prices(6, edges) == [5] * 6
    assert minimum_weight_matching(6, edges) is None
    assert not can_all_be_paired(6, circles)


def test_nobody_is_paired_with_nobody():
    assert minimum_weight_matching(0, []) == []
    assert can_all_be_paired(0, [])


def near_edges(count: int) -> list[Edge]:
    """Pairs of each place with the nearest, as a large round weighs them."""
    luck = Random(count)
    near = [(a, b) for a in range(count) for b in range(a + 1, min(count, a + 13))]
    return [Edge(a, b, luck.choice((0, 1, 4)) << 96 | (b - a) ** 2 << 48 | luck.getrandbits(32)) for a, b in near]


def calls_of(pair: Pairing, count: int) -> int:
    """Calls of functions while so many are paired: a measure of work that no other process disturbs."""
    counted, edges = 0, near_edges(count)

    def count_call(frame: object, event: str, argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count_call)
    try:
        pair(count, edges)
    finally:
        sys.setprofile(None)
    return counted


def test_prices_save_two_thirds_of_the_work():
    assert 3 * calls_of(minimum_weight_matching, 120) < calls_of(without_prices, 120)
