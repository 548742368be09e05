"""K6 The deployment before turn 1, by an option: who may stand where, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.deployment.rules import Deployment, Ways
from pbem.engine.map.hexes import distance
from pbem.games.peninsular.ground.stacking import stands
from pbem.games.peninsular.orders.grammar import line_of
from pbem.games.peninsular.setup.edition import Edition, camp
from pbem.games.peninsular.setup.units import Unit
from pbem.games.peninsular.state import State


def _room(edition: Edition, ident: str, units: Sequence[Unit]) -> bool:
    """T3 Whether these of a camp may stand together; commanders are free."""
    fighting = [unit for unit in units if unit.is_combat]
    return not fighting or stands(edition, ident, fighting)


def _far(edition: Edition, one: str, other: str) -> int:
    """How many hexes it is from hex to hex."""
    return distance(one, other)


def _first(state: State) -> str:
    return state.edition.phases[0]


DEPLOYING = Deployment("K6", "K6.1", Ways("T3", _room, _far, line_of, camp), _first)
