"""K6 The deployment before turn 1, by an option: who may stand where, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.deployment.rules import Deployment, Ways
from pbem.games.africa1860.orders.grammar import line_of
from pbem.games.africa1860.setup.edition import SIDES, Edition
from pbem.games.africa1860.setup.units import Unit, crowd
from pbem.games.africa1860.state import State


def _room(edition: Edition, space: str, units: Sequence[Unit]) -> bool:
    """C5 Whether these of a side may stand together."""
    combat, guns = crowd(units)
    return combat <= edition.stacking[0] and guns <= edition.stacking[1]


def _far(edition: Edition, one: str, other: str) -> int:
    """How many steps it is from space to space."""
    return edition.map.distances((one,)).get(other, len(edition.map.spaces))


def _stuck(edition: Edition, unit: Unit, space: str) -> bool:
    """C11 Whether no edge of a space lets such a unit pass, as paths do with guns and trains."""
    area = edition.map
    return not any((area.edge(space, near).kind, unit.code) in edition.passes for near in area.neighbours(space))


def _first(state: State) -> str:
    return SIDES[0]


DEPLOYING = Deployment("K6", "K6.1", Ways("C5", _room, _far, line_of, stuck=_stuck, on_ways="C11"), _first)
