"""E4 The cost of a pair, field by field, and of a round, packed in one integer for a matching.

The fields of one integer hold the sums of all pairs, so that ten small faults of a later field never outweigh one of an
earlier. Their widths follow from the largest values there are, times the pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import DOWN, UP, Entrant, Lots, Tally, name_of, tallies
from pbem.tournaments.arithmetic.pairing.drawn import Cost, Field

_TEAM, _MET, _BARRED = 1, 4, 16
_MOST_MET = 3
_PACE_STEP, _PACE_MOST = 6, 15
_DAY = 24 * 60
BALANCED = ("balanced", "duplicate")


class Standing(NamedTuple):
    """An entrant as the draw sees him: `place` from 0 by points, then seed; `upper`: in his group's upper half."""

    entrant: Entrant
    tally: Tally
    place: int
    upper: bool
    owed: int
    drifts: frozenset[str]
    met: Mapping[int, int]

    @property
    def number(self) -> int:
        """His number."""
        return self.entrant.number


def lot_label(a: int, b: int) -> str:
    """Return the label of a pair's lot, the lower number first: ``lot/e3-e7``."""
    return f"lot/{name_of(min(a, b))}-{name_of(max(a, b))}"


def standings_of(field: Field) -> list[Standing]:
    """Return who is to be paired, from the top: by points, then strength, then the order in which they stand."""
    counted = tallies(field.entrants, field.results, field.start)
    seeds = {one.number: (-one.strength, at) for at, one in enumerate(field.entrants)}
    here = [one for one in field.entrants if one.number not in field.away and one.since <= field.round]
    here.sort(key=lambda one: (-counted[one.number].halves, *seeds[one.number]))
    groups: dict[int, list[int]] = {}
    for one in here:
        groups.setdefault(counted[one.number].halves, []).append(one.number)
    upper = {number for group in groups.values() for number in group[: (len(group) + 1) // 2]}
    return [_standing(one, counted[one.number], place, one.number in upper, field) for place, one in enumerate(here)]


def _standing(entrant: Entrant, tally: Tally, place: int, upper: bool, field: Field) -> Standing:
    met: dict[int, int] = {}
    for number in tally.met:
        met[number] = met.get(number, 0) + 1
    # E4.4 looks two rounds back.
    drifts = frozenset(one.drift for one in tally.meetings if one.drift and one.round >= field.round - 2)
    owed = tally.owed if field.manner.sides in BALANCED else 0
    return Standing(entrant, tally, place, upper, owed, drifts, met)


def cost_of(a: Standing, b: Standing, lots: Lots) -> Cost:
    """E4 What it costs that two meet; the same whoever stands first."""
    apart = a.tally.halves - b.tally.halves
    return Cost(
        _forbidden(a, b),
        _both_owe(a.owed, b.owed),
        apart * apart,
        _floats(a, b, apart),
        int(apart == 0 and a.upper == b.upper),
        _distance(a.entrant, b.entrant),
        lots(lot_label(a.number, b.number)),
    )


def _forbidden(a: Standing, b: Standing) -> int:
    """E4.1 Barred weighs more than met, met more than of one team."""
    barred = b.number in a.entrant.barred or a.number in b.entrant.barred
    comrades = bool(a.entrant.team) and a.entrant.team == b.entrant.team
    return _BARRED * barred + _MET * min(a.met.get(b.number, 0), _MOST_MET) + _TEAM * comrades


def may_meet(a: Standing, b: Standing) -> bool:
    """E4.1 Whether two have not met, are not barred from each other and not of one team."""
    return not _forbidden(a, b)


def owe_alike(a: Standing, b: Standing) -> bool:
    """E4.2 Whether one side is owed to both."""
    return a.owed * b.owed > 0


def _both_owe(a: int, b: int) -> int:
    """E4.2 If one side is owed to both, the square of what the lesser is owed, for he goes without."""
    return min(abs(a), abs(b)) ** 2 if a * b > 0 else 0


def _floats(a: Standing, b: Standing, apart: int) -> int:
    """E4.4 How many of the two float in the way they did in one of the last two rounds."""
    if not apart:
        return 0
    high, low = (a, b) if apart > 0 else (b, a)
    return (DOWN in high.drifts) + (UP in low.drifts)


def _distance(a: Entrant, b: Entrant) -> int:
    """E4.6 Six hours of pace count one, up to 15; an hour of the clock one, the short way round the earth."""
    pace = min(abs(a.pace - b.pace) // _PACE_STEP, _PACE_MOST)
    around = abs(a.zone - b.zone) % _DAY
    return pace + min(around, _DAY - around) // 60


def total(costs: Iterable[Cost]) -> Cost:
    """Return the sum of costs, field by field."""
    return Cost(*(sum(column) for column in zip(Cost(), *costs, strict=True)))


class Packing(NamedTuple):
    """How many bits each field has in the one integer."""

    widths: Cost

    @property
    def bits(self) -> int:
        """All of them."""
        return sum(self.widths)


def packing(costs: Iterable[Cost], pairs: int) -> Packing:
    """Return fields wide enough for the sum of any so many of these costs."""
    most = (max(column) for column in zip(Cost(), *costs, strict=True))
    return Packing(Cost(*((value * pairs).bit_length() for value in most)))


def pack(cost: Cost, fields: Packing) -> int:
    """Return a cost, or a sum of costs, as one integer; ArithmeticError if a field does not hold it."""
    packed = 0
    for name, value, width in zip(Cost._fields, cost, fields.widths, strict=True):
        if value < 0 or value.bit_length() > width:
            raise ArithmeticError(f"the field {name} has {width} bits and cannot hold {value}")
        packed = packed << width | value
    return packed


# The cheapest perfect matching, by libraries that are loaded when they are first needed.
#
# networkx is always there. Above `LARGE` rustworkx (extra ``events``) does the same some fifty times faster; its
# weights are integers of 128 bits, so costs of more bits than `NARROW` stay with networkx. Where the cheapest is the
# only one, as lots make it but for one draw in millions, every correct solver finds the same.


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
    # It takes a tenth of a second to import, and pairs only where the quicker library is missing.
    import networkx

    graph = networkx.Graph()
    graph.add_weighted_edges_from(edges)
    matched: Iterable[tuple[int, int]] = networkx.max_weight_matching(graph, maxcardinality=True)
    return matched


def _by_rustworkx(count: int, edges: Sequence[Edge]) -> Iterable[tuple[int, int]]:
    # An extra, which may not be installed.
    import rustworkx

    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph()
    graph.add_nodes_from(list(range(count)))
    graph.add_edges_from([(edge.a, edge.b, edge.cost) for edge in edges])
    return rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
