"""Find the cheapest pairs in which every place is paired, by prices of places.

A pairing pairs every place once. So if each pair costs its own cost less the prices of both its places, every pairing
is cheaper by the same sum, and the cheapest remains the cheapest. By the prices of this module no pair costs less than
0, and most pairs of the cheapest pairing cost 0: a search that begins with the cheapest pairs is almost done.

The prices solve an easier problem, in which each place chooses one other so that each is chosen once: the assignment
problem, by the method of shortest augmenting paths (Jonker and Volgenant 1987).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

_NOBODY = -1
"""No place: places count from 0."""


class Edge(NamedTuple):
    """Two entrants that may meet, by their places from 0, and the weight of the pair."""

    a: int
    b: int
    cost: int


def minimum_weight_matching(count: int, edges: Sequence[Edge]) -> list[tuple[int, int]] | None:
    """Return the cheapest pairs in which every place is paired.

    The lower place of a pair comes first, and the pairs are in order. None if no such pairs exist. If the cheapest
    pairs are unique, as lots make them but for one draw in millions, every correct solver finds the same.
    """
    prices = place_prices(count, edges)
    if prices is None:
        return None
    costs = [2 * edge.cost - prices[edge.a] - prices[edge.b] for edge in edges]
    top = max(costs, default=0) + 1
    weighted = [Edge(edge.a, edge.b, top - cost) for edge, cost in zip(edges, costs, strict=True)]
    pairs = sorted((min(pair), max(pair)) for pair in _maximum_weight_matching(weighted))
    return pairs if 2 * len(pairs) == count else None


def can_all_be_paired(count: int, pairs: Iterable[tuple[int, int]]) -> bool:
    """Return whether some of these pairs of places have every place once."""
    # One weight for all: any pairing is as cheap as another, and the first is the answer.
    return 2 * len(list(_maximum_weight_matching([Edge(a, b, 1) for a, b in pairs]))) == count


def _maximum_weight_matching(edges: Sequence[Edge]) -> Iterable[tuple[int, int]]:
    # Its import takes a tenth of a second, and few commands pair.
    import networkx

    graph = networkx.Graph()
    graph.add_weighted_edges_from(edges)
    matched: Iterable[tuple[int, int]] = networkx.max_weight_matching(graph, maxcardinality=True)
    return matched


def place_prices(count: int, pairs: Iterable[tuple[int, int, int]]) -> list[int] | None:
    """Return a price for each of `count` places.

    `pairs` are two places and their cost. Twice the cost of a pair is never less than the prices of both its places.
    None if not even the assignment problem has a solution, so that no pairing has all places.
    """
    near: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for a, b, cost in pairs:
        near[a].append((b, cost))
        near[b].append((a, cost))
    if not all(near):
        return None
    search = _Assignment(near)
    if not all(search.assign(place) for place in range(count) if search.choice[place] == _NOBODY):
        return None
    return [mine + theirs for mine, theirs in zip(search.choosing, search.chosen, strict=True)]


class _Assignment:
    """Choices so far, and prices by which every choice costs 0 and none less.

    `choosing` and `chosen` are the prices of a place as one that chooses and as one that is chosen; `choice` is whom a
    place has chosen, `chooser` by whom it was chosen.
    """

    def __init__(self, near: list[list[tuple[int, int]]]) -> None:
        """Let each place choose its cheapest, where nobody else has chosen it."""
        self.near = near
        self.chosen = [min(cost for _, cost in costs) for costs in near]
        self.choosing, self.choice, self.chooser = [0] * len(near), [_NOBODY] * len(near), [_NOBODY] * len(near)
        for place, costs in enumerate(near):
            self.choosing[place], other = min((cost - self.chosen[other], other) for other, cost in costs)
            if self.chooser[other] == _NOBODY:
                self.choice[place], self.chooser[other] = other, place

    def assign(self, start: int) -> bool:
        """Let a place choose, and others choose anew; return False if all cannot.

        The cheapest way is found as by Dijkstra: from one that chooses to one that is chosen, and on to who had
        chosen it, until one is reached that nobody had.
        """
        reached: dict[int, int] = {}
        distances: dict[int, int] = {}
        came_from: dict[int, int] = {}
        heap: list[tuple[int, int]] = []
        place, distance = start, 0
        while True:
            for other, cost in self.near[place]:
                length = distance + cost - self.choosing[place] - self.chosen[other]
                if other not in distances or length < distances[other]:
                    distances[other], came_from[other] = length, place
                    heappush(heap, (length, other))
            while heap and heap[0][1] in reached:
                heappop(heap)
            if not heap:
                return False
            distance, last = heappop(heap)
            reached[last] = distance
            if self.chooser[last] == _NOBODY:
                break
            place = self.chooser[last]
        self.choosing[start] += distance
        for other, length in reached.items():
            self.chosen[other] -= distance - length
            if other != last:
                self.choosing[self.chooser[other]] += distance - length
        while last != _NOBODY:
            place = came_from[last]
            self.chooser[last], self.choice[place], last = place, last, self.choice[place]
        return True
