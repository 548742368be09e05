"""The cheapest perfect matching, by libraries that are loaded when they are first needed.

networkx is always there. Above `LARGE` rustworkx (extra ``events``) does the same some fifty times faster; its weights
are integers of 128 bits, so costs of more bits than `NARROW` stay with networkx. Where the cheapest is the only one,
as lots make it but for one draw in millions, every correct solver finds the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import NamedTuple

LARGE = 256
NARROW = 118
"""Duals are weights doubled and added up: eight bits are left for them, and the sign."""
NETWORKX, RUSTWORKX = "networkx", "rustworkx"


class Edge(NamedTuple):
    """Two that may meet, by their places from 0, and at what cost."""

    a: int
    b: int
    cost: int


def engine_for(count: int, bits: int) -> str:
    """Return the library that pairs so many at costs of so many bits."""
    fast = count > LARGE and bits <= NARROW and find_spec(RUSTWORKX) is not None
    return RUSTWORKX if fast else NETWORKX


def solved(count: int, edges: Sequence[Edge]) -> list[tuple[int, int]] | None:
    """Return what `cheapest` does, by the library that suits so many."""
    return cheapest(count, edges, engine_for(count, max((edge.cost for edge in edges), default=0).bit_length()))


def cheapest(count: int, edges: Sequence[Edge], engine: str = NETWORKX) -> list[tuple[int, int]] | None:
    """Return the pairs, lower place first, in order, that cost least of all that leave none of `count` over.

    None if there are no such pairs.
    """
    top = max((edge.cost for edge in edges), default=0) + 1
    weighted = [Edge(edge.a, edge.b, top - edge.cost) for edge in edges]
    matched = _by_rustworkx(count, weighted) if engine == RUSTWORKX else _by_networkx(weighted)
    found = sorted((min(pair), max(pair)) for pair in matched)
    return found if 2 * len(found) == count else None


def _by_networkx(edges: Sequence[Edge]) -> Iterable[tuple[int, int]]:
    import networkx

    graph = networkx.Graph()
    graph.add_weighted_edges_from(edges)
    matched: Iterable[tuple[int, int]] = networkx.max_weight_matching(graph, maxcardinality=True)
    return matched


def _by_rustworkx(count: int, edges: Sequence[Edge]) -> Iterable[tuple[int, int]]:
    import rustworkx

    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph()
    graph.add_nodes_from(list(range(count)))
    graph.add_edges_from([(edge.a, edge.b, edge.cost) for edge in edges])
    return rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
