"""T1 Steps out of a hex: what the ground asks of counters that go together, the same for ever and reckoned once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.engine.map.hexes import neighbours
from pbem.games.peninsular.ground.terrain import Step, column, step_cost
from pbem.games.peninsular.setup.edition import Edition
from pbem.games.peninsular.setup.units import Unit
from pbem.games.peninsular.state import State

Sort = tuple[str, bool, int]
"""What the ground looks at: column of T1, whether under a Manoeuvre order; and how many counters of it go together."""


class Exit(NamedTuple):
    """A step to a neighbour: MP by sort and in all; `lone` those of one counter that goes where nobody is (T1 D)."""

    to: str
    costs: tuple[int, ...]
    total: int
    lone: int
    road: bool


def sort_of(state: State, unit: Unit) -> Sort:
    """Return the sort of a counter by itself."""
    return column(unit), state.order_of(unit) == "MANOEUVRE", 1


def exits(edition: Edition, sorts: tuple[Sort, ...], ones: Sequence[Unit], here: str) -> Mapping[str, Exit]:
    """Return the steps that all sorts can take, by the hex they go to, clockwise from N; `ones` are one of each."""
    known, key = edition.remembered, (sorts, here)
    found = known.get(key)
    if found is None:
        near = [ident for ident in neighbours(here) if ident in edition.map]
        ways = [_exit(edition, sorts, ones, here, ident) for ident in near]
        found = known[key] = {way.to: way for way in ways if way is not None}
    out: Mapping[str, Exit] = found
    return out


def _exit(edition: Edition, sorts: Sequence[Sort], ones: Sequence[Unit], here: str, near: str) -> Exit | None:
    costs, total, lone = [], 0, None
    for (_, manoeuvre, number), unit in zip(sorts, ones, strict=True):
        cost = step_cost(edition, unit, Step(here, near, manoeuvre))
        if cost is None:
            return None
        costs.append(cost)
        total += cost * number
        if number == len(sorts) == 1:
            lone = step_cost(edition, unit, Step(here, near, manoeuvre, alone=True))
    road = (here, near) in edition.map.roads
    return Exit(near, tuple(costs), total, total if lone is None else lone, road)


def paid(state: State, unit: Unit, way: Exit) -> int:
    """T1 Return the MP of a step of a counter that goes by itself: D costs less where nobody else stands."""
    if way.lone == way.total or any(mate.id != unit.id for mate in state.at(way.to)):
        return way.total
    return way.lone
