"""E3.9 From one stage to the next: who goes on, in which order of seeds, with which points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pbem.tournaments.arithmetic.pairing.drawn import Manner
from pbem.tournaments.arithmetic.pairing.league import moved
from pbem.tournaments.arithmetic.rules.records import Stage
from pbem.tournaments.arithmetic.standings.ranking import Table


class Taken(NamedTuple):
    """Those who go on: their numbers in the order of their seeds, and the halves that they bring along."""

    seeds: tuple[int, ...]
    start: Mapping[int, int]


def go_on(table: Table, before: Manner, stage: Stage, gone: frozenset[int] = frozenset()) -> Taken:
    """E3.9 Return who goes on from a table to a stage: the best `stage.take` of those not `gone`, all if it is 0.

    After a league whose divisions all go on into another one, those who went up and down are seeded there (E3.7).
    """
    order = [row.number for row in table.rows]
    if before.format == "league" and stage.format == "league" and not stage.take:
        order = _moved(table, before.moving)
    left = [one for one in order if one not in gone]
    seeds = tuple(left[: stage.take] if stage.take else left)
    halves = {one: table.ground.tallies[one].halves for one in seeds}
    carried = {"all": halves, "half": {one: (value + 1) // 2 for one, value in halves.items()}}
    return Taken(seeds, {one: value for one, value in carried.get(stage.carry, {}).items() if value})


def _moved(table: Table, moving: int) -> list[int]:
    """All in the order of next season's divisions."""
    division = table.ground.given["division"]
    orders: dict[int, list[int]] = {}
    for row in table.rows:
        orders.setdefault(-division[row.number], []).append(row.number)
    return [one for some in moved([orders[at] for at in sorted(orders)], moving) for one in some]
